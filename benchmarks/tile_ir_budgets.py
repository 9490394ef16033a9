"""The budgets of issue 4 for Tile IR in milliseconds: `python benchmarks/tile_ir_budgets.py [--rounds 15]`.

Reading and verifying a kernel of 200 operations as text and as bytecode, compiling it without the cache, and the
interpreter on one tile block of a product with tiles of 128x128x64. The clock is the thread's processor time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import thread_time
from typing import Final

import numpy as np

import figures
from children import machine
from plot import plot
from tile_ir_kernels import long_kernel, matmul_views
from tilewright import compile as compile_program
from tilewright.diagnostics import Report
from tilewright.diagnostics.binary import Binary
from tilewright.diagnostics.source import Source
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.frontends.tile_ir.bytecode.writer import write
from timing import in_turn, timers

_OPERATIONS: Final = 200
_STEPS: Final = 16


@dataclass(frozen=True, slots=True)
class Row:
    """Best and median milliseconds, and the budget for the best."""

    name: str
    best: float
    median: float
    budget: float
    machine: str


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
    parser = figures.options(__doc__, "tile_ir_budgets")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    rows: list[Row] = []
    for name, (run, budget) in _rows().items():
        run()
        timings = in_turn(timers({name: run}, clock=thread_time), options.rounds)
        rows.append(Row(name, timings.best(1e3)[name], timings.median(1e3)[name], budget, machine()))
        verdict = "ok" if rows[-1].best <= budget else "ABOVE"
        print(f"{name:36}{rows[-1].best:9.2f} ms (median {rows[-1].median:.2f})   {verdict} {budget:g}", flush=True)
    figures.save(options.json, [asdict(row) for row in rows])
    bars = [(row.name, row.best / row.budget) for row in rows]
    plot(options.json, "Tile IR: share of the budgets of issue 4", bars, 1.0, "x", lower_is_better=True)
    return 1 if any(row.best > row.budget for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
