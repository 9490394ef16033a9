"""Peak memory of the compiler on the examples: one process each, as the kernel accounts it.

    python benchmarks/compiler_memory.py

Prints a table and saves benchmarks/results/compiler_memory.json. Budget: 250 MB, the interpreter of Python included.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import figures

ROOT = Path(__file__).parents[1]
BAR = 250.0

_CHILD = """
import resource, sys
import tilewright as tw
if len(sys.argv) > 1:
    program = tw.compile(sys.argv[1], cache=False)
    assert len(program) > 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(*arguments: str) -> float:
    """Megabytes that a process held at most which imports tilewright and compiles what is named."""
    command = [sys.executable, "-c", _CHILD, *arguments]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) * 1024 / 1e6


def main() -> None:
    """Measure, print, save."""
    options = figures.parsed(figures.options(__doc__, "compiler_memory"))
    rows = [("import only", peak())]
    paths = [path for path in sorted((ROOT / "examples").iterdir()) if path.suffix in (".tl", ".tileir")]
    rows += [(path.name, peak(str(path))) for path in (paths[:1] if options.quick else paths)]
    print(f"{'example':<24} {'peak MB':>8}   bar < {BAR:.0f}")
    for name, megabytes in rows:
        print(f"{name:<24} {megabytes:>8.1f}   {'met' if megabytes < BAR else 'MISSED'}")
    figures.save(options.json, [{"name": name, "megabytes": megabytes} for name, megabytes in rows], {"bar": BAR})


if __name__ == "__main__":
    main()
