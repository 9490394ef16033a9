"""Which tiles of integers are `start + sum r_k stride_k` in the positions r_k of their elements.

Scalars that the answer needs (the start, products of strides) are emitted in front of the operation that asks; what
turns out to be needless is dead code.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import arith, team, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import I64, ScalarType, TileType, element_of

_EXACT = 1 << 62
_REPRESENTED = (1 << 63) - 1
_GRID = (1 << 24) - 1
"""Coordinates of work-groups that run on tiles through addresses are below 2^24 - 1: the limit of the one language."""


class Coefficient(Struct, frozen=True):
    """`factor` times a run-time value (`i64`), if there is one."""

    factor: int
    scale: Value | None = None

    def plus(self, other: Coefficient) -> Coefficient | None:
        """The sum, None if that takes two run-time values."""
        if self.factor and other.factor and self.scale is not other.scale:
            return None
        return Coefficient(self.factor + other.factor, self.scale if self.factor else other.scale)


class Affine(Struct, frozen=True):
    """A tile of integers: start (`i64`), stride by dimension, run-time conditions under which it is that.

    No element is larger than `largest` in magnitude if the computation is exact.
    """

    start: Value
    strides: tuple[Coefficient, ...]
    largest: int
    conditions: tuple[Value, ...] = ()


class Analysis:
    """Answers for one operation; `b` inserts in front of it."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self._known: dict[Value, Affine | None] = {}

    def constant(self, value: int) -> Value:
        """An `i64`."""
        return self.b.constant(value, I64)

    def affine(self, value: Value) -> Affine | None:
        """A tile as an affine form, modulo 2^bits of its element type."""
        if value not in self._known:
            self._known[value] = self._affine(value)
        return self._known[value]

    def exact(self, value: Value) -> Affine | None:
        """As `affine`, for the value itself: elements of narrow types did not wrap, or that is tested."""
        form, element = self.affine(value), element_of(value.type)
        assert isinstance(value.type, TileType)
        if form is None or element is None or element.bits == I64.bits:
            return None if form is None or form.largest > _EXACT else form
        limit = 1 << (element.bits - 1)
        if form.largest < limit or isinstance(value.defining_op, tile.Splat):
            return form
        if form.largest > _REPRESENTED or any(s.factor < 0 for s in form.strides):
            return None
        fits = self._fits(form, value.type.shape, limit)
        return replace(form, largest=limit, conditions=(*form.conditions, fits))

    def _fits(self, form: Affine, shape: tuple[int, ...], limit: int) -> Value:
        """Whether all elements lie in `-limit .. limit - 1`; strides known at run time have to be positive for that."""
        b, last = self.b, form.start
        fits = b(arith.Cmp(Predicate.GE, form.start, self.constant(-limit))).out
        for stride, extent in zip(form.strides, shape, strict=True):
            reach = self.constant(stride.factor * (extent - 1))
            if stride.scale is not None and stride.factor:
                positive = b(arith.Cmp(Predicate.GE, stride.scale, self.constant(0))).out
                fits = b(arith.And(fits, positive)).out
                reach = b(arith.Mul(stride.scale, reach)).out
            last = b(arith.Add(last, reach)).out
        return b(arith.And(fits, b(arith.Cmp(Predicate.LT, last, self.constant(limit))).out)).out

    def bound(self, value: Value) -> Affine | None:
        """As `exact`, for what positions are compared with: numbers beyond all positions are brought nearer."""
        op = value.defining_op
        if not isinstance(op, tile.Splat) or op.value.type is not I64:
            return self.exact(value)
        form = self.affine(value)
        if form is None or form.largest <= _EXACT:
            return form
        lower = self.b(arith.Max(form.start, self.constant(-_EXACT))).out
        return replace(form, start=self.b(arith.Min(lower, self.constant(_EXACT))).out, largest=_EXACT)

    def _affine(self, value: Value) -> Affine | None:
        type_, op = value.type, value.defining_op
        assert isinstance(type_, TileType)
        if not type_.element.is_integer:
            return None
        none = (Coefficient(0),) * type_.rank
        match op:
            case arith.Constant():
                assert isinstance(op.value, int)
                return Affine(self.constant(op.value), none, abs(op.value))
            case tile.Splat():
                start, largest = self._scalar(op.value)
                return Affine(start, none, largest)
            case tile.Iota():
                strides = tuple(Coefficient(int(dim == op.dim)) for dim in range(type_.rank))
                largest = type_.shape[op.dim] - 1
                fits = largest < 1 << (type_.element.bits - 1)
                return Affine(self.constant(0), strides, largest) if fits else None
            case arith.Add():
                x, y = self.affine(op.lhs), self.affine(op.rhs)
                return None if x is None or y is None else self._sum(x, y)
            case arith.Mul():
                x, y = self.affine(op.lhs), self.affine(op.rhs)
                return None if x is None or y is None else self._product(x, y)
            case arith.Cast():
                source = element_of(op.value.type)
                wider = source is not None and source.is_integer and source.bits <= type_.element.bits
                return self.exact(op.value) if wider and source is not type_.element else None
            case MovesElements():
                move, *others = op.moves()
                form = self.affine(op.operands[move.operand])
                return None if form is None or others else self._moved(form, move)
            case _:
                return None

    def _moved(self, form: Affine, move: Move) -> Affine | None:
        """The form along the dimensions of the result, if those that it varies along follow them."""
        b, start = self.b, form.start
        strides = [Coefficient(0)] * len(move.shape)
        for coordinate, stride in zip(move.coordinates, form.strides, strict=True):
            if not stride.factor:
                continue
            if not coordinate.is_linear:
                return None
            if coordinate.offset:
                skipped = self.constant(stride.factor * coordinate.offset)
                skipped = skipped if stride.scale is None else b(arith.Mul(stride.scale, skipped)).out
                start = b(arith.Add(start, skipped)).out
            for dim, factor in enumerate(coordinate.factors):
                total = strides[dim].plus(Coefficient(stride.factor * factor, stride.scale))
                if total is None:
                    return None
                strides[dim] = total
        return replace(form, start=start, strides=tuple(strides))

    def _scalar(self, value: Value) -> tuple[Value, int]:
        """A scalar as `i64`, and a bound of its magnitude."""
        element = value.type
        assert isinstance(element, ScalarType)
        wide = value if element is I64 else self.b(arith.Cast(value, result_types=[I64])).out
        return wide, _largest(value, 8)

    def _sum(self, x: Affine, y: Affine) -> Affine | None:
        strides: list[Coefficient] = []
        for p, q in zip(x.strides, y.strides, strict=True):
            both = p.plus(q)
            if both is None:
                return None
            strides.append(both)
        start = self.b(arith.Add(x.start, y.start)).out
        return Affine(start, tuple(strides), x.largest + y.largest, (*x.conditions, *y.conditions))

    def _product(self, x: Affine, y: Affine) -> Affine | None:
        if any(s.factor for s in y.strides):
            x, y = y, x
        if any(s.factor for s in y.strides):
            return None
        known = y.start.defining_op
        strides: list[Coefficient] = []
        for stride in x.strides:
            if isinstance(known, arith.Constant) and isinstance(known.value, int):
                strides.append(Coefficient(stride.factor * known.value, stride.scale if known.value else None))
            elif stride.factor and stride.scale is not None:
                return None
            else:
                strides.append(Coefficient(stride.factor, y.start if stride.factor else None))
        start = self.b(arith.Mul(x.start, y.start)).out
        return Affine(start, tuple(strides), x.largest * y.largest, (*x.conditions, *y.conditions))


def _largest(value: Value, depth: int) -> int:
    """A bound of the magnitude of a scalar integer."""
    type_ = value.type
    assert isinstance(type_, ScalarType)
    whole = 1 << (type_.bits - 1)
    op = value.defining_op
    if depth == 0:
        return whole
    match op:
        case arith.Constant():
            assert isinstance(op.value, int)
            found = abs(op.value)
        case team.GroupId():
            found = _GRID
        case arith.Cast() if isinstance(op.value.type, ScalarType) and op.value.type.is_integer:
            found = _largest(op.value, depth - 1)
        case arith.Add():
            found = _largest(op.lhs, depth - 1) + _largest(op.rhs, depth - 1)
        case arith.Mul():
            found = _largest(op.lhs, depth - 1) * _largest(op.rhs, depth - 1)
        case _:
            found = whole
    return min(found, whole)
