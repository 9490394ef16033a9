"""Loops and references of a nest: bounds and subscripts as sums of loop variables and of what does not change in it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice, takewhile

from msgspec import Struct, field

from tilewright.dialects import arith, memref, scf
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import ViewLike
from tilewright.transforms.emit import integer_of
from tilewright.transforms.index_ranges import Linear, home_of, linear

_MOST_BOUNDS = 8


class Loop(Struct, frozen=True):
    """`variable` counts by `step` from the largest of `lowers` on while it is below all of `uppers`.

    `step` is None where it is no positive constant.
    """

    op: scf.For
    lowers: tuple[Linear, ...]
    uppers: tuple[Linear, ...]
    step: int | None

    @property
    def variable(self) -> Value:
        """The loop variable."""
        return self.op.index

    @property
    def body(self) -> Iterator[Operation]:
        """The operations of an iteration."""
        return iter(self.op.body.entry)


def loop_of(op: scf.For) -> Loop:
    """A loop with its bounds as sums."""
    step = 1 if op.step is None else integer_of(op.step)
    lowers, uppers = alternatives(op.lower, arith.Max), alternatives(op.upper, arith.Min)
    return Loop(op, lowers, uppers, step if step is not None and step > 0 else None)


def alternatives(value: Value, choice: type[arith.Max] | type[arith.Min]) -> tuple[Linear, ...]:
    """Sums whose largest (`arith.max`) or smallest (`arith.min`) is the value."""
    found = _alternatives(value, choice, {})
    return found if len(found) <= _MOST_BOUNDS else (linear(value),)


_Known = dict[Value, tuple[Linear, ...]]


def _alternatives(value: Value, choice: type[arith.Max] | type[arith.Min], known: _Known) -> tuple[Linear, ...]:
    """No more than one too many: with each operation there may be twice as many, and twice as many ways to a value."""
    op = value.defining_op
    if not isinstance(op, choice | arith.Add | arith.Sub):
        return (linear(value),)
    found = known.get(value)
    if found is None:
        found = known[value] = tuple(islice(_combined(op, value, choice, known), _MOST_BOUNDS + 1))
    return found


def _combined(
    op: arith.Max | arith.Min | arith.Add | arith.Sub,
    value: Value,
    choice: type[arith.Max] | type[arith.Min],
    known: _Known,
) -> Iterable[Linear]:
    left = _alternatives(op.lhs, choice, known)
    if isinstance(op, choice):
        return dict.fromkeys((*left, *_alternatives(op.rhs, choice, known)))
    if isinstance(op, arith.Sub):
        return (x.plus(linear(op.rhs), -1) for x in left) if len(left) > 1 else (linear(value),)
    right = _alternatives(op.rhs, choice, known)
    return (x.plus(y) for x in left for y in right) if len(left) > 1 or len(right) > 1 else (linear(value),)


class Place(Struct, frozen=True):
    """An element of a memref."""

    base: Value
    subscripts: tuple[Linear, ...]


def place_of(view: Value, indices: Sequence[Value], within: Sequence[Operation] | None = None) -> Place:
    """The element of a view as one of the memref that the view comes from.

    Views that cut, permute or split are followed; those that merge modes and those of extents unknown are not. Splits
    are followed only where they stand inside of `within`, if that is given: in front of a nest they give the element
    more subscripts.
    """
    subscripts = tuple(map(linear, indices))
    while isinstance(op := view.defining_op, ViewLike):
        splits = within is None or any(outer.is_ancestor_of(op) for outer in within)
        behind = _behind(op, subscripts, splits=splits)
        if behind is None:
            break
        view, subscripts = op.memref, behind
    return Place(view, subscripts)


def _behind(op: ViewLike, subscripts: Sequence[Linear], *, splits: bool) -> tuple[Linear, ...] | None:
    """Subscripts of the operand of a view, None if they are no such sums."""
    modes = op.source_modes()
    if any(len(made) != 1 for made in modes):
        return None
    offsets = op.source_offsets()
    order = max([len(offsets), *(made[0] + 1 for made in modes)])
    found = [_length(offsets[k]) if k < len(offsets) else Linear() for k in range(order)]
    for source in range(order):
        parts = [mode for mode, made in enumerate(modes) if made[0] == source]
        if len(parts) > 1 and not splits:
            return None
        stride = 1
        steps = [op.given_step(mode) for mode in parts]
        if parts and steps[0] is not None:
            for mode, step in zip(parts, steps, strict=True):
                if not isinstance(step, int):
                    return None
                found[source] = found[source].plus(subscripts[mode], step)
            continue
        for mode in parts:
            found[source] = found[source].plus(subscripts[mode], stride)
            if mode != parts[-1]:
                extent = op.given_extent(mode)
                if not isinstance(extent, int):
                    return None
                stride *= extent
    return tuple(found)


def _length(length: int | Value) -> Linear:
    return Linear(length) if isinstance(length, int) else linear(length)


class Reference(Struct, frozen=True):
    """A read or write of one element in a nest.

    `loops` are those around it, outermost first; `order` says where in the text it stands.
    """

    op: memref.Load | memref.Store
    place: Place
    writes: bool
    loops: tuple[Loop, ...]
    order: int


class Nest(Struct, frozen=True):
    """Loops, loads and stores of one block that stand behind each other, and what is computed from them in between.

    `references` tell of all that happens to memory, unless `is_known` denies it. `last` is the last of the operations.
    """

    ops: tuple[Operation, ...]
    last: Operation
    loops: tuple[Loop, ...]
    references: tuple[Reference, ...]
    is_known: bool
    _members: frozenset[Operation]
    _fixed: dict[Value, bool] = field(default_factory=dict[Value, bool])

    def has(self, op: Operation) -> bool:
        """Whether an operation is in the nest."""
        around: Operation | None = op
        while around is not None and around not in self._members:
            around = around.parent_op
        return around is not None

    def fixes(self, value: Value) -> bool:
        """Whether a value is one and the same throughout the nest."""
        found = self._fixed.get(value)
        if found is None:
            home = home_of(value)
            found = self._fixed[value] = home is None or not self.has(home)
        return found

    def is_affine(self, form: Linear, variables: Container[Value]) -> bool:
        """Whether a sum has variables of loops and what is fixed only."""
        return all(value in variables or self.fixes(value) for value in form.values)


def nest_of(*ops: Operation) -> Nest:
    """What operations of one block do to memory. Not known are barriers, allocations, calls, accesses of boxes."""
    members: dict[Operation, None] = {}
    for op in ops:
        pure = op.effects() == () and not op.regions
        if not pure or any(value.defining_op in members for value in op.operands):
            members[op] = None
    inside = tuple(members)
    loops: list[Loop] = []
    references: list[Reference] = []
    known = [_collect(inside, op, (), loops, references) for op in inside]
    return Nest(inside, ops[-1], tuple(loops), tuple(references), all(known), frozenset(inside))


def _collect(
    nest: tuple[Operation, ...],
    op: Operation,
    around: tuple[Loop, ...],
    loops: list[Loop],
    references: list[Reference],
) -> bool:
    if isinstance(op, scf.For):
        loop = loop_of(op)
        loops.append(loop)
        parts = [_collect(nest, inner, (*around, loop), loops, references) for inner in loop.body]
        return all(parts)
    if isinstance(op, memref.Load | memref.Store):
        box = op.box()
        place = place_of(box.memref, box.indices, nest)
        references.append(Reference(op, place, box.writes, around, len(references)))
        return True
    return _leaves_memory(op)


def _leaves_memory(op: Operation) -> bool:
    return (isinstance(op, scf.Yield) or op.effects() == ()) and not op.regions


def around_unknown(kernel: Operation) -> set[Operation]:
    """What contains operations of which no nest is known.

    Told once, in time linear in the operations of a kernel: each loop around one would look for it in all that it has.
    """
    found: set[Operation] = set()
    for op in kernel.walk():
        if not isinstance(op, scf.For | memref.Load | memref.Store) and not _leaves_memory(op):
            found.update(takewhile(lambda outer: outer not in found, op.ancestors()))
    return found


def variables_of(loops: Sequence[Loop]) -> frozenset[Value]:
    """The variables of loops."""
    return frozenset(loop.variable for loop in loops)
