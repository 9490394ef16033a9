"""The hyperbolic tangent without branches: 1 ulp in f32 where tables are picked from, else 1.5; 2.7 in f64.

AVX-512 picks 16 numbers out of 32 in one instruction. So the positive axis is cut into 32 pieces, of which each has a
polynomial about a point whose hyperbolic tangent is nearly an f32: what is added to that is small, and so is its error.
Elsewhere tanh is (e^2x - 1) / (e^2x + 1), of which e^2x - 1 is formed without cancellation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilewright.targets.llvm.coefficients import TANH_F32, TANH_PIECES_F32
from tilewright.targets.llvm.exp_log import emit_positive_expm1
from tilewright.targets.llvm.pieces import by_registers, picked
from tilewright.targets.llvm.types import scalar_of

if TYPE_CHECKING:
    from tilewright.targets.llvm.features import Features
    from tilewright.targets.llvm.floatkit import FloatKit
    from tilewright.targets.llvm.values import Value

_IS_ONE: Final = {"F32": 10.0, "F64": 20.0}
"""Where the hyperbolic tangent is 1 in a format, rounded to nearest."""
_IS_ONE_IN_PIECES: Final = 9.2
_NEAR_ZERO: Final = 0.35
_PIECES: Final = (0.8125, 0.5)
"""Pieces are where the leading bits of this factor times x plus this summand agree: 8 to a power of two."""
_PIECE_BITS: Final = 3


def picks_pieces(features: Features, ltype: str) -> bool:
    """Whether a target computes the hyperbolic tangent of a type by pieces from tables."""
    return features.tables and scalar_of(ltype) == "float"


def emit_tanh(kit: FloatKit, x: Value) -> Value:
    """The hyperbolic tangent; NaN stays, and so does the sign of zero."""
    if picks_pieces(kit.features, kit.ltype):
        return by_registers(kit, x, _of_pieces)
    return kit.with_sign(_of_exponential(kit, kit.b.fabs(x)), x)


def _of_exponential(kit: FloatKit, magnitude: Value) -> Value:
    """Near 0 a polynomial makes 1.5 ulp in f32 of what would be more."""
    b = kit.b
    magnitude = kit.at_most(magnitude, _IS_ONE[kit.format.name])
    power = emit_positive_expm1(kit, b.fadd(magnitude, magnitude))
    found = b.fdiv(power, b.fadd(power, kit.number(2.0)))
    if kit.format.name == "F32":
        square = b.fmul(magnitude, magnitude)
        tail = b.fmul(square, kit.polynomial(square, TANH_F32))
        near = b.fcmp("olt", magnitude, kit.number(_NEAR_ZERO))
        found = b.select(near, kit.mad(magnitude, tail, magnitude), found)
    return found


def _of_pieces(kit: FloatKit, x: Value) -> Value:
    b = kit.b
    magnitude = kit.at_most(b.fabs(x), _IS_ONE_IN_PIECES)
    factor, summand = _PIECES
    scaled = kit.as_integer(kit.mad(magnitude, kit.number(factor), kit.number(summand)))
    piece = b.lshr(scaled, kit.bits(kit.format.fraction - _PIECE_BITS))
    center, *coefficients = (picked(kit, table, piece) for table in TANH_PIECES_F32)
    distance = b.fsub(magnitude, center)
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = kit.mad(total, distance, coefficient)
    return kit.with_sign(total, x)
