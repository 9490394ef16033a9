"""Products of tensors: batched matrices, contractions, accumulating products of every sign, convolutions.

Integers wrap. Products of floats are summed in no given order, in a type at least as wide as the result's and as f32;
whether a sum that is 0 is 0 or -0 is not defined, since its first term may be added to 0 or to nothing.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import convolutions, rules
from tilewright.dialects.tlx.base import TensorOperation, required_type, tensor_of
from tilewright.dialects.tlx.types import TENSOR, TensorType, row_major
from tilewright.ir.definition import PURE, Value, attribute, operand, result
from tilewright.ir.types import ScalarType, promotable
from tilewright.numerics import contractions
from tilewright.numerics.formats import Format
from tilewright.numerics.later import Array


class Product(TensorOperation):
    """Sums of products of elements of `a` and `b`, with a layout that its users settle."""

    __slots__ = ()

    has_open_layout: ClassVar[bool] = True

    a: Value = operand(TENSOR)
    b: Value = operand(TENSOR)

    @property
    def element(self) -> ScalarType:
        """Element type of the result; while that is not said, the factors'."""
        return tensor_of(self.results[0] if self.results else self.operands[0]).element

    @property
    def formats(self) -> tuple[Format, Format]:
        """Of the factors' elements."""
        return self.a.type.format, self.b.type.format


class MatMul(Product, name="tlx.matmul", traits=(PURE,), assembly="$a $b"):
    """Batched product of the two innermost logical dimensions, [B.., M, K] times [B.., K, N]."""

    out: Value = result(TENSOR, infer=required_type)

    def required(self, report: Report) -> TensorType | None:
        fits = rules.factors(self, report, self.a, self.b, self.element)
        if not (rules.matrices(self, report, self.a, self.b) and fits):
            return None
        return row_major(self.element, [*tensor_of(self.a).dims[:-1], tensor_of(self.b).dims[-1]])

    def formed(self, *operands: Array) -> Array:
        a, b = operands
        return contractions.matrix_product(self.formats, self.element.format, a, b)


class Contract(Product, name="tlx.contract", traits=(PURE,), assembly="$a $b axes_a axes_b"):
    """Sum over pairs of logical axes; the result has the free dimensions of `a`, then those of `b`."""

    axes_a: tuple[int, ...] = attribute(tuple)
    axes_b: tuple[int, ...] = attribute(tuple)
    out: Value = result(TENSOR, infer=required_type)

    @property
    def free(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The dimensions of each factor that are not contracted, in order."""
        mine = tuple(d for d in range(tensor_of(self.a).rank) if d not in self.axes_a)
        return mine, tuple(d for d in range(tensor_of(self.b).rank) if d not in self.axes_b)

    def required(self, report: Report) -> TensorType | None:
        fits = rules.factors(self, report, self.a, self.b, self.element)
        if not (rules.contraction(self, report, self.a, self.b, (self.axes_a, self.axes_b)) and fits):
            return None
        (mine, others), a, b = self.free, tensor_of(self.a).dims, tensor_of(self.b).dims
        return row_major(self.element, [*(a[d] for d in mine), *(b[d] for d in others)])

    def formed(self, *operands: Array) -> Array:
        a, b = operands
        return contractions.contraction(self.formats, self.element.format, a, b, self.axes_a, self.axes_b)


class Convolution(
    Product,
    name="tlx.convolution",
    traits=(PURE,),
    assembly="$a $b strides? input_dilations? kernel_dilations?",
):
    """Cross-correlation of `a`, the input, with `b`, the kernel, without padding.

    Rank 2: X, Y. Rank 4: input N, C, H, W and kernel O, C, H, W give N, O, H, W. A dilation of 0 or 1 is none.
    """

    strides: tuple[int, ...] = attribute(tuple)
    input_dilations: tuple[int, ...] = attribute(tuple)
    kernel_dilations: tuple[int, ...] = attribute(tuple)
    out: Value = result(TENSOR, infer=required_type)

    @property
    def windows(self) -> tuple[convolutions.Window, ...]:
        """How kernel and input meet along each of the last two dimensions."""
        extents = zip(tensor_of(self.a).shape[-2:], tensor_of(self.b).shape[-2:], strict=True)
        steps = zip(self.strides, self.input_dilations, self.kernel_dilations, strict=True)
        return tuple(
            convolutions.Window(size, kernel, stride, max(d, 1), max(e, 1))
            for (size, kernel), (stride, d, e) in zip(extents, steps, strict=True)
        )

    def required(self, report: Report) -> TensorType | None:
        fits = rules.factors(self, report, self.a, self.b, self.element)
        if not (convolutions.fits(self, report, self.a, self.b, self._steps) and fits):
            return None
        leading = [tensor_of(v).dims[0] for v in (self.a, self.b)] if tensor_of(self.a).rank == 4 else []
        return row_major(self.element, [*leading, *(w.dim for w in self.windows)])

    @property
    def _steps(self) -> dict[str, tuple[int, ...]]:
        names = ("strides", "input_dilations", "kernel_dilations")
        return dict(zip(names, (self.strides, self.input_dilations, self.kernel_dilations), strict=True))

    def formed(self, *operands: Array) -> Array:
        source, kernel = operands
        patches = convolutions.patches(source, self.windows)
        target = self.element.format
        if source.ndim == 2:
            return contractions.contraction(self.formats, target, patches, kernel, (2, 3), (0, 1))
        found = contractions.contraction(self.formats, target, patches, kernel, (1, 4, 5), (1, 2, 3))
        return found.transpose(0, 3, 1, 2)


class MultiplyAccumulate(TensorOperation):
    """`acc + a b`, each factor extended to the accumulator's element by its own sign, as matmul in shapes.

    The result has the accumulator's type. Factors may differ in width.
    """

    __slots__ = ()

    signed: ClassVar[tuple[bool, bool]]
    """Whether `a` and `b` are signed."""

    acc: Value = operand(TENSOR, var="T")
    a: Value = operand(TENSOR)
    b: Value = operand(TENSOR)
    out: Value = result(var="T")

    def required(self, report: Report) -> TensorType | None:
        fits = self._elements_fit(report)
        if not (rules.matrices(self, report, self.a, self.b) and fits):
            return None
        return tensor_of(self.acc) if rules.accumulator(self, report, self.acc, self.a, self.b) else None

    def _elements_fit(self, report: Report) -> bool:
        acc, factors = tensor_of(self.acc).element, (self.a, self.b)
        fits = True
        for value in factors:
            element, place = tensor_of(value).element, rules.place_of(self, value)
            if element.is_float and not all(self.signed):
                message = f"the operation is not defined for {element} elements; smma takes floats"
                rules.error(self, report, "TLX311", place, message)
            elif element.is_float is not acc.is_float:
                rules.error(self, report, "TLX310", place, f"products of {element} are not summed in {acc}")
            elif not promotable(element, acc):
                rules.error(self, report, "TLX312", place, f"{element} operands with an accumulator of {acc}")
            else:
                continue
            fits = False
        return fits

    def formed(self, *operands: Array) -> Array:
        acc, a, b = operands
        formats = (self.a.type.format, self.b.type.format)
        return contractions.accumulated(formats, self.signed, self.acc.type.format, acc, a, b)


class Umma(MultiplyAccumulate, name="tlx.umma", traits=(PURE,), assembly="$acc $a $b"):
    """Both factors unsigned."""

    signed: ClassVar[tuple[bool, bool]] = (False, False)


class Smma(MultiplyAccumulate, name="tlx.smma", traits=(PURE,), assembly="$acc $a $b", aliases=("llvm.tensor.mma",)):
    """Both factors signed; also of floats."""

    signed: ClassVar[tuple[bool, bool]] = (True, True)


class Usmma(MultiplyAccumulate, name="tlx.usmma", traits=(PURE,), assembly="$acc $a $b"):
    """`a` unsigned, `b` signed."""

    signed: ClassVar[tuple[bool, bool]] = (False, True)


class Summa(MultiplyAccumulate, name="tlx.summa", traits=(PURE,), assembly="$acc $a $b"):
    """`a` signed, `b` unsigned."""

    signed: ClassVar[tuple[bool, bool]] = (True, False)
