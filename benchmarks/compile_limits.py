"""What compiling costs at the edges: depth of nesting, order of tensors, number of instructions, extents.

    python benchmarks/compile_limits.py [--dimension depth] [--seconds 10] [--megabytes 1000] [--quick]

Each compile is a process of its own, stopped soon after its time. Prints a table and a plot of the slowest size of each
family, and saves them under benchmarks/results/. Bar: 10 s of CPU time and 1 GB, or refused with a code before that.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

import figures
from capped import Compilation, compile_capped
from compile_cases import Family, families
from figures import Chart


class Row(Struct, frozen=True):
    """A kernel and what compiling it took."""

    dimension: str
    family: str
    size: int
    compilation: Compilation


def measure(found: Sequence[Family], target: str, seconds: float, megabytes: float) -> list[Row]:
    """Compile every family at each of its sizes; print as it goes."""
    rows: list[Row] = []
    print(f"{'grows':<7} {'kernel':<34} {'size':>8} {'CPU s':>7} {'MB':>6}   outcome")
    for family in found:
        for size in family.sizes:
            taken = compile_capped(family.kernel(size), target, seconds, megabytes)
            rows.append(Row(family.dimension, family.name, size, taken))
            missed = "" if taken.within(seconds, megabytes) else "   MISSED"
            cells = f"{taken.seconds:>7.2f} {taken.megabytes:>6.0f}   {taken.outcome}{missed}"
            print(f"{family.dimension:<7} {family.name:<34} {size:>8} {cells}", flush=True)
    return rows


def main() -> None:
    """Measure, print, save."""
    parser = figures.options(__doc__, "compile_limits")
    parser.add_argument("--dimension", choices=["depth", "order", "count", "extent"])
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--megabytes", type=float, default=1000.0)
    chosen = figures.parsed(parser)
    wanted = [f for f in families() if chosen.dimension in (None, f.dimension)][: 1 if chosen.quick else None]
    rows = measure(wanted, chosen.target, chosen.seconds, chosen.megabytes)
    slowest = [(f.name, max(r.compilation.seconds for r in rows if r.family == f.name)) for f in wanted]
    title = "CPU seconds to compile, slowest size of each family"
    figures.save(chosen.json, rows, chart=Chart(title, slowest, chosen.seconds, "s", lower_is_better=True))
    over = sum(not row.compilation.within(chosen.seconds, chosen.megabytes) for row in rows)
    print(f"{len(rows)} kernels, {over} over {chosen.seconds:g} s or {chosen.megabytes:g} MB")


if __name__ == "__main__":
    main()
