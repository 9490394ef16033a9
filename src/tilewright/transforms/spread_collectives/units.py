"""Units: what a work-group does one after the other, each an instruction or what hangs together by values.

What only reads a number is done by every block, since each may need it. All else is divided among the blocks, tile by
tile, or is one block's affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from tilewright.dialects import memref, scf, team
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.reports import Check, Claim, Report
from tilewright.ir.core import Block, Operation
from tilewright.transforms.aliasing import Access, commute, lie_in_arrays, may_overlap
from tilewright.transforms.footprints import NOTHING, Footprints
from tilewright.transforms.spread_collectives.tasks import Task, tasks_of
from tilewright.transforms.steps import STEP

_OF_EACH_BLOCK = (memref.Load, memref.Alloca, memref.LifetimeStop, team.Barrier)
_REPORTING = (Report, Check, Claim)


class Unspread(Exception):
    """Why the tiles of a kernel stay in one block, in words."""


class Unit(Struct, frozen=True, eq=False):
    """Operations that follow each other in a block; `tasks` is empty if every block does them."""

    ops: tuple[Operation, ...]
    tasks: tuple[Task, ...]
    accesses: tuple[Access, ...]

    @property
    def is_divided(self) -> bool:
        """Whether several blocks may share it."""
        return any(task.loops for task in self.tasks)

    @property
    def place(self) -> str:
        """Where it was written, in words."""
        place = self.ops[0].location.primary
        return "an instruction" if place is None else f"line {place.source.position(place.start)[0]}"


def units_of(kernel: Kernel) -> list[Unit]:
    """The units of a kernel in order. Raises `Unspread` for what several blocks cannot run at all."""
    reporting = next((op for op in kernel.walk() if isinstance(op, _REPORTING)), None)
    if reporting is not None:
        raise Unspread("each of several blocks would report to the host what it does")
    return list(_of_block(kernel.body.entry, Footprints()))


def _of_block(block: Block, footprints: Footprints) -> Iterator[Unit]:
    for group in _joined(_grouped(block, footprints)):
        first = group[0]
        if len(group) == 1 and isinstance(first, scf.If) and _step(first) is None and not first.results:
            for region in first.regions:
                yield from _of_block(region.entry, footprints)
        else:
            yield _unit(group, footprints)


def _unit(group: Sequence[Operation], footprints: Footprints) -> Unit:
    parts = [footprints.of(op) for op in group]
    accesses = tuple(access for part in parts for access in part.accesses)
    if all(isinstance(op, _OF_EACH_BLOCK) for op in group):
        return Unit(tuple(group), (), accesses)
    strange = next((op for op, part in zip(group, parts, strict=True) if part.orders and _is_strange(op)), None)
    if strange is not None:
        raise Unspread(f"what {strange.name} does is not known")
    one_instruction = len({_step(op) for op in group}) == 1 and _step(group[0]) is not None
    return Unit(tuple(group), tuple(tasks_of(group, footprints, one_instruction=one_instruction)), accesses)


def _is_strange(op: Operation) -> bool:
    """Whether memory is ordered by more than barriers, which are a block's own."""
    return any(inner.effects() is None and not inner.regions for inner in op.walk())


def _grouped(block: Block, footprints: Footprints) -> list[list[Operation]]:
    """What acts on memory in a block, by instructions."""
    groups: list[list[Operation]] = []
    for op in block:
        if footprints.of(op) is NOTHING:
            continue
        step = _step(op)
        if groups and step is not None and _step(groups[-1][-1]) == step:
            groups[-1].append(op)
        else:
            groups.append([op])
    return groups


def _step(op: Operation) -> int | None:
    """The number of the instruction that an operation is a part of."""
    inside = op.walk() if isinstance(op, scf.For | scf.If) else (op,)
    found = {step for inner in inside if isinstance(step := inner.attributes.get(STEP), int)}
    return found.pop() if len(found) == 1 else None


def _joined(groups: list[list[Operation]]) -> list[list[Operation]]:
    """Groups with all between them that need what the first has computed; numbers that every block reads stay apart."""
    number = {op: k for k, group in enumerate(groups) for op in group}
    last = list(range(len(groups)))
    for k, group in enumerate(groups):
        if not all(isinstance(op, _OF_EACH_BLOCK) for op in group):
            last[k] = max([k, *(number[user] for op in group for user in users(op) if user in number)])
    joined: list[list[Operation]] = []
    reach = -1
    for k, group in enumerate(groups):
        if k <= reach:
            joined[-1].extend(group)
        else:
            joined.append(list(group))
        reach = max(reach, last[k])
    return joined


def users(op: Operation) -> set[Operation]:
    """What needs the results of an operation, directly or through others, as operations of its block."""
    found: set[Operation] = set()
    waiting = [op]
    while waiting:
        for result in waiting.pop().results:
            for user in result.uses:
                while user.block is not op.block:
                    above = user.parent_op
                    assert above is not None
                    user = above
                if user not in found:
                    found.add(user)
                    waiting.append(user)
    return found


def conflicts(first: Unit, second: Unit, *, apart: bool = False) -> bool:
    """Whether the second of two units must wait for the first, in another block maybe; if arrays that a launch gives
    lie `apart`, or however they lie."""
    if not (first.tasks or second.tasks) or not (_in_blocks(first) or _in_blocks(second)):
        return False
    return any(
        (a.writes or b.writes) and may_overlap(a, b) and not commute(a, b) and not (apart and _in_arrays(a, b))
        for a in first.accesses
        for b in second.accesses
    )


def wait_for_each_other(units: Sequence[Unit], *, apart: bool = False) -> bool:
    """Whether one of some units must wait for another one."""
    return any(conflicts(other, unit, apart=apart) for k, unit in enumerate(units) for other in units[:k])


def _in_arrays(a: Access, b: Access) -> bool:
    return a.root is not None and b.root is not None and lie_in_arrays(a.root, b.root)


def _in_blocks(unit: Unit) -> bool:
    """Whether more than one block does it."""
    return not unit.tasks or unit.is_divided


def erase(op: Operation) -> None:
    """Take away an operation, and what needs its results and does nothing to memory."""
    for result in op.results:
        for user in list(result.uses):
            erase(user)
    if op.block is not None:
        op.erase()
