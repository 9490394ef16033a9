"""Rules of views."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.rules import element, error, where
from tilewright.dialects.cuda_tile.types import GatherScatterView, Pointer, TensorView, Tile, View
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import Type

VIEW = "C16"


def tensor_view(
    op: Operation, report: Report, base: Value, shape: Sequence[Value], strides: Sequence[Value], out: Value
) -> None:
    """A value for each `?`, all of one type, and a pointer to elements."""
    type_ = out.type
    assert isinstance(type_, TensorView)
    pointer = element(base)
    if isinstance(pointer, Pointer) and pointer.pointee is not type_.element:
        error(op, report, "C10", where(op, base), f"a pointer to {pointer.pointee} for {type_}")
    for what, given, extents in (("sizes", shape, type_.shape), ("strides", strides, type_.strides)):
        if len(given) != extents.count(None):
            error(op, report, VIEW, op.location, f"{len(given)} dynamic {what} for {extents.count(None)} ? in {type_}")
    dynamic = [*shape, *strides]
    for value in dynamic[1:]:
        if value.type != dynamic[0].type:
            message = f"dynamic sizes and strides have one type, not {dynamic[0].type} and {value.type}"
            error(op, report, VIEW, where(op, value), message)
            return


def view_of(op: Operation, report: Report, tensor: Value, out: Value) -> None:
    """The view is one of this tensor."""
    assert isinstance(out.type, View)
    if out.type.tensor != tensor.type:
        message = f"a view of {out.type.tensor} from {tensor.type}"
        error(op, report, VIEW, where(op, tensor), message).label(tensor.location, "defined here")


def dimensions(op: Operation, report: Report, source: Value) -> None:
    """One result for each dimension, all of one type."""
    type_ = source.type
    rank = type_.rank if isinstance(type_, View) else len(type_.shape) if isinstance(type_, TensorView) else 0
    if len(op.results) != rank:
        error(op, report, VIEW, op.location, f"{len(op.results)} results for {rank} dimensions")
    elif any(r.type != op.results[0].type for r in op.results):
        error(op, report, VIEW, op.place("type"), "all results have one type")


def access(op: Operation, report: Report, view: Value, index: Sequence[Value], type_: Type) -> None:
    """One index for each dimension, of the kinds that the view wants; the tile is the view's."""
    found = view.type
    assert isinstance(found, View)
    if found.tile_type != type_:
        error(op, report, VIEW, op.place("type"), f"tiles of this view are {found.tile_type}, not {type_}")
    if len(index) != found.rank:
        error(op, report, VIEW, op.location, f"{len(index)} indices for a view of rank {found.rank}")
        return
    sparse = found.sparse_dim if isinstance(found, GatherScatterView) else None
    scalars: list[Value] = []
    for k, value in enumerate(index):
        assert isinstance(value.type, Tile)
        if k == sparse:
            if value.type.shape != (found.tile[k],):
                message = f"the index along sparse_dim is a tile of {found.tile[k]} integers, not {value.type}"
                error(op, report, VIEW, where(op, value), message)
        elif value.type.shape:
            error(op, report, VIEW, where(op, value), f"index {k} is a rank-0 tile, not {value.type}")
        else:
            scalars.append(value)
    for value in scalars[1:]:
        if value.type != scalars[0].type:
            message = f"scalar indices have one type, not {scalars[0].type} and {value.type}"
            error(op, report, VIEW, where(op, value), message)
            return


def inbounds(op: Operation, report: Report, view: Value, found: tuple[bool, ...]) -> None:
    """Nothing, or one word for each dimension."""
    assert isinstance(view.type, View)
    if found and len(found) != view.type.rank:
        error(op, report, VIEW, op.place("inbounds"), f"{len(found)} entries for a view of rank {view.type.rank}")


def unpadded(op: Operation, report: Report, view: Value) -> None:
    """Reductions go into views without padding."""
    assert isinstance(view.type, View)
    if view.type.padding is not None:
        error(op, report, VIEW, where(op, view), "the view has no padding_value")
