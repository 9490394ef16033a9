"""The exact floating-point remainder as an emitted function: no math library, equal answers everywhere.

Long division on the integer significands: with |x| = mx 2^ex and |y| = my 2^ey the remainder is (mx 2^(ex-ey) mod my)
2^ey, and the power of two is applied in chunks that fit 64 bits. Most calls need one chunk; the worst need 7 (f32) or
191 (f64).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.targets.llvm.emitter import Builder
from tilewright.targets.llvm.values import Value, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.module import Callee, Module


def emit_fmod(module: Module, bits: int) -> Callee:
    """The function `T tilewright.fmod.fN(T x, T y)` for N = 32 or 64, defined on first use."""
    name = f"tilewright.fmod.f{bits}"
    known = module.defined(name)
    if known:
        return known
    ltype = "float" if bits == 32 else "double"
    function = module.function(name, ltype, [(ltype, "x"), (ltype, "y")], linkage="internal")
    x, y = function.arguments
    _emit_body(Builder(function), bits, x, y)
    return function.callee


def _emit_body(b: Builder, bits: int, x: Value, y: Value) -> None:
    integer = f"i{bits}"
    top = constant(integer, 1 << (bits - 1))
    x_bits, y_bits = b.bitcast(x, integer), b.bitcast(y, integer)
    sign = b.and_(x_bits, top)
    ax, ay = b.xor(x_bits, sign), b.and_(y_bits, constant(integer, (1 << (bits - 1)) - 1))
    infinity = constant(integer, ((1 << (8 if bits == 32 else 11)) - 1) << (23 if bits == 32 else 52))
    # One unsigned test finds y = 0, which wraps to the largest number, and y = NaN; an infinite y is larger than any x.
    odd_y = b.icmp("uge", b.sub(ay, constant(integer, 1)), infinity)
    invalid = b.or_(odd_y, b.icmp("uge", ax, infinity))
    with b.if_then(invalid, likely=False):
        b.ret(constant(x.type, float("nan")))
    with b.if_then(b.icmp("ult", ax, ay)):
        b.ret(x)
    magnitude = _long_division(b, bits, ax, ay)
    b.ret(b.bitcast(b.or_(b.bitcast(magnitude, integer), sign), x.type))


def _long_division(b: Builder, bits: int, ax: Value, ay: Value) -> Value:
    fraction_bits = 23 if bits == 32 else 52
    chunk = 63 - fraction_bits
    x_significand, x_exponent = _decompose(b, ax, fraction_bits)
    y_significand, y_exponent = _decompose(b, ay, fraction_bits)
    start = b.urem(x_significand, y_significand)
    with b.while_loop([start, b.sub(x_exponent, y_exponent)]) as loop:
        remainder, shift = loop.carried
        b.leave_unless(loop, b.icmp("sgt", shift, constant("i64", 0)))
        step = b.smin(shift, constant("i64", chunk))
        loop.yield_(b.urem(b.shl(remainder, step), y_significand), b.sub(shift, step))
    # Both products are exact: the result is a multiple of the unit of y, below y.
    ltype = "float" if bits == 32 else "double"
    fraction = b.fmul(b.cast("uitofp", loop.results[0], ltype), constant(ltype, 2.0**-fraction_bits))
    scale = b.shl(b.resize(y_exponent, ax.type), constant(ax.type, fraction_bits))
    return b.fmul(fraction, b.bitcast(scale, ltype))


def _decompose(b: Builder, magnitude: Value, fraction_bits: int) -> tuple[Value, Value]:
    """Significand and biased exponent as i64; subnormals have exponent 1 and no implicit bit."""
    wide = b.zext(magnitude, "i64")
    stored = b.lshr(wide, constant("i64", fraction_bits))
    fraction = b.and_(wide, constant("i64", (1 << fraction_bits) - 1))
    normal = b.icmp("ne", stored, constant("i64", 0))
    significand = b.select(normal, b.or_(fraction, constant("i64", 1 << fraction_bits)), fraction)
    return significand, b.select(normal, stored, constant("i64", 1))
