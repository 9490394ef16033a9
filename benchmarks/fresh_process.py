"""What the start of something costs in a process of its own, by the clock and in processor time.

Processor time says more than the clock on a machine that is shared. Byte code is there: each case runs once untimed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

from msgspec import Struct

from spread import Spread

_CHILD: Final = """
import time
{before}
wall, cpu = time.perf_counter(), time.process_time()
{timed}
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


class Start(Struct, frozen=True):
    """Code that is timed in a new process, after other code that is not."""

    timed: str
    before: str = ""
    bar: str = ""


class Row(Struct, frozen=True):
    """Milliseconds of a case's timed code, by the clock and of the processor, and of the whole process likewise."""

    name: str
    wall: Spread
    cpu: Spread
    process_wall: Spread
    process_cpu: Spread
    bar: str


_Costs = tuple[float, float, float, float]


def measured(cases: Mapping[str, Start], rounds: int, folder: Path) -> list[Row]:
    """All cases in turn, in an empty folder whose parents have no settings; `folder` holds the cache, too."""
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    if "PYTHONPATH" in inherited:
        # relative to the folder that this process was started in
        parts = inherited["PYTHONPATH"].split(os.pathsep)
        inherited["PYTHONPATH"] = os.pathsep.join(str(Path(part).absolute()) for part in parts)
    environment = {**inherited, "TILEWRIGHT_CACHE_DIR": str(folder / "cache")}
    found: dict[str, list[_Costs]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            costs = _run(case, folder, environment)
            if number:
                found[name].append(costs)
    return [_row(name, costs, cases[name].bar) for name, costs in found.items()]


def _row(name: str, costs: Sequence[_Costs], bar: str) -> Row:
    wall, cpu, process_wall, process_cpu = (Spread.of([cost[k] for cost in costs]) for k in range(4))
    return Row(name, wall, cpu, process_wall, process_cpu, bar)


def _run(case: Start, folder: Path, environment: Mapping[str, str]) -> _Costs:
    text = _CHILD.format(before=case.before, timed=case.timed)
    begin, used = perf_counter(), _children_time()
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False, cwd=folder, env=environment
    )
    if done.returncode:
        raise SystemExit(f"a new process that should run {case.timed!r} ended with {done.returncode}:\n{done.stderr}")
    wall, cpu = map(float, done.stdout.split())
    return 1e3 * wall, 1e3 * cpu, 1e3 * (perf_counter() - begin), 1e3 * (_children_time() - used)


def _children_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(rows: Sequence[Row]) -> str:
    """Medians with the lowest in brackets; `process` is all of it, with Python's own start and end."""
    heads = " ".join(f"{head:>15}" for head in ("clock", "processor", "process: clock", "processor"))
    lines = [f"{'in a fresh process, ms':<44} {heads}   bar"]
    for row in rows:
        costs = (row.wall, row.cpu, row.process_wall, row.process_cpu)
        columns = " ".join(f"{f'{cost.median:.0f} ({cost.lowest:.0f})':>15}" for cost in costs)
        lines.append(f"{row.name:<44} {columns}   {row.bar}")
    return "\n".join(lines)
