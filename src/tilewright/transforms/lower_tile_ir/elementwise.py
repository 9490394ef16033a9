"""Arithmetic: what `arith` and `math` have is taken as it is, unsigned integers and special values are composed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tilewright.dialects import arith, math
from tilewright.dialects.arith import Predicate
from tilewright.dialects.cuda_tile import arith as integers
from tilewright.dialects.cuda_tile import conversions, core, floats
from tilewright.dialects.cuda_tile.attributes import Ordering, Rounding, Signedness
from tilewright.dialects.cuda_tile.attributes import Predicate as CudaPredicate
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, I32, I64, ScalarType, element_of, with_element
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering, Unsupported

_PREDICATES = {
    CudaPredicate.EQUAL: Predicate.EQ,
    CudaPredicate.NOT_EQUAL: Predicate.NE,
    CudaPredicate.LESS_THAN: Predicate.LT,
    CudaPredicate.LESS_THAN_OR_EQUAL: Predicate.LE,
    CudaPredicate.GREATER_THAN: Predicate.GT,
    CudaPredicate.GREATER_THAN_OR_EQUAL: Predicate.GE,
}
_INVERSE = {
    Predicate.LT: Predicate.GE,
    Predicate.LE: Predicate.GT,
    Predicate.GT: Predicate.LE,
    Predicate.GE: Predicate.LT,
}


def _operands(low: Lowering, op: Operation) -> list[Value]:
    return [low.value(v) for v in op.operands]


def _element(value: Value) -> ScalarType:
    found = element_of(value.type)
    assert found is not None
    return found


def _plain(make: Callable[..., Operation], on_bool: Callable[..., Operation] | None = None) -> Handler:
    """An operation that the tile level has, with another one for bool where integers include it."""

    def lower(low: Lowering, op: Operation) -> None:
        _only_nearest(op)
        operands = _operands(low, op)
        if _element(operands[0]) is BOOL:
            if on_bool is None:
                raise Unsupported(op.location, f"{_word(op)} of i1 is not supported here yet")
            low.bind(op.results[0], low.b(on_bool(*operands)).results[0])
        else:
            low.bind(op.results[0], low.b(make(*operands)).results[0])

    return lower


def _word(op: Operation) -> str:
    return op.name.removeprefix("cuda_tile.")


def _only_nearest(op: Operation) -> None:
    """Other roundings and flushing of subnormal numbers are refused."""
    mode = op.attributes.get("rounding_mode", Rounding.NEAREST_EVEN)
    if mode not in (Rounding.NEAREST_EVEN, Rounding.FULL, Rounding.APPROX, Rounding.NEAREST_INT_TO_ZERO):
        assert isinstance(mode, Rounding)
        raise Unsupported(op.location, f"{_word(op)} rounding<{mode.value}> is not supported here yet")
    if op.attributes.get("flush_to_zero"):
        raise Unsupported(op.location, f"{_word(op)} flush_to_zero is not supported here yet")


def _signed(op: Operation) -> bool:
    return op.attributes.get("signedness") is not Signedness.UNSIGNED


# Integers


def _flipped(low: Lowering, x: Value) -> Value:
    """The sign bit turned over: unsigned order becomes signed order."""
    element = _element(x)
    return low.xor(x, low.constant(-(1 << (element.bits - 1)), x.type))


def compared(low: Lowering, predicate: Predicate, x: Value, y: Value, signed: bool) -> Value:
    """Comparison of integers or bools; true is -1 if read as signed."""
    if _element(x) is BOOL:
        x, y = (low.widened(v, I32, signed) for v in (x, y))
    elif not signed and predicate not in (Predicate.EQ, Predicate.NE):
        x, y = _flipped(low, x), _flipped(low, y)
    return low.compare(predicate, x, y)


def _cmpi(low: Lowering, op: Operation) -> None:
    assert isinstance(op, integers.CmpI)
    x, y = _operands(low, op)
    low.bind(op.out, compared(low, _PREDICATES[op.comparison_predicate], x, y, _signed(op)))


def _extremum(predicate: Predicate, make: Callable[..., Operation]) -> Handler:
    def lower(low: Lowering, op: Operation) -> None:
        x, y = _operands(low, op)
        if _signed(op) and _element(x) is not BOOL:
            low.bind(op.results[0], low.b(make(x, y)).results[0])
        else:
            low.bind(op.results[0], low.select(compared(low, predicate, x, y, _signed(op)), x, y))

    return lower


def _division(low: Lowering, op: Operation) -> None:
    assert isinstance(op, integers.DivI)
    x, y = _operands(low, op)
    element = _element(x)
    if element is BOOL:
        raise Unsupported(op.location, "divi of i1 is not supported here yet")
    if not _signed(op):
        quotient, rest = _unsigned_division(low, x, y)
        if op.rounding is Rounding.POSITIVE_INF:
            zero = low.constant(0, x.type)
            up = low.compare(Predicate.NE, rest, zero)
            quotient = low.add(quotient, low.select(up, low.constant(1, x.type), zero))
        low.bind(op.out, quotient)
        return
    quotient = low.b(arith.Div(x, y)).out
    if op.rounding is not Rounding.ZERO:
        quotient = _adjusted(low, x, y, quotient, op.rounding is Rounding.POSITIVE_INF)
    low.bind(op.out, quotient)


def _adjusted(low: Lowering, x: Value, y: Value, quotient: Value, up: bool) -> Value:
    """A truncated quotient as a ceiling or a floor: one off where there is a rest and the signs are equal or not."""
    zero = low.constant(0, x.type)
    rest = low.compare(Predicate.NE, low.b(arith.Rem(x, y)).out, zero)
    sign = low.compare(Predicate.GE if up else Predicate.LT, low.xor(x, y), zero)
    step = low.select(low.and_(rest, sign), low.constant(1 if up else -1, x.type), zero)
    return low.add(quotient, step)


def _unsigned_division(low: Lowering, x: Value, y: Value) -> tuple[Value, Value]:
    """Quotient and remainder; in i64 where that holds all values, else by halves."""
    element = _element(x)
    if element.bits < I64.bits:
        a, b = low.widened(x, I64, False), low.widened(y, I64, False)
        return low.cast(low.b(arith.Div(a, b)).out, element), low.cast(low.b(arith.Rem(a, b)).out, element)
    # With y >= 2^63 the quotient is 0 or 1; else that of x / 2, doubled, is at most one too small.
    zero, one = low.constant(0, x.type), low.constant(1, x.type)
    half = low.b(arith.Div(_logical_shift(low, x, one), y)).out
    guess = low.b(arith.Shl(half, one)).out
    rest = low.b(arith.Sub(x, low.mul(guess, y))).out
    more = compared(low, Predicate.GE, rest, y, False)
    quotient = low.add(guess, low.select(more, one, zero))
    large = low.compare(Predicate.LT, y, zero)
    quotient = low.select(large, low.select(compared(low, Predicate.GE, x, y, False), one, zero), quotient)
    return quotient, low.b(arith.Sub(x, low.mul(quotient, y))).out


def _remainder(low: Lowering, op: Operation) -> None:
    x, y = _operands(low, op)
    if _element(x) is BOOL:
        raise Unsupported(op.location, "remi of i1 is not supported here yet")
    found = low.b(arith.Rem(x, y)).out if _signed(op) else _unsigned_division(low, x, y)[1]
    low.bind(op.results[0], found)


def _logical_shift(low: Lowering, x: Value, amount: Value) -> Value:
    """Shift right that brings in zeros: the copies of the sign are masked off."""
    element = _element(x)
    sign = low.constant(-(1 << (element.bits - 1)), x.type)
    copies = low.b(arith.Shl(low.b(arith.Shr(sign, amount)).out, low.constant(1, x.type))).out
    return low.and_(low.b(arith.Shr(x, amount)).out, low.not_(copies))


def _shift_right(low: Lowering, op: Operation) -> None:
    x, amount = _operands(low, op)
    if _element(x) is BOOL:
        low.bind(op.results[0], x)
    elif _signed(op):
        low.bind(op.results[0], low.b(arith.Shr(x, amount)).out)
    else:
        low.bind(op.results[0], _logical_shift(low, x, amount))


def _mulhi(low: Lowering, op: Operation) -> None:
    x, y = _operands(low, op)
    element = _element(x)
    if element is BOOL:
        low.bind(op.results[0], low.constant(False, x.type))
    elif element.bits < I64.bits:
        product = low.mul(low.widened(x, I64, False), low.widened(y, I64, False))
        shifted = _logical_shift(low, product, low.constant(element.bits, product.type))
        low.bind(op.results[0], low.cast(shifted, element))
    else:
        low.bind(op.results[0], _mulhi_by_halves(low, x, y))


def _mulhi_by_halves(low: Lowering, x: Value, y: Value) -> Value:
    bits = low.constant(32, x.type)
    mask = low.constant((1 << 32) - 1, x.type)
    x0, y0 = low.and_(x, mask), low.and_(y, mask)
    x1, y1 = _logical_shift(low, x, bits), _logical_shift(low, y, bits)
    cross = low.add(low.mul(x1, y0), _logical_shift(low, low.mul(x0, y0), bits))
    middle = low.add(low.mul(x0, y1), low.and_(cross, mask))
    upper = low.add(low.mul(x1, y1), _logical_shift(low, cross, bits))
    return low.add(upper, _logical_shift(low, middle, bits))


def _negate(low: Lowering, op: Operation) -> None:
    (x,) = _operands(low, op)
    low.bind(op.results[0], x if _element(x) is BOOL else low.b(arith.Neg(x)).out)


def _absolute(low: Lowering, op: Operation) -> None:
    (x,) = _operands(low, op)
    low.bind(op.results[0], x if _element(x) is BOOL else low.b(arith.Abs(x)).out)


# Floats


def _cmpf(low: Lowering, op: Operation) -> None:
    assert isinstance(op, floats.CmpF)
    x, y = _operands(low, op)
    predicate = _PREDICATES[op.comparison_predicate]
    ordered = op.comparison_ordering is Ordering.ORDERED
    if predicate is Predicate.NE and ordered:
        found = low.or_(low.compare(Predicate.LT, x, y), low.compare(Predicate.GT, x, y))
    elif predicate is Predicate.EQ and not ordered:
        found = low.not_(low.or_(low.compare(Predicate.LT, x, y), low.compare(Predicate.GT, x, y)))
    elif predicate in _INVERSE and not ordered:
        found = low.not_(low.compare(_INVERSE[predicate], x, y))
    else:
        found = low.compare(predicate, x, y)
    low.bind(op.out, found)


def _float_extremum(make: Callable[..., Operation]) -> Handler:
    def lower(low: Lowering, op: Operation) -> None:
        _only_nearest(op)
        x, y = _operands(low, op)
        found = low.b(make(x, y)).results[0]
        if op.attributes.get("propagate_nan"):
            number = low.and_(low.compare(Predicate.EQ, x, x), low.compare(Predicate.EQ, y, y))
            found = low.select(number, found, low.constant(float("nan"), x.type))
        low.bind(op.results[0], found)

    return lower


# Conversions and choice


def _exti(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.ExtI)
    target = element_of(low.type_of(op.out))
    assert target is not None
    low.bind(op.out, low.widened(low.value(op.source), target, _signed(op)))


def _trunci(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.TruncI)
    x, target = low.value(op.source), element_of(low.type_of(op.out))
    assert target is not None
    if target is BOOL:
        bit = low.and_(x, low.constant(1, x.type))
        low.bind(op.out, low.compare(Predicate.NE, bit, low.constant(0, x.type)))
    else:
        low.bind(op.out, low.cast(x, target))


def _itof(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.IToF)
    x, target = low.value(op.source), element_of(low.type_of(op.out))
    assert target is not None
    source = _element(x)
    if source is BOOL or (not _signed(op) and source.bits < I64.bits):
        x = low.widened(x, I64 if source is not BOOL else I32, _signed(op))
    elif not _signed(op):
        raise Unsupported(op.location, "itof of unsigned i64 is not supported here yet")
    low.bind(op.out, low.cast(x, target))


def _ftoi(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.FToI)
    x, target = low.value(op.source), element_of(low.type_of(op.out))
    assert target is not None
    if target is BOOL:
        low.bind(op.out, low.compare(Predicate.NE, low.cast(x, I32), low.constant(0, with_element(x.type, I32))))
    elif _signed(op):
        low.bind(op.out, low.cast(x, target))
    elif target.bits < I64.bits:
        wide = low.cast(x, I64)
        low.bind(op.out, low.cast(_clamped(low, wide, target.bits), target))
    else:
        raise Unsupported(op.location, "ftoi to unsigned i64 is not supported here yet")


def _clamped(low: Lowering, wide: Value, bits: int) -> Value:
    floor = low.b(arith.Max(wide, low.constant(0, wide.type))).out
    return low.b(arith.Min(floor, low.constant((1 << bits) - 1, wide.type))).out


def _ftof(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.FToF)
    _only_nearest(op)
    target = element_of(low.type_of(op.out))
    assert target is not None
    low.bind(op.out, low.cast(low.value(op.source), target))


def _same(low: Lowering, op: Operation) -> None:
    """Conversions between pointers and integers: an address is an address."""
    low.bind(op.results[0], low.value(op.operands[0]))


def _bitcast(low: Lowering, op: Operation) -> None:
    assert isinstance(op, conversions.Bitcast)
    x, type_ = low.value(op.source), low.type_of(op.out)
    if x.type != type_:
        raise Unsupported(op.location, f"bitcast from {op.source.type} to {op.out.type} is not supported here yet")
    low.bind(op.out, x)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        integers.AddI: _plain(arith.Add, arith.Xor),
        integers.SubI: _plain(arith.Sub, arith.Xor),
        integers.MulI: _plain(arith.Mul, arith.And),
        integers.AndI: _plain(arith.And, arith.And),
        integers.OrI: _plain(arith.Or, arith.Or),
        integers.XorI: _plain(arith.Xor, arith.Xor),
        integers.ShlI: _plain(arith.Shl),
        integers.ShrI: _shift_right,
        integers.CmpI: _cmpi,
        integers.MaxI: _extremum(Predicate.GT, arith.Max),
        integers.MinI: _extremum(Predicate.LT, arith.Min),
        integers.DivI: _division,
        integers.RemI: _remainder,
        integers.MulHiI: _mulhi,
        integers.NegI: _negate,
        integers.AbsI: _absolute,
        floats.AddF: _plain(arith.Add),
        floats.SubF: _plain(arith.Sub),
        floats.MulF: _plain(arith.Mul),
        floats.DivF: _plain(arith.Div),
        floats.RemF: _plain(arith.Rem),
        floats.Fma: _plain(arith.Fma),
        floats.NegF: _plain(arith.Neg),
        floats.AbsF: _plain(arith.Abs),
        floats.Exp: _plain(math.Exp),
        floats.Exp2: _plain(math.Exp2),
        floats.Log: _plain(math.Log),
        floats.Log2: _plain(math.Log2),
        floats.Sin: _plain(math.Sin),
        floats.Cos: _plain(math.Cos),
        floats.CmpF: _cmpf,
        floats.MaxF: _float_extremum(arith.Max),
        floats.MinF: _float_extremum(arith.Min),
        core.Select: _plain(arith.Select, arith.Select),
        conversions.ExtI: _exti,
        conversions.TruncI: _trunci,
        conversions.IToF: _itof,
        conversions.FToI: _ftoi,
        conversions.FToF: _ftof,
        conversions.Bitcast: _bitcast,
        conversions.IntToPtr: _same,
        conversions.PtrToInt: _same,
        conversions.PtrToPtr: _same,
    }
