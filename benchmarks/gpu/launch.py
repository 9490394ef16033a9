"""What a launch on an NVIDIA GPU costs the host: three tensors of torch, by the ways that there are.

    python benchmarks/gpu/launch.py [--quick] [--json PATH]

All run in turn; the device does next to nothing, and is waited for between rounds, so that its queue never fills.
Prints a table of medians with quartiles and saves it: benchmarks/results/gpu_launch.json unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

from device import enqueued, name_of_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from tile_ir_kernels import vector_add_pointers
from timing import in_turn

CALLS = 200
ROUNDS = 51
N = 1024
OURS = "kernel[1](x, y, z, n), tensors"
GOAL = 5.0
"""Microseconds that issue 16 allows."""

VIEWS = """
func @add(%x: memref<f32x?>, %y: memref<f32x?>, %z: memref<f32x?>) {
    %one = constant 1.0 : f32
    axpby %one, %x, %one, %z
}"""
GROUP = """
func @scale(%G: group<memref<f32x16x16>x?>) {
    %two = constant 2.0 : f32
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %x = load %G[%g] : memref<f32x16x16>
    axpby %two, %x, %zero, %x
}"""


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "gpu_launch", rounds=ROUNDS))
    torch = torch_on_device()
    x, y, z = (torch.zeros(N, device="cuda") for _ in range(3))
    batch = torch.zeros(100, 16, 16, device="cuda")
    add = tw.compile(vector_add_pointers(N), target="nvidia", cache=False).vector_add
    views = tw.compile(VIEWS, target="nvidia", cache=False).add
    scale = tw.compile(GROUP, target="nvidia", cache=False).scale
    table, listed = tw.PointerArray.of(batch), [matrix.T for matrix in batch[:10]]
    shapes = [torch.zeros(n, device="cuda") for n in range(1000, 1040)]
    turn = iter(range(1 << 60))
    runs: dict[str, Callable[[], object]] = {
        OURS: lambda: add[1](x, y, z, N),
        "kernel[1](x, y, z), memrefs": lambda: views[1](x, y, z),
        "kernel[1](x=x, y=y, z=z), by name": lambda: views[1](x=x, y=y, z=z),
        "forty shapes in turn": lambda: views[1](s := shapes[next(turn) % 40], y, s),
        "a pointer array of 100": lambda: scale[100](table),
        "a list of ten tensors": lambda: scale[10](listed),
        "for comparison: torch.add(x, y, out=z)": lambda: torch.add(x, y, out=z),
    }
    for run in runs.values():
        run()
    calls = 20 if options.quick else CALLS
    found = in_turn({name: enqueued(torch, run, calls) for name, run in runs.items()}, options.rounds).seconds()
    rows = {name: spread.scaled(1e6) for name, spread in found.items()}
    device = name_of_device(torch)
    print(device)
    print(f"{'microseconds of the host a launch':42} {'median [quartiles]':>24} {'lowest':>8}")
    for name in runs:
        print(f"{name:42} {rows[name]!s:>24} {rows[name].lowest:8.2f}")
    cases = [{"name": name, "device": device, "goal": GOAL if name == OURS else None} for name in rows]
    bars = [(name, rows[name].median) for name in runs]
    chart = Chart("Launch on a GPU, time of the host", bars, GOAL, "us", lower_is_better=True)
    figures.save(options.json, cases, rows, chart)


if __name__ == "__main__":
    main()
