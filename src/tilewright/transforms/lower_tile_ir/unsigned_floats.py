"""f8E5M3FNU, which the tile level does not have: its codes are `i8` there, and conversions turn them into numbers.

The exponents are those of f16 and one more; there is no sign and no infinity, and the last code is NaN.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, arith_floats
from tilewright.dialects.arith import Predicate
from tilewright.dialects.cuda_tile import types as cuda
from tilewright.ir.core import Value
from tilewright.ir.types import F32, F64, I8, I32, I64, ScalarType, element_of
from tilewright.transforms.lower_tile_ir.context import Lowering

_FRACTION: Final = 3
_BIAS: Final = 15
_LEAST_NORMAL: Final = 2.0**-14
_UNIT: Final = 2.0**-17
_BEYOND: Final = 2.0**17
_TOP: Final = 0xFE
_NAN: Final = 0xFF


class _Wide(Struct, frozen=True):
    """An IEEE format in which numbers are computed, and the integers of its size."""

    element: ScalarType
    integer: ScalarType
    fraction: int
    bias: int


_SINGLE: Final = _Wide(F32, I32, 23, 127)
_DOUBLE: Final = _Wide(F64, I64, 52, 1023)


def is_unsigned_float(value: Value) -> bool:
    """Whether a tile of Tile IR has such elements."""
    return isinstance(value.type, cuda.Tile) and value.type.element is cuda.F8E5M3FNU


def number(low: Lowering, value: Value) -> Value:
    """What a tile of floats became, as numbers: those that are codes here as f32."""
    found = low.value(value)
    return _decoded(low, found) if is_unsigned_float(value) else found


def code_of(bits: int) -> int:
    """A bit pattern as the `i8` that it is here."""
    return bits - 0x100 if bits >= 0x80 else bits


def special_code(number: float) -> int:
    """The `i8` of a zero, an infinity or NaN: there are no infinities."""
    return code_of(_NAN) if number else 0


def _decoded(low: Lowering, codes: Value) -> Value:
    """The fraction and exponent in their places, and the exponent rebased by an exact product."""
    bits = low.unsigned_cast(codes, I32)
    placed = low.b(arith.Shl(bits, low.constant(_SINGLE.fraction - _FRACTION, bits.type))).out
    found = low.bitcast(placed, F32)
    found = low.mul(found, low.constant(2.0 ** (_SINGLE.bias - _BIAS), found.type))
    missing = low.compare(Predicate.EQ, bits, low.constant(_NAN, bits.type))
    return low.select(missing, low.constant(math.nan, found.type), found)


def encoded(low: Lowering, x: Value, *, saturate: bool) -> Value:
    """The codes of the nearest numbers; what is too large becomes the largest number or NaN, what is negative NaN."""
    wide = _DOUBLE if element_of(x.type) is F64 else _SINGLE
    x = low.cast(x, wide.element)
    magnitude = low.b(arith.Abs(x)).out
    limited = low.b(arith_floats.MinimumNumber(magnitude, low.constant(_BEYOND, x.type))).out
    small = low.compare(Predicate.LT, limited, low.constant(_LEAST_NORMAL, x.type))
    code = low.select(small, _subnormal(low, limited, wide), _normal(low, limited, wide))
    code = low.b(arith.Min(code, low.constant(_TOP if saturate else _NAN, code.type))).out
    negative = low.compare(Predicate.LT, x, low.constant(0.0, x.type))
    below = low.and_(negative, low.compare(Predicate.NE, code, low.constant(0, code.type)))
    missing = low.or_(below, low.b(arith_floats.UnorderedCmp(Predicate.NE, x, x)).out)
    return low.unsigned_cast(low.select(missing, low.constant(_NAN, code.type), code), I8)


def _normal(low: Lowering, x: Value, wide: _Wide) -> Value:
    """Rounded to nearest even by an addition to the bits, which carries into the exponent."""
    shift = wide.fraction - _FRACTION
    bits = low.bitcast(x, wide.integer)
    amount = low.constant(shift, bits.type)
    even = low.and_(low.b(arith.Shr(bits, amount)).out, low.constant(1, bits.type))
    rebased = low.constant((1 << shift - 1) - 1 - (wide.bias - _BIAS << wide.fraction), bits.type)
    return low.b(arith.Shr(low.add(low.add(bits, rebased), even), amount)).out


def _subnormal(low: Lowering, x: Value, wide: _Wide) -> Value:
    """Rounded by an addition that brings the unit of the last place to that of the subnormal numbers."""
    magic = low.constant(_UNIT * 2.0**wide.fraction, x.type)
    aligned = low.bitcast(low.add(x, magic), wide.integer)
    return low.b(arith.Sub(aligned, low.bitcast(magic, wide.integer))).out
