"""Products of matrices in all four majors against cuBLAS, cold and sustained, on an NVIDIA GPU.

    python benchmarks/gpu/matmul_squares.py [--quick] [--sizes N,MxNxK,..] [--majors NN,NT,..] [--types f16:f16,..]
                                            [--schedules LINE,LINE,..] [--sustained SIZES] [--more] [--processes N]
                                            [--json PATH]

The peers are `torch.mm` by cuBLAS and by cuBLASLt; a share is that of the faster one of each case. Ours are Tile IR
with one block a tile of 128 x 128 x 64 (`tile`) and of 128 x 256 x 64 (`wide`), `gemm` of the tensor language on a grid
of one (`gemm`), and that with each of the `--schedules`, or Tile IR if a line begins with its name. A type is that of
the factors and of the result; sums are f32. N is a matrix stored by rows, T one stored by columns; a size of one number
is that of squares.

Cold: what the launch reads has been driven from the cache, and the host is ahead of the device, so that its time does
not count. Sustained: launches one behind the other for some milliseconds, of a graph, so that the host's time does not
count either. Contestants run in turn, in an order that is drawn each round, more rounds of short products, on random
normal data; results are compared with products in float64 by the norm of the error. Prints shares in the median, those
of each way and of the best of ours over all cases, and saves them with their quartiles:
benchmarks/results/gpu_matmul_squares.json. With `--more`, the rows of that file stay that are not run, for runs of some
types each.

What a cold launch of 1536 consists of (H200, f16, TN, one tile a block, medians of blocks by stamps in its PTX, when
one warp asked for all first copies, which several do now): events are 4.5 us apart if the launch between them does
nothing. Of 12.4 us more, at 1.74 GHz, 1,430 clocks go by until the first copy is asked for (1,100 where the code is in
the cache), 2,170 until the first factors are there, 14,900 in steps whose products alone take 13,824, 2,050 until the
result is on its way, 700 until the last block ends. Without a second way for other arrays, which has an entry of its
own now (`maps=apart`), 1024 to 1536 took some 1 % less time; with prefetches of the lines of the result 2 to 10 % more
in 15 of 16 cases of 1024 to 4096.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import msgspec
from device import name_of_device, torch_on_device
from msgspec import Struct

# isort: split
from ahead import Program, add_options, compiled_ahead

import figures
from figures import Chart
from product_texts import Product, tile_ir_product, whole_product
from spread import Overall, Spread
from timing import Timer, Timings, in_turn

ROUNDS = 11
SIZES = (*range(1024, 8193, 256), *range(9216, 16385, 1024))
MAJORS = ("NN", "NT", "TN", "TT")
TYPES = ("f16:f16", "f16:f32", "bf16:bf16", "bf16:f32")
TILES = {"tile": (128, 128, 64), "wide": (128, 256, 64)}
PEERS = ("cublas", "cublaslt")
GOAL = 1.0
FLUSHED_BYTES = 256 << 20
"""More than any cache holds."""
SUSTAINED = 0.03
"""Seconds of launches one behind the other."""
TIMED = 0.005
"""Seconds of all contestants of a case, beside what comes between their launches, that short ones are timed for."""
MOST_ROUNDS = 41
CAPTURED = 50
"""Launches of a graph."""
CHECKED_ROWS = 512
TORCH = {"f16": "float16", "bf16": "bfloat16", "f32": "float32"}
ERROR = {"f16": 1e-3, "bf16": 8e-3, "f32": 1e-3}

Run = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Case:
    """A product, m x n x k, which of its factors are stored by columns, types of these and of the result."""

    extents: tuple[int, int, int]
    majors: str
    element: str
    result: str

    def __str__(self) -> str:
        return f"{self.element}:{self.result} {self.majors} {self.size}"

    @property
    def size(self) -> str:
        """As `--sizes` has it."""
        return "x".join(map(str, self.extents[:1] if len(set(self.extents)) == 1 else self.extents))

    @property
    def transposed(self) -> tuple[bool, bool]:
        """Whether a and b are stored by columns."""
        return (self.majors[0] == "T", self.majors[1] == "T")


def main() -> None:
    parser = figures.options(__doc__, "gpu_matmul_squares", rounds=ROUNDS)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="(default: %(default)s)")
    parser.add_argument("--majors", default=",".join(MAJORS), help="(default: %(default)s)")
    parser.add_argument("--types", default=",".join(TYPES), help="(default: %(default)s)")
    parser.add_argument("--schedules", default="", metavar="LINES", help="other schedules of gemm, between commas")
    parser.add_argument("--ours", default=",".join([*TILES, "gemm"]), help="(default: %(default)s)")
    parser.add_argument("--sustained", default="", metavar="SIZES", help="launches one behind the other too, of these")
    parser.add_argument("--more", action="store_true", help="add to the figures that are there")
    add_options(parser)
    options = figures.parsed(parser)
    ways = [*_list(options.ours), *_list(options.schedules)]
    with compiled_ahead((each for case in _cases(options) for each in programs(case, ways).values()), options):
        _run(options, ways)


class Row(Struct, frozen=True):
    """A case, cold or sustained, as it is recorded."""

    name: str
    tflops: dict[str, float]
    shares: dict[str, Spread]

    @property
    def best(self) -> Spread:
        """Of the best of ours."""
        return max(self.shares.values(), key=lambda share: share.median)


def _run(options: Any, ways: list[str]) -> None:
    torch = torch_on_device()
    cold = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device="cuda")
    print(name_of_device(torch))
    rows = {row.name: row for row in _recorded(options.json)} if options.more else {}
    for case in _cases(options):
        runs = contestants(torch, case, ways)
        modes: dict[str, Callable[[Run], Timer]] = {"cold": lambda run: _cold(torch, cold, run)}
        if case.size in _list(options.sustained):
            modes["sustained"] = lambda run: _sustained(torch, run)
        for mode, timer in modes.items():
            timers = {name: timer(run) for name, run in runs.items()}
            timings = in_turn(timers, options.rounds if options.quick else _rounds(timers, options.rounds))
            row = Row(f"{case} {mode}", _rates(timings, case), _shares(timings))
            rows[row.name] = row
            peer = max(row.tflops[name] for name in PEERS)
            told = "  ".join(f"{name} {share.median:.3f}" for name, share in row.shares.items())
            print(f"{case!s:22} {mode[:4]} {peer:6.0f} TFLOP/s  {told}", flush=True)
    overall = _overall(rows.values())
    figures.tell(overall)
    shown = [(name, row.best.median) for name, row in rows.items()]
    figures.save(options.json, [*rows.values()], overall, Chart("Square products, best share of cuBLAS", shown, GOAL))


def _recorded(path: Path | None) -> list[Row]:
    """The rows of a file that this script has written."""
    if path is None or not path.exists():
        return []
    return msgspec.convert(msgspec.json.decode(path.read_bytes())["cases"], list[Row])


def _overall(rows: Iterable[Row]) -> dict[str, Overall]:
    """Of each way, and of the best of each case, by mode."""
    shares: dict[str, dict[str, Spread]] = {}
    for row in rows:
        case, _, mode = row.name.rpartition(" ")
        for name, share in (row.shares | {"best": row.best}).items():
            shares.setdefault(f"{mode} {name}", {})[case] = share
    return {way: Overall.of(each) for way, each in shares.items()}


def _rounds(timers: dict[str, Timer], fewest: int) -> int:
    """More rounds of what is short, whose times differ most, than are asked for; by the second launch of each, since
    the driver loads what it launches first."""
    for timer in timers.values():
        timer()
    seconds = sum(timer() for timer in timers.values())
    return max(fewest, min(MOST_ROUNDS, int(TIMED / seconds)))


def _list(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _cases(options: Any) -> Iterator[Case]:
    sizes = [tuple(map(int, size.split("x"))) for size in options.sizes.split(",")][: 1 if options.quick else None]
    for types in options.types.split(","):
        element, result = types.split(":")
        for majors in options.majors.split(","):
            for m, n, k in (size if len(size) == 3 else size * 3 for size in sizes):
                yield Case((m, n, k), majors, element, result)


def programs(case: Case, ways: list[str]) -> dict[str, Program]:
    """Ours, by name."""
    (m, n, k), (ta, tb) = case.extents, case.transposed
    rounded = case.result if case.result != "f32" else ""
    product = Product((m, n, k), case.element, "f32", (ta, tb), rounded)
    # rows are columns to the tensor language: it multiplies the transposed matrices in reverse
    text = whole_product((n, m, k), case.element, case.result, (tb, ta))
    found: dict[str, Program] = {}
    for name in ways:
        form, _, schedule = name.partition(" ")
        if form not in TILES:
            found[name] = Program(text, "" if name == "gemm" else name)
            continue
        rows, columns, depth = tiles = TILES[form]
        edges = "padding_value = zero, " if m % rows or n % columns or k % depth else ""
        found[name] = Program(tile_ir_product(product, tiles, edges), schedule)
    return found


def contestants(torch: Any, case: Case, ways: list[str]) -> dict[str, Run]:
    """The ways of one product, whose results agree."""
    (m, n, k), (ta, tb) = case.extents, case.transposed
    dtype, result = (getattr(torch, TORCH[name]) for name in (case.element, case.result))
    shapes = (k, m) if ta else (m, k), (n, k) if tb else (k, n)
    stored_a, stored_b = (torch.randn(shape, device="cuda").to(dtype) for shape in shapes)
    a, b = stored_a.t() if ta else stored_a, stored_b.t() if tb else stored_b
    c, d = (torch.zeros(m, n, dtype=result, device="cuda") for _ in range(2))

    def peer(library: str) -> Run:
        def run() -> object:
            torch.backends.cuda.preferred_blas_library(library)
            return torch.mm(a, b, out=d) if result is dtype else torch.mm(a, b, out_dtype=result)

        return run

    runs = {library: peer(library) for library in PEERS}
    checked: dict[str, Run] = {}
    for name, program in programs(case, ways).items():
        tiles, kernel = TILES.get(name.partition(" ")[0]), program.kernel()
        if tiles is None:
            checked[name] = partial(kernel[1], stored_b.t(), stored_a.t(), c.t())
        else:
            checked[name] = partial(kernel[-(-m // tiles[0]), -(-n // tiles[1])], stored_a, stored_b, c)
    wanted = a[:CHECKED_ROWS].double() @ b.double()
    for name, run in checked.items():
        c.fill_(float("nan"))
        run()
        error = float((c[:CHECKED_ROWS].double() - wanted).norm() / wanted.norm())
        if not error <= ERROR[case.result if case.element == "f16" else "bf16"] or not bool(c.isfinite().all()):
            raise SystemExit(f"{name} {case}: the error's norm is {error:.3g} of the product's")
    return runs | checked


def _cold(torch: Any, other: Any, run: Run) -> Timer:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def timed() -> float:
        other.zero_()
        begin.record()
        run()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3

    return timed


def _sustained(torch: Any, run: Run) -> Timer:
    once = _cold(torch, torch.empty(1, device="cuda"), run)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    once()
    count = max(int(SUSTAINED / once()) // CAPTURED, 1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CAPTURED):
            run()

    def timed() -> float:
        begin.record()
        for _ in range(count):
            graph.replay()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3 / (count * CAPTURED)

    return timed


def _shares(timings: Timings) -> dict[str, Spread]:
    """Of the rate of the faster peer, each of the others."""
    peer = timings.fastest(PEERS)
    return {name: timings.ratios(peer, name) for name in timings.rounds if name not in PEERS}


def _rates(timings: Timings, case: Case) -> dict[str, float]:
    return {name: 2 * prod(case.extents) / spread.median / 1e12 for name, spread in timings.seconds().items()}


if __name__ == "__main__":
    main()
