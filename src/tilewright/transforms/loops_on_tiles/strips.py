"""What points that are neighbours in memory do, if they loop over what lies far apart: strips of them do it at once.

Every point does what it did, in the same order. Loops have the same bounds for all points, and each reads neighbours;
what else a point computes with is the same for all of them. Linear in the operations, but for the accesses of a loop
that is not marked parallel: each is compared with each store.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from tilewright.dialects import memref, scf, tl
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import INDEX, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.emit import scalar_type
from tilewright.transforms.index_ranges import home_of
from tilewright.transforms.loop_nests.nests import place_of
from tilewright.transforms.loops_on_tiles.lanes import Access, access_along, are_apart


class Strip(Struct, frozen=True):
    """A loop over points, of which `variable` counts neighbours from `lower` to `upper`; `needed` operations count."""

    op: tl.Foreach | scf.For
    variable: Value
    lower: Value
    upper: Value
    accesses: dict[Operation, Access]
    needed: frozenset[Operation]

    @property
    def loops(self) -> list[scf.For]:
        """Those that points run through."""
        return [op for op in self.needed if isinstance(op, scf.For)]

    @property
    def elements(self) -> Iterator[ScalarType]:
        """The types of what lies beside each other, and of what loops carry."""
        for access in self.accesses.values():
            if access.mode is not None:
                yield emit.memref_type(access.place.base).element
        for loop in self.loops:
            yield from (scalar_type(value.type) for value in loop.carried)

    def reads_neighbours(self, loop: scf.For) -> bool:
        """Whether points that are neighbours read what is beside each other in a loop."""
        return any(
            access.mode is not None and isinstance(op, memref.Load) and loop.is_ancestor_of(op)
            for op, access in self.accesses.items()
        )


def strip_of(op: tl.Foreach | scf.For, fewest: int) -> Strip | None:
    """The points of a loop as strips; None if they are better left as they are, or known to be less than `fewest`."""
    if isinstance(op, tl.Foreach):
        ranges = list(zip(op.body.entry.arguments, op.lowers, op.uppers, strict=True))
    elif op.inits or (op.step is not None and emit.integer_of(op.step) != 1):
        return None
    else:
        ranges = [(op.index, op.lower, op.upper)]
    if not any(isinstance(inner, scf.For) for inner in op.body.entry):
        return None
    if any(variable.type is not INDEX for variable, _, _ in ranges):
        return None
    found = (_along(op, *one) for one in ranges if _count(*one[1:]) not in range(fewest))
    return next((strip for strip in found if strip is not None), None)


def _count(lower: Value, upper: Value) -> int | None:
    first, end = emit.integer_of(lower), emit.integer_of(upper)
    return None if first is None or end is None else max(end - first, 0)


def _along(op: tl.Foreach | scf.For, variable: Value, lower: Value, upper: Value) -> Strip | None:
    """Strips along one variable."""
    accesses: dict[Operation, Access] = {}
    for inner in _inside(op):
        if isinstance(inner, memref.Load | memref.Store):
            box = inner.box()
            access = access_along(inner, place_of(box.memref, box.indices, [op]), variable)
            if access is None or (isinstance(inner, memref.Store) and access.mode is None):
                return None
            accesses[inner] = access
    needed = _needed(op, accesses, variable)
    if needed is None or not _differ_only_in_elements(op, accesses, needed, variable):
        return None
    strip = Strip(op, variable, lower, upper, {o: access for o, access in accesses.items() if o in needed}, needed)
    is_free = isinstance(op, tl.Foreach) or op.parallel or are_apart(list(strip.accesses.values()))
    return strip if is_free and strip.loops and all(map(strip.reads_neighbours, strip.loops)) else None


def _inside(op: Operation) -> Iterator[Operation]:
    return (inner for inner in op.walk() if inner is not op)


def _needed(op: Operation, accesses: dict[Operation, Access], variable: Value) -> frozenset[Operation] | None:
    """Stores, and what they are computed by; None if that is the variable itself, or others count than these."""
    wanted: set[Value] = set()
    found: set[Operation] = set()
    for inner in reversed(list(_inside(op))):
        match inner:
            case scf.Yield():
                # of loops, of which all that they carry counts; whether they do is known when their end is reached
                wanted.update(inner.operands)
                continue
            case memref.Store():
                wanted.update((inner.value, *_terms(accesses[inner], variable)))
            case memref.Load():
                if inner.out in wanted:
                    wanted.update(_terms(accesses[inner], variable))
            case scf.For():
                wanted.update(inner.operands)
            case _:
                if inner.effects() != () or inner.regions or len(inner.results) != 1:
                    return None
                if inner.results[0] in wanted:
                    wanted.update(inner.operands)
        if isinstance(inner, memref.Store | scf.For) or not wanted.isdisjoint(inner.results):
            found.add(inner)
    return None if variable in wanted else frozenset(found)


def _terms(access: Access, variable: Value) -> Iterator[Value]:
    """What subscripts are computed from besides the variable."""
    return (value for form in access.place.subscripts for value in form.values if value is not variable)


def _differ_only_in_elements(
    op: Operation, accesses: dict[Operation, Access], needed: frozenset[Operation], variable: Value
) -> bool:
    """Whether all points run through the same iterations, and access elements at the same distance from each other."""
    varying: set[Value] = set()
    for inner in _inside(op):
        if inner not in needed:
            continue
        match inner:
            case memref.Load() | memref.Store():
                access = accesses[inner]
                home = home_of(access.place.base)
                if (home is not None and op.is_ancestor_of(home)) or not varying.isdisjoint(_terms(access, variable)):
                    return False
                varying.update(inner.results if access.mode is not None else ())
            case scf.For():
                bounds = inner.operands[: len(inner.operands) - len(inner.inits)]
                if not varying.isdisjoint(bounds):
                    return False
                varying.update((*inner.carried, *inner.results))
            case _ if not varying.isdisjoint(inner.operands):
                if not isinstance(inner, Elementwise):
                    return False
                varying.update(inner.results)
            case _:
                pass
    return True
