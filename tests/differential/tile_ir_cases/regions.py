"""Reductions and scans of Tile IR whose regions do more than arithmetic on scalars: whole tiles, control flow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from differential.tile_ir_cases.case import FLOATS, INTEGERS, PACKED, SMALL, Case, Shaped


def regions() -> Iterator[Case]:
    """Reductions and scans whose regions do more than arithmetic on scalars."""
    for e in (*INTEGERS, *FLOATS, *(small for small in SMALL if small not in PACKED)):
        s, one, two = (f"tile<{shape}{e}>" for shape in ("", "1x", "2x"))
        add = f"{'addi' if e in INTEGERS else 'addf'} %u, %v" if e not in SMALL else "cat %w, %w dim = 0"
        total = f"%s = {add} : {one}\n" if e not in SMALL else ""
        lines = (
            f"%u = reshape %x : {s} -> {one}\n%v = reshape %y : {s} -> {one}\n{total}"
            f"%c = cat {'%s' if total else '%u'}, %v dim = 0 : {one}, {one} -> {two}\n"
            f"%z = extract %c[%zero] : {two} -> {one}\n%o = reshape %z : {one} -> {s}"
        )
        identity = "false" if e == "i1" else "0" if e in INTEGERS else "1.0" if e == "f8E8M0FNU" else "0.0"
        yield from _combined("tiles", e, identity, lines, "whole" if e in FLOATS else "")
    for name, identity, lines in _INTEGER_REGIONS:
        yield from _combined(name, "i32", identity, lines, "byte")
    for name, lines in _FLOAT_REGIONS:
        yield from _combined(name, "f32", "-4.0" if name == "bytes" else "0.0", lines, "whole")
    t, n = Shaped("f32", (4, 8)), Shaped("i1", (4, 8))
    yield Case(
        "reduce two by an if",
        f"%r, %s = reduce %a, %b dim=0 identities=[0.0 : f32, false : i1] : {t}, {n} -> tile<8xf32>, tile<8xi1> "
        "(%v: tile<f32>, %w: tile<f32>, %i: tile<i1>, %j: tile<i1>) {\n"
        "%g = cmpf greater_than ordered %v, %w : tile<f32> -> tile<i1>\n"
        "%m, %k = if %g -> (tile<f32>, tile<i1>) {\nyield %v, %i : tile<f32>, tile<i1>\n} else {\n"
        "yield %w, %j : tile<f32>, tile<i1>\n}\nyield %m, %k : tile<f32>, tile<i1>\n}",
        (t, n), (Shaped("f32", (8,)), Shaped("i1", (8,))), "positive",
    )  # fmt: skip


def _combined(name: str, element: str, identity: str, lines: str, domain: str) -> Iterator[Case]:
    """A region as that of a reduction along either dimension and of scans; it leaves `%o` of `%x` and `%y`."""
    t = Shaped(element, (4, 8))
    head = f"identities=[{identity} : {element}] : {t} ->"
    body = f"(%x: tile<{element}>, %y: tile<{element}>) {{\n{lines}\nyield %o : tile<{element}>\n}}"
    for dim, rest in ((0, (8,)), (1, (4,))):
        r = Shaped(element, rest)
        yield Case(f"reduce {name} {dim} {element}", f"%r = reduce %a dim={dim} {head} {r} {body}", (t,), (r,), domain)
    for dim, reverse in ((0, "true"), (1, "false")):
        yield Case(f"scan {name} {dim} {reverse} {element}",
                   f"%r = scan %a dim={dim} reverse={reverse} {head} {t} {body}", (t,), (t,), domain)  # fmt: skip


_PAIR: Final = (
    "%u = reshape %x : tile<E> -> tile<1xE>\n%v = reshape %y : tile<E> -> tile<1xE>\n"
    "%c = cat %u, %v dim = 0 : tile<1xE>, tile<1xE> -> tile<2xE>\n"
)
_INTEGER_REGIONS: Final = (
    ("if", "-2147483648", "%g = cmpi greater_than %x, %y, signed : tile<i32> -> tile<i1>\n"
     "%o = if %g -> (tile<i32>) {\nyield %x : tile<i32>\n} else {\nyield %y : tile<i32>\n}"),
    ("for", "0", "%l = constant <i32: 2> : tile<i32>\n%h = constant <i32: 3> : tile<i32>\n"
     "%o = for %k in (%l to %h, step %l) : tile<i32> iter_values(%s = %y) -> (tile<i32>) {\n"
     "%n = addi %s, %x : tile<i32>\ncontinue %n : tile<i32>\n}"),
    ("loop", "0", "%o = loop iter_values(%u = %x, %v = %y) : tile<i32>, tile<i32> -> tile<i32> {\n"
     "%g = cmpi equal %v, %zero, signed : tile<i32> -> tile<i1>\nif %g {\nbreak %u : tile<i32>\n}\n"
     "%n = remi %u, %v signed : tile<i32>\ncontinue %v, %n : tile<i32>, tile<i32>\n}"),
    ("nested", "0", _PAIR.replace("E", "i32") + "%o = reduce %c dim=0 identities=[0 : i32] : tile<2xi32> -> tile<i32> "
     "(%d: tile<i32>, %e: tile<i32>) {\n%f = addi %d, %e : tile<i32>\nyield %f : tile<i32>\n}"),
    ("division", "0", "%d = constant <i32: 1> : tile<i32>\n%n = divi %x, %d signed : tile<i32>\n"
     "%o = maxi %n, %y signed : tile<i32>"),
    ("table", "0", "%t = iota : tile<4xi32>\n%d = constant <i32: 3> : tile<i32>\n%s = addi %x, %y : tile<i32>\n"
     "%i = andi %s, %d : tile<i32>\n%e = extract %t[%i] : tile<4xi32> -> tile<1xi32>\n"
     "%p = reshape %e : tile<1xi32> -> tile<i32>\n%n = subi %s, %p : tile<i32>\n%o = addi %n, %p : tile<i32>"),
    ("grid", "0", "%d, %e, %f = get_tile_block_id : tile<i32>\n%i, %j, %k = get_num_tile_blocks : tile<i32>\n"
     "%l = muli %y, %i : tile<i32>\n%m = addi %x, %e : tile<i32>\n%o = addi %l, %m : tile<i32>"),
)  # fmt: skip
_FLOAT_REGIONS: Final = (
    ("product", _PAIR.replace("E", "f32") + "%l = reshape %c : tile<2xf32> -> tile<1x2xf32>\n"
     "%d = constant <f32: 1.0> : tile<2x1xf32>\n%e = constant <f32: 0.0> : tile<1x1xf32>\n"
     "%p = mmaf %l, %d, %e : tile<1x2xf32>, tile<2x1xf32>, tile<1x1xf32>\n"
     "%o = reshape %p : tile<1x1xf32> -> tile<f32>"),
    ("bytes", _PAIR.replace("E", "f32") + "%p = pack %c : tile<2xf32> -> tile<8xi8>\n"
     "%q = unpack %p : tile<8xi8> -> tile<4xf16>\n%d = pack %q : tile<4xf16> -> tile<8xi8>\n"
     "%f = unpack %d : tile<8xi8> -> tile<2xf32>\n%e = extract %f[%zero] : tile<2xf32> -> tile<1xf32>\n"
     "%h = reshape %e : tile<1xf32> -> tile<f32>\n%o = maxf %h, %y : tile<f32>"),
    ("arranged", _PAIR.replace("E", "f32") + "%d = reshape %c : tile<2xf32> -> tile<1x2xf32>\n"
     "%e = permute %d [1, 0] : tile<1x2xf32> -> tile<2x1xf32>\n"
     "%f = broadcast %e : tile<2x1xf32> -> tile<2x4xf32>\n"
     "%i = insert %e, %f[%zero, %zero] : tile<2x1xf32>, tile<2x4xf32>\n"
     "%h = reduce %i dim=0 identities=[0.0 : f32] : tile<2x4xf32> -> tile<4xf32> (%j: tile<f32>, %k: tile<f32>) {\n"
     "%l = addf %j, %k : tile<f32>\nyield %l : tile<f32>\n}\n"
     "%m = extract %h[%zero] : tile<4xf32> -> tile<1xf32>\n%o = reshape %m : tile<1xf32> -> tile<f32>"),
)  # fmt: skip
