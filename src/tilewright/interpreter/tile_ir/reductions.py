"""Reductions and scans. The order of elements is kept, their grouping is that of a tree: the region is associative.

A region of elementwise operations is evaluated on whole slices at once, any other one element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects.cuda_tile import reductions as ops
from tilewright.dialects.cuda_tile.attributes import Number
from tilewright.dialects.cuda_tile.control import Yield
from tilewright.dialects.cuda_tile.core import Constant, GetNumTileBlocks, GetTileBlockId
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.elementwise import ELEMENTWISE
from tilewright.interpreter.tile_ir.values import from_bits
from tilewright.ir.core import Block, Operation

Array = NDArray[Any]
Tiles = list[Array]
Combine = Callable[[Tiles, Tiles], Tiles]
"""From current elements and accumulators to new accumulators."""

_ELEMENTWISE: Final = frozenset(
    {
        *(Constant, GetNumTileBlocks, GetTileBlockId, Yield),
        *ELEMENTWISE,
    }
)
_NESTING: Final = 50


def _combiner(w: TileBlock, op: Operation, body: Block) -> Combine:
    """The region as a function on slices."""
    last = body.last
    assert isinstance(last, Yield)

    def once(elements: Tiles, accumulators: Tiles) -> Tiles:
        for number, (element, accumulator) in enumerate(zip(elements, accumulators, strict=True)):
            w.bind(body.arguments[2 * number], element)
            w.bind(body.arguments[2 * number + 1], accumulator)
        w.run(body.first)
        w.finished = False
        return [w.tile(v) for v in last.values]

    def whole(elements: Tiles, accumulators: Tiles) -> Tiles:
        shape = elements[0].shape
        return [np.broadcast_to(v, shape) for v in once(elements, accumulators)]

    def one_by_one(elements: Tiles, accumulators: Tiles) -> Tiles:
        out = [np.empty(e.shape, e.dtype) for e in elements]
        for position in np.ndindex(elements[0].shape):
            found = once([np.asarray(e[position]) for e in elements], [np.asarray(a[position]) for a in accumulators])
            for tile, value in zip(out, found, strict=True):
                tile[position] = value
        return out

    return whole if all(type(inner) in _ELEMENTWISE for inner in body) else one_by_one


def _identities(numbers: Sequence[Number], inputs: Tiles) -> Tiles:
    """Identities for the first slice, in the elements' types."""
    return [
        np.broadcast_to(from_bits(np.asarray(n.bits, np.uint64), n.element).astype(v.dtype), v.shape[1:])
        for n, v in zip(numbers, inputs, strict=True)
    ]


def _enter(w: TileBlock, op: ops.Reduce | ops.Scan) -> tuple[Tiles, Combine]:
    """Operands with the dimension in front, and the region."""
    w.nesting += 1
    if w.nesting > _NESTING:
        fail("R021", op.location, f"regions of reductions are nested deeper than {_NESTING}")
    return [np.moveaxis(w.tile(v), op.dim, 0) for v in op.inputs], _combiner(w, op, op.body.entry)


def _reduce(w: TileBlock, op: ops.Reduce) -> None:
    # Without the identity, which the specification leaves open: of nothing but NaN the largest is NaN.
    values, combine = _enter(w, op)
    while len(values[0]) > 1:
        pairs = len(values[0]) // 2 * 2
        found = combine([v[1:pairs:2] for v in values], [v[0:pairs:2] for v in values])
        values = [np.concatenate([n, v[pairs:]]) for n, v in zip(found, values, strict=True)]
    w.bind_all(op.out, [np.asarray(v[0]) for v in values])
    w.nesting -= 1


def _scan(w: TileBlock, op: ops.Scan) -> None:
    values, combine = _enter(w, op)
    if op.reverse:
        values = [v[::-1] for v in values]
    first = combine([v[0] for v in values], _identities(op.identities, values))
    values = [np.concatenate([f[None], v[1:]]) for f, v in zip(first, values, strict=True)]
    distance = 1
    while distance < len(values[0]):
        later = combine([v[distance:] for v in values], [v[:-distance] for v in values])
        values = [np.concatenate([v[:distance], n]) for v, n in zip(values, later, strict=True)]
        distance *= 2
    if op.reverse:
        values = [v[::-1] for v in values]
    w.bind_all(op.out, [np.moveaxis(v, 0, op.dim) for v in values])
    w.nesting -= 1


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict((handler(ops.Reduce, _reduce), handler(ops.Scan, _scan)))
