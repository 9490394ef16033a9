"""The same elements in another order or shape, and tensors put together."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import rules
from tilewright.dialects.tlx.base import TensorOperation, required_type, tensor_of
from tilewright.dialects.tlx.types import ELEMENT, TENSOR, Dim, TensorType, not_a_permutation, of_dims
from tilewright.ir.definition import PURE, Value, attribute, operand, result
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.later import Array, np


class Transpose(TensorOperation, name="tlx.transpose", traits=(PURE,), assembly="$input new_layout?"):
    """The same logical tensor in another memory order, which is absolute; without one, the last two positions swap."""

    input: Value = operand(TENSOR)
    new_layout: tuple[int, ...] = attribute(tuple)
    out: Value = result(TENSOR, infer=required_type)

    def required(self, report: Report) -> TensorType | None:
        type_ = tensor_of(self.input)
        if not rules.lengths(self, report, type_.rank, {"new_layout": self.new_layout}):
            return None
        wrong = not_a_permutation(self.new_layout, type_.rank)
        if wrong is not None:
            rules.error(self, report, "TLX302", "new_layout", wrong)
            return None
        return type_.relaid(self.new_layout)

    def formed(self, *operands: Array) -> Array:
        return operands[0]


def swapped_layout(type_: TensorType) -> tuple[int, ...]:
    """The memory order that a transpose without one asks for: the last two positions swap, if there are two."""
    return (*type_.layout[:-2], *reversed(type_.layout[-2:]))


class ReshapeBlock(
    TensorOperation,
    name="tlx.reshape_block",
    traits=(PURE,),
    assembly="$input dims sizes",
    intrinsic="llvm.tensor.reshape.block",
):
    """Dimensions cut into blocks, as oneDNN's nChw16c.

    Dimension d of `dims`, of extent n, becomes ceil(n / b) at its place, and b, innermost, in the order given. Where
    that is one block it has b - n elements of padding; where there are several, what the last one has beyond n is
    zero, since padding cannot say it.
    """

    input: Value = operand(TENSOR)
    dims: tuple[int, ...] = attribute(tuple)
    sizes: tuple[int, ...] = attribute(tuple)
    out: Value = result(TENSOR, infer=required_type)

    def required(self, report: Report) -> TensorType | None:
        type_ = tensor_of(self.input)
        if not (rules.lengths(self, report, len(self.dims), {"sizes": self.sizes}) and self._blocks_fit(report, type_)):
            return None
        sizes = dict(zip(self.dims, self.sizes, strict=True))
        counts = {d: -(-type_.shape[d] // b) for d, b in sizes.items()}
        outer = [Dim(counts[d]) if d in counts else dim for d, dim in enumerate(type_.dims)]
        inner = [Dim(b, b - type_.shape[d] if counts[d] == 1 else 0) for d, b in sizes.items()]
        layout = (*type_.layout, *range(type_.rank, type_.rank + len(inner)))
        return of_dims(type_.element, [*outer, *inner], layout)

    def _blocks_fit(self, report: Report, type_: TensorType) -> bool:
        fits = True
        for number, (dim, size) in enumerate(zip(self.dims, self.sizes, strict=True)):
            if not 0 <= dim < type_.rank:
                rules.error(self, report, "TLX315", "dims", f"dimension {dim} is out of range 0..{type_.rank - 1}")
            elif dim in self.dims[:number]:
                rules.error(self, report, "TLX315", "dims", f"dimension {dim} is named twice")
            elif size < 1:
                rules.error(self, report, "TLX315", "sizes", f"block size {size} is less than 1")
            else:
                continue
            fits = False
        return fits

    def formed(self, *operands: Array) -> Array:
        (found,) = operands
        for dim, size in zip(self.dims, self.sizes, strict=True):
            count = -(-found.shape[dim] // size)
            short = count * size - found.shape[dim]
            filled = np.pad(found, [(0, short if k == dim else 0) for k in range(found.ndim)])
            split = filled.reshape(*filled.shape[:dim], count, size, *filled.shape[dim + 1 :])
            found = np.moveaxis(split, dim + 1, -1)
        return found[tuple(slice(0, n) for n in tensor_of(self.out).shape)]


class ReshapePermute(
    TensorOperation,
    name="tlx.reshape_permute",
    traits=(PURE,),
    assembly="$input shape",
    intrinsic="llvm.tensor.reshape.permute",
):
    """The elements in logical row-major order in another shape; row-major and without padding."""

    input: Value = operand(TENSOR)
    shape: tuple[int, ...] = attribute(tuple)
    out: Value = result(TENSOR, infer=required_type)

    def required(self, report: Report) -> TensorType | None:
        type_ = tensor_of(self.input)
        wrong = next((n for n in self.shape if n <= 0), None)
        if wrong is not None:
            rules.error(self, report, "TLX304", "shape", f"extent {wrong} is not positive")
            return None
        count = prod(type_.shape)
        if prod(self.shape) != count:
            message = f"{count} elements cannot become {rules.spelled(self.shape)}"
            rules.error(self, report, "TLX315", "shape", message)
            return None
        return TensorType.dense(type_.element, self.shape)

    def formed(self, *operands: Array) -> Array:
        return operands[0].reshape(self.shape)


class Pad(TensorOperation, name="tlx.pad", traits=(PURE,), assembly="$input $value low? high interior?"):
    """Logical dimensions with a number in front, behind and between their elements, as XLA does it; dense."""

    input: Value = operand(TENSOR)
    value: Value = operand(ELEMENT)
    low: tuple[int, ...] = attribute(tuple)
    high: tuple[int, ...] = attribute(tuple)
    interior: tuple[int, ...] = attribute(tuple)
    out: Value = result(TENSOR, infer=required_type)

    def required(self, report: Report) -> TensorType | None:
        type_ = tensor_of(self.input)
        amounts: dict[str, Sequence[int]] = {"low": self.low, "high": self.high, "interior": self.interior}
        fits = rules.scalar(self, report, "TLX310", self.value, type_.element)
        fits &= rules.lengths(self, report, type_.rank, amounts)
        for name, entries in amounts.items():
            for entry in entries:
                if entry < 0:
                    rules.error(self, report, "TLX316", name, f"{name} {entry} is negative")
                    fits = False
        if not fits:
            return None
        dims = [
            Dim(low + high + n + (n - 1) * gap)
            for n, low, high, gap in zip(type_.shape, self.low, self.high, self.interior, strict=True)
        ]
        return of_dims(type_.element, dims, type_.layout)

    def formed(self, *operands: Array) -> Array:
        source, value = operands
        type_ = tensor_of(self.out)
        found = np.full(type_.shape, value, dtype_of(type_.format))
        ends = zip(source.shape, self.low, self.interior, strict=True)
        found[tuple(slice(low, low + (n - 1) * (gap + 1) + 1, gap + 1) for n, low, gap in ends)] = source
        return found


class Concat(TensorOperation, name="tlx.concat", traits=(PURE,), assembly="$a $b dim"):
    """Two tensors one behind the other along a logical dimension, with the layout of the first.

    That dimension has no padding; the others are those of the first.
    """

    a: Value = operand(TENSOR)
    b: Value = operand(TENSOR)
    dim: int = attribute(int)
    out: Value = result(TENSOR, infer=required_type)

    def required(self, report: Report) -> TensorType | None:
        a, b = tensor_of(self.a), tensor_of(self.b)
        second = rules.place_of(self, self.b)
        if a.element is not b.element:
            rules.error(self, report, "TLX310", second, f"elements are {a.element} and {b.element}")
            return None
        if a.rank != b.rank:
            rules.error(self, report, "TLX307", second, f"ranks {a.rank} and {b.rank} differ")
            return None
        if not 0 <= self.dim < a.rank:
            rules.error(self, report, "TLX316", "dim", f"dimension {self.dim} is out of range 0..{a.rank - 1}")
            return None
        fits = True
        for dim, (x, y) in enumerate(zip(a.shape, b.shape, strict=True)):
            if dim != self.dim and x != y:
                rules.error(self, report, "TLX316", second, f"extents {x} and {y} differ at dimension {dim}")
                fits = False
        if not fits:
            return None
        joined = Dim(a.shape[self.dim] + b.shape[self.dim])
        return of_dims(a.element, [joined if d == self.dim else dim for d, dim in enumerate(a.dims)], a.layout)

    def formed(self, *operands: Array) -> Array:
        return np.concatenate(operands, axis=self.dim)
