"""Which operations work element by element: those that the tensor language has, and those beyond."""

from __future__ import annotations

from typing import Final

from tilewright.dialects import arith, math
from tilewright.dialects import arith_floats as floats
from tilewright.dialects import arith_integers as integers
from tilewright.ir.definition import Operation

BINARY: Final[tuple[type[Operation], ...]] = (
    arith.Add,
    arith.Sub,
    arith.Mul,
    arith.Div,
    arith.Rem,
    arith.Max,
    arith.Min,
    arith.Shl,
    arith.Shr,
    arith.And,
    arith.Or,
    arith.Xor,
)
UNARY: Final[tuple[type[Operation], ...]] = (
    arith.Abs,
    arith.Neg,
    arith.Not,
    arith.Conj,
    arith.Re,
    arith.Im,
)
ELEMENTARY: Final[tuple[type[Operation], ...]] = (
    math.Cos,
    math.Sin,
    math.Exp,
    math.Exp2,
    math.Log,
    math.Log2,
)
LANGUAGE: Final = (*BINARY, *UNARY, *ELEMENTARY, arith.Cmp, arith.Cast, arith.Fma)
"""Those of the tensor language; `arith.select` chooses between values and is none."""
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
    math.Log10,
    math.Log1p,
    math.Expm1,
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
