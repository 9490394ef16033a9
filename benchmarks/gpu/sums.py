"""How many times torch's speed sums across tile blocks reach on an NVIDIA GPU.

    python benchmarks/gpu/sums.py [--quick] [--elements N] [--json PATH]

Column sums in two steps (strips of rows, then what these make), running sums (`cumsum`) along rows and along columns,
and the backward pass of layer norm, with partial sums of each tile block for weight and bias that a second kernel adds
up; f32 and f16, N elements an array (default 2^26), which no cache holds. torch's own functions are the peers, its
`copy_` of x to y is printed for the scale; all in turn, timed by events on the device. Useful bytes are those of arrays
that torch's function has too, each once. Results are compared with torch's. Prints a table of medians and saves it:
benchmarks/results/gpu_sums.json unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from device import name_of_device, on_device, torch_on_device

# isort: split
from sum_kernels import WIDE, column_sums, layer_norm_backward, running_sums_of_columns, running_sums_of_rows

import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from timing import in_turn

ROUNDS = 15
OURS, PEER, COPY = "tilewright", "torch", "copy"
GOAL = 1.0
"""Times torch's speed that issue 16 wants."""
ENOUGH = 1024
"""Tile blocks that keep an H200 busy."""
BLOCKS = 264
"""Of layer norm backward: two a multiprocessor of an H200."""
DOWN = 128, 32
"""The tile of running sums of columns."""
EPSILON = 1e-5
ELEMENTS = {"f32": "float32", "f16": "float16"}


class Case(NamedTuple):
    """What is measured: both ways, the bytes that count, and pairs of results with the error that they may have."""

    ours: Callable[[], object]
    peer: Callable[[], object]
    bytes: int
    results: Callable[[], Sequence[tuple[Any, Any, float]]]


def main() -> None:
    parser = figures.options(__doc__, "gpu_sums", rounds=ROUNDS)
    parser.add_argument("--elements", type=int, default=1 << 26, help="elements of x (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    total = min(options.elements, 1 << 20) if options.quick else options.elements
    device = name_of_device(torch)
    print(f"{device}, {total:,} elements")
    print(
        f"{'':24} {'type':5} {'columns':>8} {'GB/s':>7}  {'of the copy':>11}  times torch's speed, median [quartiles]"
    )
    cases: list[dict[str, object]] = []
    overall: dict[str, Spread] = {}
    many: dict[str, Overall] = {}
    for what, (prepare, lengths) in CASES.items():
        for element in ELEMENTS:
            ratios: dict[str, Spread] = {}
            for columns in lengths:
                found, ratio = measure(torch, prepare, element, (total // columns, columns), options.rounds)
                row = f"{what:24} {element:5} {columns:8} {found['gbs']:7.0f}  {found['of_copy']:11.2f}  {ratio}"
                print(row, flush=True)
                name = f"{what}, {element}, {columns} columns"
                cases.append({"name": name, "device": device, "columns": columns, "type": element, **found})
                overall[name] = ratios[name] = ratio
            many[f"{what}, {element}, over torch"] = Overall.of(ratios)
    chart = Chart("Sums across tile blocks, times torch's speed", [(n, r.median) for n, r in overall.items()], GOAL)
    figures.save(options.json, cases, {**overall, **many}, chart)


def measure(
    torch: Any, prepare: Prepare, element: str, shape: tuple[int, int], rounds: int
) -> tuple[dict[str, float], Spread]:
    """One kernel at one length: its figures, and how many times as fast as torch it is."""
    x = torch.randn(*shape, device="cuda", dtype=getattr(torch, ELEMENTS[element]))
    case, y = prepare(torch, x, element), torch.empty_like(x)
    case.ours()
    for found, wanted, error in case.results():
        torch.testing.assert_close(found.float(), wanted.float(), rtol=error, atol=error)
    runs = {OURS: case.ours, PEER: case.peer, COPY: lambda: y.copy_(x)}
    timings = in_turn({name: on_device(torch, run) for name, run in runs.items()}, rounds, warm=0.005)
    seconds = {name: spread.median for name, spread in timings.seconds().items()}
    rate, copied = case.bytes / seconds[OURS], 2 * x.nbytes / seconds[COPY]
    return {"gbs": rate / 1e9, "of_copy": rate / copied}, timings.ratios(PEER, OURS)


def compiled(text: str) -> Any:
    """The only kernel of a text."""
    return next(iter(tw.compile(text, target="nvidia", cache=False)))


def _column_sums(torch: Any, x: Any, element: str) -> Case:
    rows, columns = map(int, x.shape)
    strips = max(ENOUGH * WIDE // columns, 1)
    parts = torch.empty(strips, columns, device="cuda")
    total = torch.empty(1, columns, device="cuda", dtype=x.dtype)
    down = compiled(column_sums(rows, columns, strips, element, "f32"))[columns // WIDE, strips]
    across = compiled(column_sums(strips, columns, 1, "f32", element))[columns // WIDE, 1]

    def ours() -> None:
        down(x, parts)
        across(parts, total)

    error = 2e-3 if element == "f32" else 0.25
    return Case(ours, lambda: x.sum(0), x.nbytes + total.nbytes, lambda: [(total[0], x.double().sum(0), error)])


def _along_rows(torch: Any, x: Any, element: str) -> Case:
    y = torch.full_like(x, float("nan"))
    rows, columns = map(int, x.shape)
    kernel = compiled(running_sums_of_rows(rows, columns, element))[rows]
    error = 1e-3 if element == "f32" else 0.25
    return Case(lambda: kernel(x, y), lambda: x.cumsum(1), 2 * x.nbytes, lambda: _exact(y, x, 1, error))


def _along_columns(torch: Any, x: Any, element: str) -> Case:
    y = torch.full_like(x, float("nan"))
    rows, columns = map(int, x.shape)
    kernel = compiled(running_sums_of_columns(rows, columns, element, DOWN))[columns // DOWN[1]]
    error = 2e-3 if element == "f32" else 0.5
    return Case(lambda: kernel(x, y), lambda: x.cumsum(0), 2 * x.nbytes, lambda: _exact(y, x, 0, error))


def _exact(y: Any, x: Any, dim: int, error: float) -> Sequence[tuple[Any, Any, float]]:
    """The results beside exact ones."""
    return [(y, x.double().cumsum(dim), error)]


def _layer_norm_backward(torch: Any, x: Any, element: str) -> Case:
    rows, columns = map(int, x.shape)
    g = torch.randn_like(x)
    w, b = (torch.randn(columns, device="cuda", dtype=x.dtype) for _ in range(2))
    _, mean, scale = torch.ops.aten.native_layer_norm(x, [columns], w, b, EPSILON)
    mean, scale = mean.view(rows, 1), scale.view(rows, 1)
    blocks = min(BLOCKS, rows)
    d = torch.full_like(x, float("nan"))
    p, q = (torch.empty(blocks, columns, device="cuda") for _ in range(2))
    dw, db = (torch.empty(1, columns, device="cuda", dtype=x.dtype) for _ in range(2))
    back = compiled(layer_norm_backward(rows, columns, blocks, element))[blocks]
    add = compiled(column_sums(blocks, columns, 1, "f32", element))[columns // WIDE, 1]

    def ours() -> None:
        back(g, x, w, mean, scale, d, p, q)
        add(p, dw)
        add(q, db)

    def peer() -> Any:
        return torch.ops.aten.native_layer_norm_backward(g, x, [columns], mean, scale, w, b, [True] * 3)

    def results() -> Sequence[tuple[Any, Any, float]]:
        error = 2e-3 if element == "f32" else 0.25
        return [(f.view(v.shape), v, error) for f, v in zip((d, dw, db), peer(), strict=True)]

    return Case(ours, peer, 3 * x.nbytes, results)


Prepare = Callable[[Any, Any, str], Case]

CASES: dict[str, tuple[Prepare, tuple[int, ...]]] = {
    "column sums": (_column_sums, (1024, 4096, 16384)),
    "cumsum along rows": (_along_rows, (1024, 4096, 8192)),
    "cumsum along columns": (_along_columns, (4096, 8192, 16384)),
    "layer norm backward": (_layer_norm_backward, (1024, 4096, 8192)),
}


if __name__ == "__main__":
    main()
