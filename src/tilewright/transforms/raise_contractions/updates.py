"""What the stores of a nest do to memory, as sums of products: `target[..] += scale * source[..] * source[..]`.

An accumulator that loops carry is such a sum onto what it begins with, which the store writes first. A store of
anything else is a statement of which only its references are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.dialects import arith, memref, scf
from tilewright.dialects.scf import yielded
from tilewright.ir.core import Operation, OpResult, Value
from tilewright.ir.types import ScalarType, promotable
from tilewright.transforms.emit import Number, constant_of, memref_type, scalar_type
from tilewright.transforms.loop_nests.nests import Loop, Nest, Place, Reference, loop_of

_MOST_TERMS: Final = 256
_MOST_FACTORS: Final = 256
"""Of a term. Squares of squares are few operations and very many factors."""

_Number: TypeAlias = Value | tuple[Value, Value]
"""A value, or the product of two."""


class Update(Struct, frozen=True):
    """`target += sign * scales * sources` in every iteration of `loops`, or `target = ..` if it does not accumulate.

    Without sources and scales the number is 1, and 0 if `sign` is.
    """

    target: Place
    sources: tuple[Place, ...]
    scales: tuple[Value | Number, ...]
    sign: int
    loops: tuple[Loop, ...]
    accumulates: bool


class Statement(Struct, frozen=True):
    """A store, and the updates that it makes one after another; None if it is no such sum."""

    store: memref.Store
    write: Reference
    updates: tuple[Update, ...] | None


def statements(nest: Nest) -> list[Statement]:
    """All of a nest, in the order of the text."""
    known: dict[Operation, Reference] = {reference.op: reference for reference in nest.references}
    numbers: dict[Value, int] = {}
    for reference in nest.references:
        numbers.setdefault(reference.place.base, len(numbers))
    return [
        _Reader(nest, known, numbers, reference).statement()
        for reference in nest.references
        if isinstance(reference.op, memref.Store)
    ]


def loads_of(nest: Nest, store: memref.Store) -> set[Operation]:
    """All loads in the nest that a stored value is computed from."""
    found: set[Operation] = set()
    seen: set[Operation] = set()
    work = [value.defining_op for value in store.operands]
    while work:
        op = work.pop()
        if op is None or op in seen or not nest.has(op):
            continue
        seen.add(op)
        if isinstance(op, memref.Load):
            found.add(op)
        inside = op.walk() if isinstance(op, scf.For) else (op,)
        work += [value.defining_op for inner in inside for value in inner.operands]
    return found


class _Term(Struct, frozen=True):
    """A value that is added (sign 1) or subtracted in every iteration of loops."""

    loops: tuple[Loop, ...]
    sign: int
    value: _Number


class _Sum(Struct, frozen=True):
    """What a sum begins with, and what is added to it."""

    start: Value
    terms: tuple[_Term, ...]


def _flat(value: _Number, sign: int) -> Iterator[tuple[int, _Number]]:
    """The summands of a term, one after another: a few operations may make very many."""
    work = [(sign, value)]
    while work:
        sign, value = work.pop()
        op = None if isinstance(value, tuple) else value.defining_op
        match op:
            case arith.Add():
                work += [(sign, op.rhs), (sign, op.lhs)]
            case arith.Sub():
                work += [(-sign, op.rhs), (sign, op.lhs)]
            case arith.Neg():
                work.append((-sign, op.value))
            case arith.Fma():
                work += [(sign, op.c), (sign, (op.a, op.b))]
            case _:
                yield sign, value


class _Reader:
    """Reads one store."""

    def __init__(
        self, nest: Nest, known: dict[Operation, Reference], numbers: dict[Value, int], write: Reference
    ) -> None:
        assert isinstance(write.op, memref.Store)
        self.nest, self.known, self.write, self.store = nest, known, write, write.op
        self.place, self.numbers = write.place, numbers
        self.element = memref_type(self.store.memref).element

    def statement(self) -> Statement:
        updates = self._updates()
        return Statement(self.store, self.write, None if updates is None else tuple(updates))

    def _updates(self) -> list[Update] | None:
        value = self.store.value
        op = value.defining_op
        if isinstance(op, arith.Cast) and scalar_type(op.value.type) is self.element.accumulator:
            value = op.value
        found = self._sum(value, self._is_old, self.write.loops)
        if found is None:
            return self._products([_Term(self.write.loops, 1, value)], accumulates=False)
        start: list[Update] | None = []
        if not self._is_old(found.start):
            start = self._products([_Term(self.write.loops, 1, found.start)], accumulates=False)
        rest = self._products(found.terms, accumulates=True)
        return None if start is None or rest is None else [*start, *rest]

    def _is_old(self, value: Value) -> bool:
        """Whether a value is what stood where the store writes."""
        op = value.defining_op
        if isinstance(op, arith.Cast) and scalar_type(op.out.type) is self.element.accumulator:
            op = op.value.defining_op
        reference = None if op is None else self.known.get(op)
        return (
            isinstance(op, memref.Load)
            and reference is not None
            and reference.place == self.place
            and reference.loops == self.write.loops
        )

    def _sum(
        self, value: Value, is_start: Callable[[Value], bool], loops: tuple[Loop, ...], none: set[Value] | None = None
    ) -> _Sum | None:
        """A value as what a sum begins with and what is added to it; None if it is no sum onto a start.

        `none` are those that have been found to be none on other ways: there may be twice as many with each operation.
        """
        none = set() if none is None else none
        if is_start(value):
            return _Sum(value, ())
        if value in none:
            return None
        op = value.defining_op
        match op:
            case arith.Add():
                for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                    found = self._sum(one, is_start, loops, none)
                    if found is not None:
                        return _Sum(found.start, (*found.terms, _Term(loops, 1, other)))
            case arith.Sub():
                found = self._sum(op.lhs, is_start, loops, none)
                if found is not None:
                    return _Sum(found.start, (*found.terms, _Term(loops, -1, op.rhs)))
            case arith.Fma():
                found = self._sum(op.c, is_start, loops, none)
                if found is not None:
                    return _Sum(found.start, (*found.terms, _Term(loops, 1, (op.a, op.b))))
            case scf.For() if self.nest.has(op):
                return self._carried(op, value, is_start, loops)
            case _:
                pass
        none.add(value)
        return None

    def _carried(
        self, op: scf.For, value: Value, is_start: Callable[[Value], bool], loops: tuple[Loop, ...]
    ) -> _Sum | None:
        """A result of a loop that adds to what it carries."""
        assert isinstance(value, OpResult)
        carried, init = op.carried[value.index], op.inits[value.index]
        inside = self._sum(yielded(op.body)[value.index], lambda v: v is carried, (*loops, loop_of(op)))
        if inside is None:
            return None
        before = self._sum(init, is_start, loops)
        if before is None:
            before = _Sum(init, ())
        return _Sum(before.start, (*before.terms, *inside.terms))

    def _products(self, terms: Sequence[_Term], *, accumulates: bool) -> list[Update] | None:
        """Terms as products; None if one is none. Of several that do not accumulate only the first overwrites."""
        found: list[Update] = []
        for term in terms:
            for sign, value in _flat(term.value, term.sign):
                update = self._product(term.loops, sign, value, accumulates or bool(found))
                if update is None or len(found) == _MOST_TERMS:
                    return None
                found.append(update)
        return found

    def _product(self, loops: tuple[Loop, ...], sign: int, value: _Number, accumulates: bool) -> Update | None:
        sources: list[Place] = []
        scales: list[Value | Number] = []
        work = list(value) if isinstance(value, tuple) else [value]
        factors = 0
        while work:
            factor = work.pop()
            op = factor.defining_op
            match op:
                case arith.Mul():
                    work += [op.rhs, op.lhs]
                    continue
                case arith.Neg():
                    sign = -sign
                    work.append(op.value)
                    continue
                case _:
                    pass
            factors += 1
            if factors > _MOST_FACTORS:
                return None
            place = self._loaded(factor)
            if place is not None:
                sources.append(place)
            elif (known := constant_of(factor)) is not None:
                sign, scales = (0, scales) if known == 0 else (sign, scales if known == 1 else [*scales, known])
            elif self.nest.fixes(factor) and factor.type is self.element:
                scales.append(factor)
            else:
                return None
        if sign == 0:
            return None if sources or scales else Update(self.place, (), (), 0, loops, accumulates)
        # factors stand in any order: those of several statements, in one
        sources.sort(key=lambda source: self.numbers[source.base])
        return Update(self.place, tuple(sources), tuple(scales), sign, loops, accumulates)

    def _loaded(self, value: Value) -> Place | None:
        """The element that a factor is, converted to the type of the sum without loss."""
        op = value.defining_op
        computed = scalar_type(value.type)
        if isinstance(op, arith.Cast):
            op = op.value.defining_op
        if not isinstance(op, memref.Load) or op not in self.known:
            return None
        loaded: ScalarType = scalar_type(op.out.type)
        return self.known[op].place if promotable(loaded, self.element) and promotable(loaded, computed) else None
