"""What share of a copy's speed kernels reach that only stream through memory: z = x + y, on an NVIDIA GPU.

    python benchmarks/gpu/streaming.py [--quick] [--elements N] [--json PATH]

Tile IR through views and through pointers with a mask, torch's `add` as the peer, torch's `copy_` as the floor; all in
turn, on arrays far larger than the cache, timed by events on the device. GB/s count each array once. Results are
compared with torch's. Prints a table of medians with quartiles and saves it: benchmarks/results/gpu_streaming.json
unless told otherwise.
"""

from __future__ import annotations

from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from tile_ir_kernels import vector_add_pointers, vector_add_views
from timing import in_turn

WIDTH = 1024
ROUNDS = 31
COPY = "copy_ of torch (the floor)"
PEER = "add of torch"
VIEWS = "vector add, views"
POINTERS = "vector add, pointers"
GOAL = 0.95
"""Share of the copy's speed that issue 16 wants."""


def main() -> None:
    parser = figures.options(__doc__, "gpu_streaming", rounds=ROUNDS)
    parser.add_argument("--elements", type=int, default=1 << 26, help="elements of a vector (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    n = min(options.elements, 1 << 20) if options.quick else options.elements
    x, y, z = (torch.randn(n, device="cuda") for _ in range(3))
    views = tw.compile(vector_add_views(n, WIDTH), target="nvidia", cache=False).vector_add[-(-n // WIDTH)]
    pointers = tw.compile(vector_add_pointers(WIDTH), target="nvidia", cache=False).vector_add[-(-n // WIDTH)]
    runs = {
        COPY: lambda: z.copy_(x),
        PEER: lambda: torch.add(x, y, out=z),
        VIEWS: lambda: views(x, y, z),
        POINTERS: lambda: pointers(x, y, z, n),
    }
    expected = x + y
    for name in (VIEWS, POINTERS):
        z.fill_(float("nan"))
        runs[name]()
        if not torch.equal(z, expected):
            raise SystemExit(f"{name}: the sums differ from torch's")
    timings = in_turn({name: on_device(torch, run) for name, run in runs.items()}, options.rounds, warm=0.02)
    moved = {name: 4 * n * (2 if name == COPY else 3) for name in runs}
    rates = {name: moved[name] / spread.median / 1e9 for name, spread in timings.seconds().items()}
    shares = {name: timings.ratios(COPY, name).scaled(moved[name] / moved[COPY]) for name in runs}
    device = name_of_device(torch)
    print(f"{device}, {n:,} elements of f32")
    print(f"{'':28} {'GB/s':>8}   share of the copy, median [quartiles]")
    for name in runs:
        print(f"{name:28} {rates[name]:8.0f}   {shares[name]}")
    cases = [{"name": name, "device": device, "elements": n, "gbs": rates[name]} for name in runs]
    chart = Chart("Vector add, share of the copy's speed", [(name, shares[name].median) for name in runs], GOAL)
    figures.save(options.json, cases, shares, chart)


if __name__ == "__main__":
    main()
