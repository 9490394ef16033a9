"""Elementwise operations (`arith`, `math`) on one element: a scalar, a slot of a register tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.dialects import arith
from tilewright.ir.core import Operation
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import element_of
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.elementwise import compute
from tilewright.targets.nvidia.values import Operand

COMPUTED: Final = (arith.Constant, Elementwise)
"""What `apply` computes of the elements of its operands, if it has any."""


def _element_name(op: Operation, operand: int) -> str:
    found = element_of(op.operands[operand].type)
    assert found is not None
    return found.name


def apply(arithmetic: Arithmetic, op: Operation, operands: Sequence[Operand]) -> Operand:
    """Emit the operation on one element."""
    if isinstance(op, arith.Constant):
        found = element_of(op.out.type)
        assert found is not None
        return arithmetic.constant(found.name, op.value)
    return compute(arithmetic, op, [_element_name(op, k) for k in range(len(operands))], operands)
