"""What compiling costs: import, parsing and verifying, passes, cold compile, cache hit; first of all in a process.

    python benchmarks/compile_time.py [--quick]

Contestants run in turn. Prints two tables of medians with quartiles and saves benchmarks/results/compile_time.json. In
fresh processes, what is timed begins with `import tilewright`; Python's own start and NumPy's import are rows of their
own, as the floor of all others. LLVM's description of the processor and the runtime's own machine code are in the
cache's folder, as after any earlier use. Budgets: design 2.1 and the issues' tables.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

import figures
import tilewright as tw
from fresh_process import Start, measured, table
from spread import Spread
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.ir.core import Operation
from tilewright.targets import find_target
from timing import Timer, in_turn, seconds, timers
from tlx_texts import contraction

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "examples" / "fused_kernel.tl"
_WARM = 0.03
_VECTORS = "func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) { axpby %a, %x, %b, %y }"


def import_time() -> float:
    """Seconds of `import tilewright` in a fresh process, without the interpreter's own start."""
    code = "import time; t = time.perf_counter(); import tilewright; print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def start_time() -> None:
    """`tilewright --version`."""
    subprocess.run([sys.executable, "-m", "tilewright", "--version"], capture_output=True, check=True)


def fresh_starts() -> dict[str, Start]:
    """What a process does first."""
    arrays = "import numpy as np"
    softmax, vectors = ROOT / "examples" / "softmax.tileir", _VECTORS
    cases = {"nothing": Start(""), "import numpy": Start(arrays)}
    for path, bar in ((SAMPLE, "< 200"), (softmax, "< 250")):
        compiled = f"import tilewright as tw; tw.compile({str(path)!r}, cache=False)"
        cases[f"first compile, {path.name}"] = Start(compiled, bar=bar)
        cases[f"first compile, {path.name}, NumPy imported"] = Start(compiled, arrays, bar)
    for path in (SAMPLE, softmax):
        found = f"import tilewright as tw; tw.compile({str(path)!r})"
        cases[f"cache hit, {path.name}"] = Start(found, bar="< 60")
        cases[f"cache hit, {path.name}, NumPy imported"] = Start(found, arrays, "< 60")
    launch = f"import tilewright as tw; tw.compile({vectors!r}).k[1](1.0, x, 1.0, y)"
    cases["cache hit and first launch, NumPy imported"] = Start(launch, f"{arrays}; x, y = np.ones((2, 100), 'f')")
    return cases


def large_kernel(operations: int) -> str:
    """A kernel of scalar arithmetic in loops, about as many operations as asked for."""
    lines = ["func @k(%x: memref<f32x?>, %a: f32) {", "    %c0 = constant 0 : index", "    %c4 = constant 4 : index"]
    for i in range(operations // 5):
        lines += [
            f"    for %i{i}=%c0,%c4 {{",
            f"        %v{i} = load %x[%i{i}] : f32",
            f"        %w{i} = mul %v{i}, %a : f32",
            f"        %u{i} = add %w{i}, %v{i} : f32",
            f"        store %u{i}, %x[%i{i}]",
            "    }",
        ]
    return "\n".join([*lines, "}"])


def count(module: Operation) -> int:
    """Operations of a module."""
    return sum(1 for _ in module.walk())


class Row(Struct, frozen=True):
    """Milliseconds of one thing that is done, and what it may take."""

    name: str
    milliseconds: Spread
    bar: str


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "compile_time", rounds=15))
    sample = Source(str(SAMPLE), SAMPLE.read_text())
    target = find_target("cpu")
    large = Source("large.tl", large_kernel(500))
    operations = count(read_module(large, Report()))
    product = Source("product.ll", contraction("f32", ("mk", "kn", "mn"), dict.fromkeys("mkn", 512)))

    def passes() -> None:
        report = Report()
        lower_module(read_module(large, report), target, CompileOptions(verify_each=True), report)

    starts: dict[str, tuple[Timer, str]] = {
        "import tilewright": (import_time, "< 200"),
        "tilewright --version": (lambda: seconds(start_time), "< 150"),
    }
    runs: dict[str, tuple[Callable[[], object], str]] = {
        f"read {operations} operations": (lambda: read_module(large, Report()), ""),
        f"read, all passes, verify each, {operations} operations": (passes, "< 20 without reading"),
        "sample kernel, cold": (lambda: tw.compile(sample, cache=False), "< 100"),
        "product of matrices of 512 in TLX, cold": (lambda: tw.compile(product, cache=False), "< 100"),
        "sample kernel, cache hit": (lambda: tw.compile(sample), "< 5"),
    }
    found = in_turn({name: run for name, (run, _) in starts.items()}, options.rounds).seconds()
    with tempfile.TemporaryDirectory() as folder, tw.config(cache_dir=folder):
        tw.compile(sample)
        # a core that has waited for other processes is slow at first
        timings = in_turn(timers({name: run for name, (run, _) in runs.items()}), options.rounds, warm=_WARM)
        found |= timings.seconds()
    bars = {name: bar for name, (_, bar) in (starts | runs).items()}
    rows = [Row(name, found[name].scaled(1e3), bar) for name, bar in bars.items()]
    print(f"{'milliseconds':<56} {'median [quartiles]':>26} {'lowest':>9}   bar")
    for row in rows:
        print(f"{row.name:<56} {row.milliseconds!s:>26} {row.milliseconds.lowest:>9.2f}   {row.bar}")
    with tempfile.TemporaryDirectory() as folder:
        fresh = measured(fresh_starts(), options.rounds, Path(folder))
    print("\n" + table(fresh))
    found_all = {row.name: row.milliseconds for row in rows} | {f"fresh process, {row.name}": row.wall for row in fresh}
    figures.save(options.json, {"one process": rows, "fresh processes": fresh}, found_all)


if __name__ == "__main__":
    main()
