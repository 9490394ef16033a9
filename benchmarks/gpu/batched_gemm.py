"""How fast batches of small products are on an NVIDIA GPU, against a copy of as many bytes and torch.

    python benchmarks/gpu/batched_gemm.py [--quick] [--only TEXT,..] [--bytes N] [--json PATH]

Tensor language, one work-group a product, matrices by columns. Useful bytes are those of each matrix once, what is
the same for all items not counted. The table: shapes of issue 16 in four types, each batch of as many bytes as asked
for (1 GiB at least, more than the caches hold); the same of some shapes with pointers, a constant factor, transposed
factors, alpha and beta, gaps between columns; the sample kernel; a chain of three products. Contestants run in turn on
random normal data, timed by events on the device. The first items are compared with products in float64. Prints useful
GB/s, the share of the copy's with quartiles, what was predicted before the first run, and the ratio to torch; saves
them: benchmarks/results/gpu_batched_gemm.json unless told otherwise.

Columns with gaps between them lie in sectors that are used in part, and memory moves whole ones: what is written in
part is read before. The bound of such cases is a contestant, a copy of as many bytes as these sectors have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from timing import in_turn

ROUNDS = 15
BYTES = 1 << 30
COPY = "copy"
OURS = "ours"
SECTORS = "sectors"
SECTOR = 32
GOAL = 0.95
CHECKED = 64
"""Items that are compared with products in float64."""

SHAPES = ((4, 4, 4), (8, 8, 8), (16, 16, 16), (32, 32, 32), (64, 64, 64))
ODD_SHAPES = ((9, 9, 9), (20, 9, 9), (56, 9, 9), (35, 9, 20), (20, 9, 56))
TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}
ERRORS = {"f32": 1e-5, "f64": 1e-13, "f16": 2e-3, "bf16": 1.6e-2}
VARIANTS = ("pointers", "constant A", "constant B", "transposed", "alpha, beta", "gaps")
VARIED = ((8, 8, 8), (16, 16, 16), (20, 9, 9))
GAP = 4
"""Elements between columns."""

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
of a multiprocessor an item by its products, 224 by its bytes."""

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
    """Bytes of the sectors that memory moves."""


def main() -> None:
    parser = figures.options(__doc__, "gpu_batched_gemm", rounds=ROUNDS)
    parser.add_argument("--only", default="", help="cases whose names contain one of these (default: all)")
    parser.add_argument("--bytes", type=int, default=BYTES, help="useful bytes of a case (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    torch.backends.cuda.matmul.allow_tf32 = False
    print(name_of_device(torch))
    print(f"{'':34} {'copy':>7} {'torch':>7} {'ours':>7}  GB/s   share of copy [quartiles]   predicted   to torch")
    wanted = [part for part in options.only.split(",") if part]
    rows: list[dict[str, object]] = []
    shares: dict[str, Spread] = {}
    for name, make in table(torch, options.bytes, quick=options.quick):
        if wanted and not any(part in name for part in wanted):
            continue
        case = make()
        half = torch.empty(case.bytes // 2, dtype=torch.uint8, device="cuda").random_()
        other = torch.empty_like(half)
        runs = {COPY: partial(other.copy_, half), "torch": case.torch, OURS: case.ours}
        if case.moved > case.bytes:
            sectors = torch.empty(case.moved // 2, dtype=torch.uint8, device="cuda").random_()
            runs[SECTORS] = partial(torch.empty_like(sectors).copy_, sectors)
        timings = in_turn({key: on_device(torch, run) for key, run in runs.items()}, options.rounds, warm=0.01)
        rates = {key: case.bytes / spread.median / 1e9 for key, spread in timings.seconds().items()}
        shares[name] = timings.ratios(COPY, OURS)
        to_torch = timings.ratios("torch", OURS).median
        bound = timings.ratios(COPY, SECTORS).median if SECTORS in runs else None
        rows.append(
            {
                "name": name,
                "gigabytes": rates,
                "share": shares[name].median,
                "predicted": case.predicted,
                "to torch": to_torch,
                "share of a copy of the sectors": bound,
                "schedule": case.schedule,
            }
        )
        print(
            f"{name:34} {rates[COPY]:7.0f} {rates['torch']:7.0f} {rates[OURS]:7.0f}        {shares[name]}"
            f"   {case.predicted:.2f}   x{to_torch:.2f}{'' if bound is None else f'   sectors {bound:.2f}'}",
            flush=True,
        )
        del case, half, other, runs
        torch.cuda.empty_cache()
    chart = Chart("Batches of small products, share of a copy", [(n, s.median) for n, s in shares.items()], GOAL)
    figures.save(options.json, rows, {**shares, **summaries(shares)}, chart)


def summaries(shares: Mapping[str, Spread]) -> dict[str, Overall]:
    """What the cells amount to: contiguous batches by type, variants of them, 64 x 64 apart: torch is its peer."""
    rows: dict[str, dict[str, Spread]] = {}
    for name, share in shares.items():
        element, what, *variant = name.split(" ", 2)
        kind = "64x64x64" if what == "64x64x64" else " ".join(variant) or f"contiguous, {element}"
        if what[0].isdigit():
            rows.setdefault(kind, {})[name] = share
    return {kind: Overall.of(found) for kind, found in rows.items()}


def table(torch: Any, size: int, *, quick: bool) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Names of all cases, and how each is made when it is its turn."""
    for element in TYPES:
        for shape in SHAPES[1:2] if quick else (*SHAPES, *ODD_SHAPES):
            name = f"{element} {'x'.join(map(str, shape))}"
            yield name, lambda e=element, s=shape, n=name: batch(torch, n, e, s, "contiguous", size)
    for element in ("f32",) if quick else ("f32", "f64", "f16"):
        for shape in VARIED[:1] if quick else VARIED:
            for variant in VARIANTS:
                name = f"{element} {'x'.join(map(str, shape))} {variant}"
                yield name, lambda e=element, s=shape, v=variant, n=name: batch(torch, n, e, s, v, size)
    for element in ("f32", "f64"):
        yield f"{element} fused", lambda e=element: fused(torch, e, 20_000 if quick else 2_000_000)
        yield f"{element} chain 56x9", lambda e=element: chain(torch, e, size)


def predicted(element: str, shape: tuple[int, int, int], variant: str) -> float:
    """The share of a copy that was expected before the first run."""
    known = WIDE_PREDICTED if element in ("f32", "f64") else NARROW_PREDICTED
    return min(known.get(shape, 1.0), PREDICTED[variant])


def text_of(element: str, shape: tuple[int, int, int], variant: str) -> str:
    """The kernel: `C_i := alpha A_i B_i + beta C_i`."""
    turned, gap = variant == "transposed", GAP if variant == "gaps" else 0
    parameters: list[str] = []
    views: list[str] = []
    for name, (rows, columns) in sizes_of(shape, turned).items():
        matrix, view = f"{element}x{rows}x{columns}", name.lower()
        strides = f",strided<1,{rows + gap}>" if gap else ""
        if variant == f"constant {name}":
            parameters.append(f"%{name}: memref<{matrix}>")
            views.append(f"%{view} = subview %{name}[0:{rows}, 0:{columns}] : memref<{matrix}>")
        elif variant == "pointers":
            parameters.append(f"%{name}: group<memref<{matrix}>x?>")
            views.append(f"%{view} = load %{name}[%g] : memref<{matrix}>")
        else:
            batched = f",strided<1,{rows + gap},{(rows + gap) * columns}>" if gap else ""
            parameters.append(f"%{name}: memref<{matrix}x?{batched}>")
            views.append(f"%{view} = subview %{name}[0:{rows}, 0:{columns}, %g] : memref<{matrix}{strides}>")
    alpha, beta = (2.0, 0.5) if variant == "alpha, beta" else (1.0, 0.0)
    return f"""func @product({", ".join(parameters)}) {{
        %g = group_id.x : index
        %alpha = constant {alpha} : {element}
        %beta = constant {beta} : {element}
        {chr(10).join(views)}
        gemm.{"t.t" if turned else "n.n"} %alpha, %a, %b, %beta, %c
    }}"""


class Batch(NamedTuple):
    """Matrices of `items` products, `each` of so many useful bytes: row-major [item, column, row], of which a kernel
    sees [row, column, item], and what it is called with."""

    items: int
    each: int
    memory: Mapping[str, Any]
    arguments: tuple[Any, ...]


def sizes_of(shape: tuple[int, int, int], turned: bool) -> dict[str, tuple[int, int]]:
    """Rows and columns of the matrices as they lie in memory."""
    m, n, k = shape
    return {"A": (k, m) if turned else (m, k), "B": (n, k) if turned else (k, n), "C": (m, n)}


def batch_of(torch: Any, element: str, shape: tuple[int, int, int], variant: str, size: int) -> Batch:
    """Random matrices for `text_of`, of so many useful bytes."""
    dtype, gap = getattr(torch, TYPES[element]), GAP if variant == "gaps" else 0
    sizes = sizes_of(shape, variant == "transposed")
    moving = {key: rows * columns for key, (rows, columns) in sizes.items() if variant != f"constant {key}"}
    written = moving["C"] if variant == "alpha, beta" else 0
    each = (sum(moving.values()) + written) * dtype.itemsize
    items = size // each
    memory: dict[str, Any] = {}
    arguments: list[Any] = []
    for key, (rows, columns) in sizes.items():
        count = items if key in moving else 1
        memory[key] = torch.randn(count, columns, rows + gap, device="cuda", dtype=torch.float32).to(dtype)[..., :rows]
        seen = memory[key].permute(2, 1, 0)
        if variant == "pointers":
            arguments.append(tw.PointerArray.of(seen.permute(2, 0, 1)))
        else:
            arguments.append(seen if key in moving else seen[..., 0])
    return Batch(items, each, memory, tuple(arguments))


def batch(torch: Any, name: str, element: str, shape: tuple[int, int, int], variant: str, size: int) -> Case:
    """A batch of products of one shape."""
    given = batch_of(torch, element, shape, variant, size)
    items, each, memory, arguments = given.items, given.each, given.memory, given.arguments
    turned, gap = variant == "transposed", GAP if variant == "gaps" else 0
    program = tw.compile(text_of(element, shape, variant), target="nvidia", cache=False)
    kernel = program.product[items]
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
    schedule = program.product.schedule
    moved = items * each
    if gap:
        bytes_ = getattr(torch, TYPES[element]).itemsize
        sizes = sizes_of(shape, turned).items()
        moved = round(items * sum(sector_bytes(r, c, r + gap, bytes_, key == "C") for key, (r, c) in sizes))
    share = predicted(element, shape, variant)
    return Case(name, partial(kernel, *arguments), theirs, each * items, share, str(schedule), moved)


def sector_bytes(rows: int, columns: int, pitch: int, size: int, is_written: bool) -> float:
    """Bytes that memory moves for a matrix of a batch on average: whole sectors, twice if one is written in part."""
    places = np.zeros(SECTOR * columns * pitch * size, bool)
    for begin in range(0, len(places), pitch * size):
        places[begin : begin + rows * size] = True
    used = places.reshape(-1, SECTOR)
    touched, whole = used.any(axis=1).sum(), used.all(axis=1).sum()
    return float(SECTOR * (touched + (touched - whole if is_written else 0)) / SECTOR)


def fused(torch: Any, element: str, items: int) -> Case:
    """The sample kernel of the language: `D_i := D_i + alpha (A_i B^T) C`."""
    text = (Path(__file__).parents[2] / "examples" / "fused_kernel.tl").read_text()
    if element == "f64":
        text = text.replace("f32", "f64")
    dtype = getattr(torch, TYPES[element])
    a, d = (torch.randn(items, columns, 16, device="cuda", dtype=dtype) for columns in (8, 16))
    b, c = torch.randn(8, 8, device="cuda", dtype=dtype), torch.randn(16, 8, device="cuda", dtype=dtype)
    program = tw.compile(text, target="nvidia", cache=False)
    kernel = program.fused_kernel[items]
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
    schedule = str(program.fused_kernel.schedule)
    size = each * items
    return Case(f"{element} fused", partial(kernel, *arguments), theirs, size, PREDICTED["fused"], schedule, size)


def chain(torch: Any, element: str, size: int) -> Case:
    """An update as of ADER schemes: `Q_i := Q_i + Y_i`, `Y = K2 (X + s_i K1 (K0 Q_i))`, X the inner product itself."""
    text = f"""func @chain(%K0: memref<{element}x56x56>, %K1: memref<{element}x56x56>, %K2: memref<{element}x56x56>,
                     %s: memref<{element}x?>, %Q: memref<{element}x56x9x?>) {{
        %one = constant 1.0 : {element}
        %zero = constant 0.0 : {element}
        %g = group_id.x : index
        %f = load %s[%g] : {element}
        %q = subview %Q[0:56, 0:9, %g] : memref<{element}x56x9>
        %x = alloca : memref<{element}x56x9,local>
        %y = alloca : memref<{element}x56x9,local>
        gemm %one, %K0, %q, %zero, %x
        gemm %f, %K1, %x, %zero, %y
        axpby %one, %x, %one, %y
        gemm %one, %K2, %y, %one, %q
    }}"""
    dtype = getattr(torch, TYPES[element])
    each = 2 * 56 * 9 * dtype.itemsize
    items = size // each
    constants = [torch.randn(56, 56, device="cuda", dtype=dtype) / 56**0.5 for _ in range(3)]
    s = torch.randn(items, device="cuda", dtype=dtype)
    q = torch.randn(items, 9, 56, device="cuda", dtype=dtype)
    ours, theirs = q.clone(), q.clone()
    program = tw.compile(text, target="nvidia", cache=False)
    kernel = program.chain[items]
    arguments = (*(constant.permute(1, 0) for constant in constants), s, ours.permute(2, 1, 0))
    kernel(*arguments)

    def update(state: Any, factors: list[Any], scale: Any) -> Any:
        x = state @ factors[0]
        return torch.addmm(state.reshape(-1, 56), (x + scale * (x @ factors[1])).reshape(-1, 56), factors[2])

    few = update(q[:CHECKED].double(), [constant.double() for constant in constants], s[:CHECKED, None, None].double())
    check(f"{element} chain", ours[:CHECKED].double().reshape(-1, 56), few, 10 * ERRORS[element])
    scale = s[:, None, None]
    schedule = str(program.chain.schedule)
    run = partial(update, theirs, constants, scale)
    size = each * items
    return Case(f"{element} chain", partial(kernel, *arguments), run, size, PREDICTED["chain"], schedule, size)


def check(name: str, found: Any, wanted: Any, allowed: float) -> None:
    """End the program if results are wrong."""
    error = float((found - wanted).norm() / wanted.norm())
    if not error <= allowed:
        raise SystemExit(f"{name}: the error's norm is {error:.3g} of the product's")


if __name__ == "__main__":
    main()
