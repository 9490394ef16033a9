"""Convolutions as products: for each element of the kernel, its maps by channels times channels by positions.

The matrix of patches is never stored: the positions that an element of the kernel meets are a view of the input.
"""

from __future__ import annotations

from tilewright.dialects.tlx import products as tlx
from tilewright.dialects.tlx.base import tensor_of
from tilewright.dialects.tlx.convolutions import Window
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx.context import Lowering, address_of, strides_of
from tilewright.transforms.lower_tlx.products import Factor, Roles, multiply
from tilewright.transforms.lower_tlx.shapes import padded
from tilewright.transforms.tiling import Box

_ROLES = Roles(batch=[], rows=[(0, 1)], columns=[(0, 0), (2, 2), (3, 3)], terms=[(1, 1)])


def convolution(low: Lowering, op: tlx.Convolution) -> Value:
    """Rank 2 is one map of one channel. Sums of elements that are only stored are kept in the type to sum in."""
    out, windows = tensor_of(op.out), op.windows
    source, kernel = (_of_rank_4(low, low.memory(v, tensor_of(v)), tensor_of(v)) for v in (op.a, op.b))
    source, windows = _without_gaps(low, source, op, windows)
    target = low.result(out)
    wide = out.element.accumulator if out.element.is_float else out.element
    sums = target if wide is out.element else low.fresh(out.with_element(wide))
    low.fill(low.b.zero(wide), sums)
    _products(low, source, kernel, _of_rank_4(low, sums, out), windows)
    if sums is not target:
        low.for_each_chunk(target, lambda inner, box: _narrow(inner, box, sums, target))
    return target


def _narrow(low: Lowering, box: Box, sums: Value, target: Value) -> None:
    box.store(low.b, emit.cast(low.b, box.load(low.b, sums), emit.memref_type(target).element), target)


def _of_rank_4(low: Lowering, view: Value, type_: TensorType) -> Value:
    """A view with a dimension each for images and channels."""
    if type_.rank == 4:
        return view
    element, shape = emit.memref_type(view).element, [*type_.shape[::-1], 1, 1]
    return low.view(address_of(view), element, shape, [*strides_of(view), 1, 1])


def _shape(view: Value) -> list[int]:
    """Logical extents of a view."""
    return [n or 1 for n in reversed(emit.memref_type(view).shape)]


def _without_gaps(
    low: Lowering, view: Value, op: tlx.Convolution, windows: tuple[Window, ...]
) -> tuple[Value, tuple[Window, ...]]:
    """An input with dilations as one with zeros between its elements, and the windows over that."""
    gaps = [w.input_dilation - 1 for w in windows]
    if not any(gaps):
        return view, windows
    shape, element = _shape(view), tensor_of(op.a).element
    wide = TensorType.dense(element, [*shape[:2], *(w.spread[0] for w in windows)])
    found = low.fresh(wide)
    padded(low, view, low.b.zero(element), ([0, 0, 0, 0], [0, 0, *gaps]), found)
    return found, tuple(Window(w.spread[0], w.kernel, w.stride, 1, w.kernel_dilation) for w in windows)


def _products(low: Lowering, source: Value, kernel: Value, sums: Value, windows: tuple[Window, ...]) -> None:
    (images, channels, *_), (maps, *_) = _shape(source), _shape(kernel)
    extents = [w.extent for w in windows]
    rows = emit.open_loop(low.b, low.b.index(0), low.b.index(windows[0].kernel))
    columns = emit.open_loop(rows.body, rows.body.index(0), rows.body.index(windows[1].kernel))
    inner, at = low.inside(columns.body), [rows.index, columns.index]
    offsets = [inner.product(i, w.kernel_dilation) for i, w in zip(at, windows, strict=True)]
    met = TensorType.dense(_element(source), [images, channels, *extents])
    steps = [inner.product(s, w.stride) for s, w in zip(strides_of(source)[1::-1], windows, strict=True)]
    seen = inner.view(
        inner.moved(source, [*reversed(offsets), 0, 0]),
        met.element,
        met.shape[::-1],
        [*reversed(steps), *strides_of(source)[2:]],
    )
    weights = TensorType.dense(_element(kernel), [maps, channels])
    one = inner.view(
        inner.moved(kernel, [*reversed(at), 0, 0]), weights.element, weights.shape[::-1], strides_of(kernel)[2:]
    )
    out = TensorType.dense(_element(sums), [images, maps, *extents])
    multiply(inner, (Factor(one), Factor(seen)), (weights, met), sums, out, _ROLES, accumulate=True)


def _element(view: Value) -> ScalarType:
    return emit.memref_type(view).element
