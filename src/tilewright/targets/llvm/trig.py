"""sin, cos and tan for f32 and f64, right for all finite arguments.

|x| = n pi/2 + r with |r| <= pi/4, then polynomials for sin(r) and cos(r), of which n selects one, or for tan(r). Up to
about 2^11 (f32) or 2^20 (f64) multiples the reduction subtracts n pi/2 in four parts (Cody and Waite: all products but
the last are exact). Larger arguments take a branch that vectors share, and multiply the significand by the window of
2/pi that its exponent selects (Payne and Hanek), in integer arithmetic with at least 2^-62 (f32) or 2^-124 (f64)
absolute precision: enough, as no f32 is closer to a multiple of pi/2 than about 2^-30 and no f64 than about 2^-61. That
rest is rounded once; that of smaller arguments, too, where it is the tangent's, and else as often as it is subtracted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tilewright.targets.llvm import coefficients as table
from tilewright.targets.llvm.floatkit import FloatKit
from tilewright.targets.llvm.payne_hanek import emit_reduction
from tilewright.targets.llvm.types import vector

if TYPE_CHECKING:
    from tilewright.targets.llvm.values import Value

_Subtract: TypeAlias = "Callable[[FloatKit, Value, Value, Sequence[float]], Value]"

_SIN = {"F32": table.SIN_F32, "F64": table.SIN_F64}
_COS = {"F32": table.COS_F32, "F64": table.COS_F64}
_TAN = {"F32": table.TAN_F32, "F64": table.TAN_F64}
_HALF_PI = {"F32": table.HALF_PI_F32, "F64": table.HALF_PI_F64}
_QUICK_LIMIT = {"F32": 2.0**11 * math.pi / 2, "F64": 2.0**20 * math.pi / 2}


def emit_sin(kit: FloatKit, x: Value, native: bool) -> Value:
    """The sine: the sign of x times that of the half turn."""
    b = kit.b
    magnitude = b.fabs(x)
    rest, quadrant = _reduce(kit, magnitude, native)
    value = _pick(kit, rest, quadrant)
    sign = b.and_(kit.as_integer(x), kit.bits(-1 << kit.format.bits - 1))
    return _finish(kit, x, b.xor(_with_turns(kit, value, quadrant), sign))


def emit_cos(kit: FloatKit, x: Value, native: bool) -> Value:
    """The cosine: the sine a quarter turn later."""
    rest, quadrant = _reduce(kit, kit.b.fabs(x), native)
    quadrant = kit.b.add(quadrant, kit.bits(1))
    return _finish(kit, x, _with_turns(kit, _pick(kit, rest, quadrant), quadrant))


def emit_tan(kit: FloatKit, x: Value) -> Value:
    """The tangent: that of the rest, or minus one over it a quarter turn later; within 3 ulp.

    2.7 by parts, where one over it is just below a power of two: 1.1 since r is half a unit off, 1.1 since its tangent
    is 0.6 off, and 0.5 for the division.
    """
    b = kit.b
    rest, quadrant = _reduce(kit, b.fabs(x), False, _closely)
    square = b.fmul(rest, rest)
    near = kit.mad(b.fmul(rest, square), kit.polynomial(square, _TAN[kit.format.name]), rest)
    odd = b.icmp("ne", b.and_(quadrant, kit.bits(1)), kit.bits(0))
    value = b.select(odd, b.fdiv(kit.number(1.0), near), near)
    sign = b.and_(kit.as_integer(x), kit.bits(-1 << kit.format.bits - 1))
    turned = b.shl(quadrant, kit.bits(kit.format.bits - 1))
    return _finish(kit, x, b.xor(b.xor(kit.as_integer(value), turned), sign))


def _with_turns(kit: FloatKit, value: Value, quadrant: Value) -> Value:
    """The bits of the value, negated in the third and fourth quadrant."""
    b = kit.b
    turned = b.shl(b.lshr(quadrant, kit.bits(1)), kit.bits(kit.format.bits - 1))
    return b.xor(kit.as_integer(value), turned)


def _finish(kit: FloatKit, x: Value, bits: Value) -> Value:
    """NaN for infinities and NaN."""
    b = kit.b
    finite = b.fcmp("olt", b.fabs(x), kit.number(math.inf))
    return b.select(finite, kit.as_float(bits), b.fsub(x, x))


def _closely(kit: FloatKit, x: Value, n: Value, parts: Sequence[float]) -> Value:
    """`x - n * sum(parts)`, rounded once: what the others round off (the first part nothing) is added at last."""
    b, (first, *others, last) = kit.b, parts
    rest, lost = kit.mad(n, kit.number(-first), x), kit.number(0.0)
    for part in others:
        product = b.fmul(n, kit.number(-part))
        total = b.fadd(rest, product)
        added = b.fsub(total, rest)
        lost = b.fadd(lost, b.fadd(b.fsub(rest, b.fsub(total, added)), b.fsub(product, added)))
        rest = total
    return b.fadd(rest, kit.mad(n, kit.number(-last), lost))


def _reduce(
    kit: FloatKit, magnitude: Value, native: bool, subtract: _Subtract = FloatKit.subtract_product
) -> tuple[Value, Value]:
    """The rest r and an integer congruent to n modulo 4; native forms are inaccurate beyond the quick range."""
    n, quadrant = kit.nearest_integer(magnitude, 2 / math.pi)
    rest = subtract(kit, magnitude, n, _HALF_PI[kit.format.name])
    if native:
        return rest, quadrant
    b = kit.b
    large = b.fcmp("oge", magnitude, kit.number(_QUICK_LIMIT[kit.format.name]))
    any_large = large if kit.lanes == 1 else b.reduce("or", large)
    with b.if_else(any_large, likely=False) as branch:
        with branch.then():
            callee = emit_reduction(b.module, kit.features, kit.ltype)
            pair = b.call(callee, [magnitude])
            slow_rest = b.extract_value(pair, kit.ltype, 0)
            slow_quadrant = b.extract_value(pair, vector(f"i{kit.format.bits}", kit.lanes), 1)
            branch.yield_(b.select(large, slow_rest, rest), b.select(large, slow_quadrant, quadrant))
        with branch.otherwise():
            branch.yield_(rest, quadrant)
    return branch.results[0], branch.results[1]


def _pick(kit: FloatKit, r: Value, quadrant: Value) -> Value:
    """sin(r) for even quadrants, cos(r) for odd ones."""
    b, name = kit.b, kit.format.name
    square = b.fmul(r, r)
    sine = kit.mad(b.fmul(r, square), kit.polynomial(square, _SIN[name]), r)
    cosine = kit.mad(b.fmul(square, square), kit.polynomial(square, _COS[name]), _cosine_head(kit, square))
    odd = b.icmp("ne", b.and_(quadrant, kit.bits(1)), kit.bits(0))
    return b.select(odd, cosine, sine)


def _cosine_head(kit: FloatKit, square: Value) -> Value:
    """1 - r^2 / 2; the product with 1/2 is exact, so one rounding remains."""
    return kit.b.fsub(kit.number(1.0), kit.b.fmul(square, kit.number(0.5)))
