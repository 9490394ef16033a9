"""Convolutions as products: large ones of the kernel and all patches at once; else one for each element of the kernel,
its maps by channels times channels by positions.

The matrix of patches is never stored: the positions that elements of the kernel meet are views of the input.
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
from tilewright.transforms.lower_tlx.products import Factor, Roles, is_large, multiply
from tilewright.transforms.lower_tlx.shapes import padded
from tilewright.transforms.tiling import Box

_MULTIPLIES = 1 << 18
_SHALLOWEST = 16
_PATCHES = Roles(batch=[], rows=[(0, 1)], columns=[(0, 0), (4, 2), (5, 3)], terms=[(1, 1), (2, 2), (3, 3)])
_ROLES = Roles(batch=[], rows=[(0, 1)], columns=[(0, 0), (2, 2), (3, 3)], terms=[(1, 1)])


def convolution(low: Lowering, op: tlx.Convolution) -> Value:
    """Rank 2 is one map of one channel. Sums of elements that are only stored are kept in the type to sum in."""
    out, windows = tensor_of(op.out), op.windows
    source, kernel = (_of_rank_4(low, low.memory(v, tensor_of(v)), tensor_of(v)) for v in (op.a, op.b))
    source, windows = _without_gaps(low, source, op, windows)
    target = low.result(out)
    if _implicit_product(low, source, kernel, _of_rank_4(low, target, out), windows):
        return target
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


def _implicit_product(low: Lowering, source: Value, kernel: Value, out: Value, windows: tuple[Window, ...]) -> bool:
    """One product of the kernel, maps by elements, and the patches, if it is large; the matrix of patches is a view."""
    (images, channels, *_), strides, (height, width) = _shape(source), strides_of(source), windows
    steps = [
        *(low.product(strides[k], w.stride) for k, w in enumerate((width, height))),
        *(low.product(strides[k], w.kernel_dilation) for k, w in enumerate((width, height))),
        *strides[2:],
    ]
    shape = [images, channels, height.kernel, width.kernel, height.extent, width.extent]
    met, weights, result = (
        TensorType.dense(_element(v), extents)
        for v, extents in ((source, shape), (kernel, _shape(kernel)), (out, _shape(out)))
    )
    patches = Factor(low.view(address_of(source), met.element, shape[::-1], steps))
    types = (weights, met)
    if not is_large(types, result, _PATCHES):
        return False
    multiply(low, (Factor(kernel), patches), types, out, result, _PATCHES)
    return True


def _products(low: Lowering, source: Value, kernel: Value, sums: Value, windows: tuple[Window, ...]) -> None:
    """For each image and row of the result, in parallel, the elements of the kernel one after the other."""
    (images, channels, *_), (maps, *_) = _shape(source), _shape(kernel)
    (height, width), kernel = windows, _by_place(low, kernel)
    whole = height.kernel == 1 and width.kernel == 1
    rows = height.extent if whole else 1
    image = emit.open_loop(low.b, low.b.index(0), low.b.index(images), parallel=True)
    row = emit.open_loop(image.body, image.body.index(0), image.body.index(height.extent // rows), parallel=True)
    down = emit.open_loop(row.body, row.body.index(0), row.body.index(height.kernel))
    across = emit.open_loop(down.body, down.body.index(0), down.body.index(width.kernel))
    depth = _depth(channels, maps * rows * width.extent)
    deep = emit.open_loop(across.body, across.body.index(0), across.body.index(channels), across.body.index(depth))
    inner = low.inside(deep.body)
    first = inner.sum([inner.product(row.index, height.stride), inner.product(down.index, height.kernel_dilation)])
    column = inner.product(across.index, width.kernel_dilation)
    met = TensorType.dense(_element(source), [1, depth, rows, width.extent])
    strides = strides_of(source)
    steps = [inner.product(strides[0], width.stride), inner.product(strides[1], height.stride), *strides[2:]]
    seen = inner.view(
        inner.moved(source, [column, first, deep.index, image.index]), met.element, met.shape[::-1], steps
    )
    weights = TensorType.dense(_element(kernel), [maps, depth])
    place = inner.moved(kernel, [deep.index, 0, across.index, down.index])
    one = inner.view(place, weights.element, weights.shape[::-1], strides_of(kernel)[:2])
    out = TensorType.dense(_element(sums), [1, maps, rows, width.extent])
    target = inner.view(
        inner.moved(sums, [0, row.index, 0, image.index]), out.element, out.shape[::-1], strides_of(sums)
    )
    multiply(inner, (Factor(one), Factor(seen)), (weights, met), target, out, _ROLES, accumulate=True)


def _depth(channels: int, results: int) -> int:
    """How many channels are summed at once: so few that the product is one for the caches, as its neighbours are."""
    fitting = [n for n in range(1, channels + 1) if channels % n == 0 and n * results <= _MULTIPLIES]
    return fitting[-1] if fitting and fitting[-1] >= _SHALLOWEST else channels


def _by_place(low: Lowering, kernel: Value) -> Value:
    """The kernel as one matrix of maps by channels for each of its places, which lie apart in the one that is given."""
    maps, channels, height, width = _shape(kernel)
    matrices = low.fresh(TensorType.dense(_element(kernel), [height, width, maps, channels]))
    strides = strides_of(kernel)
    turned = [strides[2], strides[3], strides[0], strides[1]]
    low.copy(low.view(address_of(kernel), _element(kernel), [channels, maps, width, height], turned), matrices)
    return matrices


def _element(view: Value) -> ScalarType:
    return emit.memref_type(view).element
