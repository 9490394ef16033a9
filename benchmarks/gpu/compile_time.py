"""What compiling for NVIDIA devices costs: to PTX, of which the driver makes machine code when it loads the program,
and to machine code with ptxas.

    python benchmarks/gpu/compile_time.py [--quick] [--json PATH]

The sample kernel of the tensor language; a Tile IR kernel of 200 operations; products of matrices of 4096 whose factors
come through a ring of stages, in Tile IR and as one `gemm`; programs of `tw.matmul`, of open extents, also with an
epilogue, of `tw.attention`, for whole blocks of keys and for any lengths, and of its gradients
(`compile_programs.py`). No cache, no GPU: for sm_90a, in one warm process, kernels and the parts of each (reading,
passes, code generation with LLVM) in turn, with ptxas where it is installed. To PTX as the first thing that a process
does, too, `import tilewright` included. Prints tables of medians with quartiles and saves them:
benchmarks/results/gpu_compile_time.json unless told otherwise. Issues 16 and 17 have the bars.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from compile_programs import TARGET, Case, cases
from msgspec import Struct

# isort: split
import figures
import fresh_process
import tilewright as tw
from figures import Chart
from fresh_process import Start, measured, table
from spread import Spread
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module, read_source
from tilewright.diagnostics import Report, Source
from tilewright.languages import ReadOptions
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets import find_scheduled
from tilewright.targets.nvidia.ptx import assemble, find_assembler
from timing import in_turn, timers

ROUNDS = 15
ARCHITECTURE = Architecture(TARGET.partition(":")[2])
ASSEMBLED = 2000.0
"""Milliseconds to machine code that issue 17 allows."""
WARM = 0.1


class Row(Struct, frozen=True):
    """Milliseconds of one thing that is done, and what it may take."""

    name: str
    milliseconds: Spread
    bar: float | None


def compiled(case: Case) -> str:
    """The PTX."""
    return tw.compile(case.text, **case.options).artifact.texts["ptx"]


def lowered(case: Case) -> None:
    """Read, and through all passes."""
    source, report, target = Source("kernel", case.text), Report(), find_scheduled(TARGET, schedule=case.schedule)
    lower_module(read_module(source, report, ReadOptions(chosen=case.chosen)), target, CompileOptions(), report)


def warm(rounds: int) -> list[Row]:
    """What all kernels take in this process, and their parts."""
    runs: dict[str, Callable[[], object]] = {}
    bars: dict[str, float] = {}
    for name, case in cases().items():
        source, reading = Source("kernel", case.text), ReadOptions(chosen=case.chosen)
        runs[f"{name}: to PTX"] = lambda case=case: compiled(case)
        bars[f"{name}: to PTX"] = case.bar
        runs[f"{name}: read"] = lambda source=source, reading=reading: read_source(source, Report(), reading)
        runs[f"{name}: read and passes"] = lambda case=case: lowered(case)
        if find_assembler() is not None:
            ptx = compiled(case)
            runs[f"{name}: ptxas alone"] = lambda ptx=ptx: assemble(ptx, ARCHITECTURE)
            runs[f"{name}: to machine code"] = lambda case=case: assemble(compiled(case), ARCHITECTURE)
            bars[f"{name}: to machine code"] = ASSEMBLED
    found = in_turn(timers(runs), rounds, warm=WARM).seconds()
    return [Row(name, spread.scaled(1e3), bars.get(name)) for name, spread in found.items()]


def first(rounds: int) -> list[fresh_process.Row]:
    """What a process takes that compiles one of them and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        starts: dict[str, Start] = {"nothing": Start("")}
        for number, (name, case) in enumerate(cases().items()):
            path = Path(folder, f"kernel{number}.txt")
            path.write_text(case.text)
            read = f"text = open({str(path)!r}).read()"
            starts[f"first, {name}"] = Start(f"import tilewright as tw; tw.compile(text, **{case.options!r})", read)
        return measured(starts, rounds, Path(folder))


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "gpu_compile_time", rounds=ROUNDS))
    rows = warm(options.rounds)
    print(f"{'milliseconds':<52} {'median [quartiles]':>26} {'lowest':>9}   bar")
    for row in rows:
        bar = "" if row.bar is None else f"< {row.bar:,.0f}"
        print(f"{row.name:<52} {row.milliseconds!s:>26} {row.milliseconds.lowest:>9.2f}   {bar}")
    fresh = first(options.rounds)
    print("\n" + table(fresh))
    shares = [(row.name, row.milliseconds.median / row.bar) for row in rows if row.bar is not None]
    chart = Chart("Compiling for NVIDIA devices, parts of the bars", shares, 1.0, lower_is_better=True)
    found = {row.name: row.milliseconds for row in rows} | {f"fresh process, {row.name}": row.wall for row in fresh}
    figures.save(options.json, {"one process": rows, "fresh processes": fresh}, found, chart)


if __name__ == "__main__":
    main()
