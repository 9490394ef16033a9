"""What share of a copy's speed transposes of square matrices reach on an NVIDIA GPU: y = x transposed.

    python benchmarks/gpu/transposes.py [--quick] [--json PATH]

Tile IR, a square tile a block, whose rows are 256 bytes; torch's `copy_` of the transposed view as the peer, torch's
`copy_` of a whole array as the floor; all in turn, timed by events on the device. Results are compared with torch's.
Prints a table of medians with quartiles and saves it: benchmarks/results/gpu_transposes.json unless told otherwise.
"""

from __future__ import annotations

from functools import partial

from device import name_of_device, on_device, torch_on_device

# isort: split
import figures
import tilewright as tw
from figures import Chart
from spread import Overall, Spread
from tile_ir_kernels import transpose
from timing import in_turn

TILES = {"f32": 64, "f16": 128}
"""Rows of 256 bytes: f16 has 0.95 to 0.98 of the copy's speed on an H200, with rows of 128 bytes 0.93."""
EXTENTS = 8192, 16384
ROUNDS = 31
COPY = "copy_ of torch (the floor)"
PEER = "copy_ of the transposed view"
OURS = "Tile IR"
GOAL = 0.95
"""Share of the copy's speed that issue 16 wants."""


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "gpu_transposes", rounds=ROUNDS))
    torch = torch_on_device()
    device = name_of_device(torch)
    cases: list[dict[str, object]] = []
    shares: dict[str, Spread] = {}
    print(f"{device}\n{'':48} {'GB/s':>8}   share of the copy, median [quartiles]")
    for element, dtype in (("f32", torch.float32), ("f16", torch.float16)):
        for n in (2048,) if options.quick else EXTENTS:
            x = torch.randn(n, n, device="cuda", dtype=dtype)
            y = torch.empty_like(x)
            tile = TILES[element]
            kernel = tw.compile(transpose(n, tile, element), target="nvidia", cache=False).transpose
            runs = {
                COPY: partial(y.copy_, x),
                PEER: partial(y.copy_, x.T),
                OURS: partial(kernel[n // tile, n // tile], x, y),
            }
            y.fill_(float("nan"))
            runs[OURS]()
            if not torch.equal(y, x.T):
                raise SystemExit(f"{element} {n}: the transpose differs from torch's")
            timings = in_turn({name: on_device(torch, run) for name, run in runs.items()}, options.rounds, warm=0.02)
            for name, spread in timings.seconds().items():
                row = f"{element} {n}, {name}"
                rate = 2 * x.nbytes / spread.median / 1e9
                shares[row] = timings.ratios(COPY, name)
                cases.append({"name": row, "device": device, "gbs": rate})
                print(f"{row:48} {rate:8.0f}   {shares[row]}", flush=True)
    ours = [(row, share.median) for row, share in shares.items() if row.endswith(OURS)]
    chart = Chart("Transposes, share of the copy's speed", ours, GOAL)
    many = {who: Overall.of({row: share for row, share in shares.items() if row.endswith(who)}) for who in (PEER, OURS)}
    figures.save(options.json, cases, {**shares, **many}, chart)


if __name__ == "__main__":
    main()
