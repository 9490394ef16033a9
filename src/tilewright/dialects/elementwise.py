"""Which operations work element by element, beyond those that the tensor language has."""

from __future__ import annotations

from typing import Final

from tilewright.dialects import arith_floats as floats
from tilewright.dialects import arith_integers as integers
from tilewright.dialects import math
from tilewright.ir.definition import Operation

INTEGERS: Final[tuple[type[Operation], ...]] = (
    integers.UDiv,
    integers.URem,
    integers.CeilDiv,
    integers.FloorDiv,
    integers.UCeilDiv,
    integers.UMax,
    integers.UMin,
    integers.UShr,
    integers.UMulHigh,
    integers.UCmp,
    integers.UCast,
    integers.Bitcast,
)
FLOATS: Final[tuple[type[Operation], ...]] = (
    floats.RoundedAdd,
    floats.RoundedSub,
    floats.RoundedMul,
    floats.RoundedDiv,
    floats.RoundedSqrt,
    floats.RoundedFma,
    floats.RoundedCast,
    floats.Maximum,
    floats.Minimum,
    floats.MaximumNumber,
    floats.MinimumNumber,
    floats.OrderedCmp,
    floats.UnorderedCmp,
    floats.Flush,
)
FUNCTIONS: Final[tuple[type[Operation], ...]] = (
    math.Tan,
    math.Sinh,
    math.Cosh,
    math.Tanh,
    math.Sqrt,
    math.Rsqrt,
    math.Ceil,
    math.Floor,
    math.Atan2,
    math.Pow,
)
EXTENDED: Final = (*INTEGERS, *FLOATS, *FUNCTIONS)
