"""spread-work-group: a kernel that nowhere asks which work-item it is gets a block of threads.

before:  builtin.kernel {subgroup_size = 1, work_group_size = [1, 1]} { %t = tile.load .. }
after:   builtin.kernel {subgroup_size = 32, work_group_size = [128, 1], spread = true} { %t = tile.load .. }

Languages whose programs are collective throughout say one work-item a work-group; who shares its tiles is the
machine's affair.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import scf, team, tile, tl
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.reports import Report
from tilewright.ir.passes import Pass, PassContext
from tilewright.targets.nvidia.capabilities import MAX_THREADS
from tilewright.transforms.tile_values import tile_type

_SUBGROUP: Final = 32
_THREADS: Final = 128
_SUM_REGISTERS: Final = 128
_LOOP_REGISTERS: Final = 160
"""Of accumulators that a loop carries, and of those that it computes with beside them, which take as many again:
factors that are computed of them, addresses."""
_WHOLE: Final = (team.GroupId, team.NumGroups, tl.Collective, Report)


class SpreadWorkGroup(Pass, frozen=True):
    """Widen work-groups of one work-item where that cannot be told apart."""

    name: ClassVar[str] = "spread-work-group"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            if kernel.work_group_size == (1, 1) and not _asks_who_it_is(kernel):
                kernel.subgroup_size, kernel.work_group_size = _SUBGROUP, (threads_of(kernel), 1)
                kernel.spread = True


def threads_of(kernel: Kernel) -> int:
    """As many as hold the accumulators of the largest product, and those of a loop that are there at a time."""
    products = [op for op in kernel.walk() if isinstance(op, tile.Mma)]
    loops = {loop for op in products if isinstance(loop := op.parent_op, scf.For)}
    most = max(map(_words, products), default=0)
    most_of_loop = max((_words_together(loop) for loop in loops), default=0)
    threads = _THREADS
    while threads < MAX_THREADS and (most > threads * _SUM_REGISTERS or most_of_loop > threads * _LOOP_REGISTERS):
        threads *= 2
    return threads


def _words_together(loop: scf.For) -> int:
    """Of accumulators that all iterations add to, which are always there, and of others, which come one after the
    other."""
    body = loop.body.entry
    products = [op for op in body if isinstance(op, tile.Mma) and not _is_added_to(op)]
    carried = [op for op in products if body.last in op.out.uses]
    return sum(map(_words, carried)) + max((_words(op) for op in products if op not in carried), default=0)


def _is_added_to(product: tile.Mma) -> bool:
    """Whether another product goes on with the accumulators, which takes no registers more."""
    return any(isinstance(use, tile.Mma) and use.acc is product.out for use in product.out.uses)


def _words(product: tile.Mma) -> int:
    """Registers of accumulators, of all threads together."""
    type_ = tile_type(product.out)
    return type_.size * max(type_.element.bytes // 4, 1)


def _asks_who_it_is(kernel: Kernel) -> bool:
    """Collectives and reports do not: they are the whole work-group's."""
    return any(op.definition.dialect in ("team", "tl") and not isinstance(op, _WHOLE) for op in kernel.walk())
