"""Constant folding: the value of an operation whose operands are constants, which is what its `evaluate` computes.

A constant tile has one value everywhere, so elementwise operations fold on tiles as on scalars.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.dialects import arith, arith_floats, arith_integers, declared_in
from tilewright.ir.core import Operation
from tilewright.ir.evaluation import Number, evaluated_number
from tilewright.transforms.emit import constant_of

FOLDABLE: Final = tuple(cls for cls in declared_in((arith, arith_integers, arith_floats)) if cls.evaluate is not None)
"""Those whose results are the same everywhere; a target's own elementary functions may differ in the last bit."""
_FOLDABLE: Final = frozenset(FOLDABLE)


def fold(op: Operation) -> Number | None:
    """The constant that `op` computes, or None. Integer division by zero is left alone: it is an error to report."""
    if type(op) not in _FOLDABLE:
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
    return evaluated_number(op, values) if type(op) in _FOLDABLE else None
