"""Elementwise operations of `arith` and `math` on operands of any number of lanes."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import arith, math
from tilewright.ir import core
from tilewright.ir.types import element_of
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Value


def is_elementwise(op: core.Operation) -> bool:
    """Whether `compute` knows the operation."""
    return op.name.startswith(("arith.", "math.")) and not isinstance(op, arith.Constant)


def compute(lowering: Arithmetic, op: core.Operation, dtypes: Sequence[str], operands: Sequence[Operand]) -> Operand:
    """Emit the operation on operands of the given element types."""
    word = op.name.partition(".")[2]
    match op:
        case arith.Cmp():
            return lowering.compare(op.predicate.value, dtypes[0], operands[0], operands[1])
        case arith.Cast():
            element = element_of(op.out.type)
            assert element is not None
            return lowering.cast(operands[0], dtypes[0], element.name)
        case arith.Select():
            condition = operands[0]
            assert isinstance(condition, Value)
            return lowering.select(condition, operands[1], operands[2])
        case math.Cos() | math.Sin() | math.Exp() | math.Exp2() | math.Log() | math.Log2():
            return lowering.math(f"native_{word}" if op.native else word, dtypes[0], operands[0])
        case _:
            return lowering.lower(word, dtypes[0], *operands)
