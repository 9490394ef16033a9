"""One nest, as instructions and loops that stay."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.dialects import memref, scf
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import root_of
from tilewright.ir.types import ScalarType
from tilewright.transforms.aliasing import lie_in_arrays
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.dce import eliminate_dead_code
from tilewright.transforms.emit import memref_type
from tilewright.transforms.loop_nests.nests import Nest, nest_of
from tilewright.transforms.raise_contractions.boxes import Box, boxes, kind
from tilewright.transforms.raise_contractions.distribution import Order, keeps_apart, writes_once
from tilewright.transforms.raise_contractions.emission import Instruction, emit_box, instruction, sums_in_loops
from tilewright.transforms.raise_contractions.epilogues import split_epilogues
from tilewright.transforms.raise_contractions.progressions import equal
from tilewright.transforms.raise_contractions.updates import Statement, Update, statements
from tilewright.transforms.separate_arrays import hold_up, kernel_of, lie_apart

NAME: Final = "raise-contractions"
_MOST_STATEMENTS: Final = 128
_MOST_PAIRS: Final = 512
"""Of a nest, and pairs of them with one that stays: each is compared with each, and those that stay take longest."""


class _Group(Struct):
    """Updates of one kind by several statements, or statements that stay in loops (`kind` is None)."""

    kind: Hashable
    statements: list[int]
    updates: list[Update]


class _Step(Struct, frozen=True):
    """What comes of a group: instructions, or stores that stay."""

    found: tuple[tuple[Box, Instruction], ...]
    stores: tuple[memref.Store, ...] = ()


class Outcome(Enum):
    """What became of operations: raised; left as they are; left, and no part of them can be raised either."""

    RAISED = "raised"
    LEFT = "left"
    HOPELESS = "hopeless"


class Raiser(Struct):
    """Raises nests; without `floats` only sums of integers. What `settled` has is not to be raised any further.

    `unknown` are loops of which it is known that nobody knows their nests. `changed` says whether there was anything to
    raise, or to try to.
    """

    floats: bool
    unknown: Container[Operation] = ()
    changed: bool = False
    settled: set[Operation] = field(default_factory=set[Operation])

    def raise_nest(self, ops: Sequence[Operation], nest: Nest) -> Outcome:
        """Replace operations of one block that stand behind each other by instructions for all or some of their stores.

        `nest` is the nest of them; they are left if there is none for any, or if others use what they compute.
        """
        splits = split_epilogues(op for op in ops if isinstance(op, scf.For))
        outcome = self._raise(nest_of(*ops) if splits else nest)
        self.changed |= bool(splits) or outcome is Outcome.RAISED
        if outcome is not Outcome.RAISED:
            for split in reversed(splits):
                split.undo()
            if self._is_held_up(nest, ops[0]):
                hold_up(ops[0], NAME)
                self.changed = True
        return outcome

    def _is_held_up(self, nest: Nest, op: Operation) -> bool:
        """Whether a nest of sums that is left may be raised if arrays of a launch lie apart, or they are known to."""
        kernel = kernel_of(op)
        sums = [] if kernel is None or not nest.is_known else [each for each in statements(nest) if each.updates]
        if kernel is None or not any(self.floats or _element(each).is_integer for each in sums):
            return False
        # many references have few roots
        roots = {root_of(reference.place.base) for reference in nest.references}
        written = {root_of(reference.place.base) for reference in nest.references if reference.writes}
        return lie_apart(kernel) or any(lie_in_arrays(root, other) for root in written for other in roots)

    def _raise(self, nest: Nest) -> Outcome:
        if not nest.is_known or _is_used_outside(nest):
            return Outcome.LEFT
        found = statements(nest)
        if not 0 < len(found) <= _MOST_STATEMENTS:
            return Outcome.LEFT
        staying = {k for k, statement in enumerate(found) if not _is_sum(nest, statement, self.floats)}
        if len(staying) == len(found):
            return Outcome.HOPELESS if _are_alone(nest) else Outcome.LEFT
        steps = _steps(nest, found, staying)
        if steps is None or not any(step.found for step in steps):
            return Outcome.LEFT
        either = _replace(nest, _without_fills(steps))
        if either is not None:
            self.settled.add(either)
        return Outcome.RAISED


def _are_alone(nest: Nest) -> bool:
    """Whether the operations of a nest are the same by themselves: loops that hand nothing on."""
    return all(isinstance(op, scf.For) and not op.results for op in nest.ops)


def _is_used_outside(nest: Nest) -> bool:
    return any(not nest.has(user) for op in nest.ops for result in op.results for user in result.uses)


def _steps(nest: Nest, found: list[Statement], staying: set[int]) -> list[_Step] | None:
    """What a nest does, one after another; None if its statements cannot be taken apart. More may have to stay."""
    order = Order(nest, found)
    if len(staying) * len(found) > _MOST_PAIRS or not order.may_be_distributed():
        return None
    while True:
        groups = _groups(order, found, staying)
        steps: list[_Step] = []
        refused: set[int] = set()
        for group in groups:
            step = _step(nest, found, group)
            if step is None:
                refused |= set(group.statements)
            else:
                steps.append(step)
        if not refused:
            return steps if all(map(order.reads_in_time, staying)) else None
        staying |= refused


def _is_sum(nest: Nest, statement: Statement, floats: bool) -> bool:
    updates = statement.updates
    if not floats and not _element(statement).is_integer:
        return False
    if not updates or not all(map(keeps_apart, updates)):
        return False
    return updates[0].accumulates or writes_once(nest, statement)


def _element(statement: Statement) -> ScalarType:
    return memref_type(statement.store.memref).element


def _groups(order: Order, found: Sequence[Statement], staying: set[int]) -> list[_Group]:
    """Statements and updates in an order that dependences allow, those of one kind together where they may be."""
    groups: list[_Group] = []
    for number, statement in enumerate(found):
        updates = () if number in staying else statement.updates or ()
        if not updates:
            _add(groups, order, number, None, None, 0)
        least = 0
        for update in updates:
            least = _add(groups, order, number, kind(update), update, least)
    return groups


def _add(groups: list[_Group], order: Order, number: int, kind_: Hashable, update: Update | None, least: int) -> int:
    """Add to the last group of the kind that nothing stands behind that it depends on; the number of the group."""
    for place in range(len(groups) - 1, least - 1, -1):
        group = groups[place]
        apart = all(other == number or order.are_independent(number, other) for other in group.statements)
        if group.kind == kind_ and (apart or update is None or update.accumulates):
            group.statements.append(number)
            group.updates += [] if update is None else [update]
            return place
        if not apart or number in group.statements:
            break
    groups.append(_Group(kind_, [number], [] if update is None else [update]))
    return len(groups) - 1


def _step(nest: Nest, found: Sequence[Statement], group: _Group) -> _Step | None:
    if group.kind is None:
        return _Step((), tuple(found[k].store for k in group.statements))
    parts = boxes(nest, group.updates)
    if parts is None:
        return None
    made: list[tuple[Box, Instruction]] = []
    for box in parts:
        one = instruction(box)
        if one is None or (sums_in_loops(box, one) and not box.update.accumulates):
            return None
        made.append((box, one))
    return _Step(tuple(made))


def _without_fills(steps: Sequence[_Step]) -> list[_Step]:
    """Zeros that a product is added to at once are its beta."""
    found: list[_Step] = []
    for step in steps:
        if found and len(step.found) == len(found[-1].found) == 1:
            (zeros, _), (box, one) = found[-1].found[0], step.found[0]
            if _is_zero(zeros) and _same_target(zeros, box) and not sums_in_loops(box, one):
                update = replace(box.update, accumulates=False)
                found[-1] = _Step(((replace(box, update=update), one),))
                continue
        found.append(step)
    return found


def _is_zero(box: Box) -> bool:
    return box.update.sign == 0 and not box.update.accumulates


def _same_target(one: Box, other: Box) -> bool:
    """Whether two boxes have the same elements of one memref as their targets."""
    if one.update.target.base is not other.update.target.base or not other.update.accumulates:
        return False
    return all(
        equal(x.distance, y.distance) and one.modes[x.mode].equals(other.modes[y.mode])
        for x, y in zip(one.subscripts[0], other.subscripts[0], strict=True)
    )


def _replace(nest: Nest, steps: Sequence[_Step]) -> scf.If | None:
    """Write the steps behind the nest, which stays only for the case that their conditions do not hold: as the other
    region of the operation that tests them."""
    block = nest.last.block
    assert block is not None
    build = Builder(block, nest.last.next, nest.last.location)
    holds = Conjunction(build)
    for condition in {c for step in steps for box, _ in step.found for c in box.conditions}:
        holds.at_most(0, condition.emitted(build))
    if holds.value is None:
        _write(nest, build, steps)
        for op in reversed(nest.ops):
            op.erase()
        return None
    (raised, inside), (loops, otherwise) = new_region(), new_region()
    _write(nest, Builder.at_end(inside, nest.last.location), steps)
    either = build(scf.If(holds.value, raised, loops))
    for op in nest.ops:
        op.detach()
        otherwise.append(op)
    return either


def _write(nest: Nest, build: Builder, steps: Sequence[_Step]) -> None:
    for step in steps:
        for box, one in step.found:
            emit_box(build, box, one, overwrites=not box.update.accumulates)
        if step.stores:
            _loops_of(nest, build, step.stores)


def _loops_of(nest: Nest, build: Builder, stores: Sequence[memref.Store]) -> None:
    """A copy of a nest with some of its stores only."""
    kept = {k for k, inner in enumerate(_walk(nest.ops)) if inner in stores}
    mapping: dict[Value, Value] = {}
    copies = [build(op.clone(mapping)) for op in nest.ops]
    dropped = [op for k, op in enumerate(_walk(copies)) if isinstance(op, memref.Store) and k not in kept]
    for op in dropped:
        op.erase()
    for op in reversed(copies):
        if op.block is not None:
            eliminate_dead_code(op)


def _walk(ops: Iterable[Operation]) -> Iterator[Operation]:
    for op in ops:
        yield from op.walk()
