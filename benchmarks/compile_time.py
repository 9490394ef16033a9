"""What compiling costs: import, parsing and verifying, passes, cold compile, cache hit.

    python benchmarks/compile_time.py

Prints a table and saves benchmarks/results/compile_time.json. Budgets: design 2.1 and the issue's table.
"""

from __future__ import annotations

import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import figures
import tilewright as tw
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.ir.core import Operation
from tilewright.targets import find_target
from timing import in_turn, timers

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "examples" / "fused_kernel.tl"


def milliseconds(action: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median and fastest of some calls."""
    timings = in_turn(timers({"": action}), repeats)
    return timings.median(1e3)[""], timings.best(1e3)[""]


def import_time() -> float:
    """Milliseconds of `import tilewright` in a fresh process, without the interpreter's own start."""
    code = "import time; t = time.perf_counter(); import tilewright; print((time.perf_counter() - t) * 1e3)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def start_time() -> None:
    """`tilewright --version`."""
    subprocess.run([sys.executable, "-m", "tilewright", "--version"], capture_output=True, check=True)


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


def main() -> None:
    options = figures.options(__doc__, "compile_time").parse_args()
    sample = Source(str(SAMPLE), SAMPLE.read_text())
    target = find_target("cpu")
    large = Source("large.tl", large_kernel(500))

    def passes() -> None:
        report = Report()
        lower_module(read_module(large, report), target, CompileOptions(verify_each=True), report)

    rows: list[tuple[str, float, float, str]] = []

    def row(name: str, action: Callable[[], object], repeats: int, bar: str) -> None:
        rows.append((name, *milliseconds(action, repeats), bar))

    imports = [import_time() for _ in range(7)]
    rows.append(("import tilewright", statistics.median(imports), min(imports), "< 200"))
    row("tilewright --version", start_time, 7, "< 150")
    operations = count(read_module(large, Report()))
    row(f"read {operations} operations", lambda: read_module(large, Report()), 9, "")
    row(f"read, all passes, verify each, {operations} operations", passes, 9, "< 20 without reading")
    row("sample kernel, cold", lambda: tw.compile(sample, cache=False), 15, "< 100")
    with tempfile.TemporaryDirectory() as folder, tw.config(cache_dir=folder):
        tw.compile(sample)
        row("sample kernel, cache hit", lambda: tw.compile(sample), 25, "< 5")
    print(f"{'what':<56} {'median ms':>10} {'fastest':>9}   bar")
    for name, median, fastest, bar in rows:
        print(f"{name:<56} {median:>10.2f} {fastest:>9.2f}   {bar}")
    results = {"machine": platform.processor() or platform.machine(), "rows": rows}
    figures.save(options.json, results)


if __name__ == "__main__":
    main()
