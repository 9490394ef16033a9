"""Windows over the trailing logical dimensions, of each of which one element remains."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import rules
from tilewright.dialects.tlx.base import TensorOperation, required_type, tensor_of
from tilewright.dialects.tlx.types import TENSOR, Dim, TensorType, of_dims
from tilewright.ir.definition import PURE, Value, attribute, operand, result
from tilewright.numerics import contractions, floats, numbers
from tilewright.numerics.formats import FloatFormat, Format
from tilewright.numerics.later import Array, np
from tilewright.numerics.updates import Update, updated


def _extremum(layout: Format, a: Any, b: Any, larger: bool) -> Any:
    """Signed of integers; of floats NaN if either is."""
    if isinstance(layout, FloatFormat):
        return floats.extremum(layout, a, b, larger=larger, nan=True)
    return (numbers.maximum if larger else numbers.minimum)(layout, a, b)


def _bits(update: Update) -> Callable[[Format, Any, Any], Any]:
    """A bitwise operation of two integers."""
    return lambda layout, a, b: updated(layout, update, a, b)


class Reduction(TensorOperation):
    """One element for each position of a window over the last dimensions, in steps, without padding.

    A window of the full extent is a plain reduction, of which an extent of 1 remains. Floats in no given order.
    """

    __slots__ = ()

    reduce: ClassVar[Callable[[Any, Array, tuple[int, ...]], Array]]
    """Along axes, of elements of a format."""
    bitwise: ClassVar[bool] = False

    input: Value = operand(TENSOR)
    window: tuple[int, ...] = attribute(tuple)
    strides: tuple[int, ...] = attribute(tuple)
    out: Value = result(TENSOR, infer=required_type)

    def required(self, report: Report) -> TensorType | None:
        type_ = tensor_of(self.input)
        if self.bitwise and type_.element.is_float:
            message = f"the operation is not defined for {type_.element} elements"
            rules.error(self, report, "TLX311", ("operand", 0), message)
            return None
        if not self._windows_fit(report, type_):
            return None
        kept = type_.dims[: type_.rank - len(self.window)]
        return of_dims(type_.element, [*kept, *(Dim(n) for n in self._extents(type_))], type_.layout)

    def _extents(self, type_: TensorType) -> list[int]:
        trailing = type_.shape[type_.rank - len(self.window) :]
        return [(n - w) // s + 1 for n, w, s in zip(trailing, self.window, self.strides, strict=True)]

    def _windows_fit(self, report: Report, type_: TensorType) -> bool:
        count = len(self.window)
        if not rules.lengths(self, report, count, {"strides": self.strides}):
            return False
        if count > type_.rank:
            rules.error(self, report, "TLX314", "window", f"more windows ({count}) than dimensions ({type_.rank})")
            return False
        fits = True
        for extent, window, stride in zip(type_.shape[type_.rank - count :], self.window, self.strides, strict=True):
            if not 1 <= window <= extent:
                said = f"window {window} exceeds extent {extent}" if window > 0 else f"window {window} is empty"
                rules.error(self, report, "TLX314", "window", said)
                fits = False
            if stride < 1:
                rules.error(self, report, "TLX314", "strides", f"stride {stride} is less than 1")
                fits = False
        return fits

    def formed(self, *operands: Array) -> Array:
        (values,) = operands
        first, count = values.ndim - len(self.window), len(self.window)
        if not count:
            return values
        axes = tuple(range(first, values.ndim))
        windows = np.lib.stride_tricks.sliding_window_view(values, self.window, axes)
        steps = (*(slice(None) for _ in range(first)), *(slice(None, None, s) for s in self.strides))
        inner = tuple(range(values.ndim, values.ndim + count))
        return type(self).reduce(self.input.type.format, windows[steps], inner)


class ReduceMax(
    Reduction,
    name="tlx.reduce_max",
    traits=(PURE,),
    assembly="$input window strides",
    intrinsic="llvm.tensor.reduce.max",
):
    """The largest element; NaN if one is."""

    reduce = staticmethod(contractions.folded(partial(_extremum, larger=True)))


class ReduceMin(
    Reduction,
    name="tlx.reduce_min",
    traits=(PURE,),
    assembly="$input window strides",
    intrinsic="llvm.tensor.reduce.min",
):
    """The smallest element; NaN if one is."""

    reduce = staticmethod(contractions.folded(partial(_extremum, larger=False)))


class ReduceAdd(
    Reduction,
    name="tlx.reduce_add",
    traits=(PURE,),
    assembly="$input window strides",
    intrinsic="llvm.tensor.reduce.add",
):
    """The sum."""

    reduce = staticmethod(contractions.total)


class ReduceMul(
    Reduction,
    name="tlx.reduce_mul",
    traits=(PURE,),
    assembly="$input window strides",
    intrinsic="llvm.tensor.reduce.mul",
):
    """The product."""

    reduce = staticmethod(contractions.product)


class ReduceAnd(
    Reduction,
    name="tlx.reduce_and",
    traits=(PURE,),
    assembly="$input window strides",
    intrinsic="llvm.tensor.reduce.and",
):
    """Bits that all elements have; integers only."""

    reduce = staticmethod(contractions.folded(_bits(Update.AND)))
    bitwise = True


class ReduceOr(
    Reduction, name="tlx.reduce_or", traits=(PURE,), assembly="$input window strides", intrinsic="llvm.tensor.reduce.or"
):
    """Bits that any element has; integers only."""

    reduce = staticmethod(contractions.folded(_bits(Update.OR)))
    bitwise = True


class ReduceXor(
    Reduction,
    name="tlx.reduce_xor",
    traits=(PURE,),
    assembly="$input window strides",
    intrinsic="llvm.tensor.reduce.xor",
):
    """Bits that an odd number of elements have; integers only."""

    reduce = staticmethod(contractions.folded(_bits(Update.XOR)))
    bitwise = True
