"""atan2 of f32 on processors, in f32 and without branches: within 2 ulp.

The quotient of the smaller of both numbers and the larger one is in [0, 1], where one polynomial gives its angle. That
is taken from a quarter or a half turn, whose rest beyond f32 is added to the angle first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilewright.targets.llvm.coefficients import ATAN_F32, HALF_PI_PAIR_F32

if TYPE_CHECKING:
    from tilewright.targets.llvm.floatkit import FloatKit
    from tilewright.targets.llvm.values import Value

_QUARTER: Final = HALF_PI_PAIR_F32
_HALF: Final = tuple(2 * part for part in _QUARTER)


def emit_atan2(kit: FloatKit, y: Value, x: Value) -> Value:
    """The angle of the point (x, y); the signs of zeros count, infinities of both are on a diagonal."""
    b = kit.b
    zero = kit.number(0.0)
    height, width = b.fabs(y), b.fabs(x)
    steep = b.fcmp("ogt", height, width)
    low, high = b.select(steep, width, height), b.select(steep, height, width)
    diagonal = b.select(b.fcmp("oeq", high, zero), zero, kit.number(1.0))
    slope = b.select(b.fcmp("oeq", low, high), diagonal, b.fdiv(low, high))
    square = b.fmul(slope, slope)
    angle = kit.mad(b.fmul(slope, square), kit.polynomial(square, ATAN_F32), slope)
    left = b.icmp("slt", kit.as_integer(x), kit.bits(0))
    angle = b.select(b.xor(steep, left), b.fneg(angle), angle)
    from_high, from_low = (
        b.select(steep, kit.number(quarter), b.select(left, kit.number(half), zero))
        for quarter, half in zip(_QUARTER, _HALF, strict=True)
    )
    return kit.with_sign(b.fadd(from_high, b.fadd(angle, from_low)), y)
