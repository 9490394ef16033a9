"""Constant folding: the value of an operation whose operands are constants, which is what its `evaluate` computes.

A constant tile has one value everywhere, so elementwise operations fold on tiles as on scalars.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ir.core import Operation
from tilewright.ir.definition import ELEMENTARY
from tilewright.ir.evaluation import Number, evaluated_number
from tilewright.ir.interfaces import Elementwise
from tilewright.transforms.emit import constant_of


def is_foldable(cls: type[Operation]) -> bool:
    """Elementary functions stay: a target's own may differ from NumPy's in the last bit."""
    return issubclass(cls, Elementwise) and cls.evaluate is not None and ELEMENTARY not in cls.definition.traits


def fold(op: Operation) -> Number | None:
    """The constant that `op` computes, or None. Integer division by zero is left alone: it is an error to report."""
    if not is_foldable(type(op)):
        return None
    values: list[Number] = []
    for operand in op.operands:
        known = constant_of(operand)
        if known is None:
            return None
        values.append(known)
    return evaluated_number(op, values)


def compute(op: Operation, values: Sequence[Number]) -> Number | None:
    """What `op` would compute for these operands, as `fold`."""
    return evaluated_number(op, values) if is_foldable(type(op)) else None
