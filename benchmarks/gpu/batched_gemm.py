"""How fast batches of small products are on an NVIDIA GPU, against a copy of as many bytes and torch.

    python benchmarks/gpu/batched_gemm.py [--quick] [--only TEXT,..] [--bytes N] [--processes N] [--json PATH]

Tensor language, one work-group a product, matrices by columns. Useful bytes are those of each matrix once, what is
the same for all items not counted. The table: shapes of issue 16 in four types, each batch of as many bytes as asked
for (1 GiB at least, more than the caches hold); the same of some shapes with pointers, a constant factor, transposed
factors, alpha and beta, gaps between columns; the sample kernel; a chain of three products. Contestants run in turn on
random normal data, timed by events on the device; with `--processes` so many compile all kernels before. The first
items are compared with products in float64. Prints useful GB/s, the share of the copy's with quartiles, what was
predicted before the first run, and the ratio to torch; saves them: benchmarks/results/gpu_batched_gemm.json unless told
otherwise.

Columns with gaps between them lie in what memory moves as a whole: it is read by 64 bytes and written by sectors of 32,
of which those that are written in part are read before (so the counters of an H200 have it, within about 6 %). The
bound of such cases is a contestant, a copy of as many bytes as are moved; what it takes of our time is kept as another
row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
from ahead import Program, add_options, compiled_ahead
from small_batches import (
    GAP,
    ODD_SHAPES,
    SHAPES,
    TYPES,
    VARIANTS,
    VARIED,
    batch_of,
    chain_text,
    fused_text,
    moved_bytes,
    sizes_of,
    text_of,
)

import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from timing import in_turn

ROUNDS = 15
BYTES = 1 << 30
COPY = "copy"
OURS = "ours"
MOVED = "moved"
GOAL = 0.95
STEP = 1e-4
"""By what the last factor of a chain is multiplied once it is checked."""
CHECKED = 64
"""Items that are compared with products in float64."""

ERRORS = {"f32": 1e-5, "f64": 1e-13, "f16": 2e-3, "bf16": 1.6e-2}
FUSED, CHAIN = "fused", "chain 56x9"

PREDICTED = {
    "contiguous": 0.98,
    "pointers": 0.85,
    "constant A": 0.97,
    "constant B": 0.97,
    "transposed": 0.97,
    "alpha, beta": 0.97,
    "gaps": 0.88,
    "fused": 0.97,
    "chain": 0.35,
}
"""Shares of a copy, written down before any run: the floor is the bytes, and a prototype with the same structure took
0.99 to 1.05 of a copy's time for it (asynchronous copies, one chunk a warp in one stage, in place). What is behind
pointers is read one sector further each, gaps are sectors read in part. The chain multiplies 56x56 matrices: 661 cycles
of a multiprocessor an item by its products, 224 by its bytes. Code that reads the factors of each of its products once,
with wrong results, took 0.91 of the time of f32 on an H200 (3.21 times torch's speed where the kernel had 2.91): about
what there is to gain by reading ahead or less."""

NARROW_PREDICTED = {(32, 32, 32): 0.7, (64, 64, 64): 0.15}
"""Types of 16 bits, whose products are added in f32 one by one: 256 cycles for the sums and 110 to convert the factors
of 32 by 32, 341 for the bytes. 64 by 64 was not packed then."""

WIDE_PREDICTED = {(4, 4, 4): 0.9, (64, 64, 64): 0.15}
"""f32 and f64: the smallest items are many for their bytes; 64 by 64 was not packed then, and is not now."""


@dataclass(frozen=True, slots=True)
class Case:
    """One cell of the table: our run, torch's, useful bytes, and how to check the results."""

    name: str
    ours: Callable[[], object]
    torch: Callable[[], object]
    bytes: int
    predicted: float
    schedule: str
    moved: int
    """Bytes that memory moves."""


def main() -> None:
    parser = figures.options(__doc__, "gpu_batched_gemm", rounds=ROUNDS)
    parser.add_argument("--only", default="", help="cases whose names contain one of these (default: all)")
    parser.add_argument("--bytes", type=int, default=BYTES, help="useful bytes of a case (default: %(default)s)")
    add_options(parser)
    options = figures.parsed(parser)
    wanted = [part for part in options.only.split(",") if part]
    every = [name for name in names(quick=options.quick) if not wanted or any(part in name for part in wanted)]
    with compiled_ahead(map(program, every), options):
        run(options, every)


def run(options: Any, every: list[str]) -> None:
    """Time cases by their names."""
    torch = torch_on_device()
    torch.backends.cuda.matmul.allow_tf32 = False
    print(name_of_device(torch))
    print(f"{'':34} {'copy':>7} {'torch':>7} {'ours':>7}  GB/s   share of copy [quartiles]   predicted   to torch")
    rows: list[dict[str, object]] = []
    shares: dict[str, Spread] = {}
    bounded: dict[str, Spread] = {}
    for name in every:
        case = case_of(torch, name, options.bytes, quick=options.quick)
        half = torch.empty(case.bytes // 2, dtype=torch.uint8, device="cuda").random_()
        other = torch.empty_like(half)
        runs = {COPY: partial(other.copy_, half), "torch": case.torch, OURS: case.ours}
        if case.moved > case.bytes:
            moved = torch.empty(case.moved // 2, dtype=torch.uint8, device="cuda").random_()
            runs[MOVED] = partial(torch.empty_like(moved).copy_, moved)
        timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.005)
        rates = {key: case.bytes / spread.median / 1e9 for key, spread in timings.seconds().items()}
        shares[name] = timings.ratios(COPY, OURS)
        if MOVED in runs:
            bounded[f"{name}, of the bound"] = timings.ratios(MOVED, OURS)
        to_torch = timings.ratios("torch", OURS).median
        bound = timings.ratios(COPY, MOVED).median if MOVED in runs else None
        rows.append(
            {
                "name": name,
                "gigabytes": rates,
                "share": shares[name].median,
                "predicted": case.predicted,
                "to torch": to_torch,
                "bound": bound,
                "schedule": case.schedule,
            }
        )
        print(
            f"{name:34} {rates[COPY]:7.0f} {rates['torch']:7.0f} {rates[OURS]:7.0f}        {shares[name]}"
            f"   {case.predicted:.2f}   x{to_torch:.2f}{'' if bound is None else f'   bound {bound:.2f}'}",
            flush=True,
        )
        del case, half, other, runs
        torch.cuda.empty_cache()
    chart = Chart("Batches of small products, share of a copy", [(n, s.median) for n, s in shares.items()], GOAL)
    found = {**shares, **bounded}
    figures.save(options.json, rows, {**found, **summaries(found)}, chart)


def summaries(shares: Mapping[str, Spread]) -> dict[str, Overall]:
    """What the cells amount to: contiguous batches by type, variants of them, 64 x 64 apart: torch is its peer."""
    rows: dict[str, dict[str, Spread]] = {}
    for name, share in shares.items():
        element, what, *variant = name.split(" ", 2)
        kind = "64x64x64" if what == "64x64x64" else " ".join(variant) or f"contiguous, {element}"
        if what[0].isdigit():
            rows.setdefault(kind, {})[name] = share
    return {kind: Overall.of(found) for kind, found in rows.items()}


def names(*, quick: bool) -> Iterator[str]:
    """Those of all cases: types, extents, and what is special of them."""
    for element in TYPES:
        for shape in SHAPES[1:2] if quick else (*SHAPES, *ODD_SHAPES):
            yield f"{element} {'x'.join(map(str, shape))}"
    for element in ("f32",) if quick else ("f32", "f64", "f16"):
        for shape in VARIED[:1] if quick else VARIED:
            for variant in VARIANTS:
                yield f"{element} {'x'.join(map(str, shape))} {variant}"
    for element in ("f32", "f64"):
        yield from (f"{element} {FUSED}", f"{element} {CHAIN}")


def parts_of(name: str) -> tuple[str, tuple[int, int, int], str]:
    """Type, extents and variant of a batch of products of one shape."""
    element, extents, *variant = name.split(" ", 2)
    m, n, k = map(int, extents.split("x"))
    return element, (m, n, k), variant[0] if variant else "contiguous"


def program(name: str) -> Program:
    """The kernel of a case."""
    element, what = name.split(" ", 1)
    texts = {FUSED: fused_text, CHAIN: chain_text}
    return Program(texts[what](element) if what in texts else text_of(*parts_of(name)))


def case_of(torch: Any, name: str, size: int, *, quick: bool) -> Case:
    """A case of so many useful bytes."""
    element, what = name.split(" ", 1)
    if what == FUSED:
        return fused(torch, element, 20_000 if quick else 2_000_000)
    if what == CHAIN:
        return chain(torch, element, size)
    return batch(torch, name, *parts_of(name), size)


def predicted(element: str, shape: tuple[int, int, int], variant: str) -> float:
    """The share of a copy that was expected before the first run."""
    known = WIDE_PREDICTED if element in ("f32", "f64") else NARROW_PREDICTED
    return min(known.get(shape, 1.0), PREDICTED[variant])


def batch(torch: Any, name: str, element: str, shape: tuple[int, int, int], variant: str, size: int) -> Case:
    """A batch of products of one shape."""
    given = batch_of(torch, element, shape, variant, size)
    items, each, memory, arguments = given.items, given.each, given.memory, given.arguments
    turned, gap = variant == "transposed", GAP if variant == "gaps" else 0
    compiled = program(name).kernel()
    kernel = compiled[items]
    a, b, c = (memory[key] for key in "ABC")
    left, right = (b.transpose(1, 2), a.transpose(1, 2)) if turned else (b, a)
    left, right = left.expand(items, -1, -1), right.expand(items, -1, -1)
    alpha, beta = (2.0, 0.5) if variant == "alpha, beta" else (1.0, 0.0)
    first = c[:CHECKED].to(torch.float64, copy=True)
    kernel(*arguments)
    wanted = alpha * left[:CHECKED].double() @ right[:CHECKED].double() + (beta * first if beta else 0)
    check(name, c[:CHECKED].double(), wanted, ERRORS[element])
    out = c.clone()
    theirs = partial(torch.bmm, left, right, out=out)
    if beta:
        theirs = partial(torch.baddbmm, out, left, right, beta=beta, alpha=alpha, out=out)
    moved = items * each
    if gap:
        bytes_ = getattr(torch, TYPES[element]).itemsize
        sizes = sizes_of(shape, turned).items()
        moved = round(items * sum(moved_bytes(r, c, r + gap, bytes_, is_written=key == "C") for key, (r, c) in sizes))
    share = predicted(element, shape, variant)
    return Case(name, partial(kernel, *arguments), theirs, each * items, share, str(compiled.schedule), moved)


def fused(torch: Any, element: str, items: int) -> Case:
    """`D_i := D_i + alpha (A_i B^T) C`."""
    dtype = getattr(torch, TYPES[element])
    a, d = (torch.randn(items, columns, 16, device="cuda", dtype=dtype) for columns in (8, 16))
    b, c = torch.randn(8, 8, device="cuda", dtype=dtype), torch.randn(16, 8, device="cuda", dtype=dtype)
    compiled = program(f"{element} {FUSED}").kernel()
    kernel = compiled[items]
    pointers = tw.PointerArray.of(a.permute(0, 2, 1))
    out = d.clone()
    alpha = 0.5
    wanted = out[:CHECKED].double() + alpha * (c.double() @ (b.double().t() @ a[:CHECKED].double()))
    arguments = (alpha, pointers, b.permute(1, 0), c.permute(1, 0), out.permute(2, 1, 0))
    kernel(*arguments)
    check(f"{element} fused", out[:CHECKED].double(), wanted, ERRORS[element])
    factor = alpha * (c @ b.t())

    def theirs() -> object:
        return torch.baddbmm(d, factor.expand(items, -1, -1), a, out=d)

    each = (16 * 8 + 2 * 16 * 16) * dtype.itemsize
    schedule = str(compiled.schedule)
    size = each * items
    return Case(f"{element} {FUSED}", partial(kernel, *arguments), theirs, size, PREDICTED["fused"], schedule, size)


def chain(torch: Any, element: str, size: int) -> Case:
    """Three products with constant factors and an elementwise step for each item."""
    dtype = getattr(torch, TYPES[element])
    each = 2 * 56 * 9 * dtype.itemsize
    items = size // each
    constants = [torch.randn(56, 56, device="cuda", dtype=dtype) / 56**0.5 for _ in range(3)]
    s = torch.randn(items, device="cuda", dtype=dtype)
    q = torch.randn(items, 9, 56, device="cuda", dtype=dtype)
    ours, theirs = q.clone(), q.clone()
    compiled = program(f"{element} {CHAIN}").kernel()
    kernel = compiled[items]
    arguments = (*(constant.permute(1, 0) for constant in constants), s, ours.permute(2, 1, 0))
    kernel(*arguments)

    def update(state: Any, factors: list[Any], scale: Any) -> Any:
        x = state @ factors[0]
        return torch.addmm(state.reshape(-1, 56), (x + scale * (x @ factors[1])).reshape(-1, 56), factors[2])

    few = update(q[:CHECKED].double(), [constant.double() for constant in constants], s[:CHECKED, None, None].double())
    check(f"{element} chain", ours[:CHECKED].double().reshape(-1, 56), few, 10 * ERRORS[element])
    # items are updated in place: by whole steps they overflow within some hundred runs
    ours.copy_(q)
    constants[2].mul_(STEP)
    scale = s[:, None, None]
    schedule = str(compiled.schedule)
    run = partial(update, theirs, constants, scale)
    size = each * items
    return Case(f"{element} {CHAIN}", partial(kernel, *arguments), run, size, PREDICTED["chain"], schedule, size)


def check(name: str, found: Any, wanted: Any, allowed: float) -> None:
    """End the program if results are wrong."""
    error = float((found - wanted).norm() / wanted.norm())
    if not error <= allowed:
        raise SystemExit(f"{name}: the error's norm is {error:.3g} of the product's")


if __name__ == "__main__":
    main()
