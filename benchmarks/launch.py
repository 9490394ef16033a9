"""What a launch costs from Python: an empty kernel with three NumPy arrays and two scalars, and its parts.

    python benchmarks/launch.py

The bar is 5 microseconds for an empty grid with three arrays (issue: "launch of an empty-sized kernel from Python").
"""

from __future__ import annotations

import json
import statistics
import timeit
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.native import compile_text
from tilewright.runtime.pool import Pool
from tilewright.targets.artifact import Artifact, KernelInfo, MemrefParameter, ScalarParameter

RESULTS = Path(__file__).parent / "results" / "launch.json"
CALLS = 5000
REPEATS = 15

TEXT = """
define void @empty(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team) {
  ret void
}
"""


def actions() -> dict[str, Callable[[], object]]:
    def matrix(name: str) -> MemrefParameter:
        return MemrefParameter(name, "f32", (None, None), (1, None))

    arrays = tuple(matrix(name) for name in "ABC")
    scalars = (ScalarParameter("alpha", "f32"), ScalarParameter("beta", "f32"))
    infos = (
        KernelInfo("none", "empty", ()),
        KernelInfo("one", "empty", arrays[:1]),
        KernelInfo("three", "empty", arrays),
        KernelInfo("five", "empty", (*scalars, *arrays)),
    )
    artifact = Artifact("cpu", infos, compile_text(TEXT).object_code)
    serial = bind_artifact(artifact, pool=Pool(1))
    parallel = bind_artifact(artifact, pool=Pool(2))
    a, b, c = (np.zeros((9, 9), np.float32, order="F") for _ in range(3))
    return {
        "no argument, empty grid": lambda: serial["none"].launch(0, ()),
        "one array, empty grid": lambda: serial["one"].launch(0, (a,)),
        "three arrays, empty grid": lambda: serial["three"].launch(0, (a, b, c)),
        "three arrays, two scalars, empty grid": lambda: serial["five"].launch(0, (1.0, 0.5, a, b, c)),
        "three arrays, one work-group, one thread": lambda: serial["three"].launch(1, (a, b, c)),
        "three arrays, 1000 work-groups, two threads": lambda: parallel["three"].launch(1000, (a, b, c)),
        "for comparison: numpy.add(a, b, out=c), 9x9": lambda: np.add(a, b, out=c),
    }


def main() -> None:
    table = actions()
    samples: dict[str, list[float]] = {name: [] for name in table}
    for _ in range(REPEATS):
        for name, action in table.items():
            samples[name].append(timeit.timeit(action, number=CALLS) / CALLS * 1e6)
    rows = {
        name: {"min": round(min(values), 3), "median": round(statistics.median(values), 3)}
        for name, values in samples.items()
    }
    print(f"{'microseconds a launch':48} {'min':>8} {'median':>8}")
    for name, row in rows.items():
        print(f"{name:48} {row['min']:8.2f} {row['median']:8.2f}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"us": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
