"""What share of a copy's speed kernels reach that only stream through memory, on an NVIDIA GPU: z = x + y, silu(x) * y.

    python benchmarks/gpu/streaming.py [--quick] [--elements N] [--json PATH]

Tile IR through views and through pointers with a mask, f32 and f16; torch's functions as peers, torch's `copy_` as the
floor; all in turn, on arrays far larger than the cache, timed by events on the device. GB/s count each array once, of
torch's `silu(x) * y` too, though it is two kernels. Results are compared with torch's. Prints a table of medians with
quartiles and saves it: benchmarks/results/gpu_streaming.json unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from tile_ir_kernels import silu_mul_pointers, silu_mul_views, vector_add_pointers, vector_add_views
from timing import in_turn

BYTES_A_BLOCK = 4096
"""Of each array."""
ROUNDS = 31
COPY = "copy_ of torch (the floor)"
PEER = "torch"
VIEWS = "views"
POINTERS = "pointers"
GOAL = 0.95
"""Share of the copy's speed that issue 16 wants."""


class Work(NamedTuple):
    """What is computed: texts of both ways, what torch does, and how much results may differ from its."""

    views: Callable[[int, int, str], str]
    pointers: Callable[[int, str], str]
    peer: Callable[[Any, Any, Any, Any], object]
    error: dict[str, float]


def _add(torch: Any, x: Any, y: Any, z: Any) -> object:
    return torch.add(x, y, out=z)


def _silu_mul(torch: Any, x: Any, y: Any, z: Any) -> object:
    return torch.mul(torch.nn.functional.silu(x), y, out=z)


WORK = {
    "vector add": Work(vector_add_views, vector_add_pointers, _add, {"f32": 0.0, "f16": 0.0}),
    "silu * mul": Work(silu_mul_views, silu_mul_pointers, _silu_mul, {"f32": 1e-5, "f16": 1e-2}),
}


def main() -> None:
    parser = figures.options(__doc__, "gpu_streaming", rounds=ROUNDS)
    parser.add_argument("--elements", type=int, default=1 << 26, help="elements of a vector (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    n = min(options.elements, 1 << 20) if options.quick else options.elements
    device = name_of_device(torch)
    print(f"{device}, {n:,} elements\n{'':36} {'GB/s':>8}   share of the copy, median [quartiles]")
    cases: list[dict[str, object]] = []
    shares: dict[str, Spread] = {}
    for what, work in WORK.items():
        for element, dtype in (("f32", torch.float32), ("f16", torch.float16)):
            for name, (rate, share) in measure(torch, work, element, dtype, n, options.rounds).items():
                row = f"{what}, {element}, {name}"
                shares[row] = share
                cases.append({"name": row, "device": device, "elements": n, "gbs": rate})
                print(f"{row:36} {rate:8.0f}   {share}", flush=True)
    many = {
        f"{what}, {name}": Overall.of({row: share for row, share in shares.items() if _is(row, what, name)})
        for what in WORK
        for name in (VIEWS, POINTERS)
    }
    ours = [(row, share.median) for row, share in shares.items() if row.endswith((VIEWS, POINTERS))]
    figures.save(options.json, cases, {**shares, **many}, Chart("Streaming, share of the copy's speed", ours, GOAL))


def _is(row: str, what: str, name: str) -> bool:
    return row.startswith(what) and row.endswith(name)


def measure(torch: Any, work: Work, element: str, dtype: Any, n: int, rounds: int) -> dict[str, tuple[float, Spread]]:
    """GB/s of each way, and its share of the copy's speed."""
    x, y, z = (torch.randn(n, device="cuda", dtype=dtype) for _ in range(3))
    width = BYTES_A_BLOCK // x.element_size()
    views, pointers = (
        next(iter(tw.compile(text, target="nvidia", cache=False)))[-(-n // width)]
        for text in (work.views(n, width, element), work.pointers(width, element))
    )
    runs = {
        COPY: lambda: z.copy_(x),
        PEER: lambda: work.peer(torch, x, y, z),
        VIEWS: lambda: views(x, y, z),
        POINTERS: lambda: pointers(x, y, z, n),
    }
    runs[PEER]()
    expected, error = z.clone(), work.error[element]
    for name in (VIEWS, POINTERS):
        z.fill_(float("nan"))
        runs[name]()
        torch.testing.assert_close(z, expected, rtol=error, atol=error)
    timings = in_turn({name: on_device(torch, run) for name, run in runs.items()}, rounds, warm=0.02)
    arrays = {name: 2 if name == COPY else 3 for name in runs}
    return {
        name: (
            arrays[name] * x.nbytes / spread.median / 1e9,
            timings.ratios(COPY, name).scaled(arrays[name] / arrays[COPY]),
        )
        for name, spread in timings.seconds().items()
    }


if __name__ == "__main__":
    main()
