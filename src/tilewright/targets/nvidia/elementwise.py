"""Elementwise operations (`arith`, `math`) on one element: a scalar, a slot of a register tile, one on demand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tilewright.dialects import arith, math
from tilewright.ir.core import Operation
from tilewright.ir.types import ScalarType, element_of
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Value
from tilewright.targets.nvidia.values import Operand

_PLAIN: Final[tuple[type[Operation], ...]] = (
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
    arith.Abs,
    arith.Neg,
    arith.Not,
    arith.Conj,
    arith.Re,
    arith.Im,
    arith.Fma,
)
_MATH: Final[tuple[type[Operation], ...]] = (math.Cos, math.Sin, math.Exp, math.Exp2, math.Log, math.Log2)
ELEMENTWISE: Final[frozenset[type[Operation]]] = frozenset(
    {*_PLAIN, *_MATH, arith.Constant, arith.Cmp, arith.Cast, arith.Select}
)
_NAMES: Final[dict[type[Operation], str]] = {cls: cls.name.split(".")[1] for cls in (*_PLAIN, *_MATH)}


def element_type(op: Operation, operand: int = 0) -> ScalarType:
    """Element type of an operand."""
    found = element_of(op.operands[operand].type)
    assert found is not None
    return found


def result_type(op: Operation) -> ScalarType:
    """Element type of the result."""
    found = element_of(op.results[0].type)
    assert found is not None
    return found


def apply(arithmetic: Arithmetic, op: Operation, operands: Sequence[Operand]) -> Operand:
    """Emit the operation on one element."""
    match op:
        case arith.Constant():
            return arithmetic.constant(result_type(op).name, op.value)
        case arith.Cmp():
            return arithmetic.compare(op.predicate.value, element_type(op).name, operands[0], operands[1])
        case arith.Cast():
            return arithmetic.cast(operands[0], element_type(op).name, result_type(op).name)
        case arith.Select():
            return arithmetic.select(cast("Value", operands[0]), operands[1], operands[2])
        case _:
            native = "native_" if op.attributes.get("native") else ""
            return arithmetic.lower(native + _NAMES[type(op)], element_type(op).name, *operands)
