"""log10, log1p, expm1, tan, sinh, cosh, tanh, rsqrt, atan2, pow: about 2 ulp, IEEE special values, any lanes.

None calls a library. On processors most are computed in their own format, by `hyperbolic`, `trig`, `arctangent`,
`exp_log`, and so are tanh and log10 everywhere. What is left is here: f64, f32 on NVIDIA devices, and powers. There f32
is computed in f64, where neither cancellation nor the size of exponents matters; sinh near 0 is a series, other
hyperbolic functions come from the exponential; the power multiplies a logarithm in two parts (for f32: one of f64).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

from tilewright.targets.llvm import hyperbolic, log_pieces, tanh
from tilewright.targets.llvm.arctangent import emit_atan2
from tilewright.targets.llvm.convert import Conversions
from tilewright.targets.llvm.emitter import Builder
from tilewright.targets.llvm.exp_log import decompose, emit_exp, emit_exp2, emit_log1p, emit_log2, emit_log10
from tilewright.targets.llvm.floating import FloatingArithmetic
from tilewright.targets.llvm.floatkit import FloatKit
from tilewright.targets.llvm.math import math_value
from tilewright.targets.llvm.trig import emit_tan
from tilewright.targets.llvm.types import lanes_of, mangle, scalar_of, vector
from tilewright.targets.llvm.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tilewright.targets.llvm.features import Features
    from tilewright.targets.llvm.module import Callee, Module

    _Function: TypeAlias = Callable[..., Value]
    _Binary: TypeAlias = Callable[[FloatKit, Value, Value], Value]

_SINH: Final = [1.0 / math.factorial(2 * k + 1) for k in range(13)]
_ATAN: Final = [(-1) ** k / (2 * k + 1) for k in range(23)]
_LOG_TAIL: Final = [1.0 / (2 * k + 5) for k in range(12)]
_QUARTER_HIGH: Final = math.ldexp(math.floor(math.ldexp(math.pi / 4, 48)), -48)
_QUARTER_LOW: Final = math.pi / 4 - _QUARTER_HIGH + 3.061616997868383e-17
_INVERSE_LN2: Final = (1.4426950408889634, 2.0355273740931033e-17)
_LEAST_ROUNDED: Final = 2.0**-26
"""Below, the square of a number is nothing beside it in f32; above, one and the number keep enough of it in f64."""
_THIRD: Final = (1 / 3, float(Fraction(1, 3) - Fraction(1 / 3)))


def function_value(b: Builder, features: Features, op: str, arguments: Sequence[Value]) -> Value:
    """The value for f32 or f64 lanes: a call, or what is short enough in place, where it shares tables."""
    ltype = arguments[0].type
    if _is_in_place(features, op, ltype):
        return _computed(b, features, op, arguments)
    return b.call(emit_function(b.module, features, op, ltype), arguments, hint=op)


def _is_in_place(features: Features, op: str, ltype: str) -> bool:
    scalar = scalar_of(ltype)
    if features.nvptx:
        return op in _OF_OTHERS
    picks = {"tanh": tanh.picks_pieces(features, scalar), "log10": log_pieces.picks_pieces(features)}
    own = features.fma and op in _SHORT and op in _ON_PROCESSORS[scalar]
    return lanes_of(ltype) > 1 and (own or picks.get(op, False))


def _computed(b: Builder, features: Features, op: str, arguments: Sequence[Value]) -> Value:
    ltype = arguments[0].type
    compute, scalar = _form(features, op, scalar_of(ltype))
    wide = vector(scalar, lanes_of(ltype))
    if wide == ltype:
        return compute(FloatKit(b, features, ltype), *arguments)
    found = compute(FloatKit(b, features, wide), *(b.cast("fpext", x, wide) for x in arguments))
    return b.cast("fptrunc", found, ltype)


def emit_function(module: Module, features: Features, op: str, ltype: str) -> Callee:
    """The function `T tilewright.<op>.T(T, ..)` for T of f32 or f64 lanes, defined on first use."""
    name = f"tilewright.{op}.{mangle(ltype)}"
    known = module.defined(name)
    if known:
        return known
    letters = "xy" if op in _BINARY else "x"
    parameters = [(ltype, letter) for letter in letters]
    function = module.function(name, ltype, parameters, linkage="internal", attributes="nounwind")
    b = Builder(function)
    b.ret(_computed(b, features, op, function.arguments))
    return function.callee


def _form(features: Features, op: str, scalar: str) -> tuple[_Function, str]:
    """What computes a function of a type, and the type in which it does."""
    if not features.nvptx and op in _ON_PROCESSORS[scalar]:
        return _ON_PROCESSORS[scalar][op], scalar
    if scalar == "float" and op not in _ACCURATE_IN_F32:
        return _FOR_F32.get(op, _FUNCTIONS[op]), "double"
    return _FUNCTIONS[op], scalar


def _log1p(kit: FloatKit, x: Value) -> Value:
    """Kahan's: the error of 1 + x is divided out."""
    b, one, infinity = kit.b, kit.number(1.0), kit.number(math.inf)
    above = b.fadd(one, x)
    found = b.fmul(_math(kit, "log", above), b.fdiv(x, b.fsub(above, one)))
    found = b.select(b.fcmp("oeq", above, infinity), above, found)
    return b.select(b.fcmp("oeq", above, one), x, found)


def _log1p_for_f32(kit: FloatKit, x: Value) -> Value:
    return _or_itself(kit, x, lambda: _math(kit, "log", kit.b.fadd(kit.number(1.0), x)))


def _expm1(kit: FloatKit, x: Value) -> Value:
    """Kahan's: the error of exp(x) is divided out."""
    b, one = kit.b, kit.number(1.0)
    power = _math(kit, "exp", x)
    less = b.fsub(power, one)
    found = b.fmul(less, b.fdiv(x, _math(kit, "log", power)))
    found = b.select(b.fcmp("oeq", less, kit.number(-1.0)), less, found)
    found = b.select(b.fcmp("oeq", power, kit.number(math.inf)), power, found)
    return b.select(b.fcmp("oeq", power, one), x, found)


def _expm1_for_f32(kit: FloatKit, x: Value) -> Value:
    return _or_itself(kit, x, lambda: kit.b.fsub(_math(kit, "exp", x), kit.number(1.0)))


def _or_itself(kit: FloatKit, x: Value, value: Callable[[], Value]) -> Value:
    """A function of x that is x near zero."""
    b = kit.b
    magnitude, found = b.fabs(x), value()
    return b.select(b.fcmp("olt", magnitude, kit.number(_LEAST_ROUNDED)), x, found)


def _math(kit: FloatKit, op: str, x: Value) -> Value:
    """A function that has others in a module for users."""
    return math_value(kit.b, kit.features, op, x)


def _halves(kit: FloatKit, magnitude: Value) -> tuple[Value, Value]:
    """e^x / 2 and e^-x / 2 for x >= 0; the first may be finite where e^x is not."""
    b = kit.b
    large = b.fcmp("ogt", magnitude, kit.number(700.0))
    power = emit_exp(kit, b.select(large, b.fsub(magnitude, kit.number(44.0)), magnitude), False)
    up = b.fmul(power, b.select(large, kit.number(math.exp(44.0) / 2), kit.number(0.5)))
    return up, b.fdiv(kit.number(0.25), up)


def _sinh(kit: FloatKit, x: Value) -> Value:
    b = kit.b
    magnitude = b.fabs(x)
    small = b.fmul(magnitude, kit.polynomial(b.fmul(x, x), _SINH))
    up, down = _halves(kit, magnitude)
    return kit.with_sign(b.select(b.fcmp("olt", magnitude, kit.number(1.0)), small, b.fsub(up, down)), x)


def _cosh(kit: FloatKit, x: Value) -> Value:
    return kit.b.fadd(*_halves(kit, kit.b.fabs(x)))


def _atan2(kit: FloatKit, y: Value, x: Value) -> Value:
    b = kit.b
    one, zero = kit.number(1.0), kit.number(0.0)
    height, width = b.fabs(y), b.fabs(x)
    steep = b.fcmp("ogt", height, width)
    low, high = b.select(steep, width, height), b.select(steep, height, width)
    slope = b.select(b.fcmp("oeq", low, high), one, b.fdiv(low, high))
    slope = b.select(b.fcmp("oeq", b.fadd(low, high), zero), zero, slope)
    # Around pi / 4 the angle to the diagonal is small.
    near = b.fcmp("ogt", slope, kit.number(math.tan(math.pi / 8)))
    reduced = b.select(near, b.fdiv(b.fsub(slope, one), b.fadd(slope, one)), slope)
    angle = b.fmul(reduced, kit.polynomial(b.fmul(reduced, reduced), _ATAN))
    eighths = b.select(near, one, zero)
    eighths = b.select(steep, b.fsub(kit.number(2.0), eighths), eighths)
    left = b.icmp("slt", kit.as_integer(x), kit.bits(0))
    eighths = b.select(left, b.fsub(kit.number(4.0), eighths), eighths)
    angle = b.select(b.xor(steep, left), b.fneg(angle), angle)
    correction = b.fadd(angle, b.fmul(eighths, kit.number(_QUARTER_LOW)))
    return kit.with_sign(b.fadd(b.fmul(eighths, kit.number(_QUARTER_HIGH)), correction), y)


# Powers

Pair = tuple[Value, Value]
"""A number as the sum of two, the second within half a unit of the first's last place."""


def _product(kit: FloatKit, x: Value, y: Value) -> Pair:
    """The exact product."""
    b = kit.b
    high = b.fmul(x, y)
    if kit.features.fma:
        return high, b.fma(x, y, b.fneg(high))
    parts = [_split(kit, v) for v in (x, y)]
    (a, c), (d, e) = parts
    low = b.fadd(b.fsub(b.fmul(a, d), high), b.fadd(b.fmul(a, e), b.fmul(c, d)))
    return high, b.fadd(low, b.fmul(c, e))


def _split(kit: FloatKit, x: Value) -> Pair:
    """Two halves of the significand (Dekker)."""
    b = kit.b
    scaled = b.fmul(x, kit.number(2.0**27 + 1))
    high = b.fsub(scaled, b.fsub(scaled, x))
    return high, b.fsub(x, high)


def _sum(kit: FloatKit, x: Value, y: Value) -> Pair:
    """The exact sum (Knuth)."""
    b = kit.b
    high = b.fadd(x, y)
    part = b.fsub(high, x)
    return high, b.fadd(b.fsub(x, b.fsub(high, part)), b.fsub(y, part))


def _times(kit: FloatKit, x: Pair, y: Pair) -> Pair:
    b = kit.b
    high, low = _product(kit, x[0], y[0])
    return high, b.fadd(low, b.fadd(b.fmul(x[0], y[1]), b.fmul(x[1], y[0])))


def _numbers(kit: FloatKit, pair: Sequence[float]) -> Pair:
    return kit.number(pair[0]), kit.number(pair[1])


def _log2(kit: FloatKit, x: Value) -> Pair:
    """The logarithm of a positive number to base 2: 2 atanh(f / (2 + f)), the first two terms of it in two parts."""
    b = kit.b
    fraction, exponent = decompose(kit, x, native=False)
    two = kit.number(2.0)
    divisor = b.fadd(fraction, two)
    lost = b.fsub(fraction, b.fsub(divisor, two))
    high = b.fdiv(fraction, divisor)
    product, error = _product(kit, high, divisor)
    rest = b.fsub(b.fsub(b.fsub(fraction, product), error), b.fmul(high, lost))
    s = (high, b.fdiv(rest, divisor))
    square = _times(kit, s, s)
    cube = _times(kit, _times(kit, square, s), _numbers(kit, _THIRD))
    tail = b.fmul(b.fmul(b.fmul(square[0], square[0]), s[0]), kit.polynomial(square[0], _LOG_TAIL))
    total, error = _sum(kit, s[0], cube[0])
    low = b.fadd(error, b.fadd(b.fadd(cube[1], s[1]), tail))
    total, low = _sum(kit, total, low)
    scaled = _times(kit, (b.fadd(total, total), b.fadd(low, low)), _numbers(kit, _INVERSE_LN2))
    whole, error = _sum(kit, exponent, scaled[0])
    return whole, b.fadd(error, scaled[1])


def _magnitude(kit: FloatKit, base: Value, y: Value) -> Value:
    """A power of a number from 0 on, whose error grows with its exponent: in f64 it has more digits than f32."""
    return emit_exp2(kit, kit.b.fmul(y, emit_log2(kit, base, False)), False)


def _exact_magnitude(kit: FloatKit, base: Value, y: Value) -> Value:
    """The same to about the last place."""
    b = kit.b
    zero, one, infinity = kit.number(0.0), kit.number(1.0), kit.number(math.inf)
    ordinary = b.and_(b.fcmp("ogt", base, zero), b.fcmp("olt", base, infinity))
    high, low = _log2(kit, b.select(ordinary, base, one))
    extreme = b.select(b.fcmp("oeq", base, zero), kit.number(-math.inf), base)
    high, low = b.select(ordinary, high, extreme), b.select(ordinary, low, zero)
    power, error = _product(kit, y, high)
    error = b.fadd(error, b.fmul(y, low))
    # Exponents from 2^100 on give 0, 1 or infinity whatever the error, which is NaN near the largest without fma.
    small = b.and_(b.fcmp("olt", b.fabs(power), kit.number(2000.0)), b.fcmp("olt", b.fabs(y), kit.number(2.0**100)))
    error = b.select(small, error, zero)
    found = emit_exp2(kit, power, False)
    correction = b.fmul(found, b.fmul(error, kit.number(math.log(2.0))))
    return b.select(b.fcmp("olt", found, infinity), b.fadd(found, correction), found)


def _pow(kit: FloatKit, x: Value, y: Value, magnitude: _Binary) -> Value:
    """The power, of which `magnitude` computes the size."""
    b = kit.b
    zero, one, infinity = kit.number(0.0), kit.number(1.0), kit.number(math.inf)
    base = b.fabs(x)
    found = magnitude(kit, base, y)
    whole, odd = _parity(kit, y)
    negative = b.icmp("slt", kit.as_integer(x), kit.bits(0))
    found = b.select(b.and_(negative, odd), b.fneg(found), found)
    invalid = b.and_(b.and_(b.fcmp("olt", x, zero), b.fcmp("ogt", x, kit.number(-math.inf))), b.not_(whole))
    found = b.select(invalid, kit.number(math.nan), found)
    found = b.select(b.and_(b.fcmp("oeq", base, one), b.fcmp("oeq", b.fabs(y), infinity)), one, found)
    return b.select(b.or_(b.fcmp("oeq", y, zero), b.fcmp("oeq", x, one)), one, found)


def _exact_pow(kit: FloatKit, x: Value, y: Value) -> Value:
    return _pow(kit, x, y, _exact_magnitude)


def _pow_for_f32(kit: FloatKit, x: Value, y: Value) -> Value:
    return _pow(kit, x, y, _magnitude)


def _parity(kit: FloatKit, y: Value) -> Pair:
    """Whether a number is an integer, and whether an odd one; NaN counts as one, so that it stays."""
    b = kit.b
    floating = FloatingArithmetic(b, kit.features, Conversions(b, kit.features))
    half = b.fmul(y, kit.number(0.5))
    whole = b.fcmp("ueq", floating.whole("floor", "f64", y), y)
    return whole, b.and_(whole, b.fcmp("one", floating.whole("floor", "f64", half), half))


def _rsqrt(kit: FloatKit, x: Value) -> Value:
    return kit.b.fdiv(kit.number(1.0), kit.b.sqrt(x))


_FUNCTIONS: Final[Mapping[str, _Function]] = {
    "rsqrt": _rsqrt,
    "log10": emit_log10,
    "log1p": _log1p,
    "expm1": _expm1,
    "tan": emit_tan,
    "tanh": tanh.emit_tanh,
    "sinh": _sinh,
    "cosh": _cosh,
    "atan2": _atan2,
    "pow": _exact_pow,
}
_FOR_F32: Final[Mapping[str, _Function]] = {
    "log1p": _log1p_for_f32,
    "expm1": _expm1_for_f32,
    "pow": _pow_for_f32,
}
"""What is computed otherwise in f64 for f32."""
_IN_OWN_FORMAT: Final[Mapping[str, _Function]] = {
    "log1p": emit_log1p,
    "expm1": hyperbolic.emit_expm1,
    "tan": emit_tan,
    "sinh": hyperbolic.emit_sinh,
    "cosh": hyperbolic.emit_cosh,
}
_ON_PROCESSORS: Final[Mapping[str, Mapping[str, _Function]]] = {
    "float": {**_IN_OWN_FORMAT, "atan2": emit_atan2},
    "double": _IN_OWN_FORMAT,
}
"""By types."""
_ACCURATE_IN_F32: Final = frozenset({"rsqrt", "log10", "tanh"})
_SHORT: Final = frozenset({"log1p", "expm1", "sinh", "cosh", "atan2"})
"""Where they multiply and add at once. The tangent has a branch."""
_OF_OTHERS: Final = frozenset({"log1p", "expm1"})
"""A few operations beside calls of functions of their own, where they are not short."""
_BINARY: Final = frozenset({"atan2", "pow"})
FUNCTIONS: Final = frozenset(_FUNCTIONS)
