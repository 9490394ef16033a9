"""Many f32 by the same divisor: its reciprocal once, then a multiplication and the correction of its error for each.

`q = x r`, `q + r (x - s q)` is x / s rounded to nearest (Markstein) if r is 1 / s rounded to nearest, as long as
nothing on the way is too large or so small that it has lost digits. The unit's reciprocal, wrong by a digit or two in
the last place, becomes that r by two steps of Newton, but for the largest significand there is. Whether all this is so
is asked of several dividends together; where it is not, each of them is divided by itself. Of quotients that are
rounded to f16 the lost digits of what is so small are none: they become zeros of the right sign.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final

from tilewright.targets.llvm.emitter import Builder, Callee, Value, constant, i32
from tilewright.targets.nvidia.context import KernelContext

_LEAST: Final = 4
"""Dividends of one divisor for which all this pays."""

_DOUBLE_FRACTION: Final = (1 << 52) - 1
"""Of f64, as which LLVM writes f32: powers of two, zeros and infinities have none."""

_AT_ONCE: Final = 8
"""Dividends that are tested together, and are there beside their quotients."""

_STEPS: Final = 2
"""Of Newton. With one the reciprocals of 0xfffffd and 0xfffffb may stay wrong in their last place."""

_SIGNIFICAND: Final = (1 << 23) - 1
"""The stored digits; all ones are the one divisor whose steps may end beside the nearest reciprocal."""

_DIVISORS: Final = (2.0**-24, 2.0**24)
_LEAST_DIVIDEND: Final = 2.0**-100
"""Any quotient is a normal number, and what is left of a dividend has all its digits."""


def pays(dividends: Sequence[Value], divisor: Value) -> bool:
    """Whether there are enough dividends; LLVM multiplies by the reciprocal of a known power of two itself."""
    is_power = divisor.text.startswith("0x") and int(divisor.text, 16) & _DOUBLE_FRACTION == 0
    return len(dividends) >= _LEAST and not is_power


def quotients(ctx: KernelContext, dividends: Sequence[Value], divisor: Value, *, tiny: bool = True) -> list[Value]:
    """Each dividend over the divisor, of f32, rounded to nearest; below 2^-70 only if `tiny` ones matter."""
    b = ctx.b
    reciprocal, moderate = _reciprocal(b, divisor), _is_moderate(b, divisor)
    found: list[Value] = []
    for first in range(0, len(dividends), _AT_ONCE):
        part = dividends[first : first + _AT_ONCE]
        likely = [_quotient(b, dividend, divisor, reciprocal) for dividend in part]
        right = _are_finite(b, likely)
        if tiny:
            right = b.and_(_are_not_tiny(b, part), right)
        with b.if_else(b.and_(moderate, right), likely=True) as branch:
            with branch.then():
                branch.yield_(*likely)
            with branch.otherwise():
                divide = _division(ctx)
                branch.yield_(*(b.call(divide, [dividend, divisor]) for dividend in part))
        found += branch.results
    return found


def _reciprocal(b: Builder, divisor: Value) -> Value:
    about = b.intrinsic("llvm.nvvm.rcp.approx.ftz.f", "float", [divisor], overload=())
    for _ in range(_STEPS):
        error = b.fma(b.fneg(divisor), about, constant("float", 1.0))
        about = b.fma(about, error, about)
    return about


def _quotient(b: Builder, dividend: Value, divisor: Value, reciprocal: Value) -> Value:
    about = b.fmul(dividend, reciprocal)
    # the excess rather than what is left: so a zero keeps its sign
    excess = b.fma(divisor, about, b.fneg(dividend))
    return b.fma(b.fneg(reciprocal), excess, about)


def _is_moderate(b: Builder, divisor: Value) -> Value:
    """Whether the divisor is positive, not small and not large, and its reciprocal that of all its digits."""
    least, most = (_bits(number) for number in _DIVISORS)
    bits = b.bitcast(divisor, "i32")
    is_between = b.icmp("ule", b.sub(bits, i32(least)), i32(most - least))
    return b.and_(is_between, b.icmp("ne", b.and_(bits, i32(_SIGNIFICAND)), i32(_SIGNIFICAND)))


def _are_not_tiny(b: Builder, dividends: Sequence[Value]) -> Value:
    """Whether each dividend is 0 or large enough."""
    # without its sign, and one less, so that 0 is the largest
    sizes = [b.sub(b.shl(b.bitcast(dividend, "i32"), i32(1)), i32(1)) for dividend in dividends]
    smallest = _combined(sizes, lambda x, y: b.intrinsic("llvm.umin", "i32", [x, y]))
    return b.icmp("uge", smallest, i32(2 * _bits(_LEAST_DIVIDEND) - 1))


def _are_finite(b: Builder, found: Sequence[Value]) -> Value:
    """Whether each quotient is; their sum is not if one is not."""
    return b.fcmp("olt", b.fabs(_combined(found, b.fadd)), constant("float", float("inf")))


def _combined(values: Sequence[Value], combine: Callable[[Value, Value], Value]) -> Value:
    """By a tree."""
    while len(values) > 1:
        rest = values[len(values) & ~1 :]
        values = [*(combine(x, y) for x, y in zip(values[::2], values[1::2], strict=False)), *rest]
    return values[0]


def _bits(number: float) -> int:
    """Of an f32."""
    (bits,) = struct.unpack("<i", struct.pack("<f", number))
    return bits


def _division(ctx: KernelContext) -> Callee:
    """The function that divides one number, defined on first use: what is rare takes little code."""
    name = "tilewright.quotient.f32"
    known = ctx.module.defined(name)
    if known:
        return known
    parameters = [("float", "x"), ("float", "y")]
    function = ctx.module.function(
        name, "float", parameters, linkage="internal", attributes="nounwind noinline memory(none)"
    )
    b = Builder(function)
    x, y = function.arguments
    b.ret(b.fdiv(x, y))
    return function.callee
