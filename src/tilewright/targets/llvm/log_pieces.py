"""Logarithms by pieces, within 0.9 ulp: for vectors of AVX-512, which take floats apart and pick from tables.

x = 2^k m with m in [1, 2), also where x is subnormal. Significands are in 32 pieces in f32, 16 in f64. Each has an
r of few digits, about one over its middle, so that z = m r - 1 is small, and exact. Then log x is the sum of k log 2 -
log r, whose terms come in two parts so that the sum of the first is exact, and of log(1 + z), a polynomial. Next to 1
the r are 1, and 1/2 on the other side, where k is -1: nothing but log(1 + z) is left of x there.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from tilewright.targets.llvm import log_tables as table
from tilewright.targets.llvm.floatkit import CURRENT_ROUNDING, VECTOR_BITS
from tilewright.targets.llvm.pieces import by_registers, picked
from tilewright.targets.llvm.values import constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilewright.targets.llvm.features import Features
    from tilewright.targets.llvm.floatkit import FloatKit
    from tilewright.targets.llvm.values import Value

_FROM_ONE_TO_TWO_OR_NAN: Final = 8
"""Which significand is asked for, and of what: there is none of negative numbers but -0."""


class Form(NamedTuple):
    """A base in a format: log 2 and log e in two parts each, then both parts of what pieces are away from 1."""

    factors: Sequence[float]
    pieces: Sequence[Sequence[float]]


FORMS: Final = {
    "log": {
        "F32": Form(table.LOG_FACTORS_F32, table.LOG_PIECES_F32),
        "F64": Form(table.LOG_FACTORS_F64, table.LOG_PIECES_F64),
    },
    "log2": {
        "F32": Form(table.LOG2_FACTORS_F32, table.LOG2_PIECES_F32),
        "F64": Form(table.LOG2_FACTORS_F64, table.LOG2_PIECES_F64),
    },
    "log10": {
        "F32": Form(table.LOG10_FACTORS_F32, table.LOG10_PIECES_F32),
        "F64": Form(table.LOG10_FACTORS_F64, table.LOG10_PIECES_F64),
    },
}
_RECIPROCALS: Final = {"F32": table.LOG_RECIPROCALS_F32, "F64": table.LOG_RECIPROCALS_F64}
_SERIES: Final = {"F32": table.LOG_SERIES_F32, "F64": table.LOG_SERIES_F64}


def picks_pieces(features: Features) -> bool:
    """Whether a target computes logarithms by pieces from tables."""
    return features.tables


def emit_log_of_pieces(kit: FloatKit, x: Value, op: str) -> Value:
    """log, log2 or log10: minus infinity of zeros, NaN of negative numbers; infinity and NaN stay."""
    form = FORMS[op][kit.format.name]
    return by_registers(kit, x, lambda register, lanes: _of_register(register, lanes, form))


def emit_log1p_of_pieces(kit: FloatKit, x: Value) -> Value:
    """The logarithm of 1 + x, with the sign of x: what the sum loses when it is rounded is added to z."""
    form = FORMS["log"][kit.format.name]

    def of_register(register: FloatKit, lanes: Value) -> Value:
        above, lost = one_more(register, lanes)
        found = _of_register(register, above, form, lost)
        finite = register.b.fcmp("olt", lanes, register.number(math.inf))
        return register.with_sign(register.b.select(finite, found, lanes), lanes)

    return by_registers(kit, x, of_register)


def one_more(kit: FloatKit, x: Value) -> tuple[Value, Value]:
    """1 + x, rounded, and what the sum is more (Knuth); that is NaN of infinities."""
    b, one = kit.b, kit.number(1.0)
    above = b.fadd(one, x)
    part = b.fsub(above, x)
    return above, b.fadd(b.fsub(x, b.fsub(above, part)), b.fsub(one, part))


def _of_register(kit: FloatKit, x: Value, form: Form, more: Value | None = None) -> Value:
    """Of x plus a number that is much smaller, if one is given."""
    b, name = kit.b, kit.format.name
    exponent, significand = _apart(kit, x)
    reciprocals, series = _RECIPROCALS[name], _SERIES[name]
    piece = b.lshr(kit.as_integer(significand), kit.bits(kit.format.fraction - (len(reciprocals) - 1).bit_length()))
    reciprocal = picked(kit, reciprocals, piece)
    z = b.fma(significand, reciprocal, kit.number(-1.0))
    if more is not None:
        z = b.fma(b.fmul(more, _inverse_power(kit, x)), reciprocal, z)
    (two, two_rest, e, e_rest), (high, low) = form.factors, (picked(kit, part, piece) for part in form.pieces)
    high = b.fma(exponent, kit.number(two), high)
    if two_rest:  # no multiple of it is NaN then: both are positive
        low = b.fma(exponent, kit.number(two_rest), low)
    tail = kit.polynomial(z, [(e + e_rest) * coefficient for coefficient in series])
    if e == 1.0:
        return b.fadd(high, b.fadd(z, b.fma(b.fmul(z, z), tail, low)))
    tail = b.fma(z, b.fma(z, tail, kit.number(e_rest)), low)
    return b.fadd(high, b.fma(z, kit.number(e), tail))


def _inverse_power(kit: FloatKit, x: Value) -> Value:
    """One over the power of two in x, 0 from the last one on."""
    b, layout = kit.b, kit.format
    largest = kit.bits((1 << layout.bits - 1) - (1 << layout.fraction))
    power = b.and_(kit.as_integer(x), largest)
    return kit.as_float(b.sub(kit.bits(2 * layout.bias << layout.fraction), power))


def _apart(kit: FloatKit, x: Value) -> tuple[Value, Value]:
    """The exponent, infinite where x is or is 0, and the significand in [1, 2)."""
    b, bits = kit.b, VECTOR_BITS[-1]
    letter = "s" if kit.format.bits == 32 else "d"
    mask, rounding = constant(f"i{kit.lanes}", -1), constant("i32", CURRENT_ROUNDING)
    kind = constant("i32", _FROM_ONE_TO_TWO_OR_NAN)
    name = "llvm.x86.avx512.mask.get{}.p" + f"{letter}.{bits}"
    exponent = b.intrinsic(name.format("exp"), kit.ltype, [x, x, mask, rounding], overload=())
    significand = b.intrinsic(name.format("mant"), kit.ltype, [x, kind, x, mask, rounding], overload=())
    return exponent, significand
