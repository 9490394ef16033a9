"""What compiling for NVIDIA devices costs, to PTX: the driver makes machine code of it when it loads the program.

    python benchmarks/gpu/compile_time.py [--quick] [--json PATH]

The sample kernel of the tensor language; a Tile IR kernel of 200 operations; products of matrices of 4096 whose factors
come through a ring of stages, in Tile IR and as one `gemm`. No cache, no GPU: for sm_90a, in one warm process, kernels
and the parts of each (reading, passes, code generation with LLVM) in turn; ptxas' time beside them where it is
installed. Prints a table of medians with quartiles and saves it: benchmarks/results/gpu_compile_time.json unless told
otherwise. Issue 16 has the bars.
"""

from __future__ import annotations

from collections.abc import Callable

from device import HERE
from msgspec import Struct

# isort: split
import figures
import tilewright as tw
from figures import Chart
from product_texts import Product, tile_ir_product, whole_gemm
from tile_ir_kernels import long_kernel
from tilewright.compile_options import CompileOptions
from tilewright.compiler import offers_of, read_source
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets import find_target
from tilewright.targets.nvidia.ptx import assemble, find_assembler
from timing import in_turn, timers

ROUNDS = 15
ARCHITECTURE = Architecture.SM_90A
TARGET = f"nvidia:{ARCHITECTURE.value}"
SAMPLE = HERE.parents[1] / "examples" / "fused_kernel.tl"
N = 4096
WARM = 0.1


class Case(Struct, frozen=True):
    """A kernel, and how many milliseconds it may take."""

    text: str
    bar: float


def cases() -> dict[str, Case]:
    """By what they are."""
    product = Product((N, N, N), "f16", "f32", (False, False), "f16")
    return {
        "sample kernel": Case(SAMPLE.read_text(), 100),
        "Tile IR kernel of 200 operations": Case(long_kernel(200), 200),
        "product f16 in Tile IR": Case(tile_ir_product(product, (128, 128, 64)), 300),
        "gemm f16": Case(whole_gemm(N, "f16", "f16", False), 300),
    }


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "gpu_compile_time", rounds=ROUNDS))
    target = find_target(TARGET)

    def lowered(text: str) -> None:
        offers_of(Source("kernel", text), target, CompileOptions(), Report())

    runs: dict[str, Callable[[], object]] = {}
    for name, case in cases().items():
        text = case.text
        runs[f"{name}: all"] = lambda text=text: tw.compile(text, target=TARGET, cache=False)
        runs[f"{name}: read"] = lambda text=text: read_source(Source("kernel", text), Report())
        runs[f"{name}: read and passes"] = lambda text=text: lowered(text)
        if find_assembler() is not None:
            ptx = tw.compile(text, target=TARGET, cache=False).artifact.texts["ptx"]
            runs[f"{name}: ptxas"] = lambda ptx=ptx: assemble(ptx, ARCHITECTURE)
    found = in_turn(timers(runs), options.rounds, warm=WARM).seconds()
    milliseconds = {name: spread.scaled(1e3) for name, spread in found.items()}
    bars = {f"{name}: all": case.bar for name, case in cases().items()}
    print(f"{'milliseconds':<52} {'median [quartiles]':>26}   bar")
    for name, spread in milliseconds.items():
        print(f"{name:<52} {spread!s:>26}   {f'< {bars[name]:.0f}' if name in bars else ''}")
    rows: list[dict[str, object]] = [
        {"name": name, "milliseconds": spread, "bar": bars.get(name)} for name, spread in milliseconds.items()
    ]
    shares = {name: milliseconds[name].scaled(1 / bar) for name, bar in bars.items()}
    chart = Chart(
        "Compiling for NVIDIA devices, parts of the bars",
        [(n, s.median) for n, s in shares.items()],
        1.0,
        lower_is_better=True,
    )
    figures.save(options.json, rows, milliseconds, chart)


if __name__ == "__main__":
    main()
