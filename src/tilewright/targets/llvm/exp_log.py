"""exp, exp2, log, log2, log10, log1p for f32 and f64 without branches.

Exponentials: x = n ln(2) + r with |r| <= ln(2)/2, a minimax polynomial for e^r, then a scaling by 2^n that rounds or
overflows as it should beyond both ends of the normal range. In f32 NVIDIA devices have a unit for the polynomial's
work. Logarithms: x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f); log(m) = 2 atanh(s) is arranged
around the exact terms f - f^2/2, and k ln(2) is added in two parts (the scheme of FreeBSD's msun, with coefficients of
our own); to base 10 both terms are multiplied in two parts. On AVX-512 they are computed by pieces (`log_pieces`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tilewright.targets.llvm import coefficients as table
from tilewright.targets.llvm.log_pieces import emit_log1p_of_pieces, emit_log_of_pieces, one_more, picks_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilewright.targets.llvm.floatkit import FloatKit
    from tilewright.targets.llvm.values import Value

_EXP = {"F32": table.EXP_F32, "F64": table.EXP_F64}
_LOG = {"F32": table.LOG_F32, "F64": table.LOG_F64}
_LN2 = {"F32": table.LN2_F32, "F64": table.LN2_F64}
_LOG10_2 = {"F32": table.LOG10_2_F32, "F64": table.LOG10_2_F64}
_LOG10_E = {"F32": table.LOG10_E_F32, "F64": table.LOG10_E_F64}

# Beyond these arguments the results are infinite and zero; in between the two scale factors are normal numbers.
_EXP_RANGE = {"F32": (-104.0, 89.0), "F64": (-746.0, 710.0)}
_EXP2_RANGE = {"F32": (-151.0, 129.0), "F64": (-1076.0, 1025.0)}
# Native forms: zero below the range of normal numbers, one scale factor.
_NATIVE_EXP2_RANGE = {"F32": (-125.0, 128.0), "F64": (-1021.0, 1024.0)}

_LOG2_E = (1.44269502162933349609375, 1.92596299112661746887e-8)
"""The logarithm of e to base 2 in two parts."""
_MOST = 126
"""Powers of two that are a factor, and one over it."""


def emit_exp(kit: FloatKit, x: Value, native: bool) -> Value:
    """e^x."""
    if native:
        return _native_exp2(kit, kit.b.fmul(x, kit.number(math.log2(math.e))), x)
    if _has_unit(kit):
        return _by_unit(kit, x, _LOG2_E)
    name = kit.format.name
    x = kit.clamp(x, *_EXP_RANGE[name])
    n, integer = kit.nearest_integer(x, math.log2(math.e))
    return kit.scaled(exp_of_rest(kit, kit.subtract_product(x, n, _LN2[name])), n, integer)


def emit_exp2(kit: FloatKit, x: Value, native: bool) -> Value:
    """2^x."""
    if native:
        return _native_exp2(kit, x, x)
    if _has_unit(kit):
        return _by_unit(kit, x, (1.0,))
    x = kit.clamp(x, *_EXP2_RANGE[kit.format.name])
    n, integer = kit.nearest_integer(x)
    rest = kit.b.fmul(kit.b.fsub(x, n), kit.number(math.log(2.0)))
    return kit.scaled(exp_of_rest(kit, rest), n, integer)


def _has_unit(kit: FloatKit) -> bool:
    return kit.features.nvptx and kit.ltype == "float"


def _by_unit(kit: FloatKit, x: Value, logarithm: Sequence[float]) -> Value:
    """2^(x l) for l the sum of `logarithm`, its first part the nearest f32: within 2 ulp.

    The nearest integer n to x l, at most 126 from 0, is taken off exactly, the unit computes 2 to what is left, and 2^n
    scales that. Where n is at its limit, what is left is beyond [-1, 1], and either step makes the infinity, the
    subnormal or the zero that there is. An addition that saturates limits n, and rounds at the place of its last digit.
    """
    b, whole = kit.b, 2.0 * _MOST
    share = b.fma(x, kit.number(logarithm[0] / whole), kit.number(0.5))
    limited = b.intrinsic("llvm.nvvm.saturate.f", "float", [share], overload=())
    magic = 1.5 * 2.0**kit.format.fraction
    # the low digits are those of the exponent of 2^n
    shifted = b.fma(limited, kit.number(whole), kit.number(magic + kit.format.bias - _MOST))
    rest = b.fneg(b.fsub(shifted, kit.number(magic + kit.format.bias)))
    for part in logarithm:
        rest = b.fma(x, kit.number(part), rest)
    power = b.intrinsic("llvm.nvvm.ex2.approx.ftz.f", "float", [rest], overload=())
    scale = kit.as_float(b.shl(kit.as_integer(shifted), kit.bits(kit.format.fraction)))
    return b.fmul(power, scale)


def exp_of_rest(kit: FloatKit, r: Value) -> Value:
    """e^r for |r| <= ln(2)/2."""
    return kit.polynomial(r, (1.0, 1.0, *_EXP[kit.format.name]))


def emit_positive_expm1(kit: FloatKit, x: Value) -> Value:
    """e^x - 1 for x from 0 on as long as e^x is well within the range of the format.

    Of e^x = 2^n e^r that is `2^n (e^r - 1) + (2^n - 1)`: both terms are accurate, the second exact as long as all of it
    matters.
    """
    n, integer = kit.nearest_integer(x, math.log2(math.e))
    name = kit.format.name
    r = kit.subtract_product(x, n, _LN2[name])
    rest = kit.mad(kit.b.fmul(r, r), kit.polynomial(r, _EXP[name]), r)
    power = kit.power_of_two(integer)
    return kit.mad(rest, power, kit.b.fsub(power, kit.number(1.0)))


def _native_exp2(kit: FloatKit, exponent: Value, x: Value) -> Value:
    """2^exponent with an error that grows with |x|, and zero instead of subnormals; a NaN x stays."""
    b = kit.b
    low, high = _NATIVE_EXP2_RANGE[kit.format.name]
    inside = kit.clamp(exponent, low, high)
    n, integer = kit.nearest_integer(inside)
    rest = kit.b.fmul(kit.b.fsub(inside, n), kit.number(math.log(2.0)))
    # 2^n is too large for a factor at the upper end, 2^(n-1) is not.
    doubled = b.fmul(exp_of_rest(kit, rest), kit.number(2.0))
    value = b.fmul(doubled, kit.power_of_two(b.sub(integer, kit.bits(1))))
    value = b.select(b.fcmp("olt", exponent, kit.number(low)), kit.number(0.0), value)
    too_big = b.fcmp("oge", exponent, kit.number(high))
    value = b.select(too_big, kit.number(math.inf), value)
    return b.select(b.fcmp("uno", x, x), x, value)


def emit_log(kit: FloatKit, x: Value, native: bool) -> Value:
    """The natural logarithm."""
    if picks_pieces(kit.features):
        return emit_log_of_pieces(kit, x, "log")
    fraction, k = decompose(kit, x, native)
    return _special(kit, x, _log_of_fraction(kit, fraction, k))


def emit_log2(kit: FloatKit, x: Value, native: bool) -> Value:
    """The logarithm to base 2, exact for powers of two."""
    if picks_pieces(kit.features):
        return emit_log_of_pieces(kit, x, "log2")
    fraction, k = decompose(kit, x, native)
    rest = _log_of_fraction(kit, fraction, None)
    return _special(kit, x, kit.b.fadd(kit.b.fmul(rest, kit.number(math.log2(math.e))), k))


def emit_log10(kit: FloatKit, x: Value) -> Value:
    """The logarithm to base 10.

    The first half of the digits of f - f^2/2 is multiplied apart, by a factor of as few, so that the product is exact.
    """
    if picks_pieces(kit.features):
        return emit_log_of_pieces(kit, x, "log10")
    b = kit.b
    f, k = decompose(kit, x, False)
    half_square, correction = _terms(kit, f)
    (e, e_rest), (two, two_rest) = _LOG10_E[kit.format.name], _LOG10_2[kit.format.name]
    high = _leading(kit, b.fsub(f, half_square))
    low = b.fadd(b.fsub(b.fsub(f, high), half_square), correction)
    rest = kit.mad(k, kit.number(two_rest), b.fmul(b.fadd(high, low), kit.number(e_rest)))
    rest = kit.mad(low, kit.number(e), rest)
    product, whole = b.fmul(high, kit.number(e)), b.fmul(k, kit.number(two))
    total = b.fadd(whole, product)
    lost = b.fadd(b.fsub(whole, total), product)
    return _special(kit, x, b.fadd(total, b.fadd(rest, lost)))


def emit_log1p(kit: FloatKit, x: Value) -> Value:
    """The logarithm of 1 + x: what the sum lost when it was rounded is added to the fraction."""
    if picks_pieces(kit.features):
        return emit_log1p_of_pieces(kit, x)
    b = kit.b
    above, lost = one_more(kit, x)
    f, k = decompose(kit, above, True)
    _, exponent = kit.nearest_integer(b.fneg(k))
    scale = kit.power_of_two(b.smax(exponent, kit.bits(1 - kit.format.bias)))
    found = _log_of_fraction(kit, kit.mad(lost, scale, f), k)
    return kit.with_sign(_special(kit, above, found), x)


def _leading(kit: FloatKit, x: Value) -> Value:
    """The first half of the digits."""
    dropped = (kit.format.fraction + 1) // 2
    return kit.as_float(kit.b.and_(kit.as_integer(x), kit.bits(-(1 << dropped))))


def decompose(kit: FloatKit, x: Value, native: bool) -> tuple[Value, Value]:
    """`(m - 1, k)` with x = 2^k m and m in [sqrt(1/2), sqrt(2)); native forms take subnormals for zero."""
    b, layout = kit.b, kit.format
    shift = 0.0
    if not native:
        smallest = 2.0 ** (1 - layout.bias)
        tiny = b.fcmp("olt", x, kit.number(smallest))
        shift = layout.fraction + 1.0
        x = b.select(tiny, b.fmul(x, kit.number(2.0**shift)), x)
        offset = b.select(tiny, kit.number(-shift), kit.number(0.0))
    else:
        offset = kit.number(0.0)
    root = kit.as_integer(kit.number(math.sqrt(0.5)))
    distance = b.sub(kit.as_integer(x), root)
    mask = kit.bits((1 << layout.fraction) - 1)
    m = kit.as_float(b.add(b.and_(distance, mask), root))
    k = kit.small_integer_to_float(b.ashr(distance, kit.bits(layout.fraction)))
    return b.fsub(m, kit.number(1.0)), b.fadd(k, offset) if shift else k


def _log_of_fraction(kit: FloatKit, f: Value, k: Value | None) -> Value:
    """log(1 + f) + k ln(2)."""
    b = kit.b
    half_square, correction = _terms(kit, f)
    if k is None:
        return b.fsub(f, b.fsub(half_square, correction))
    high, low = _LN2[kit.format.name]
    correction = kit.mad(k, kit.number(low), correction)
    return kit.mad(k, kit.number(high), b.fsub(f, b.fsub(half_square, correction)))


def _terms(kit: FloatKit, f: Value) -> tuple[Value, Value]:
    """f^2/2, and what log(1 + f) is more than f - f^2/2."""
    b = kit.b
    s = b.fdiv(f, b.fadd(f, kit.number(2.0)))
    z = b.fmul(s, s)
    tail = b.fmul(z, kit.polynomial(z, _LOG[kit.format.name]))
    half_square = b.fmul(b.fmul(f, f), kit.number(0.5))
    return half_square, b.fmul(s, b.fadd(half_square, tail))


def _special(kit: FloatKit, x: Value, result: Value) -> Value:
    """Infinity and NaN stay, zero gives minus infinity, negative numbers NaN."""
    b = kit.b
    result = b.select(b.fcmp("olt", x, kit.number(math.inf)), result, x)
    result = b.select(b.fcmp("olt", x, kit.number(0.0)), kit.number(math.nan), result)
    return b.select(b.fcmp("oeq", x, kit.number(0.0)), kit.number(-math.inf), result)
