"""Prefetches of what later tiles of a stream read or write, where caches do not fetch it by themselves.

Hardware follows loads of whole lines, but hardly stores, and strided loads only until a core's few line buffers are
full of them (benchmarks/vector_ops.py, the strided cases). In the first two caches nothing is lost.
"""

from __future__ import annotations

from typing import Final

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.policy import StreamPrefetch, contiguous_mode
from tilewright.transforms.tiling import Box

# Lines hold at most a few elements of a strided stream. One prefetch for each of them would cost more than it gives.
_ELEMENTS_PER_PREFETCH: Final = 4


def prefetch_reads(build: Builder, view: Value, box: Box, prefetch: StreamPrefetch) -> None:
    """Prefetch what later tiles load, if it is strided."""
    if _is_strided(emit.memref_type(view)):
        _prefetch_by_element(build, view, box, prefetch.strided, write=False)


def prefetch_writes(build: Builder, view: Value, box: Box, prefetch: StreamPrefetch) -> None:
    """Prefetch what later tiles store and do not load before."""
    type_ = emit.memref_type(view)
    if _is_strided(type_):
        _prefetch_by_element(build, view, box, prefetch.stores, write=True)
    elif type_.strides[contiguous_mode(type_)] == 1:
        _prefetch(build, view, box, box.shape, prefetch.stores, write=True)


def _is_strided(type_: MemrefType) -> bool:
    """Whether the view is a vector whose elements are no neighbours in memory."""
    return type_.order == 1 and type_.strides[0] != 1


def _prefetch_by_element(build: Builder, view: Value, box: Box, ahead: int, write: bool) -> None:
    for skipped in range(0, box.shape[0], _ELEMENTS_PER_PREFETCH):
        _prefetch(build, view, box, (1,), ahead, write, skipped)


def _prefetch(
    build: Builder, view: Value, box: Box, shape: tuple[int, ...], ahead: int, write: bool, skipped: int = 0
) -> None:
    """Prefetch `shape` elements, `ahead` bytes of elements behind a tile's place, if there are later tiles."""
    type_ = emit.memref_type(view)
    along = contiguous_mode(type_)
    piece = box.pieces[along]
    if not ahead or type_.space is not AddressSpace.GLOBAL:
        return
    if piece.checked or piece.length in (1, type_.shape[along]):
        return
    distance = build.index(ahead // type_.element.bytes + skipped)
    later = [emit.add(build, at, distance) if k == along else at for k, at in enumerate(box.indices)]
    build(tile.Prefetch(view, later, 0, shape, write=write))
