"""Elementwise operations of `arith` and `math` on operands of any number of lanes."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import arith, arith_floats, arith_integers, math
from tilewright.ir import core
from tilewright.ir.types import element_of
from tilewright.targets.llvm.arith import Arithmetic, Operand
from tilewright.targets.llvm.emitter import Value


def knows(op: core.Operation) -> bool:
    """Whether `compute` has code for an elementwise operation: for all of `arith` and `math`."""
    return op.definition.dialect in ("arith", "math")


def compute(lowering: Arithmetic, op: core.Operation, dtypes: Sequence[str], operands: Sequence[Operand]) -> Operand:
    """Emit the operation on operands of the given element types."""
    word = op.name.partition(".")[2]
    match op:
        case arith.Cmp():
            return lowering.compare(op.predicate.value, dtypes[0], operands[0], operands[1])
        case arith.Cast():
            return lowering.cast(operands[0], dtypes[0], _result(op))
        case arith_integers.UCmp():
            return lowering.compare_unsigned(op.predicate.value, operands[0], operands[1])
        case arith_floats.OrderedCmp() | arith_floats.UnorderedCmp():
            ordered = isinstance(op, arith_floats.OrderedCmp)
            return lowering.compare_ordered(op.predicate.value, dtypes[0], operands[0], operands[1], ordered=ordered)
        case arith_integers.UCast():
            return lowering.cast_unsigned(operands[0], dtypes[0], _result(op))
        case arith_integers.Bitcast():
            return lowering.bitcast(operands[0], _result(op))
        case arith_floats.RoundedCast():
            return lowering.cast_rounded(operands[0], dtypes[0], _result(op), op.rounding.value)
        case (
            arith_floats.RoundedAdd()
            | arith_floats.RoundedSub()
            | arith_floats.RoundedMul()
            | arith_floats.RoundedDiv()
            | arith_floats.RoundedSqrt()
            | arith_floats.RoundedFma()
        ):
            return lowering.rounded(word, dtypes[0], op.rounding.value, *operands)
        case arith.Select():
            condition = operands[0]
            assert isinstance(condition, Value)
            return lowering.select(condition, operands[1], operands[2])
        case math.Cos() | math.Sin() | math.Exp() | math.Exp2() | math.Log() | math.Log2():
            return lowering.math(f"native_{word}" if op.native else word, dtypes[0], operands[0])
        case _:
            return lowering.lower(word, dtypes[0], *operands)


def _result(op: core.Operation) -> str:
    element = element_of(op.results[0].type)
    assert element is not None
    return element.name
