"""What makes a type of Tile IR legal."""

from __future__ import annotations

from typing import Final

from tilewright.dialects.cuda_tile.types import (
    F4E2M1FN,
    I4,
    MAX_ELEMENTS,
    Element,
    GatherScatterView,
    Padding,
    PartitionView,
    Pointer,
    StridedView,
    TensorView,
    Tile,
    View,
)
from tilewright.ir.types import Type

_MAX_I32: Final = (1 << 31) - 1
_MAX_I64: Final = (1 << 63) - 1


def problem(type_: Type, any_extents: bool = False) -> str | None:
    """Why a type is illegal, or None. The parts of a type are checked with it.

    With `any_extents`, beyond the specification, extents of tiles need not be powers of two.
    """
    match type_:
        case Tile():
            return _tile_problem(type_.shape, type_.element, any_extents)
        case Pointer():
            return "a pointer cannot point to i4" if type_.pointee is I4 else None
        case TensorView():
            return _tensor_problem(type_)
        case View():
            return problem(type_.tensor) or _view_problem(type_, any_extents)
        case _:
            return None


def _tile_problem(shape: tuple[int, ...], element: Element, any_extents: bool) -> str | None:
    size = 1
    for extent in shape:
        if any_extents and extent < 1:
            return f"the extents of a tile are positive, not {extent}"
        if not any_extents and (extent < 1 or extent & (extent - 1)):
            return f"the extents of a tile are powers of two, not {extent}"
        size *= extent
        if size > MAX_ELEMENTS:
            return f"a tile has at most {MAX_ELEMENTS:,} elements"
    if element is F4E2M1FN and size % 2:
        return "a tile of f4E2M1FN has an even number of elements"
    return problem(element)


def _tensor_problem(type_: TensorView) -> str | None:
    if type_.element is I4:
        return "a tensor_view cannot have elements of type i4"
    if len(type_.shape) != len(type_.strides):
        return f"{len(type_.strides)} strides for {len(type_.shape)} dimensions"
    for what, extents in (("sizes", type_.shape), ("strides", type_.strides)):
        for extent in extents:
            if extent is not None and not 1 <= extent <= _MAX_I64:
                return f"the {what} of a tensor_view are positive or ?, not {extent}"
    if type_.element is F4E2M1FN and not any(
        stride == 1 and extent is not None and extent % 2 == 0
        for extent, stride in zip(type_.shape, type_.strides, strict=True)
    ):
        return "a tensor_view of f4E2M1FN needs a dimension with stride 1 and an even size"
    return None


def _view_problem(type_: View, any_extents: bool) -> str | None:
    rank = len(type_.tile)
    if not rank:
        return "the tile of a view has at least one dimension"
    if rank != len(type_.tensor.shape):
        return f"a tile of rank {rank} for a tensor_view of rank {len(type_.tensor.shape)}"
    if max(type_.tile) > _MAX_I32:
        return "the extents of a view's tile fit in 32 bits"
    if type_.padding not in (None, Padding.ZERO) and not type_.tensor.element.is_float:
        return f"padding_value {type_.padding.value if type_.padding else ''} needs a floating point element"
    found = _tile_problem(type_.tile, type_.tensor.element, any_extents)
    if found is not None:
        return found
    match type_:
        case GatherScatterView():
            return None if 0 <= type_.sparse_dim < rank else f"sparse_dim lies in 0..{rank - 1}, not {type_.sparse_dim}"
        case StridedView():
            if len(type_.traversal) != rank or not all(1 <= t <= _MAX_I32 for t in type_.traversal):
                return "traversal_strides has one positive entry for each dimension of the tile"
            return _map_problem(type_.dim_map, rank)
        case PartitionView():
            return _map_problem(type_.dim_map, rank)
        case _:
            return None


def _map_problem(dim_map: tuple[int, ...], rank: int) -> str | None:
    return None if sorted(dim_map) == list(range(rank)) else f"dim_map is a permutation of 0..{rank - 1}"
