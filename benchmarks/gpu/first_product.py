"""How long a process waits for its first product on an NVIDIA GPU, and for products of shapes that it has not met.

    python benchmarks/gpu/first_product.py [--quick] [--json PATH]

Each round is a process of its own that keeps nothing on disk, neither tilewright's code nor the driver's. torch is
there with two matrices and a context; then `import tilewright` and `tilewright.matmul` of f16, to the end of what the
device does: PTX by us, machine code of it by the driver. Then products of other shapes in turn: those whose program is
there already, since extents are open, and those for which the model takes another tile; and one of a shape that it has
met. Results are compared with products in float64. Prints medians and saves them:
benchmarks/results/gpu_first_product.json unless told otherwise. Issue 17 has the bar.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import msgspec
from device import HERE, name_of_device, torch_on_device
from msgspec import Struct

# isort: split
import figures
from figures import Chart
from spread import Spread

ROUNDS = 5
BAR = 2000.0
"""Milliseconds to the first result, of issue 17."""
SHAPES = ((4096, 4096, 4096), (3072, 4096, 5120), (4096, 4096, 4096), (1024, 1024, 1024), (640, 1152, 896))
ERROR = 1e-3
_CHILD = """
import json, time
import torch
made = [[torch.randn(s, device="cuda", dtype=torch.float32).half() for s in ((m, k), (k, n))] for m, n, k in {shapes}]
torch.cuda.synchronize()
found, programs = [], set()
for a, b in made:
    begin = time.perf_counter()
    import tilewright as tw
    c = tw.matmul(a, b)
    torch.cuda.synchronize()
    took = time.perf_counter() - begin
    kernel = tw.matmul.plan(a, b).kernel
    is_new, wanted = id(kernel) not in programs, a[:512].double() @ b.double()
    programs.add(id(kernel))
    error = float((c[:512].double() - wanted).norm() / wanted.norm())
    found.append(dict(milliseconds=1e3 * took, compiles=is_new, error=error))
print(json.dumps(found))
"""


class Call(Struct, frozen=True):
    """One product of a process: how long until the device was done, whether its program had to be compiled."""

    milliseconds: float
    compiles: bool
    error: float


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "gpu_first_product", rounds=ROUNDS))
    device = name_of_device(torch_on_device())
    rounds = [_calls() for _ in range(options.rounds)]
    print(f"{device}\n{'product f16':36} {'milliseconds, median [quartiles]':>34}   a program")
    found: dict[str, Spread] = {}
    rows: list[dict[str, object]] = []
    for number, (shape, calls) in enumerate(zip(SHAPES, zip(*rounds, strict=True), strict=True), 1):
        for call in calls:
            if not call.error <= ERROR:
                raise SystemExit(f"{shape}: the error's norm is {call.error:.3g} of the product's")
        name = f"{number}: {'x'.join(map(str, shape))}"
        spread = found[name] = Spread.of([call.milliseconds for call in calls])
        rows.append({"name": name, "device": device, "milliseconds": spread, "compiles": calls[0].compiles})
        print(f"{name:36} {spread!s:>34}   {'is compiled' if calls[0].compiles else 'is there'}", flush=True)
    chart = Chart(
        "First products of a process, parts of 2 s",
        [(name, spread.median / BAR) for name, spread in found.items()],
        1.0,
        lower_is_better=True,
    )
    figures.save(options.json, rows, found, chart)


def _calls() -> list[Call]:
    """The products of one process, in order."""
    with tempfile.TemporaryDirectory() as folder:
        paths = os.pathsep.join([str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": paths, "TILEWRIGHT_CACHE_DIR": folder, "CUDA_CACHE_DISABLE": "1"}
        command = [sys.executable, "-c", _CHILD.format(shapes=SHAPES)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"a process that multiplies ended with {done.returncode}:\n{done.stderr}")
    return msgspec.json.decode(done.stdout, type=list[Call])


if __name__ == "__main__":
    main()
