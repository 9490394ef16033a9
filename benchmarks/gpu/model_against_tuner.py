"""How near the cost model's schedules are to the best that tuning finds, over the kernels of the GPU's table.

    python benchmarks/gpu/model_against_tuner.py [--quick] [--only TEXT,..] [--seconds N] [--trials N] [--json PATH]

Streams, rows, transposes, sums, batches of small products and single products, one case of each kind and type at least.
Each is tuned (`tilewright.tune`) from the model's schedule on, on random normal data, with caches that hold nothing of
it; what tuning remembers is thrown away. The speed of the model's schedule is given in parts of the best one's: both
run in turn at the end of the search, medians with quartiles. Prints a row a case with both schedules, and the geometric
mean, and saves them: benchmarks/results/gpu_model_against_tuner.json unless told otherwise.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from device import name_of_device, torch_on_device

# isort: split
from norm_kernels import layer_norm, rms_norm, softmax
from streaming import BYTES_A_BLOCK, WORK
from sum_kernels import WIDE, column_sums, running_sums_of_columns, running_sums_of_rows
from sums import DOWN

import figures
import tilewright as tw
from batched_gemm import TYPES, text_of
from figures import Chart
from product_texts import Product, tile_ir_product, whole_gemm
from products import KINDS
from spread import Overall, Spread
from tile_ir_kernels import transpose
from tilewright.tuning.search import Found

BYTES = 1 << 28
GOAL = 0.9
"""Part of the tuned speed that issue 16 wants of the model, in the geometric mean."""
LENGTHS = (1024, 4096, 16384)
SHAPES = ((8, 8, 8), (16, 16, 16), (32, 32, 32), (20, 9, 9), (56, 9, 9), (20, 9, 56))
POINTED = ((16, 16, 16), (20, 9, 9))
TRANSPOSED_TILE = 64
NARROW: Mapping[str, str] = {"f32": "float32", "f16": "float16"}


class Case(NamedTuple):
    """A kernel with its launch."""

    text: str
    grid: int | tuple[int, ...]
    arguments: tuple[Any, ...]


def main() -> None:
    parser = figures.options(__doc__, "gpu_model_against_tuner")
    parser.add_argument("--only", default="", help="cases whose names contain one of these (default: all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each search (default: %(default)s)")
    parser.add_argument(
        "--trials", type=int, default=64, help="schedules that each search times (default: %(default)s)"
    )
    parser.add_argument("--bytes", type=int, default=BYTES, help="of a case's arrays (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    device = name_of_device(torch)
    trials, size = (4, 1 << 24) if options.quick else (options.trials, options.bytes)
    wanted = [part for part in options.only.split(",") if part]
    print(f"{device}\n{'':32} {'model us':>9} {'best us':>9}   part of the best speed [quartiles]", flush=True)
    rows: list[dict[str, object]] = []
    parts: dict[str, Spread] = {}
    for name, make in table(torch, size):
        if wanted and not any(part in name for part in wanted):
            continue
        found = tuned(make(), trials, options.seconds)
        part = parts[name] = _part(found)
        rows.append({"name": name, "device": device, **_said(found), "part": part.median})
        times = f"{found.model_seconds.median * 1e6:9.2f} {found.best_seconds.median * 1e6:9.2f}"
        print(f"{name:32} {times}   {part}   {found.model}  ->  {found.best}", flush=True)
        for trial in found.wrong:
            print(f"  {trial.outcome.value}: {trial.schedule}: {trial.reason}"[:300], flush=True)
    many = {"the model's part of the tuned speed": Overall.of(parts)}
    chart = Chart(
        "Model against tuner, part of the best speed", [(row, part.median) for row, part in parts.items()], GOAL
    )
    figures.save(options.json, rows, {**parts, **many}, chart)


def tuned(case: Case, trials: int, seconds: float) -> Found:
    """What a search finds for a kernel."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "tuned.toml"
        return tw.tune(case.text, *case.arguments, grid=case.grid, trials=trials, seconds=seconds, record=record).found


def _part(found: Found) -> Spread:
    """The model's speed in parts of the best one's."""
    gain = found.gain
    return Spread.of([1 / gain.upper, 1 / gain.median, 1 / gain.lower])


def _said(found: Found) -> dict[str, object]:
    return {
        "model": found.model,
        "best": found.best,
        "model_us": found.model_seconds.median * 1e6,
        "best_us": found.best_seconds.median * 1e6,
        "tried": len(found.trials),
        "wrong": [trial.schedule for trial in found.wrong],
    }


def table(torch: Any, size: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Names of all cases, and how each is made when it is its turn."""
    for element, dtype in NARROW.items():
        of = getattr(torch, dtype)
        for what in WORK:
            for way in ("views", "pointers"):
                yield f"{what} {way} {element}", lambda w=what, y=way, e=element, d=of: stream(torch, w, y, e, d, size)
        for what, text in {"softmax": softmax, "layer norm": layer_norm, "RMS norm": rms_norm}.items():
            for length in LENGTHS:
                yield (
                    f"{what} {length} {element}",
                    lambda t=text, n=length, e=element, d=of: rows_of(torch, t, n, e, d, size),
                )
        for what in ("column sums", "cumsum rows", "cumsum columns"):
            yield f"{what} {element}", lambda w=what, e=element, d=of: sums(torch, w, e, d, size)
        yield f"transpose {element}", lambda e=element, d=of: turned(torch, e, d, size)
    for element in TYPES:
        for shape in SHAPES:
            yield f"batch {_spelled(shape)} {element}", lambda e=element, s=shape: batch(torch, e, s, "", size)
    for shape in POINTED:
        for element in ("f32", "f64"):
            name = f"batch {_spelled(shape)} {element} pointers"
            yield name, lambda e=element, s=shape: batch(torch, e, s, "pointers", size)
    for kind in KINDS:
        for n in (2048, 4096):
            yield f"matmul {n} {kind}", lambda k=kind, n=n: product(torch, k, n, is_whole=False)
            yield f"gemm {n} {kind}", lambda k=kind, n=n: product(torch, k, n, is_whole=True)


def _spelled(shape: tuple[int, int, int]) -> str:
    return "x".join(map(str, shape))


def stream(torch: Any, what: str, way: str, element: str, dtype: Any, size: int) -> Case:
    """Elementwise work on three vectors."""
    n = size // 3 // dtype.itemsize
    x, y, z = (torch.randn(n, device="cuda", dtype=dtype) for _ in range(3))
    width = BYTES_A_BLOCK // dtype.itemsize
    grid = -(-n // width)
    if way == "views":
        return Case(WORK[what].views(n, width, element), grid, (x, y, z))
    return Case(WORK[what].pointers(width, element), grid, (x, y, z, n))


def rows_of(
    torch: Any, text: Callable[[int, int, str], str], columns: int, element: str, dtype: Any, size: int
) -> Case:
    """A norm or softmax of rows."""
    rows = size // 2 // dtype.itemsize // columns
    x, y = (torch.randn(rows, columns, device="cuda", dtype=dtype) for _ in range(2))
    weights = [torch.randn(1, columns, device="cuda", dtype=dtype) for _ in range(2)]
    between = weights[: 0 if text is softmax else 1 if text is rms_norm else 2]
    return Case(text(rows, columns, element), rows, (x, *between, y))


def sums(torch: Any, what: str, element: str, dtype: Any, size: int) -> Case:
    """Sums along columns, and those of all elements before along rows or columns."""
    columns = 4096
    rows = size // (1 if what == "column sums" else 2) // dtype.itemsize // columns
    x = torch.randn(rows, columns, device="cuda", dtype=dtype)
    if what == "column sums":
        strips = 64
        total = torch.zeros(strips, columns, device="cuda")
        return Case(column_sums(rows, columns, strips, element, "f32"), (columns // WIDE, strips), (x, total))
    y = torch.empty_like(x)
    if what == "cumsum rows":
        return Case(running_sums_of_rows(rows, columns, element), rows, (x, y))
    grid = columns // DOWN[1]
    return Case(running_sums_of_columns(rows, columns, element, DOWN), grid, (x, y))


def turned(torch: Any, element: str, dtype: Any, size: int) -> Case:
    """The transpose of a matrix."""
    n = TRANSPOSED_TILE
    while 2 * (2 * n) ** 2 * dtype.itemsize <= size:
        n *= 2
    x = torch.randn(n, n, device="cuda", dtype=dtype)
    return Case(transpose(n, TRANSPOSED_TILE, element), (n // TRANSPOSED_TILE,) * 2, (x, torch.empty_like(x)))


def batch(torch: Any, element: str, shape: tuple[int, int, int], variant: str, size: int) -> Case:
    """A batch of small products, by columns."""
    m, n, k = shape
    dtype = getattr(torch, TYPES[element])
    sizes = ((m, k), (k, n), (m, n))
    items = size // (sum(rows * columns for rows, columns in sizes) * dtype.itemsize)
    arguments: list[Any] = []
    for rows, columns in sizes:
        memory = torch.randn(items, columns, rows, device="cuda", dtype=torch.float32).to(dtype)
        seen = memory.permute(2, 1, 0)
        arguments.append(tw.PointerArray.of(seen.permute(2, 0, 1)) if variant == "pointers" else seen)
    return Case(text_of(element, shape, variant or "contiguous"), items, tuple(arguments))


def product(torch: Any, name: str, n: int, *, is_whole: bool) -> Case:
    """One product, with its tiles given (Tile IR) or left to the compiler (`gemm`)."""
    kind = KINDS[name]
    dtype = getattr(torch, kind.torch)
    if name == "i8":
        a, b = (torch.randint(-128, 128, (n, n), dtype=dtype, device="cuda") for _ in range(2))
        c = torch.zeros(n, n, dtype=torch.int32, device="cuda")
    else:
        a, b = (torch.randn(n, n, device="cuda", dtype=torch.float32).to(dtype) for _ in range(2))
        c = torch.zeros(n, n, dtype=dtype, device="cuda")
    if is_whole:
        # rows are columns to the tensor language: it multiplies the transposed matrices in reverse
        text = whole_gemm(n, kind.element, kind.rounded or kind.total, kind.transposed[1])
        return Case(text, 1, (b.t(), a.t(), c.t()))
    text = tile_ir_product(Product((n, n, n), kind.element, kind.total, kind.transposed, kind.rounded), kind.tiles)
    return Case(text, (n // kind.tiles[0], n // kind.tiles[1]), (a, b, c))


if __name__ == "__main__":
    main()
