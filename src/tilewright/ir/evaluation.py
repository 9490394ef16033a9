"""What operations compute: `evaluate` and `fault`, which an operation declares beside its fields.

    class AddI(_Overflowing, name="cuda_tile.addi", ..):
        evaluate = on_numbers(integers.add)
        fault = promised(operator.add)

Both are methods that take the operands, in terms of the numeric core: NumPy arrays in the dtypes of `numerics.arrays`
and of shapes that fit, or if all operands and results are integers Python's integers. `evaluate` is total: what a
language leaves undefined has some value. `fault` says what is undefined, or surely a mistake: interpreters report it
where it is undefined, folding leaves the operation alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilewright.ir.core import Operation
from tilewright.numerics.arrays import Number, array_of, number_of
from tilewright.numerics.formats import I1, FloatFormat, IntegerFormat
from tilewright.numerics.later import Array, np


def integer_format(op: Operation) -> IntegerFormat:
    """The format of operands that are integers or bools."""
    layout = op.operands[0].type.format
    assert isinstance(layout, IntegerFormat)
    return layout


def float_format(op: Operation) -> FloatFormat:
    """The format of operands that are floats."""
    layout = op.operands[0].type.format
    assert isinstance(layout, FloatFormat)
    return layout


def on_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that applies a function of the core, which is given the format of the first operand in front."""

    def apply(self: Operation, *operands: Any) -> Any:
        return function(self.operands[0].type.format, *operands)

    return apply


def evaluated(op: Operation, *operands: Array) -> Array:
    """The result of an operation that declares `evaluate`, of arrays."""
    assert op.evaluate is not None, f"{op.name} does not say what it computes"
    with np.errstate(all="ignore"):
        return np.asarray(op.evaluate(*operands))


def fault_of(op: Operation, *operands: Array) -> str | None:
    """What is wrong with computing an operation of arrays, if anything."""
    if op.fault is None:
        return None
    with np.errstate(all="ignore"):
        return op.fault(*operands)


def evaluated_number(op: Operation, numbers: Sequence[Number]) -> Number | None:
    """The result of constants, the same everywhere; None if the operation should not be computed of them."""
    assert op.evaluate is not None, f"{op.name} does not say what it computes"
    formats, target = [v.type.format for v in op.operands], op.results[0].type.format
    if isinstance(target, IntegerFormat) and all(isinstance(f, IntegerFormat) for f in formats):
        found = None if op.fault is not None and op.fault(*numbers) is not None else op.evaluate(*numbers)
    else:
        arrays = [array_of(layout, number) for layout, number in zip(formats, numbers, strict=True)]
        found = None if fault_of(op, *arrays) is not None else number_of(target, evaluated(op, *arrays))
    return bool(found) if found is not None and target is I1 else found
