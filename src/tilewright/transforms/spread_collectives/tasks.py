"""Tasks: tiles of one instruction that may be computed in any order, as bodies with the loops around them.

    for %j parallel { for %i parallel { X }  Y }        the tasks X in j, i and Y in j
    if %rest { for %i parallel { Z } }                  the task Z in i, if %rest

Loops are taken together only where their bounds do not depend on each other, so that their iterations can be numbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from tilewright.dialects import scf, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import Size
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.footprints import NOTHING, Footprints

Level: TypeAlias = scf.For | scf.If
"""What stands around a tile: a parallel loop, or a condition under which there is one."""


class Task(Struct, frozen=True):
    """What is done with a tile, and what stands around it, outermost first."""

    levels: tuple[Level, ...]
    body: tuple[Operation, ...]

    @property
    def loops(self) -> list[scf.For]:
        """The loops over tiles."""
        return [level for level in self.levels if isinstance(level, scf.For)]

    @property
    def conditions(self) -> list[Value]:
        """What must hold for there to be tiles."""
        return [level.condition for level in self.levels if isinstance(level, scf.If)]

    @property
    def multiplies(self) -> bool:
        """Whether tiles are multiplied."""
        return any(isinstance(inner, tile.Mma) for op in self.body for inner in op.walk())

    @property
    def tiles(self) -> int | None:
        """How many tiles there are, or None if extents are not known yet."""
        if len(self.loops) < len(self.levels):
            return None
        total = 1
        for loop in self.loops:
            lower, upper, step = (
                None if v is None else emit.integer_of(v) for v in (loop.lower, loop.upper, loop.step)
            )
            if lower is None or upper is None:
                return None
            total *= len(range(lower, upper, step or 1))
        return total


def tasks_of(ops: Sequence[Operation], footprints: Footprints, *, one_instruction: bool) -> list[Task]:
    """The tasks of operations that follow each other.

    Of `one_instruction`, whose tiles do not depend on each other, loops with several bodies are taken apart.
    """
    return list(_tasks(ops, (), footprints, one_instruction))


def _tasks(
    ops: Sequence[Operation], levels: tuple[Level, ...], footprints: Footprints, one_instruction: bool
) -> list[Task]:
    acting = [op for op in ops if footprints.of(op) is not NOTHING]
    inner = [op for op in acting if isinstance(op, scf.For | scf.If) and _is_level(op, levels)]
    rest = tuple(op for op in acting if op not in inner)
    is_one = len(acting) == 1 or (one_instruction and not any(_reaches(op, level) for op in rest for level in inner))
    if not inner or not is_one:
        return [Task(levels, tuple(acting))] if acting else []
    nested = [_tasks(inside(op), (*levels, op), footprints, one_instruction) for op in inner]
    return [*(task for found in nested for task in found), *([Task(levels, rest)] if rest else [])]


def _reaches(op: Operation, level: Level) -> bool:
    """Whether a loop or condition needs what an operation beside it computes."""
    users = [user for result in op.results for user in result.uses]
    return any(user is level or level.is_ancestor_of(user) or _reaches(user, level) for user in users)


def inside(level: Level) -> list[Operation]:
    """What stands in a loop or condition."""
    region = level.body if isinstance(level, scf.For) else level.then
    return [op for op in region.entry if not isinstance(op, scf.Yield)]


def step_of(loop: scf.For) -> int:
    """The constant step of a loop around tiles."""
    step = 1 if loop.step is None else emit.integer_of(loop.step)
    assert step is not None, "loops over tiles have constant steps"
    return step


def _is_level(op: Level, outer: tuple[Level, ...]) -> bool:
    """Whether iterations of a loop with those around it can be numbered in front of all of them."""
    if op.results:
        return False
    if isinstance(op, scf.If):
        return op.orelse is None and is_known_before(op.condition, outer)
    step = 1 if op.step is None else emit.integer_of(op.step)
    bounds = (op.lower, op.upper)
    is_counted = op.lower.type is INDEX and step is not None and step > 0
    return op.parallel and is_counted and all(is_known_before(bound, outer) for bound in bounds)


def is_known_before(value: Value, levels: Sequence[Level]) -> bool:
    """Whether a value can be computed in front of loops and conditions around it."""
    value, _ = _seen_through(value)
    op = value.defining_op
    home = value.block.parent_op if isinstance(value, BlockArgument) else op
    assert home is not None
    if not any(level is home or level.is_ancestor_of(home) for level in levels):
        return True
    if op is None or op.regions or PURE not in op.definition.traits:
        return False
    return all(is_known_before(operand, levels) for operand in op.operands)


def computed_before(build: Builder, value: Value, levels: Sequence[Level]) -> Value:
    """The same value where `build` inserts, in front of the levels."""
    value, mode = _seen_through(value)
    if mode is not None:
        return build(Size(computed_before(build, value, levels), mode)).out
    op = value.defining_op
    if op is None or not any(level.is_ancestor_of(op) for level in levels):
        return value
    copy = op.clone({operand: computed_before(build, operand, levels) for operand in op.operands})
    number = next(k for k, result in enumerate(op.results) if result is value)
    return build(copy).results[number]


def _seen_through(value: Value) -> tuple[Value, int | None]:
    """The value that the extent of a view is, or the memref and its mode, which may be there where the view is not."""
    op = value.defining_op
    if not isinstance(op, Size):
        return value, None
    source, mode = op.source, op.mode
    while isinstance(view := source.defining_op, ViewLike):
        found = view.extent_origin(mode)
        if isinstance(found, Value):
            return _seen_through(found)
        if found is None:
            break
        source, mode = found
    return (value, None) if source is op.source else (source, mode)
