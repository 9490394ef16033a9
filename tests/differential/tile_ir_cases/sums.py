"""Cases of reductions, scans and products of matrices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from differential.tile_ir_cases.case import FLOATS, INTEGERS, Case, Shaped


def reductions() -> Iterator[Case]:
    """Reductions and scans along either dimension."""
    for e in (*INTEGERS, *FLOATS):
        t, s = Shaped(e, (4, 8)), f"tile<{e}>"
        integer = e in INTEGERS
        zero = "false" if e == "i1" else "0" if integer else "0.0"
        one = "true" if e == "i1" else "1" if integer else "1.0"
        add, mul = ("addi", "muli") if integer else ("addf", "mulf")
        body = f"(%x: {s}, %y: {s}) {{\n%o = WORD %x, %y : {s}\nyield %o : {s}\n}}"
        combinations = [(add, zero), (mul, one)]
        combinations += [("xori", zero)] if integer else []
        for word, identity in combinations:
            for dim, rest in ((0, (8,)), (1, (4,))):
                r = Shaped(e, rest)
                head = f"dim={dim} identities=[{identity} : {e}]"
                whole = body.replace("WORD", word)
                yield Case(f"reduce {word} {dim} {e}", f"%r = reduce %a {head} : {t} -> {r} {whole}",
                           (t,), (r,), "whole")  # fmt: skip
                for reverse in ("false", "true"):
                    yield Case(f"scan {word} {dim} {reverse} {e}",
                               f"%r = scan %a dim={dim} reverse={reverse} identities=[{identity} : {e}] : {t} -> {t} "
                               + whole, (t,), (t,), "whole")  # fmt: skip
    t, n = Shaped("f32", (4, 8)), Shaped("i32", (4, 8))
    yield Case(
        "reduce to the place of the maximum",
        f"%r, %s = reduce %a, %b dim=1 identities=[0.0 : f32, 0 : i32] : {t}, {n} -> tile<4xf32>, tile<4xi32> "
        "(%v: tile<f32>, %w: tile<f32>, %i: tile<i32>, %j: tile<i32>) {\n"
        "%g = cmpf greater_than ordered %v, %w : tile<f32> -> tile<i1>\n"
        "%m = select %g, %v, %w : tile<i1>, tile<f32>\n%k = select %g, %i, %j : tile<i1>, tile<i32>\n"
        "yield %m, %k : tile<f32>, tile<i32>\n}",
        (t, n), (Shaped("f32", (4,)), Shaped("i32", (4,))), "positive",
    )  # fmt: skip


_SCALED: Final = (
    ("f8E4M3FN", "f8E8M0FNU", 32),
    ("f8E5M2", "f8E8M0FNU", 32),
    ("f4E2M1FN", "f8E8M0FNU", 16),
    ("f4E2M1FN", "f8E8M0FNU", 32),
    ("f4E2M1FN", "f8E4M3FN", 16),
)


def products() -> Iterator[Case]:
    """Matrix products of all pairs of types."""
    pairs = [("f8E4M3FN", "f16"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f8E5M2", "f32"), ("f16", "f16"),
             ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f32", "f32"), ("f64", "f64")]  # fmt: skip
    for batch in ((), (2,)):
        for (e, acc), n in itertools.product(pairs, (4, 1)):
            a, b, c = Shaped(e, (*batch, n, 8)), Shaped(e, (*batch, 8, n)), Shaped(acc, (*batch, n, n))
            name = f"mmaf {e} {acc} {batch} {n}"
            yield Case(name, f"%r = mmaf %a, %b, %c : {a}, {b}, {c}", (a, b, c), (c,), "whole")
        for signs in ("signed signed", "signed unsigned", "unsigned signed", "unsigned unsigned"):
            a, b, c = Shaped("i8", (*batch, 4, 8)), Shaped("i8", (*batch, 8, 4)), Shaped("i32", (*batch, 4, 4))
            yield Case(f"mmai {signs} {batch}", f"%r = mmai %a, %b, %c {signs} : {a}, {b}, {c}", (a, b, c), (c,))
        for e, scale, block in _SCALED:
            a, b, c = Shaped(e, (*batch, 4, 64)), Shaped(e, (*batch, 64, 4)), Shaped("f32", (*batch, 4, 4))
            sa, sb = Shaped(scale, (*batch, 4, 64 // block)), Shaped(scale, (*batch, 64 // block, 4))
            yield Case(f"mmaf_scaled {e} {scale} {block} {batch}",
                       f"%r = mmaf_scaled %a, %b, %c, %d, %e : {a}, {b}, {c}, {sa}, {sb}",
                       (a, b, c, sa, sb), (c,), "scaled")  # fmt: skip
