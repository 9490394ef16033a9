"""Arithmetic: nearly every operation has its counterpart in `arith` or `math`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tilewright.dialects import arith, arith_floats, arith_integers, math
from tilewright.dialects.arith import Predicate
from tilewright.dialects.cuda_tile import arith as integers
from tilewright.dialects.cuda_tile import conversions, core, floats
from tilewright.dialects.cuda_tile.attributes import Ordering, Rounding, Signedness
from tilewright.dialects.cuda_tile.attributes import Predicate as CudaPredicate
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, F8E8M0FNU, F32, F64, I32, TF32, ScalarType, element_of, with_element
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering
from tilewright.transforms.lower_tile_ir.unsigned_floats import encoded, is_unsigned_float, number

Make = Callable[..., Operation]

PREDICATES = {
    CudaPredicate.EQUAL: Predicate.EQ,
    CudaPredicate.NOT_EQUAL: Predicate.NE,
    CudaPredicate.LESS_THAN: Predicate.LT,
    CudaPredicate.LESS_THAN_OR_EQUAL: Predicate.LE,
    CudaPredicate.GREATER_THAN: Predicate.GT,
    CudaPredicate.GREATER_THAN_OR_EQUAL: Predicate.GE,
}
_DIRECTIONS = {
    Rounding.ZERO: arith_floats.Rounding.ZERO,
    Rounding.POSITIVE_INF: arith_floats.Rounding.UP,
    Rounding.NEGATIVE_INF: arith_floats.Rounding.DOWN,
}


def _operands(low: Lowering, op: Operation) -> list[Value]:
    return [low.value(v) for v in op.operands]


def _element(value: Value) -> ScalarType:
    found = element_of(value.type)
    assert found is not None
    return found


def _signed(op: Operation) -> bool:
    return op.attributes.get("signedness") is not Signedness.UNSIGNED


# Integers


def _integer(signed: Make, unsigned: Make, on_bool: Make | None = None) -> Handler:
    """By signedness; `on_bool` does the same for i1."""

    def lower(low: Lowering, op: Operation) -> None:
        operands = _operands(low, op)
        make = signed if _signed(op) else unsigned
        if on_bool is not None and _element(operands[0]) is BOOL:
            make = on_bool
        low.bind(op.results[0], low.b(make(*operands)).results[0])

    return lower


def _bitwise(make: Make, on_bool: Make) -> Handler:
    return _integer(make, make, on_bool)


def _first(low: Lowering, op: Operation) -> None:
    """Operations that leave the only legal i1 values as they are."""
    low.bind(op.results[0], low.value(op.operands[0]))


def _no_shift(low: Lowering, x: Value, _amount: Value) -> Value:
    """The only amount of an i1 that is less than its width is 0."""
    return x


def _bool_remainder(low: Lowering, x: Value, y: Value) -> Value:
    """x by zero is x, by one 0."""
    return low.and_(x, low.not_(y))


def _never(low: Lowering, x: Value, _y: Value) -> Value:
    """The high half of a product of i1."""
    return low.constant(False, x.type)


def _or_on_bool(handler: Handler, on_bool: Callable[[Lowering, Value, Value], Value]) -> Handler:
    """The same of i1 by a function of its own."""

    def lower(low: Lowering, op: Operation) -> None:
        operands = _operands(low, op)
        if _element(operands[0]) is BOOL:
            low.bind(op.results[0], on_bool(low, *operands))
        else:
            handler(low, op)

    return lower


def _unary(make: Make) -> Handler:
    def lower(low: Lowering, op: Operation) -> None:
        x = low.value(op.operands[0])
        if _element(x) is BOOL:
            _first(low, op)
        else:
            low.bind(op.results[0], low.b(make(x)).results[0])

    return lower


def _cmpi(low: Lowering, op: Operation) -> None:
    assert isinstance(op, integers.CmpI)
    x, y = _operands(low, op)
    if _element(x) is BOOL and _signed(op):
        x, y = y, x  # true reads as -1, so the order is that of the unsigned values turned round
        make: Make = arith_integers.UCmp
    else:
        make = arith.Cmp if _signed(op) else arith_integers.UCmp
    low.bind(op.out, low.b(make(PREDICATES[op.comparison_predicate], x, y)).results[0])


def _extremum(signed: Make, unsigned: Make, signed_bool: Make, unsigned_bool: Make) -> Handler:
    def lower(low: Lowering, op: Operation) -> None:
        operands = _operands(low, op)
        if _element(operands[0]) is BOOL:
            make = signed_bool if _signed(op) else unsigned_bool
        else:
            make = signed if _signed(op) else unsigned
        low.bind(op.results[0], low.b(make(*operands)).results[0])

    return lower


_DIVISIONS: Mapping[tuple[Rounding, bool], Make] = {
    (Rounding.ZERO, True): arith.Div,
    (Rounding.ZERO, False): arith_integers.UDiv,
    (Rounding.POSITIVE_INF, True): arith_integers.CeilDiv,
    (Rounding.POSITIVE_INF, False): arith_integers.UCeilDiv,
    (Rounding.NEGATIVE_INF, True): arith_integers.FloorDiv,
}


def _division(low: Lowering, op: Operation) -> None:
    assert isinstance(op, integers.DivI)
    operands = _operands(low, op)
    low.bind(op.out, low.b(_DIVISIONS[op.rounding, _signed(op)](*operands)).results[0])


# Floats


def _flushed(low: Lowering, op: Operation, value: Value) -> Value:
    """The value, with subnormal numbers as zeros if the operation says so."""
    if not op.attributes.get("flush_to_zero"):
        return value
    return low.b(arith_floats.Flush(value)).out


def _float(make: Make, rounded: Make | None = None) -> Handler:
    """An operation by its rounding mode; fast modes are as exact as the others."""

    def lower(low: Lowering, op: Operation) -> None:
        operands = [_flushed(low, op, value) for value in _operands(low, op)]
        direction = _direction(op)
        if direction is None:
            found = low.b(make(*operands))
        else:
            assert rounded is not None, "the verifier has looked"
            found = low.b(rounded(*operands, direction))
        low.bind(op.results[0], _flushed(low, op, found.results[0]))

    return lower


def _direction(op: Operation) -> arith_floats.Rounding | None:
    """None for the nearest number."""
    mode = op.attributes.get("rounding_mode")
    return _DIRECTIONS.get(mode) if isinstance(mode, Rounding) else None


def _rsqrt(low: Lowering, op: Operation) -> None:
    found = low.b(math.Rsqrt(_flushed(low, op, low.value(op.operands[0])))).out
    low.bind(op.results[0], _flushed(low, op, found))


def _fpowi(low: Lowering, op: Operation) -> None:
    """A power with a whole exponent, which must be exact as a float: else in f64."""
    assert isinstance(op, floats.FPowI)
    base, exponent = low.value(op.base), low.value(op.exponent)
    if _element(exponent) is BOOL:
        exponent = low.widened(exponent, I32, True)
    element = F64 if _element(low.value(op.exponent)) is I32 or _element(base) is F64 else F32
    power = low.b(math.Pow(low.cast(base, element), low.cast(exponent, element))).out
    low.bind(op.out, low.cast(power, _element(base)))


def _cmpf(low: Lowering, op: Operation) -> None:
    assert isinstance(op, floats.CmpF)
    ordered = op.comparison_ordering is Ordering.ORDERED
    make = arith_floats.OrderedCmp if ordered else arith_floats.UnorderedCmp
    low.bind(op.out, low.b(make(PREDICATES[op.comparison_predicate], *_operands(low, op))).results[0])


def _float_extremum(number: Make, nan: Make) -> Handler:
    def lower(low: Lowering, op: Operation) -> None:
        x, y = (_flushed(low, op, value) for value in _operands(low, op))
        make = nan if op.attributes.get("propagate_nan") else number
        low.bind(op.results[0], _flushed(low, op, low.b(make(x, y)).results[0]))

    return lower


# Conversions and choice


def _target(low: Lowering, op: Operation) -> ScalarType:
    found = element_of(low.type_of(op.results[0]))
    assert found is not None
    return found


def _exti(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.ExtI)
    low.bind(op.out, low.widened(low.value(op.source), _target(low, op), _signed(op)))


def _trunci(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.TruncI)
    low.bind(op.out, low.unsigned_cast(low.value(op.source), _target(low, op)))


def _itof(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.IToF)
    x = low.value(op.source)
    coded = is_unsigned_float(op.out)
    target = F64 if coded else _target(low, op)  # rounds only what is far too large for the codes
    if not _signed(op):
        found = low.unsigned_cast(x, target)
    else:
        found = low.cast(low.widened(x, I32, True) if _element(x) is BOOL else x, target)
    low.bind(op.out, encoded(low, found, saturate=False) if coded else found)


def _ftoi(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.FToI)
    x, target = number(low, op.source), _target(low, op)
    if target is not BOOL:
        low.bind(op.out, low.cast(x, target) if _signed(op) else low.unsigned_cast(x, target))
        return
    if not op.saturating:
        low.bind(op.out, low.cast(x, BOOL))
        return
    # What is clamped to 0 .. 1, or to -1 .. 0, is not 0 beyond these.
    wide = x if _element(x) is F64 else low.cast(x, F32)
    limit, predicate = (-1.0, Predicate.LE) if _signed(op) else (1.0, Predicate.GE)
    low.bind(op.out, low.b(arith_floats.OrderedCmp(predicate, wide, low.constant(limit, wide.type))).out)


def _ftof(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.FToF)
    x, target = number(low, op.source), _target(low, op)
    direction = _direction(op)
    if is_unsigned_float(op.out):
        low.bind(op.out, encoded(low, x, saturate=True))
    elif op.rounding_mode is Rounding.NEAREST_AWAY and _element(x) is F32 and target is TF32:
        low.bind(op.out, _away_from_zero(low, x))
    elif direction is None:
        low.bind(op.out, low.cast(x, target))
    else:
        type_ = with_element(x.type, target)
        found = low.b(arith_floats.RoundedCast(x, direction, result_types=[type_])).out
        if target is F8E8M0FNU:
            wide = x if _element(x) is F64 else low.cast(x, F32)
            negative = low.b(arith_floats.OrderedCmp(Predicate.LT, wide, low.constant(0.0, wide.type))).out
            found = low.select(negative, low.constant(float("nan"), type_), found)
        low.bind(op.out, found)


def _away_from_zero(low: Lowering, x: Value) -> Value:
    """f32 as tf32, the nearest number; of two that are equally near the one away from zero."""
    bits = low.bitcast(x, I32)
    raised = low.add(bits, low.constant(1 << 12, bits.type))
    rounded = low.bitcast(low.and_(raised, low.constant(-(1 << 13), bits.type)), F32)
    is_number = low.b(arith_floats.OrderedCmp(Predicate.EQ, x, x)).out
    return low.cast(low.select(is_number, rounded, x), TF32)


def _bitcast(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.Bitcast)
    x, type_ = low.value(op.source), low.type_of(op.out)
    low.bind(op.out, x if x.type == type_ else low.b(arith_integers.Bitcast(x, result_types=[type_])).out)


def _select(low: Lowering, op: Operation) -> None:
    low.bind(op.results[0], low.b(arith.Select(*_operands(low, op))).out)


def _integer_handlers() -> Mapping[type[Operation], Handler]:
    return {
        integers.AddI: _bitwise(arith.Add, arith.Xor),
        integers.SubI: _bitwise(arith.Sub, arith.Xor),
        integers.MulI: _bitwise(arith.Mul, arith.And),
        integers.AndI: _bitwise(arith.And, arith.And),
        integers.OrI: _bitwise(arith.Or, arith.Or),
        integers.XorI: _bitwise(arith.Xor, arith.Xor),
        integers.ShlI: _or_on_bool(_integer(arith.Shl, arith.Shl), _no_shift),
        integers.ShrI: _or_on_bool(_integer(arith.Shr, arith_integers.UShr), _no_shift),
        integers.CmpI: _cmpi,
        integers.MaxI: _extremum(arith.Max, arith_integers.UMax, arith.And, arith.Or),
        integers.MinI: _extremum(arith.Min, arith_integers.UMin, arith.Or, arith.And),
        integers.DivI: _or_on_bool(_division, Lowering.and_),
        integers.RemI: _or_on_bool(_integer(arith.Rem, arith_integers.URem), _bool_remainder),
        integers.MulHiI: _or_on_bool(_integer(arith_integers.UMulHigh, arith_integers.UMulHigh), _never),
        integers.NegI: _unary(arith.Neg),
        integers.AbsI: _unary(arith.Abs),
    }


def _float_handlers() -> Mapping[type[Operation], Handler]:
    return {
        floats.AddF: _float(arith.Add, arith_floats.RoundedAdd),
        floats.SubF: _float(arith.Sub, arith_floats.RoundedSub),
        floats.MulF: _float(arith.Mul, arith_floats.RoundedMul),
        floats.DivF: _float(arith.Div, arith_floats.RoundedDiv),
        floats.Fma: _float(arith.Fma, arith_floats.RoundedFma),
        floats.Sqrt: _float(math.Sqrt, arith_floats.RoundedSqrt),
        floats.RemF: _float(arith.Rem),
        floats.NegF: _float(arith.Neg),
        floats.AbsF: _float(arith.Abs),
        floats.Ceil: _float(math.Ceil),
        floats.Floor: _float(math.Floor),
        floats.Rsqrt: _rsqrt,
        floats.Exp: _float(math.Exp),
        floats.Exp2: _float(math.Exp2),
        floats.Log: _float(math.Log),
        floats.Log2: _float(math.Log2),
        floats.Sin: _float(math.Sin),
        floats.Cos: _float(math.Cos),
        floats.Tan: _float(math.Tan),
        floats.Sinh: _float(math.Sinh),
        floats.Cosh: _float(math.Cosh),
        floats.Tanh: _float(math.Tanh),
        floats.Atan2: _float(math.Atan2),
        floats.Pow: _float(math.Pow),
        floats.FPowI: _fpowi,
        floats.CmpF: _cmpf,
        floats.MaxF: _float_extremum(arith_floats.MaximumNumber, arith_floats.Maximum),
        floats.MinF: _float_extremum(arith_floats.MinimumNumber, arith_floats.Minimum),
    }


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        **_integer_handlers(),
        **_float_handlers(),
        core.Select: _select,
        conversions.ExtI: _exti,
        conversions.TruncI: _trunci,
        conversions.IToF: _itof,
        conversions.FToI: _ftoi,
        conversions.FToF: _ftof,
        conversions.Bitcast: _bitcast,
        conversions.IntToPtr: _first,
        conversions.PtrToInt: _first,
        conversions.PtrToPtr: _first,
    }
