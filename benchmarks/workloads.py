"""What `against.py` times: kernels, launches and compilations, on whichever tilewright is imported.

They use the package's public names only, since the other tree may be an older one. A process of `serve_all` answers
`prepare`, `run` and `wrong`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import tile_ir_cases
import tile_ir_kernels
import tilewright as tw
import vector_cases
from children import serve
from products import DTYPES, ERRORS, batched_product, matrices_apart, square_product
from timing import seconds

SHAPES: Final = ((16, 16, 16), (56, 9, 9), (20, 9, 9), (9, 9, 9), (35, 9, 20))
VECTORS: Final = (
    "f32 axpby b=0",
    "f32 axpby b=0.5 strided",
    "f32 axpby.t matrix b=0",
    "f32 hadamard b=0.5 matrix",
    "f32 sum vector",
    "f32 sum.n matrix",
    "f32 gemv.n b=0",
    "f32 gemv.t b=0",
    "f32 cumsum vector",
)
_SAMPLE: Final = Path(__file__).parent.parent / "examples" / "fused_kernel.tl"
_RESIDENT_BYTES: Final = 512 * 1024
_LAUNCHES: Final = 1000
_SQUARE: Final = 1024
_LARGE_BATCH: Final = 20_000
_WARM: Final = 0.01
_TILE_IR_ERROR: Final = 1e-5


class Work(Struct, frozen=True):
    """Something to be timed; `error` is that of its result, `allowed` the largest that is right.

    `warm`: it runs untimed before it is timed, as what waits for a processor's clock to rise should.
    """

    run: Callable[[], object]
    error: float = 0.0
    allowed: float = 0.0
    warm: bool = True


class Workload(Struct, frozen=True):
    """The area that it belongs to, its name there, what makes it; `parallel`: it is timed with several threads too."""

    area: str
    name: str
    make: Callable[[], Work]
    parallel: bool = False


def workloads() -> Iterator[Workload]:
    """All of them, in the order in which they run."""
    for dtype in DTYPES:
        for shape in SHAPES:
            name = f"{dtype} {'x'.join(map(str, shape))}"
            yield Workload("batched gemm", name, partial(_batched, dtype, shape))
    for name, maker in tile_ir_cases.cases():
        yield Workload("tile ir", name, partial(_tile_ir, maker), parallel=True)
    for dtype in DTYPES:
        yield Workload("large product", f"{dtype} {_SQUARE}", partial(_square, dtype), parallel=True)
    for name, maker in vector_cases.cases():
        if name in VECTORS:
            yield Workload("vectors", name, partial(_vectors, maker), parallel=True)
    yield Workload("sample kernel", "in cache", partial(_sample, 200))
    yield Workload("sample kernel", "from memory", partial(_sample, _LARGE_BATCH), parallel=True)
    yield Workload("launch", "three arrays, empty grid", partial(_launch, prepared=False))
    yield Workload("launch", "three arrays, empty grid, prepared", partial(_launch, prepared=True))
    yield Workload("compile", "sample kernel", partial(_compilation, _SAMPLE))
    yield Workload("compile", "softmax in Tile IR", partial(_compilation, tile_ir_kernels.softmax(1024, 1024)))
    tiles = (64, 64, 32)
    yield Workload("compile", "matmul in Tile IR", partial(_compilation, tile_ir_kernels.matmul_views(1024, tiles)))
    yield Workload("start", "import, sample kernel", _start)


def _relative(found: NDArray[np.generic], expected: NDArray[np.generic]) -> float:
    wide = expected.astype(np.float64)
    return float(np.linalg.norm(found.astype(np.float64) - wide) / np.linalg.norm(wide))


def _batched(dtype: str, shape: tuple[int, int, int]) -> Work:
    m, n, k = shape
    rng, kind = np.random.default_rng(0), DTYPES[dtype]
    batch = _RESIDENT_BYTES // ((m * k + k * n + m * n) * kind.itemsize)
    a, b, c = matrices_apart(kind, (batch, k, m), (batch, n, k), (batch, n, m))
    a[...], b[...] = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    launch = tw.compile(batched_product(dtype, shape, 1), cache=False).product[batch]
    run = partial(launch, a.transpose(2, 1, 0), b.transpose(2, 1, 0), c.transpose(2, 1, 0))
    run()
    return Work(run, _relative(c, b.astype(np.float64) @ a.astype(np.float64)), ERRORS[dtype])


def _square(dtype: str) -> Work:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((_SQUARE, _SQUARE)).astype(DTYPES[dtype]) for _ in range(2))
    c = np.zeros_like(a)
    run = partial(tw.compile(square_product(dtype, _SQUARE), cache=False).product[1], b.T, a.T, c.T)
    run()
    return Work(run, _relative(c, a.astype(np.float64) @ b.astype(np.float64)), ERRORS[dtype])


def _tile_ir(maker: Callable[[np.random.Generator], tile_ir_cases.Case]) -> Work:
    case = maker(np.random.default_rng(0))
    case.ours()
    return Work(case.ours, _relative(case.result, case.expected), _TILE_IR_ERROR)


def _vectors(maker: Callable[[], vector_cases.Case]) -> Work:
    case = maker()
    expected = case.expected()
    run = partial(tw.compile(case.text, cache=False).k[case.grid], *case.arguments)
    run()
    return Work(run, _relative(case.result, expected), vector_cases.ERRORS[case.dtype])


def _sample(batch: int) -> Work:
    rng = np.random.default_rng(0)
    a, d = rng.standard_normal((batch, 8, 16), np.float32), np.zeros((batch, 16, 16), np.float32)
    b, c = rng.standard_normal((8, 8), np.float32), rng.standard_normal((16, 8), np.float32)
    launch = tw.compile(_SAMPLE, cache=False).fused_kernel[batch]
    run = partial(launch, np.float32(0.5), tw.PointerArray.of(a), b.T, c.T, d.transpose(2, 1, 0))
    run()
    return Work(run, _relative(d, np.float32(0.5) * (c @ (b.T @ a))), ERRORS["f32"])


def _launch(*, prepared: bool) -> Work:
    kernel = tw.compile(square_product("f32", 9), cache=False).product
    a, b, c = (np.zeros((9, 9), np.float32, order="F") for _ in range(3))
    launch = kernel[0]

    def run() -> None:
        for _ in range(_LAUNCHES):
            launch(a, b, c)

    def run_whole() -> None:
        for _ in range(_LAUNCHES):
            kernel[0](a, b, c)

    return Work(run if prepared else run_whole)


def _compilation(source: str | Path) -> Work:
    return Work(lambda: tw.compile(source, cache=False))


def _start() -> Work:
    """A process that imports the package and compiles."""
    code = f"import tilewright as tw; tw.compile({str(_SAMPLE)!r}, cache=False)"
    return Work(lambda: subprocess.run([sys.executable, "-c", code], check=True), warm=False)


def serve_all() -> None:
    """Prepare and run what is asked for, until nothing more is."""
    current: list[Work] = []
    table = {f"{work.area}: {work.name}": work for work in workloads()}

    def run(repeats: int) -> float:
        work = current[0]
        end = perf_counter() + (_WARM if work.warm else 0.0)
        while perf_counter() < end:
            work.run()
        return seconds(work.run, repeats)

    def prepare(name: str) -> float:
        current[:] = [table[name].make()]
        run(1)
        return run(1)

    def wrong() -> float:
        work = current[0]
        return 0.0 if work.error <= work.allowed else work.error

    serve({"prepare": prepare, "run": run, "wrong": wrong})
