"""spread-work-group: a kernel that nowhere asks which work-item it is gets a block of threads.

before:  builtin.kernel {subgroup_size = 1, work_group_size = [1, 1]} { %t = tile.load .. }
after:   builtin.kernel {subgroup_size = 32, work_group_size = [128, 1], spread = true} { %t = tile.load .. }

Languages whose programs are collective throughout say one work-item a work-group; who shares its tiles is the
machine's affair.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import team, tile, tl
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.reports import Report
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.targets.nvidia.capabilities import MAX_THREADS

_SUBGROUP: Final = 32
_THREADS: Final = 128
_SUM_REGISTERS: Final = 128
_WHOLE: Final = (team.GroupId, team.NumGroups, tl.Collective, Report)


class SpreadWorkGroup(Pass, frozen=True):
    """Widen work-groups of one work-item where that cannot be told apart."""

    name: ClassVar[str] = "spread-work-group"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            if kernel.work_group_size == (1, 1) and not _asks_who_it_is(kernel):
                kernel.subgroup_size, kernel.work_group_size = _SUBGROUP, (_threads(kernel), 1)
                kernel.spread = True


def _threads(kernel: Kernel) -> int:
    """As many as hold the sums of the largest product, so many registers each."""
    sums = [type_ for op in kernel.walk() if isinstance(op, tile.Mma) and isinstance(type_ := op.out.type, TileType)]
    words = max((type_.size * max(type_.element.bytes // 4, 1) for type_ in sums), default=0)
    threads = _THREADS
    while threads < MAX_THREADS and words > threads * _SUM_REGISTERS:
        threads *= 2
    return threads


def _asks_who_it_is(kernel: Kernel) -> bool:
    """Collectives and reports do not: they are the whole work-group's."""
    return any(op.definition.dialect in ("team", "tl") and not isinstance(op, _WHOLE) for op in kernel.walk())
