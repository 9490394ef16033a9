"""The budgets of issue 4 for Tile IR in milliseconds: `python benchmarks/tile_ir_budgets.py [--rounds 15] [--quick]`.

Reading and verifying a kernel of 200 operations as text and as bytecode, compiling it without the cache, and the
interpreter on one tile block of a product with tiles of 128x128x64. The clock is the thread's processor time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import thread_time
from typing import Final

import numpy as np
from msgspec import Struct

import figures
from figures import Chart
from spread import Spread
from tile_ir_kernels import long_kernel, matmul_views
from tilewright import compile as compile_program
from tilewright.diagnostics import Report
from tilewright.diagnostics.binary import Binary
from tilewright.diagnostics.source import Source
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.frontends.tile_ir.bytecode.writer import write
from timing import repeated

_OPERATIONS: Final = 200
_STEPS: Final = 16


class Row(Struct, frozen=True):
    """Milliseconds, and the budget for the median."""

    name: str
    milliseconds: Spread
    budget: float


def _rows() -> dict[str, tuple[Callable[[], object], float]]:
    text = long_kernel(_OPERATIONS)
    source = Source("long.tileir", text)
    binary = Binary("long.tileirbc", write(read_tile_ir(source, Report())))
    return {
        "text of 200 operations": (lambda: read_tile_ir(source, Report()), 15.0),
        "bytecode of 200 operations": (lambda: read_tile_ir(binary, Report()), 8.0),
        "compile 200 operations": (lambda: compile_program(text, cache=False), 250.0),
        "interpreter, tile block of a step": (_interpreter(), 50.0),
    }


def _interpreter() -> Callable[[], object]:
    """One tile block, one step of 128x128x64."""
    n = 128
    a, b, c = (np.ones((n, n), np.float32) for _ in range(3))
    program = compile_program(matmul_views(n, (n, n, 64)), target="interpreter")
    return lambda: program.matmul[1](a, b, c)


def main() -> int:
    """Print and write the table; exit code 1 if a budget is exceeded."""
    options = figures.parsed(figures.options(__doc__, "tile_ir_budgets", rounds=15))
    rows: list[Row] = []
    for name, (run, budget) in _rows().items():
        run()
        row = Row(name, repeated(run, options.rounds, thread_time).scaled(1e3), budget)
        rows.append(row)
        verdict = "ok" if row.milliseconds.median <= budget else "ABOVE"
        print(f"{name:36}{row.milliseconds!s:>26} ms   {verdict} {budget:g}", flush=True)
    bars = [(row.name, row.milliseconds.median / row.budget) for row in rows]
    chart = Chart("Tile IR: share of the budgets of issue 4", bars, 1.0, lower_is_better=True)
    figures.save(options.json, rows, chart=chart)
    return 1 if any(row.milliseconds.median > row.budget for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
