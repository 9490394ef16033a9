"""Floats of eight and four bits and tf32: storage formats, connected with f32 by vector code on the bits.

Each lane of an 8- or 4-bit format is an `i8`. The exponent is rebased by an exact multiplication when widening, and the
rounding of subnormals is an addition when narrowing, so neither needs a branch, a table or a conversion instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilewright.numerics.arrays import array_of
from tilewright.numerics.formats import FLOAT_FORMATS
from tilewright.numerics.later import np
from tilewright.targets.llvm.types import lanes_of, vector
from tilewright.targets.llvm.values import Value, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.emitter import Builder

_INFINITY = 0x7F800000
_MAGNITUDE = 0x7FFFFFFF


FORMATS: Final = {name: FLOAT_FORMATS[name] for name in ("f8E4M3FN", "f8E5M2", "f4E2M1FN")}
POWERS: Final = "f8E8M0FNU"
SMALL: Final = frozenset({*FORMATS, POWERS})


def code_of(number: float, dtype: str) -> int:
    """The code of the number nearest to this one, as a signed integer of the size of the format.

    Where there is no zero the least number stands for it; where there are neither infinities nor NaN the largest does.
    """
    layout = FLOAT_FORMATS[dtype]
    found = np.asarray(array_of(layout, number))
    return int(found.view(f"i{found.itemsize}"))


def widen(b: Builder, value: Value, dtype: str) -> Value:
    """As f32, exactly."""
    lanes = lanes_of(value.type)
    i32, f32 = vector("i32", lanes), vector("float", lanes)
    bits = b.zext(value, i32)
    if dtype == POWERS:
        return _widen_power(b, bits, f32)
    layout = FORMATS[dtype]
    code = b.and_(bits, constant(i32, layout.sign - 1))
    placed = b.bitcast(b.shl(code, constant(i32, 23 - layout.mantissa)), f32)
    number = b.bitcast(b.fmul(placed, constant(f32, 2.0 ** (127 - layout.bias))), i32)
    if layout.beyond != layout.top:
        special = b.icmp("ugt", code, constant(i32, layout.top))
        fraction = b.shl(b.sub(code, constant(i32, layout.beyond)), constant(i32, 21))
        infinite = layout.beyond != layout.nan
        beyond = b.or_(fraction, constant(i32, _INFINITY)) if infinite else constant(i32, _INFINITY | 1 << 22)
        number = b.select(special, beyond, number)
    sign = b.shl(b.and_(bits, constant(i32, layout.sign)), constant(i32, 32 - layout.sign.bit_length()))
    return b.bitcast(b.or_(number, sign), f32, hint="wide")


def _widen_power(b: Builder, bits: Value, f32: str) -> Value:
    """An exponent alone: code 0 is the subnormal 2^-127, code 255 NaN."""
    number = b.shl(bits, constant(bits.type, 23))
    number = b.select(b.icmp("eq", bits, constant(bits.type, 0)), constant(bits.type, 1 << 22), number)
    nan = constant(bits.type, _INFINITY | 1 << 22)
    return b.bitcast(b.select(b.icmp("eq", bits, constant(bits.type, 255)), nan, number), f32, hint="wide")


def narrow(b: Builder, value: Value, dtype: str, *, saturate: bool = True) -> Value:
    """An f32 rounded to nearest even; beyond the largest number that number, or infinity (NaN where there is none)."""
    if dtype == POWERS:
        return narrow_power(b, value, up=False, nearest=True)
    lanes, layout = lanes_of(value.type), FORMATS[dtype]
    i32 = vector("i32", lanes)
    bits = b.bitcast(value, i32)
    magnitude = b.and_(bits, constant(i32, _MAGNITUDE))
    # Twice the largest number is out of range in any case, and within that no rounding overflows the code.
    limit = b.umin(magnitude, _bits_of_number(b, value.type, 2 * layout.largest))
    shift = 23 - layout.mantissa
    even = b.and_(b.lshr(limit, constant(i32, shift)), constant(i32, 1))
    rebased = b.add(limit, constant(i32, (1 << shift - 1) - 1 - (127 - layout.bias << 23)))
    normal = b.lshr(b.add(rebased, even), constant(i32, shift))
    # Adding this number puts the unit of the last place at that of the subnormals: the addition rounds.
    magic = 2.0 ** (24 - layout.bias - layout.mantissa)
    aligned = b.bitcast(b.fadd(b.bitcast(limit, value.type), constant(value.type, magic)), i32)
    subnormal = b.sub(aligned, _bits_of_number(b, value.type, magic))
    least = _bits_of_number(b, value.type, 2.0 ** (1 - layout.bias))
    code = b.select(b.icmp("ult", magnitude, least), subnormal, normal)
    top = constant(i32, layout.top)
    code = b.umin(code, top) if saturate else b.select(b.icmp("ugt", code, top), constant(i32, layout.beyond), code)
    sign = b.and_(b.lshr(bits, constant(i32, 32 - layout.sign.bit_length())), constant(i32, layout.sign))
    code = b.or_(code, sign)
    nan = constant(i32, layout.nan)
    if layout.nan != layout.top:
        nan = b.or_(nan, sign)
    code = b.select(b.icmp("ugt", magnitude, constant(i32, _INFINITY)), nan, code)
    return b.trunc(code, vector("i8", lanes), hint="narrow")


def narrow_power(b: Builder, value: Value, *, up: bool, nearest: bool = False) -> Value:
    """The power of two next to the magnitude, between 2^-127 and 2^127; NaN stays."""
    lanes = lanes_of(value.type)
    i32 = vector("i32", lanes)
    magnitude = b.and_(b.bitcast(value, i32), constant(i32, _MAGNITUDE))
    step = 0x400000 if nearest else 0x7FFFFF if up else 0
    code = b.lshr(b.add(magnitude, constant(i32, step)), constant(i32, 23))
    if up or nearest:
        # Below the normal numbers the fraction counts from 2^-127 on, which is code 0.
        small = b.icmp("ule", magnitude, constant(i32, 0x600000 - 1 if nearest else 0x400000))
        code = b.select(small, constant(i32, 0), code)
    code = b.umin(code, constant(i32, 254))
    code = b.select(b.icmp("ugt", magnitude, constant(i32, _INFINITY)), constant(i32, 255), code)
    return b.trunc(code, vector("i8", lanes), hint="narrow")


def narrow_tf32(b: Builder, value: Value) -> Value:
    """An f32 with the low 13 bits rounded away, to nearest even."""
    i32 = vector("i32", lanes_of(value.type))
    bits = b.bitcast(value, i32)
    odd = b.and_(b.lshr(bits, constant(i32, 13)), constant(i32, 1))
    rounded = b.and_(b.add(b.add(bits, constant(i32, 0xFFF)), odd), constant(i32, -0x2000))
    quiet = b.and_(b.or_(bits, constant(i32, 1 << 22)), constant(i32, -0x2000))
    return b.bitcast(b.select(b.fcmp("uno", value, value), quiet, rounded), value.type, hint="narrow")


def _bits_of_number(b: Builder, f32: str, number: float) -> Value:
    return b.bitcast(constant(f32, number), vector("i32", lanes_of(f32)))
