"""What a launch costs from Python: an empty kernel with arrays of NumPy and torch, scalars and groups, and its parts.

    python benchmarks/launch.py [--quick] [--json PATH]

All run in turn. Prints a table of medians with quartiles and the goals that there are, and saves it with a plot beside
it: benchmarks/results/launch.json unless told otherwise. torch is a contestant where it is installed.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle

import numpy as np

import figures
from figures import Chart
from tilewright.artifacts.artifact import Artifact, GroupParameter, KernelInfo, MemrefParameter, ScalarParameter
from tilewright.machine.native import compile_text
from tilewright.program import load_artifact
from tilewright.runtime.groups import PointerArray
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool
from timing import in_turn

CALLS = 2000
REPEATS = 25
ARRAYS = "kernel[0](a, b, c), NumPy arrays"
SCALARS = "kernel[0](s, t, a, b, c), s and t NumPy's"
POINTERS = "kernel[0](group), a pointer array of 100"
TENSORS = "kernel[0](x, y, z), torch tensors"
GOALS = {ARRAYS: 0.3, SCALARS: 5.0, POINTERS: 5.0, TENSORS: 3.0}

TEXT = """
define void @empty(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team) {
  ret void
}
"""


def kernels() -> Artifact:
    def matrix(name: str) -> MemrefParameter:
        return MemrefParameter(name, "f32", (None, None), (1, None))

    arrays = tuple(matrix(name) for name in "ABC")
    scalars = (ScalarParameter("alpha", "f32"), ScalarParameter("beta", "f32"))
    group = GroupParameter("G", MemrefParameter("G", "f32", (9, 9), (1, 9)), None)
    infos = (
        KernelInfo("none", "empty", ()),
        KernelInfo("three", "empty", arrays),
        KernelInfo("five", "empty", (*scalars, *arrays)),
        KernelInfo("group", "empty", (group,)),
    )
    return Artifact("cpu", infos, compile_text(TEXT))


def actions() -> dict[str, Callable[[], object]]:
    artifact = kernels()
    program = load_artifact(artifact)
    serial = bind_artifact(artifact, pool=Pool(1))["three"]
    parallel = bind_artifact(artifact, pool=Pool(2))["three"].prepare(1000)
    none, three, five, group = program.none, program.three, program.five, program.group
    a, b, c = (np.zeros((9, 9), np.float32, order="F") for _ in range(3))
    single, half = np.float32(1.0), np.float32(0.5)
    shapes = cycle([np.zeros((n, 9), np.float32, order="F") for n in range(1, 10)])
    matrices = np.zeros((100, 9, 9), np.float32)
    batch, listed = PointerArray.of(matrices), [matrix.T for matrix in matrices[:10]]
    prepared = three[0]
    alone = serial.prepare(1)
    table: dict[str, Callable[[], object]] = {
        "kernel[0](), an empty grid": lambda: none[0](),
        ARRAYS: lambda: three[0](a, b, c),
        "kernel[0](1.0, 0.5, a, b, c)": lambda: five[0](1.0, 0.5, a, b, c),
        SCALARS: lambda: five[0](single, half, a, b, c),
        POINTERS: lambda: group[0](batch),
        "kernel[0, 1](a, b, c)": lambda: three[0, 1](a, b, c),
        "launch = kernel[0]; launch(a, b, c)": lambda: prepared(a, b, c),
        "the same with nine shapes in turn": lambda: prepared(a, b, next(shapes)),
        "one work-group, one thread": lambda: alone(a, b, c),
        "1000 work-groups, two threads": lambda: parallel(a, b, c),
        "the long way: all checks in Python": lambda: serial.launch(0, (a, b, c)),
        "a list of ten arrays: checked in Python": lambda: group[0](listed),
        "for comparison: numpy.add(a, b, out=c), 9x9": lambda: np.add(a, b, out=c),
    }
    if find_spec("torch") is not None:
        torch = import_module("torch")
        x, y, z = (torch.zeros(9, 9).T for _ in range(3))
        table[TENSORS] = lambda: three[0](x, y, z)
    return table


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "launch", rounds=REPEATS))
    table = actions()
    calls = {name: partial(timeit.timeit, action, number=CALLS) for name, action in table.items()}
    found = in_turn(calls, options.rounds).seconds()
    rows = {name: found[name].scaled(1e6 / CALLS) for name in table}
    print(f"{'microseconds a launch':48} {'median [quartiles]':>24} {'lowest':>8} {'goal':>8}")
    for name, row in rows.items():
        goal = f"{GOALS[name]:8.2f}" if name in GOALS else ""
        print(f"{name:48} {row!s:>24} {row.lowest:8.2f} {goal}")
    bars = [(name, row.median) for name, row in rows.items()]
    chart = Chart("Launch from Python, median", bars, max(GOALS.values()), "us", lower_is_better=True)
    cases = [{"name": name, "goal": GOALS.get(name)} for name in rows]
    figures.save(options.json, cases, rows, chart)


if __name__ == "__main__":
    main()
