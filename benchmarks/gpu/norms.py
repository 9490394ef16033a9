"""What share of a copy's speed softmax, layer norm and RMS norm of rows reach on an NVIDIA GPU, and of torch's.

    python benchmarks/gpu/norms.py [--quick] [--elements N] [--json PATH]

Kernels of Tile IR, a row a tile block; rows of powers of two and of other lengths, f32 and f16, as many as make up N
elements (default 2^26), which no cache holds. torch's own functions are the peers, its `copy_` of x to y the floor; all
in turn, timed by events on the device. Useful bytes are those of x and y. Results are compared with torch's. Prints a
table of medians and saves it: benchmarks/results/gpu_norms.json unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from device import name_of_device, on_device, torch_on_device

# isort: split
from norm_kernels import EPSILON, layer_norm, rms_norm, softmax

import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from timing import in_turn

LENGTHS = (256, 1000, 1024, 4096, 5000, 8192, 16384, 32768, 65536)
ROUNDS = 15
OURS, PEER, COPY = "tilewright", "torch", "copy"
GOAL = 1.0
"""Times torch's speed that issue 16 wants at each length."""
TEXTS: dict[str, Callable[[int, int, str], str]] = {
    "softmax": softmax,
    "layer norm": layer_norm,
    "RMS norm": rms_norm,
}


def main() -> None:
    parser = figures.options(__doc__, "gpu_norms", rounds=ROUNDS)
    parser.add_argument("--elements", type=int, default=1 << 26, help="elements of x (default: %(default)s)")
    options = figures.parsed(parser)
    torch = torch_on_device()
    total = min(options.elements, 1 << 20) if options.quick else options.elements
    device = name_of_device(torch)
    print(f"{device}, {total:,} elements")
    print(
        f"{'':12} {'type':5} {'columns':>8} {'GB/s':>7}  {'of the copy':>11}  times torch's speed, median [quartiles]"
    )
    cases: list[dict[str, object]] = []
    overall: dict[str, Spread] = {}
    many: dict[str, Overall] = {}
    for what in TEXTS:
        for dtype in (torch.float32, torch.float16):
            ratios: dict[str, Spread] = {}
            for columns in LENGTHS:
                case, ratio = measure(torch, what, dtype, columns, total // columns, options.rounds)
                name = f"{what}, {case['type']}, rows of {columns}"
                print(
                    f"{what:12} {case['type']:5} {columns:8} {case['gbs']:7.0f}  {case['of_copy']:11.2f}  {ratio}",
                    flush=True,
                )
                cases.append({"name": name, "device": device, **case})
                overall[name] = ratios[name] = ratio
            kind = f"{what}, {'f32' if dtype == torch.float32 else 'f16'}"
            many[f"{kind}, over torch"] = Overall.of(ratios)
    chart = Chart("Norms of rows, times torch's speed", [(name, r.median) for name, r in overall.items()], GOAL)
    figures.save(options.json, cases, {**overall, **many}, chart)


def measure(torch: Any, what: str, dtype: Any, columns: int, rows: int, rounds: int) -> tuple[dict[str, Any], Spread]:
    """One kernel at one length: its figures, and how many times as fast as torch it is."""
    x = torch.randn(rows, columns, device="cuda", dtype=dtype)
    w, b = (torch.randn(columns, device="cuda", dtype=dtype) for _ in range(2))
    y = torch.full_like(x, float("nan"))
    element = "f32" if dtype == torch.float32 else "f16"
    kernel = next(iter(tw.compile(TEXTS[what](rows, columns, element), target="nvidia", cache=False)))[rows]
    functional = torch.nn.functional
    arguments = {
        "softmax": (x, y),
        "layer norm": (x, w.view(1, -1), b.view(1, -1), y),
        "RMS norm": (x, w.view(1, -1), y),
    }
    peers = {
        "softmax": lambda: functional.softmax(x, -1),
        "layer norm": lambda: functional.layer_norm(x, (columns,), w, b, EPSILON),
        "RMS norm": lambda: functional.rms_norm(x, (columns,), w, EPSILON),
    }
    ours, peer = (lambda: kernel(*arguments[what])), peers[what]
    ours()
    torch.testing.assert_close(
        y, peer(), rtol=1e-4 if element == "f32" else 1e-2, atol=1e-5 if element == "f32" else 1e-2
    )
    runs = {OURS: ours, PEER: peer, COPY: lambda: y.copy_(x)}
    timings = in_turn({name: on_device(torch, run) for name, run in runs.items()}, rounds, warm=0.005)
    seconds = timings.seconds()[OURS].median
    case = {
        "type": element,
        "columns": columns,
        "gbs": 2 * x.numel() * x.element_size() / seconds / 1e9,
        "of_copy": timings.ratios(COPY, OURS).median,
    }
    return case, timings.ratios(PEER, OURS)


if __name__ == "__main__":
    main()
