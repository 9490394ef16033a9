"""Memory in one mode whose positions are those of several modes, `i * N + j`: which modes, and where in them.

Which loop variables are of one mode is seen from what else they subscript: `i` and `k` of a product stand together
nowhere but in A, while those of the tiles of one loop are never apart. That a position stays in its mode (`0 <= k < N`)
is proven for every access or, where rows may be longer than what is accessed of them, can be tested in front of the
nest; else memory stays as it is. The extents of modes may be numbers or fixed values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.dialects import arith, arith_integers
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.emit import memref_type
from tilewright.transforms.index_ranges import Linear, linear
from tilewright.transforms.loop_nests.integer_systems import Feasibility, IntegerSystem
from tilewright.transforms.loop_nests.nests import Loop, Nest, Reference, variables_of

_DEPTH: Final = 8
_MOST_TERMS: Final = 64

_Values: TypeAlias = tuple[Value, ...]
"""The factors of a product, in one order."""


class _Term(Struct, frozen=True):
    """`factor` times a product of fixed values, times a loop variable if there is one."""

    factor: int
    fixed: _Values
    variable: Value | None


class _Stride(Struct, frozen=True):
    """How far apart positions of a mode lie: `factor` times a product of fixed values."""

    factor: int
    fixed: _Values = ()

    def quotient(self, term: _Term | _Stride) -> _Stride | None:
        """What a term is in terms of this stride; None if that is no whole number."""
        rest = list(term.fixed)
        for value in self.fixed:
            if value not in rest:
                return None
            rest.remove(value)
        return None if term.factor % self.factor else _Stride(term.factor // self.factor, tuple(rest))

    @property
    def form(self) -> Linear | None:
        """The stride as a sum, if it is no product of several values."""
        if len(self.fixed) > 1:
            return None
        return Linear(0, ((self.fixed[0], self.factor),)) if self.fixed else Linear(self.factor)


_ONE: Final = _Stride(1)


class Split(Struct, frozen=True):
    """Memory of one mode as of several: their extents but for the last one's, and the subscripts of each access.

    It holds where none of `conditions` is negative.
    """

    extents: tuple[Linear, ...]
    subscripts: Mapping[Operation, tuple[Linear, ...]]
    conditions: tuple[Linear, ...]


def splits(nest: Nest) -> dict[Value, Split]:
    """The memory of a nest that all its accesses see in several modes."""
    by_base: dict[Value, list[Reference]] = {}
    for reference in nest.references:
        base = reference.place.base
        if nest.fixes(base) and memref_type(base).order == 1:
            by_base.setdefault(base, []).append(reference)
    if not by_base:
        return {}
    terms = {reference: _terms(nest, reference) for reference in nest.references}
    together = _together(terms)
    found: dict[Value, Split] = {}
    for base, references in by_base.items():
        split = _split(nest, references, terms, together)
        if split is not None:
            found[base] = split
    return found


_Terms: TypeAlias = Mapping[Reference, "list[list[_Term]] | None"]
_Together: TypeAlias = Mapping[Value, frozenset[int]]
"""The references in which a loop variable stands."""


def _together(terms: _Terms) -> _Together:
    found: dict[Value, set[int]] = {}
    for reference, forms in terms.items():
        for term in (term for form in forms or () for term in form):
            if term.variable is not None:
                found.setdefault(term.variable, set()).add(reference.order)
    return {variable: frozenset(places) for variable, places in found.items()}


def _terms(nest: Nest, reference: Reference) -> list[list[_Term]] | None:
    """The subscripts of an access as sums of products; None if one is none."""
    variables = variables_of(reference.loops)
    found: list[list[_Term]] = []
    for form in reference.place.subscripts:
        sums = _expanded(form, _DEPTH)
        if sums is None:
            return None
        terms: list[_Term] = []
        for product, factor in sums.items():
            moving = [value for value in product if value in variables]
            fixed = tuple(value for value in product if value not in variables)
            if len(moving) > 1 or not all(map(nest.fixes, fixed)):
                return None
            terms.append(_Term(factor, fixed, moving[0] if moving else None))
        found.append(terms)
    return found


def _expanded(form: Linear, depth: int) -> dict[_Values, int] | None:
    """A sum with products of values multiplied out: factors by the products; None if there are too many."""
    found: dict[_Values, int] = {(): form.constant} if form.constant else {}
    for value, factor in form.terms:
        op = value.defining_op
        parts: dict[_Values, int] | None = {(value,): 1}
        if isinstance(op, arith.Mul) and value.type is INDEX and depth:
            parts = _multiplied(_expanded(linear(op.lhs), depth - 1), _expanded(linear(op.rhs), depth - 1))
        if parts is None:
            return None
        for product, times in parts.items():
            found[product] = found.get(product, 0) + factor * times
    return {product: factor for product, factor in found.items() if factor} if len(found) <= _MOST_TERMS else None


def _multiplied(one: dict[_Values, int] | None, other: dict[_Values, int] | None) -> dict[_Values, int] | None:
    if one is None or other is None or len(one) * len(other) > _MOST_TERMS:
        return None
    found: dict[_Values, int] = {}
    for x, a in one.items():
        for y, b in other.items():
            product = tuple(sorted((*x, *y), key=id))
            found[product] = found.get(product, 0) + a * b
    return found


def _split(nest: Nest, references: Sequence[Reference], terms: _Terms, together: _Together) -> Split | None:
    """The modes of memory that all accesses agree with, if there are several."""
    if any(terms[reference] is None for reference in references):
        return None
    forms = {reference: found[0] for reference in references if (found := terms[reference])}
    for strides in dict.fromkeys(_strides(form, together) for form in forms.values()):
        extents = _extents(strides)
        if not extents or not _may_divide(extents, references[0].place.base):
            continue
        subscripts: dict[Operation, tuple[Linear, ...]] = {}
        conditions: dict[Linear, None] = {}
        for reference, form in forms.items():
            for found in _subscripts(form, strides, extents):
                demanded = _demanded(nest, reference.loops, found, extents)
                if demanded is not None:
                    subscripts[reference.op] = found
                    conditions.update(dict.fromkeys(demanded))
                    break
        if len(subscripts) == len(forms):
            return Split(extents, subscripts, tuple(conditions))
    return None


def _strides(terms: Sequence[_Term], together: _Together) -> tuple[_Stride, ...]:
    """The strides of an access, from 1 on: variables that stand next to each other everywhere have one in common."""
    moving = [term for term in terms if term.variable is not None]
    moving.sort(key=lambda term: (len(term.fixed), abs(term.factor)))
    found = [_ONE]
    for _, group in groupby(moving, key=lambda term: together[term.variable] if term.variable else frozenset[int]()):
        first = next(group)
        stride = _Stride(abs(first.factor), first.fixed)
        if stride != _ONE:
            found.append(stride)
    return tuple(found)


def _extents(strides: Sequence[_Stride]) -> tuple[Linear, ...]:
    """The extents of all modes but the last; none if one stride does not divide the next."""
    found: list[Linear] = []
    for stride, following in pairwise(strides):
        extent = stride.quotient(following)
        form = None if extent is None else extent.form
        if form is None:
            return ()
        found.append(form)
    return tuple(found)


def _may_divide(extents: Sequence[Linear], base: Value) -> bool:
    """Whether memory may consist of whole rows: false where numbers say that it does not."""
    (size,) = memref_type(base).shape
    numbers = [extent.constant for extent in extents if not extent.terms]
    return size is None or size % math.prod(numbers) == 0


def _subscripts(
    terms: Sequence[_Term], strides: Sequence[_Stride], extents: Sequence[Linear]
) -> list[tuple[Linear, ...]]:
    """What the positions of an access in each mode may be, of which at most one is within all extents."""
    found = [Linear() for _ in strides]
    for term in terms:
        placed = _placed(term, strides)
        if placed is None:
            return []
        mode, times, value = placed
        found[mode] = found[mode].plus(Linear(0, ((value, 1),)) if value is not None else Linear(1), times)
    carried = list(found)
    for mode, extent in enumerate(extents):
        if not extent.terms:
            # a number may hold whole rows, as those that unrolling writes do
            rows = carried[mode].constant // extent.constant
            carried[mode] = carried[mode].plus(Linear(-rows * extent.constant))
            carried[mode + 1] = carried[mode + 1].plus(Linear(rows))
    return [tuple(found)] if carried == found else [tuple(found), tuple(carried)]


def _placed(term: _Term, strides: Sequence[_Stride]) -> tuple[int, int, Value | None] | None:
    """The mode of a term, and what it adds there: so many times a value."""
    for mode in range(len(strides) - 1, -1, -1):
        times = strides[mode].quotient(term)
        if times is None:
            continue
        values = [*times.fixed, *([] if term.variable is None else [term.variable])]
        if len(values) > 1:
            return None
        return mode, times.factor, values[0] if values else None
    return None


def _demanded(
    nest: Nest, loops: Sequence[Loop], forms: Sequence[Linear], extents: Sequence[Linear]
) -> list[Linear] | None:
    """What must not be negative for positions to be within their extents; None if they are not, as far as is known."""
    found: list[Linear] = []
    for form, extent in zip(forms, extents, strict=False):
        system = _demands(loops, extents)
        if not _is_never(system, Linear(-1).plus(form, -1)):
            return None
        if _is_never(system, form.plus(extent, -1)):
            continue
        most = _most(nest, loops, form)
        if not extent.terms or most is None:
            return None
        room = extent.plus(most, -1).plus(Linear(-1))
        if not room.terms and room.constant < 0:
            return None
        found.append(room)
    return found


def _most(nest: Nest, loops: Sequence[Loop], form: Linear) -> Linear | None:
    """What a sum is at most, as a sum of fixed values."""
    for loop in reversed(loops):
        factor = dict(form.terms).get(loop.variable, 0)
        if factor:
            ends = [end.plus(Linear(-1)) for end in loop.uppers] if factor > 0 else loop.lowers
            end = min(ends, key=lambda one: not all(map(nest.fixes, one.values)))
            form = form.plus(end, factor).plus(Linear(0, ((loop.variable, 1),)), -factor)
    return form if all(map(nest.fixes, form.values)) else None


def _is_never(system: IntegerSystem, form: Linear) -> bool:
    """Whether a sum is negative in all iterations."""
    system = system.copied()
    for value in form.values:
        _define(system, value)
    system.is_not_negative(form.terms, form.constant)
    return system.feasibility() is Feasibility.NONE


def _demands(loops: Sequence[Loop], extents: Sequence[Linear]) -> IntegerSystem:
    """What holds in an iteration of loops, where extents are greater than 0."""
    system = IntegerSystem()
    for extent in extents:
        system.is_not_negative(extent.terms, extent.constant - 1)
    for loop in loops:
        for lower in loop.lowers:
            system.is_not_negative([(loop.variable, 1), *_negative(lower)], -lower.constant)
        for upper in loop.uppers:
            system.is_not_negative([*upper.terms, (loop.variable, -1)], upper.constant - 1)
        for value in (value for end in (*loop.lowers, *loop.uppers) for value in end.values):
            _define(system, value)
        if loop.step is not None and loop.step > 1 and len(loop.lowers) == 1:
            (lower,) = loop.lowers
            trip = (loop.variable, "trip")
            system.is_zero([(loop.variable, 1), *_negative(lower), (trip, -loop.step)], -lower.constant)
    return system


def _define(system: IntegerSystem, value: Value) -> None:
    """What holds of a quotient."""
    op = value.defining_op
    divisor = emit.integer_of(op.rhs) if isinstance(op, arith_integers.FloorDiv) else None
    if isinstance(op, arith_integers.FloorDiv) and divisor is not None and divisor > 0:
        rest = linear(op.lhs).plus(Linear(0, ((value, 1),)), -divisor)
        system.is_not_negative(rest.terms, rest.constant)
        system.is_not_negative(_negative(rest), divisor - 1 - rest.constant)


def _negative(form: Linear) -> list[tuple[Value, int]]:
    return [(value, -factor) for value, factor in form.terms]
