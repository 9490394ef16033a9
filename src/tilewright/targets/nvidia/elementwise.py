"""Elementwise operations (`arith`, `math`) on one element: a scalar, a slot of a register tile, one on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Final

from tilewright.dialects import arith, arith_floats, arith_integers, math
from tilewright.ir.core import Operation
from tilewright.ir.types import element_of
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.elementwise import compute
from tilewright.targets.nvidia.values import Operand


def _operations(module: ModuleType) -> Iterator[type[Operation]]:
    """The operations that a module declares."""
    for found in vars(module).values():
        if isinstance(found, type) and issubclass(found, Operation) and found.__module__ == module.__name__:
            yield found


ELEMENTWISE: Final[frozenset[type[Operation]]] = frozenset(
    op for module in (arith, arith_floats, arith_integers, math) for op in _operations(module)
)


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
