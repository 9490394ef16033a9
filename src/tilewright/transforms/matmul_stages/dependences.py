"""Which iterations of affine loops depend on which, of accesses to elements and to boxes of them.

Exact where subscripts and bounds are sums of loop variables and of what is fixed (`integer_systems`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tilewright.dialects.mlir import affine, memref, mma, vector
from tilewright.ir.core import Block, Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.loop_nests.integer_systems import Feasibility, IntegerSystem
from tilewright.transforms.matmul_stages.nests import Access, Axis, axes_around, axes_of, box, subscripts


class Crossing(Struct, frozen=True):
    """Two accesses of one memory, one of which writes, in different iterations."""

    source: Access
    sink: Access


_Counted = Mapping[Block | None, Mapping[Value, range | None]]
"""What loops that begin at zero count, around the operations of a block."""
_Axes = Mapping[Block | None, Sequence[Axis]]
_Places = Mapping[Access, Sequence[Linear] | None]
"""Where accesses begin, None where that is not known as sums."""


def accesses(root: Operation) -> list[Access]:
    """What is read and written below an operation."""
    found: list[Access] = []
    for op in root.walk():
        if isinstance(op, Access):
            found.append(op)
    return found


def writes(op: Access) -> bool:
    """Whether an access writes."""
    return isinstance(op, affine.Store | memref.Store | vector.Store | mma.StoreMatrix)


def _pairs(found: Sequence[Access]) -> Iterator[Crossing]:
    return (
        Crossing(source, sink)
        for source in found
        for sink in found
        if source.memref is sink.memref and (writes(source) or writes(sink))
    )


def _unlike(found: Sequence[Access], places: _Places) -> Iterator[Crossing]:
    """One pair of all that touch in the same iterations."""
    known: set[object] = set()
    for pair in _pairs(found):
        first, second = places[pair.source], places[pair.sink]
        key = pair if first is None or second is None else _likeness(pair, first, second)
        if key not in known:
            known.add(key)
            yield pair


def reversed_by(loops: Sequence[affine.For], order: Sequence[int], found: Sequence[Access]) -> Crossing | None:
    """A dependence that turns backwards if the loops, outermost first, stand in another order; None if none does.

    Memory is told apart by its name: what kernels take does not overlap if it is written.
    """
    axes = [axis for loop in loops for axis in axes_of(loop)]
    places, around = {op: subscripts(op) for op in found}, _around(found)
    for pair in _unlike(found, places):
        for before in range(len(loops)):
            earlier = dict.fromkeys(range(before), 0) | {before: 1}
            for behind in range(len(order)):
                later = {order[k]: 0 for k in range(behind)} | {order[behind]: -1}
                if any(earlier.get(k, sign) != sign for k, sign in later.items()):
                    continue
                if _may_touch(pair, axes, earlier | later, places, around):
                    return pair
    return None


def carried_by(axes: Sequence[Axis], found: Sequence[Access]) -> Crossing | None:
    """A dependence between iterations of the last of some nested axes, in one iteration of those around it.

    None if there is none: then its iterations may run in any order and at once.
    """
    last = len(axes) - 1
    places = {op: subscripts(op) for op in found}
    around = _around(found)
    counted = {
        block: {axis.variable: axis.numbers for axis in there if axis.first == 0} for block, there in around.items()
    }
    gaps = {op: _gaps(op, axes, forms, counted) for op, forms in places.items() if forms is not None}
    signs = dict.fromkeys(range(last), 0) | {last: 1}
    for pair in _unlike(found, places):
        first, second = places[pair.source], places[pair.sink]
        if first is not None and second is not None and _is_far(gaps[pair.source], box(pair.source), first, second):
            continue
        if _may_touch(pair, axes, signs, places, around):
            return pair
    return None


def _gaps(op: Access, axes: Sequence[Axis], forms: Sequence[Linear], counted: _Counted) -> list[int | None]:
    """How far one step of the last axis moves an access beyond what all axes in it together reach back.

    One for each dimension; None where that is not known.
    """
    outer = {axis.variable for axis in axes[:-1]}
    step, inner, found = axes[-1], counted[op.block], list[int | None]()
    for form in forms:
        terms = dict(form.terms)
        moved = terms.pop(step.variable, 0) * step.step
        reach = [abs(f) * trips[-1] if (trips := inner.get(v)) else None for v, f in terms.items() if v not in outer]
        known = [one for one in reach if one is not None]
        found.append(moved - sum(known) if moved > 0 and len(known) == len(reach) else None)
    return found


def _is_far(
    gaps: Sequence[int | None], sizes: Sequence[int], first: Sequence[Linear], second: Sequence[Linear]
) -> bool:
    """Whether in some dimension the sink is behind the source's box one step earlier.

    That is quickly seen, and so of most pairs; of others, `_may_touch` knows.
    """
    return any(
        gap is not None and gap + there.constant - here.constant >= size and here.terms == there.terms
        for gap, size, here, there in zip(gaps, sizes, first, second, strict=True)
    )


def _likeness(pair: Crossing, first: Sequence[Linear], second: Sequence[Linear]) -> object:
    """The same for pairs that touch in the same iterations: those of one block, as far apart from each other."""
    apart = tuple(there.constant - here.constant for here, there in zip(first, second, strict=True))
    terms = tuple(frozenset(form.terms) for form in (*first, *second))
    return pair.source.block, pair.sink.block, box(pair.source), box(pair.sink), apart, terms


def _around(found: Sequence[Access]) -> _Axes:
    """The axes around each block that accesses are in."""
    blocks = {op.block: op for op in found}
    return {block: axes_around(op) for block, op in blocks.items()}


def _may_touch(pair: Crossing, axes: Sequence[Axis], signs: dict[int, int], places: _Places, around: _Axes) -> bool:
    """Whether both touch an element in iterations that differ so: 0 the same, 1 the sink's later, -1 earlier."""
    system = IntegerSystem()
    outermost = axes[0].op
    for number, sign in signs.items():
        here, there = (axes[number].variable, 0), (axes[number].variable, 1)
        if sign == 0:
            system.is_zero([(here, 1), (there, -1)])
        else:
            system.is_not_negative([(there, sign), (here, -sign)], -1)
    for side, op in enumerate((pair.source, pair.sink)):
        for axis in around[op.block]:
            if outermost.is_ancestor_of(axis.op) and not _within(system, axis, side, outermost):
                return True
    first, second = places[pair.source], places[pair.sink]
    if first is None or second is None:
        return True
    parts = zip(first, second, box(pair.source), box(pair.sink), strict=True)
    for dimension, (here, there, size, other) in enumerate(parts):
        terms = [*_terms(here, 0, outermost), *((v, -c) for v, c in _terms(there, 1, outermost))]
        for side, extent, sign in ((0, size, 1), (1, other, -1)):
            if extent > 1:
                element = ("element", side, dimension)
                terms.append((element, sign))
                system.is_not_negative([(element, 1)])
                system.is_not_negative([(element, -1)], extent - 1)
        system.is_zero(terms, here.constant - there.constant)
    return system.feasibility() is not Feasibility.NONE


def _within(system: IntegerSystem, axis: Axis, side: int, outermost: Operation) -> bool:
    """Demand that a variable is one that the loop takes; whether its bounds are known."""
    if axis.limits is None:
        return False
    own, trips = (axis.variable, side), (axis.variable, side, "trips")
    lower, upper = axis.limits
    system.is_zero(
        [(own, 1), (trips, -axis.step), *((v, -c) for v, c in _terms(lower, side, outermost))], -lower.constant
    )
    system.is_not_negative([(trips, 1)])
    system.is_not_negative([*_terms(upper, side, outermost), (own, -1)], upper.constant - 1)
    return True


def _terms(form: Linear, side: int, outermost: Operation) -> list[tuple[object, int]]:
    """The variables of one side; what does not change in the nest is the same for both."""
    return [((v, side) if _changes(v, outermost) else v, c) for v, c in form.terms]


def _changes(value: Value, outermost: Operation) -> bool:
    block = getattr(value, "block", None)
    home = value.defining_op if block is None else block.parent_op
    return home is not None and outermost.is_ancestor_of(home)
