"""expm1, sinh, cosh for f32 and f64 on processors, each in its own format and without branches: within 2 ulp.

x = n ln(2) + r with |r| <= ln(2)/2. 2^n (e^r - 1) is 2^n r, to which 2^n - 1 is added first, plus terms of higher
order, which are too small for their rounding to count. sinh and cosh are of e^x / 2 and of a quarter over that. Powers
of two are halves of what is wanted, for results may be the largest numbers of the format.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from tilewright.targets.llvm import coefficients as table
from tilewright.targets.llvm.exp_log import exp_of_rest

if TYPE_CHECKING:
    from tilewright.targets.llvm.floatkit import FloatKit
    from tilewright.targets.llvm.values import Value

_EXP: Final = {"F32": table.EXP_F32, "F64": table.EXP_F64}
_SINH: Final = {"F32": table.SINH_F32, "F64": table.SINH_F64}
_LN2: Final = {"F32": table.LN2_F32, "F64": table.LN2_F64}

_EXPM1_RANGE: Final = {"F32": (-18.0, 89.0), "F64": (-38.0, 710.0)}
"""Beyond, e^x - 1 is -1, rounded to nearest, and infinite."""
_LARGEST: Final = {"F32": 90.0, "F64": 711.0}
"""From here on, sinh and cosh are infinite."""
_LEAST_SQUARE: Final = {"F32": 2.0**-25, "F64": 2.0**-54}
"""Numbers whose square is nothing beside them."""


def emit_expm1(kit: FloatKit, x: Value) -> Value:
    """e^x - 1: `2^n r + (2^n - 1)`, then the rest of 2^n (e^r - 1)."""
    b, name = kit.b, kit.format.name
    limited = kit.clamp(x, *_EXPM1_RANGE[name])
    n, integer = kit.nearest_integer(limited, math.log2(math.e))
    rest = kit.subtract_product(limited, n, _LN2[name])
    tail = b.fmul(b.fmul(rest, rest), kit.polynomial(rest, _EXP[name]))
    half = kit.power_of_two(b.sub(integer, kit.bits(1)))
    lead = kit.mad(half, rest, b.fsub(half, kit.number(0.5)))
    found = kit.mad(half, tail, lead)
    tiny = b.fcmp("olt", b.fabs(x), kit.number(_LEAST_SQUARE[name]))
    return b.select(tiny, x, b.fadd(found, found))


def emit_sinh(kit: FloatKit, x: Value) -> Value:
    """The hyperbolic sine: half the difference of e^x and e^-x from 1 on, where that does not cancel."""
    b = kit.b
    magnitude = b.fabs(x)
    square = b.fmul(x, x)
    near = kit.mad(b.fmul(magnitude, square), kit.polynomial(square, _SINH[kit.format.name]), magnitude)
    up, down = _halves(kit, magnitude)
    return kit.with_sign(b.select(b.fcmp("olt", magnitude, kit.number(1.0)), near, b.fsub(up, down)), x)


def emit_cosh(kit: FloatKit, x: Value) -> Value:
    """The hyperbolic cosine."""
    return kit.b.fadd(*_halves(kit, kit.b.fabs(x)))


def _halves(kit: FloatKit, magnitude: Value) -> tuple[Value, Value]:
    """e^x / 2 and e^-x / 2 for x from 0 on; the first may be finite where e^x is not."""
    b, name = kit.b, kit.format.name
    limited = kit.at_most(magnitude, _LARGEST[name])
    n, integer = kit.nearest_integer(limited, math.log2(math.e))
    power = exp_of_rest(kit, kit.subtract_product(limited, n, _LN2[name]))
    up = kit.scaled(power, b.fsub(n, kit.number(1.0)), b.sub(integer, kit.bits(1)))
    return up, b.fdiv(kit.number(0.25), up)
