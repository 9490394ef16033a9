"""Lowers affine: maps become arithmetic, loops and branches those of scf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects import arith, arith_floats, arith_integers
from tilewright.dialects.arith import Predicate
from tilewright.dialects.mlir import affine
from tilewright.dialects.mlir.base import integer_of
from tilewright.dialects.mlir.mma import MatrixType
from tilewright.ir.affine import (
    AffineBinary,
    AffineConstant,
    AffineExpression,
    AffineMap,
    AffineOperator,
    AffineSymbol,
    Dimension,
)
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.types import BOOL, INDEX, ScalarType
from tilewright.transforms.lower_mlir.context import Handler, Lowering, Number, Unsupported
from tilewright.transforms.lower_mlir.control import (
    LowerBlock,
    branch,
    carried_types,
    counted_loop,
    known_number,
)


def mapped(low: Lowering, map_: AffineMap, operands: Sequence[Value]) -> list[Number]:
    """What a map makes of values."""
    values = [known_number(low.value(v)) for v in operands]
    dimensions, symbols = values[: map_.dimensions], values[map_.dimensions :]
    return [evaluated(low, e, dimensions, symbols) for e in map_.results]


def evaluated(
    low: Lowering, expression: AffineExpression, dimensions: Sequence[Number], symbols: Sequence[Number]
) -> Number:
    """The number that an expression is."""
    match expression:
        case Dimension(position):
            return dimensions[position]
        case AffineSymbol(position):
            return symbols[position]
        case AffineConstant(value):
            return value
        case AffineBinary(operator, lhs, rhs):
            left = evaluated(low, lhs, dimensions, symbols)
            right = evaluated(low, rhs, dimensions, symbols)
            return _combined(low, operator, left, right)
        case _:
            raise AssertionError(f"not an affine expression: {expression!r}")


def _combined(low: Lowering, operator: AffineOperator, x: Number, y: Number) -> Number:
    match operator:
        case AffineOperator.ADD:
            return low.sub(x, -y) if isinstance(y, int) and y < 0 and not isinstance(x, int) else low.add(x, y)
        case AffineOperator.MULTIPLY:
            return low.mul(x, y)
        case AffineOperator.FLOORDIV:
            if isinstance(x, int) and isinstance(y, int) and y:
                return x // y
            return low.b(arith_integers.FloorDiv(low.index(x), low.index(y))).out
        case AffineOperator.CEILDIV:
            if isinstance(x, int) and isinstance(y, int) and y:
                return -(-x // y)
            return low.b(arith_integers.CeilDiv(low.index(x), low.index(y))).out
        case AffineOperator.MOD:
            # the result is not negative, as the remainder of the rounded quotient
            return low.sub(x, low.mul(_combined(low, AffineOperator.FLOORDIV, x, y), y))


def _apply(low: Lowering, op: Operation) -> None:
    assert isinstance(op, affine.Apply)
    low.bind(op.result, low.index(mapped(low, op.map, op.values)[0]))


def _extremum(low: Lowering, op: Operation) -> None:
    assert isinstance(op, affine.Min | affine.Max)
    cls = arith.Min if isinstance(op, affine.Min) else arith.Max
    low.bind(op.result, low.index(low.extremum(cls, mapped(low, op.map, op.values))))


def _load(low: Lowering, op: Operation) -> None:
    assert isinstance(op, affine.Load)
    indices = [low.index(n) for n in reversed(mapped(low, op.map, op.indices))]
    low.bind(op.result, low.load(low.value(op.memref), indices, op.result.type))


def _store(low: Lowering, op: Operation) -> None:
    assert isinstance(op, affine.Store)
    indices = [low.index(n) for n in reversed(mapped(low, op.map, op.indices))]
    low.store(low.value(op.value), low.value(op.memref), indices)


class _Affine:
    def __init__(self, lower_block: LowerBlock) -> None:
        self.lower_block = lower_block

    def _yielded(self, low: Lowering, region: Region) -> list[Value]:
        return low.all(self.lower_block(low, region).operands)

    def loop(self, low: Lowering, op: Operation) -> None:
        """`affine.for`."""
        assert isinstance(op, affine.For)
        carried_types(op, [v.type for v in op.inits if not isinstance(v.type, MatrixType)])
        lower = low.extremum(arith.Max, mapped(low, op.lowerBoundMap, op.lowerBoundOperands))
        upper = low.extremum(arith.Min, mapped(low, op.upperBoundMap, op.upperBoundOperands))

        def body(inner: Lowering, index: Value, carried: Sequence[Value]) -> list[Value]:
            for argument, value in zip(op.body.entry.arguments, [index, *carried], strict=True):
                inner.bind(argument, value)
            return self._yielded(inner, op.body)

        outs = counted_loop(low, (lower, upper, op.stride), low.all(op.inits), body, INDEX)
        for result, value in zip(op.outs, outs, strict=True):
            low.bind(result, value)

    def branch(self, low: Lowering, op: Operation) -> None:
        """`affine.if`."""
        assert isinstance(op, affine.If)
        types = carried_types(op, [r.type for r in op.outs])
        values = [known_number(low.value(v)) for v in op.values]
        dimensions, symbols = values[: op.condition.dimensions], values[op.condition.dimensions :]
        zero = low.b.index(0)
        condition: Value | None = None
        for constraint in op.condition.constraints:
            number = low.index(evaluated(low, constraint.expression, dimensions, symbols))
            found = low.compare(Predicate.EQ if constraint.is_equality else Predicate.GE, number, zero)
            condition = found if condition is None else low.b(arith.And(condition, found)).out
        if condition is None:
            condition = low.constant(True, BOOL)

        def orelse(inner: Lowering) -> list[Value]:
            return self._yielded(inner, op.elseRegion)

        outs = branch(
            low,
            condition,
            types,
            lambda inner: self._yielded(inner, op.thenRegion),
            orelse if op.elseRegion.blocks else None,
        )
        for result, value in zip(op.outs, outs, strict=True):
            low.bind(result, value)

    def parallel(self, low: Lowering, op: Operation) -> None:
        """`affine.parallel`: a nest of loops; with reductions they run in order."""
        assert isinstance(op, affine.Parallel)
        types = carried_types(op, [r.type for r in op.outs])
        combiners = [_reduction(op, integer_of(r)) for r in op.reductions]
        bounds: list[tuple[Number, Number, int]] = []
        for lower, upper, step in op.bounds():
            least = low.extremum(arith.Max, mapped(low, lower, op.lower_operands))
            most = low.extremum(arith.Min, mapped(low, upper, op.upper_operands))
            bounds.append((least, most, step))
        inits = [low.constant(_identity(name, t), t) for name, t in zip(_names(op), types, strict=True)]
        outs = self._nest(low, op, bounds, [], inits, combiners)
        for result, value in zip(op.outs, outs, strict=True):
            low.bind(result, value)

    def _nest(
        self,
        low: Lowering,
        op: affine.Parallel,
        bounds: Sequence[tuple[Number, Number, int]],
        indices: list[Value],
        carried: Sequence[Value],
        combiners: Sequence[type[Operation]],
    ) -> list[Value]:
        if not bounds:
            for argument, index in zip(op.body.entry.arguments, indices, strict=True):
                low.bind(argument, index)
            found = self._yielded(low, op.body)
            parts = zip(combiners, carried, found, strict=True)
            return [low.b(cls.of_parts([x, y], [x.type])).results[0] for cls, x, y in parts]
        first, *rest = bounds

        def body(inner: Lowering, index: Value, values: Sequence[Value]) -> list[Value]:
            return self._nest(inner, op, rest, [*indices, index], values, combiners)

        return counted_loop(low, first, carried, body, INDEX, parallel=not op.outs)


_REDUCTIONS: Mapping[str, type[Operation]] = {
    "addf": arith.Add,
    "addi": arith.Add,
    "mulf": arith.Mul,
    "muli": arith.Mul,
    "maxs": arith.Max,
    "mins": arith.Min,
    "maxu": arith_integers.UMax,
    "minu": arith_integers.UMin,
    "ori": arith.Or,
    "andi": arith.And,
    "maximumf": arith_floats.Maximum,
    "minimumf": arith_floats.Minimum,
    "maxnumf": arith.Max,
    "minnumf": arith.Min,
}


def _names(op: affine.Parallel) -> list[str]:
    by_number = {number: name for name, number in affine.REDUCTIONS.items()}
    return [by_number.get(integer_of(r), "?") for r in op.reductions]


def _reduction(op: affine.Parallel, number: int) -> type[Operation]:
    name = next((n for n, k in affine.REDUCTIONS.items() if k == number), str(number))
    if name not in _REDUCTIONS:
        raise Unsupported(op, f"affine.parallel: the reduction {name} is not supported")
    return _REDUCTIONS[name]


def _identity(name: str, type_: ScalarType) -> int | float:
    """What the reduction begins with."""
    highest = (1 << (type_.bits - 1)) - 1
    match name:
        case "addf":
            return -0.0
        case "mulf":
            return 1.0
        case "muli":
            return 1
        case "maxs":
            return -highest - 1
        case "mins":
            return highest
        case "minu" | "andi":
            return -1
        case "maxnumf" | "maximumf":
            return float("-inf")
        case "minnumf" | "minimumf":
            return float("inf")
        case _:
            return 0


def handlers(lower_block: LowerBlock) -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    control = _Affine(lower_block)
    return {
        affine.For: control.loop,
        affine.If: control.branch,
        affine.Parallel: control.parallel,
        affine.Apply: _apply,
        affine.Min: _extremum,
        affine.Max: _extremum,
        affine.Load: _load,
        affine.Store: _store,
    }
