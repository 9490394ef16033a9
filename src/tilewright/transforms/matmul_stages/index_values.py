"""Which numbers an index takes that is computed of others by `affine.apply`, with quotients and remainders too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import gcd

from tilewright.dialects.mlir import affine, arith
from tilewright.dialects.mlir.base import integer_of
from tilewright.ir.affine import (
    AffineBinary,
    AffineConstant,
    AffineExpression,
    AffineMap,
    AffineOperator,
    AffineSymbol,
    Dimension,
    add,
    divide,
    multiply,
)
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.nests import Axis


def origins(value: Value) -> frozenset[Value]:
    """What an index is computed of in the end: itself where it is not computed, nothing where it is a number."""
    op = value.defining_op
    if isinstance(op, arith.Constant):
        return frozenset()
    if not isinstance(op, affine.Apply):
        return frozenset((value,))
    return frozenset(origin for one in op.values for origin in origins(one))


Column = Sequence[int]
"""What an index is in each of some cases."""


def column(value: Value, known: Mapping[Value, Column], count: int) -> Column:
    """What an index is in `count` cases in which others are known.

    Raises `KeyError` for one that is computed of what is not.
    """
    if value in known:
        return known[value]
    op = value.defining_op
    if isinstance(op, affine.Apply | affine.Min):
        inputs = [column(one, known, count) for one in op.values]
        found = [_column(result, inputs, count) for result in op.map.results]
        return found[0] if len(found) == 1 else [min(each) for each in zip(*found, strict=True)]
    if op is not None and op.name == "arith.constant" and value.type is INDEX:
        return [integer_of(op.attributes["value"])] * count
    raise KeyError(value)


def sums(form: Linear, known: Mapping[Value, Column], count: int) -> Column:
    """What a sum is in `count` cases."""
    found = [form.constant] * count
    for value, factor in form.terms:
        found = [total + factor * part for total, part in zip(found, column(value, known, count), strict=True)]
    return found


def _column(expression: AffineExpression, inputs: Sequence[Column], count: int) -> Column:
    match expression:
        case Dimension(position):
            return inputs[position]
        case AffineConstant(found):
            return [found] * count
        case AffineBinary(operator, lhs, rhs):
            pairs = zip(_column(lhs, inputs, count), _column(rhs, inputs, count), strict=True)
        case _:
            raise AssertionError(f"indices of the stages have no symbols: {expression}")
    match operator:
        case AffineOperator.ADD:
            return [x + y for x, y in pairs]
        case AffineOperator.MULTIPLY:
            return [x * y for x, y in pairs]
        case AffineOperator.FLOORDIV:
            return [x // y for x, y in pairs]
        case AffineOperator.CEILDIV:
            return [-(-x // y) for x, y in pairs]
        case AffineOperator.MOD:
            return [x % y for x, y in pairs]


def taken(value: Value, axes: Sequence[Axis]) -> Sequence[int] | None:
    """The numbers that an index takes, each once, while axes count from 0; None if that is not known."""
    by_variable = {axis.variable: axis.numbers for axis in axes}
    found: list[tuple[Value, range]] = []
    for origin in origins(value):
        trips = by_variable.get(origin)
        if trips is None:
            return None
        found.append((origin, trips))
    if value in by_variable:
        return by_variable[value]
    places = list(product(*(trips for _, trips in found)))
    known = {origin: [place[k] for place in places] for k, (origin, _) in enumerate(found)}
    return sorted(set(column(value, known, len(places))))


def divisor(form: Linear, axes: Sequence[Axis]) -> int:
    """What a sum is always a multiple of, while axes count; 0 if it is always 0."""
    return gcd(form.constant, *(factor * _divisor(value, axes) for value, factor in form.terms))


def _divisor(value: Value, axes: Sequence[Axis]) -> int:
    axis = next((one for one in axes if one.variable is value), None)
    if axis is not None:
        return 1 if axis.limits is None else gcd(axis.step, divisor(axis.limits[0], axes))
    found = taken(value, axes)
    return 1 if found is None else gcd(*found)


def with_numbers(map_: AffineMap, values: Sequence[Value], known: Mapping[Value, int]) -> tuple[AffineMap, list[Value]]:
    """A map and its operands with numbers in the place of some of these; symbols that are left become dimensions."""
    kept = [value for value in values if value not in known]
    positions = iter(range(len(kept)))
    inputs = [AffineConstant(known[v]) if v in known else Dimension(next(positions)) for v in values]
    dimensions, symbols = inputs[: map_.dimensions], inputs[map_.dimensions :]
    return AffineMap(len(kept), 0, tuple(_substituted(one, dimensions, symbols) for one in map_.results)), kept


def _substituted(
    expression: AffineExpression, dimensions: Sequence[AffineExpression], symbols: Sequence[AffineExpression]
) -> AffineExpression:
    match expression:
        case Dimension(position):
            return dimensions[position]
        case AffineSymbol(position):
            return symbols[position]
        case AffineBinary(operator, lhs, rhs):
            left, right = (_substituted(part, dimensions, symbols) for part in (lhs, rhs))
            match operator:
                case AffineOperator.ADD:
                    return add(left, right)
                case AffineOperator.MULTIPLY:
                    return multiply(left, right)
                case _:
                    return divide(operator, left, right)
        case _:
            return expression
