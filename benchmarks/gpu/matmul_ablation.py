"""What each step brings to a product of f16 matrices on an NVIDIA GPU: added one after the other, and all but one.

    python benchmarks/gpu/matmul_ablation.py [--quick] [--sizes N,N,..] [--processes N] [--json PATH]

The figure of Katel, Khandelwal and Bondhugula (2021), continued. It begins with the kernel in which the seventeen
stages of their paper end (`transforms/matmul_stages`, `tw.compile(.., stages=..)`), at first without padding and with
copies of one element, with sums of f32 and, in lines of their own, of f16, and goes on with what the paper does not
have: rings of tiles, fragments that are read ahead, a swizzle; then come the steps of the machine floor. Each of these
is a line of `Kernel.schedule` that says all of its parts, and differs from the one before in the part that it is named
for: a ring of stages, groups of warps (`wgmma`), copies by the device itself (TMA), larger tiles, a producer warp
(`roles`), blocks that go on from tile to tile, stores by the device, clusters, an order of tiles for the cache, groups
that take turns (ping-pong, in which each has a tile of its own). What the compiler refuses is left out, and it is said
why; a line that it does not follow ends the run.

Beside stages stands their bound: what part of the rate of mma.sync the load and store unit leaves. For each k it reads
the rows and columns of each warp from shared memory; with one buffer it loads and stores the block's, too. That rate
itself is a contestant, where there is CuPy ("mma.sync alone", `unit_rate.py`).

The peer is `torch.mm` (cuBLAS) with a result of the type of the sums. Contestants run in turn on random normal data,
timed by events on the device; results are compared with products in float64. Prints shares of the peer in the median,
and how much of the speed of all steps is left without each; saves them:
benchmarks/results/gpu_matmul_ablation.json.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ahead import Program, add_options, compiled_ahead
from device import name_of_device, on_device, torch_on_device

# isort: split
from unit_rate import alone

import figures
from figures import Chart
from product_texts import whole_product
from tilewright.diagnostics import CompileError
from timing import in_turn

ROUNDS = 11
SIZES = (1024, 2048, 4096, 8192)
CHARTED = 4096
GOAL = 1.0
PEERS = {"f32": "cuBLAS", "f16": "cuBLAS, sums of f16"}
ALONE = {"f32": "mma.sync alone", "f16": "f16: mma.sync alone"}
ERRORS = {"f32": 1e-3, "f16": 1e-2}
CHECKED_ROWS = 512
PAPER, WIDE = "block=128x128x64 warp=64x32x32", "block=128x128x64 warp=64x64x32"
"""Tiles of the paper, and those with fewer reads of shared memory for each product."""
DEEP = "block=128x256x128 warp=64x64x128 shared=212992 buffers=2"
TALL = "block=256x256x64 shared=147456"
"""Tiles for two places of each buffer, and those for sums of f16, which leave room for larger ones."""
RING = "block=128x256x64 warp=64x64x64 shared=232448"
TALL_RING = "block=256x256x64 warp=128x64x64 shared=232448"
"""Tiles for more places than two."""
BAND = "order=16"
"""Rows of tiles that blocks go down."""
UNIT_CYCLES, LINE_BYTES, LOADS_A_LINE = 6, 128, 1.5
"""Of an H200, by ncu: what m16n8k16 of mma.sync takes, what the load and store unit moves in a cycle, and how often it
is busy for a line from global memory."""
STAGED = """\
func.func @product(%A: {0}, %B: {0}, %C: {1}) {{
  linalg.matmul ins(%A, %B : {0}, {0}) outs(%C : {1})
  return
}}
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A kernel: `stages` of the paper, or `gemm` on a grid of one by a line of `Kernel.schedule`; what it sums in."""

    name: str
    line: str
    staged: bool = False
    total: str = "f32"

    def extents(self, key: str) -> tuple[int, ...]:
        """Those that the line of stages says."""
        return tuple(map(int, dict(entry.split("=") for entry in self.line.split())[key].split("x")))


@dataclass(frozen=True, slots=True)
class Floor:
    """The parts of a schedule that steps of the machine floor add, and at first the least of each."""

    tile: str = "128x128x64"
    threads: int = 128
    instruction: str = "m16n8k16.row.col.f32.f32/2x2"
    ring: int = 1
    copies: str = "threads"
    stores: str = "threads"
    persistent: str = "no"
    order: int = 1
    roles: str = "no"
    pingpong: str = "no"
    cluster: str = "1x1"

    def step(self, name: str) -> Step:
        """The kernel, by a line that leaves nothing of this to the compiler."""
        said = {
            "threads": self.threads,
            "tile": self.tile,
            "product": f"{self.tile}:{self.instruction}/{self.ring}",
            **{key: getattr(self, key) for key in SINGLE},
        }
        return Step(name, " ".join(f"{key}={value}" for key, value in said.items()))


SINGLE = ("copies", "stores", "persistent", "order", "roles", "pingpong", "cluster")
"""Parts of `Floor` that are called in lines as they are here."""
WARPS = Floor(ring=2)
GROUP = replace(WARPS, ring=3, instruction="wgmma.m64n128k16.f32.f16/1x1")
COPIED = replace(GROUP, copies="tensor")
TWO_GROUPS = replace(COPIED, tile="256x128x64", threads=256, instruction="wgmma.m64n256k16.f32.f16/1x2", ring=4)
ROLES = replace(TWO_GROUPS, roles="yes")
GOES_ON = replace(ROLES, persistent="yes")
STORED = replace(GOES_ON, stores="tensor")
CLUSTERS = replace(STORED, cluster="1x2")
FULL = replace(CLUSTERS, order=8)
ALTERNATE = replace(FULL, tile=GROUP.tile, threads=128, instruction=GROUP.instruction, ring=6, pingpong="yes")
ADDED = (
    Step("stages 1-17 without 5 and 13", f"{PAPER} pad=0 vector=1", staged=True),
    Step("+ padding (5)", f"{PAPER} pad=8 vector=1", staged=True),
    Step("+ vectors (13): all stages", f"{PAPER} pad=8 vector=8", staged=True),
    Step("+ warps of 64 x 64", f"{WIDE} pad=8 vector=8", staged=True),
    Step("+ two places, cp.async", f"{DEEP} pad=8 vector=8", staged=True),
    Step("+ order of blocks", f"{DEEP} pad=8 vector=8 {BAND}", staged=True),
    Step("+ ring of four places", f"{RING} pad=8 vector=8 {BAND} buffers=4", staged=True),
    Step("+ fragments read ahead", f"{RING} pad=8 vector=8 {BAND} buffers=4 ahead=1", staged=True),
    Step("+ swizzle for padding", f"{RING} swizzle=yes vector=8 {BAND} buffers=4 ahead=1", staged=True),
    Step("f16: all stages", f"{PAPER} pad=8 vector=8", staged=True, total="f16"),
    Step("f16: + warps of 64 x 64", f"{WIDE} pad=8 vector=8", staged=True, total="f16"),
    Step("f16: + warps of 128 x 64", f"{TALL} warp=128x64x32 pad=8 vector=8", staged=True, total="f16"),
    Step("f16: + two places, cp.async", f"{TALL} warp=128x64x64 pad=8 vector=8 buffers=2", staged=True, total="f16"),
    Step("f16: + order of blocks", f"{TALL} warp=128x64x64 pad=8 vector=8 buffers=2 {BAND}", staged=True, total="f16"),
    Step("f16: + ring of three places", f"{TALL_RING} pad=8 vector=8 {BAND} buffers=3", staged=True, total="f16"),
    Step(
        "f16: + fragments read ahead", f"{TALL_RING} pad=8 vector=8 {BAND} buffers=3 ahead=1", staged=True, total="f16"
    ),
    Step(
        "f16: + swizzle for padding",
        f"{TALL_RING} swizzle=yes vector=8 {BAND} buffers=3 ahead=1",
        staged=True,
        total="f16",
    ),
    Floor().step("ldmatrix, no ring"),
    WARPS.step("+ ring of 2 by cp.async"),
    replace(WARPS, ring=3).step("+ ring of 3"),
    GROUP.step("+ wgmma"),
    COPIED.step("+ TMA"),
    TWO_GROUPS.step("+ 256 x 128 by two groups"),
    ROLES.step("+ roles"),
    GOES_ON.step("+ persistent"),
    STORED.step("+ stores by TMA"),
    CLUSTERS.step("+ clusters of two"),
    FULL.step("+ order of tiles"),
    ALTERNATE.step("ping-pong of two 128 x 128"),
    Step("the compiler's choice", ""),
)
"""One after the other. Groups that take turns have a tile each: ping-pong takes the place of the larger tile."""
ALL_STAGES = f"{RING} swizzle=yes vector=8 {BAND} buffers=4 ahead=1"
WHOLE, WHOLE_STAGES = (next(step for step in ADDED if step.line == line) for line in (FULL.step("").line, ALL_STAGES))
REMOVED = (
    Step("stages: padding (5), no swizzle", ALL_STAGES.replace("swizzle=yes", "pad=8"), staged=True),
    Step("stages: neither padding nor swizzle", ALL_STAGES.replace("swizzle=yes", "pad=0"), staged=True),
    Step("stages: without vectors (13)", ALL_STAGES.replace("vector=8", "vector=1"), staged=True),
    Step("stages: warps of 64 x 32", ALL_STAGES.replace("128x256x64 warp=64x64", "128x128x64 warp=64x32"), staged=True),
    Step("stages: two places", ALL_STAGES.replace("buffers=4", "buffers=2"), staged=True),
    Step("stages: without reads ahead", ALL_STAGES.replace(" ahead=1", ""), staged=True),
    Step("stages: without order of blocks", ALL_STAGES.replace(f" {BAND}", ""), staged=True),
    replace(FULL, ring=2).step("ring of 2"),
    replace(FULL, tile=GROUP.tile, threads=128, instruction=GROUP.instruction).step("128 x 128 by one group"),
    replace(FULL, roles="no").step("without roles"),
    replace(FULL, persistent="no").step("a block for each tile"),
    replace(FULL, stores="threads").step("stores by threads"),
    replace(FULL, cluster="1x1").step("without clusters"),
    replace(FULL, order=1).step("without order"),
    replace(FULL, copies="threads", roles="no", cluster="1x1", persistent="no").step("cp.async instead of TMA"),
    replace(WARPS, tile="128x128x64", threads=256, instruction="m16n8k16.row.col.f32.f32/2x4", ring=3, order=8).step(
        "mma.sync instead of wgmma"
    ),
)
"""All of `WHOLE` but one step, and all of the stages but one. Without TMA there are no roles, no clusters and no blocks
that go on, and without wgmma no TMA."""


def main() -> None:
    parser = figures.options(__doc__, "gpu_matmul_ablation", rounds=ROUNDS)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="(default: %(default)s)")
    add_options(parser)
    options = figures.parsed(parser)
    sizes = [int(n) for n in options.sizes.split(",")][: 1 if options.quick else None]
    with compiled_ahead([program_of(step, n) for n in sizes for step in (*ADDED, *REMOVED)], options):
        _measure(sizes, options.rounds, options.json)


def _measure(sizes: list[int], rounds: int, path: Path | None) -> None:
    torch = torch_on_device()
    print(name_of_device(torch))
    totals = {step.name: step.total for step in (*ADDED, *REMOVED)} | {
        name: total for names in (PEERS, ALONE) for total, name in names.items()
    }
    shares: dict[str, dict[str, float]] = {}
    cases: list[dict[str, object]] = []
    ratios: dict[str, object] = {}
    for n in sizes:
        runs = contestants(torch, n)
        timings = in_turn({name: on_device(torch, run) for name, run in runs.items()}, rounds, warm=0.002)
        rates = {name: 2 * n**3 / spread.median / 1e12 for name, spread in timings.seconds().items()}
        for name in runs:
            ratio = timings.ratios(PEERS[totals.get(name, "f32")], name)
            shares.setdefault(name, {})[str(n)] = ratio.median
            ratios[f"{n} {name}"] = ratio
            cases.append({"name": f"{n} {name}", "tflops": rates[name], "share": ratio.median})
    _tell(shares, [str(n) for n in sizes])
    charted = str(CHARTED if CHARTED in sizes else sizes[-1])
    known = [step.name for step in (*ADDED, *REMOVED) if charted in shares.get(step.name, {})]
    rows = [(name, shares[name][charted]) for name in known]
    title = f"Steps to a product of {charted}, f16, share of cuBLAS: added, then all but one"
    figures.save(path, cases, ratios, Chart(title, rows, GOAL))


def _tell(shares: Mapping[str, Mapping[str, float]], sizes: list[str]) -> None:
    def line(name: str, whole: Mapping[str, float] | None = None) -> str:
        mine = shares.get(name, {})
        found = (mine[n] / (1 if whole is None else whole[n]) if n in mine else None for n in sizes)
        return f"{name:34} {' '.join('      -' if share is None else f'{share:7.3f}' for share in found)}"

    print(f"{'share of cuBLAS':34}", *(f"{n:>7}" for n in sizes))
    for step in ADDED:
        print(line(step.name), f"  bound {bound(step):.2f} of mma.sync" if step.staged else "")
    for name in ALONE.values():
        print(line(name))
    print(f"{'all but one: share of all':34}")
    for step in REMOVED:
        print(line(step.name, shares[(WHOLE_STAGES if step.staged else WHOLE).name]))


def bound(step: Step) -> float:
    """What part of the rate of mma.sync the load and store unit leaves to stages."""
    (rows, columns, _), (m, n, _) = step.extents("block"), step.extents("warp")
    warps, bytes_ = (rows // m) * (columns // n), 2 * 16
    unit = warps * (m // 16) * (n // 8) * UNIT_CYCLES / 4
    read = warps * (m + n) * bytes_ / LINE_BYTES
    copied = 0 if "buffers=" in step.line else (rows + columns) * bytes_ / LINE_BYTES * (1 + LOADS_A_LINE)
    return min(unit / (read + copied), 1)


def contestants(torch: Any, n: int) -> dict[str, Callable[[], object]]:
    """The peers, then every step, whose results agree with them."""
    a, b = (torch.randn(n, n, device="cuda").half() for _ in range(2))
    results = {"f32": torch.zeros(n, n, device="cuda"), "f16": torch.zeros(n, n, device="cuda").half()}
    runs: dict[str, Callable[[], object]] = {
        PEERS["f32"]: lambda: torch.mm(a, b, out_dtype=torch.float32),
        PEERS["f16"]: lambda: torch.mm(a, b),
    }
    runs |= {name: run for total, name in ALONE.items() if (run := alone(torch, n, total)) is not None}
    wanted = a[:CHECKED_ROWS].double() @ b.double()
    for step in (*ADDED, *REMOVED):
        c = results[step.total]
        try:
            run = launch_of(step, n, (a, b, c))
        except CompileError as refused:
            print(f"{n} {step.name}: left out: {str(refused).splitlines()[0]}")
            continue
        c.zero_()
        run()
        error = float((c[:CHECKED_ROWS].double() - wanted).norm() / wanted.norm())
        if not error <= ERRORS[step.total]:
            raise SystemExit(f"{step.name} {n}: the error's norm is {error:.3g} of the product's")
        runs[step.name] = run
    return runs


def program_of(step: Step, n: int) -> Program:
    """The kernel of a step for square matrices."""
    if step.staged:
        return Program(STAGED.format(f"memref<{n}x{n}xf16>", f"memref<{n}x{n}x{step.total}>"), stages=step.line)
    return Program(whole_product((n, n, n), "f16", "f32", (False, False)), step.line)


def launch_of(step: Step, n: int, arrays: tuple[Any, Any, Any]) -> Callable[[], object]:
    """A launch of a step; the kernel of the stages adds to what the result holds."""
    a, b, c = arrays
    kernel = program_of(step, n).kernel()
    if step.staged:
        rows, columns, _ = step.extents("block")
        return partial(kernel[n // columns, n // rows], *arrays)
    if ignored := not_followed(step.line, kernel.schedule):
        raise SystemExit(f"{step.name} {n}: {kernel.schedule} is without {', '.join(ignored)}")
    # rows are columns to the tensor language: it multiplies the transposed matrices in reverse
    return partial(kernel[1], b.t(), a.t(), c.t())


def not_followed(line: str, schedule: str) -> list[str]:
    """What a line asks for and the schedule of its kernel says otherwise: a schedule leaves out what is so anyway."""
    asked, taken = (dict(entry.split("=", 1) for entry in each.split() if "=" in entry) for each in (line, schedule))
    return [f"{key}={value}" for key, value in asked.items() if taken.get(key, value) != value]


if __name__ == "__main__":
    main()
