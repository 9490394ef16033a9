"""Patterns on tiles and views: constants and splats spread, moves compose, sizes and bounds tests become known."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import memref, tile
from tilewright.dialects.arith import Cast, Constant
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import AccessesBox, MovesElements, ViewLike
from tilewright.ir.rewriter import Rewriter, pattern
from tilewright.ir.types import INDEX, MemrefType
from tilewright.transforms.emit import constant_of, integer_of, memref_type, scalar_type


@pattern(tile.Splat)
def splat_of_constant(op: tile.Splat, rewriter: Rewriter) -> bool:
    """A splat of a constant is a constant tile."""
    known = constant_of(op.value)
    if known is None:
        return False
    rewriter.replace(op, [rewriter.insert(Constant(known, result_types=[op.out.type])).out])
    return True


@pattern(MovesElements)
def move_of_uniform(op: MovesElements, rewriter: Rewriter) -> bool:
    """Moving the elements of a constant or splat changes its shape only."""
    source, *others = (operand.defining_op for operand in op.operands)
    if any(other is not source for other in others):
        return False
    if isinstance(source, Constant):
        rewriter.replace(op, [rewriter.insert(Constant(source.value, result_types=[op.results[0].type])).out])
    elif isinstance(source, tile.Splat):
        rewriter.replace(op, [rewriter.insert(tile.Splat(source.value, result_types=[op.results[0].type])).out])
    else:
        return False
    return True


@pattern(MovesElements)
def move_to_itself(op: MovesElements, rewriter: Rewriter) -> bool:
    """A move of every element to its own place goes."""
    moves = op.moves()
    if len(moves) > 1 or op.operands[0].type != op.results[0].type or not moves[0].is_identity:
        return False
    rewriter.replace(op, [op.operands[0]])
    return True


@pattern(tile.Reshape)
def reshape_of_reshape(op: tile.Reshape, rewriter: Rewriter) -> bool:
    """Only the last shape counts."""
    inner = op.tile.defining_op
    if not isinstance(inner, tile.Reshape):
        return False
    rewriter.replace(op, [rewriter.insert(tile.Reshape(inner.tile, result_types=[op.out.type])).out])
    return True


@pattern(tile.Permute, memref.Permute)
def permute_of_permute(op: tile.Permute | memref.Permute, rewriter: Rewriter) -> bool:
    """Permutations compose; the identity goes."""
    source = op.operands[0]
    if op.order == tuple(range(len(op.order))):
        rewriter.replace(op, [source])
        return True
    inner = source.defining_op
    if not isinstance(inner, tile.Permute | memref.Permute):
        return False
    order = tuple(inner.order[k] for k in op.order)
    rewriter.replace(op, [rewriter.insert(type(op)(inner.operands[0], order)).out])
    return True


@pattern(tile.Item)
def item_of_splat(op: tile.Item, rewriter: Rewriter) -> bool:
    """The element of a splat or constant."""
    source = op.tile.defining_op
    if isinstance(source, tile.Splat):
        rewriter.replace(op, [source.value])
    elif isinstance(source, Constant):
        rewriter.replace(op, [rewriter.insert(Constant(source.value, result_types=[op.out.type])).out])
    else:
        return False
    return True


@pattern(Cast)
def cast_of_splat(op: Cast, rewriter: Rewriter) -> bool:
    """Convert the scalar instead of every element."""
    source = op.value.defining_op
    if not isinstance(source, tile.Splat):
        return False
    scalar = rewriter.insert(Cast(source.value, result_types=[scalar_type(op.out.type)])).out
    rewriter.replace(op, [rewriter.insert(tile.Splat(scalar, result_types=[op.out.type])).out])
    return True


@pattern(AccessesBox)
def decided_checks(op: AccessesBox, rewriter: Rewriter) -> bool:
    """Bounds tests that constants decide are dropped."""
    if "check" not in op.attributes:
        return False
    box = op.box()
    extents = memref_type(box.memref).shape
    needed = tuple(
        flag and not _inside(index, length, extent)
        for flag, index, length, extent in zip(box.clipped, box.indices, box.shape, extents, strict=False)
    )
    if any(needed) and needed == box.clipped:
        return False
    if any(needed):
        op.attributes["check"] = needed
    else:
        del op.attributes["check"]
    rewriter.changed(op)
    return True


def _inside(index: Value, length: int, extent: int | None) -> bool:
    known = integer_of(index)
    return known is not None and extent is not None and 0 <= known <= extent - length


@pattern(memref.Size, memref.Stride)
def known_extent(op: memref.Size | memref.Stride, rewriter: Rewriter) -> bool:
    """Extents and strides from the type, or from the view that set them."""
    type_ = op.source.type
    if not isinstance(type_, MemrefType):
        return False
    stride = isinstance(op, memref.Stride)
    static = (type_.strides if stride else type_.shape)[op.mode]
    if static is not None:
        rewriter.replace(op, [rewriter.insert(Constant(static, result_types=[INDEX])).out])
        return True
    found = _through_view(op.source.defining_op, op.mode, stride)
    if found is None:
        return False
    value = found if isinstance(found, Value) else rewriter.insert(type(op)(*found)).out
    rewriter.replace(op, [value])
    return True


def _through_view(view: Operation | None, mode: int, stride: bool) -> Value | tuple[Value, int] | None:
    """The extent value that a view was given, or the operand and mode whose extent (stride) it is."""
    if not isinstance(view, ViewLike):
        return None
    if not stride:
        return view.extent_origin(mode)
    source = view.source_of(mode)
    return None if source is None else (view.memref, source)


@pattern(memref.Subview)
def constant_offsets(op: memref.Subview, rewriter: Rewriter) -> bool:
    """Offsets that became constants move into the attribute."""
    if not any(integer_of(v) is not None for v in op.offsets):
        return False
    _replace_subview(op, op.memref, [_folded(offset) for offset in op.mixed_offsets], op.mixed_sizes, rewriter)
    return True


@pattern(memref.Subview)
def whole_view(op: memref.Subview, rewriter: Rewriter) -> bool:
    """A subview of everything is the operand."""
    whole = op.memref.type == op.out.type and None not in op.static_sizes and not any(op.static_offsets)
    if not whole or op.offsets or 0 in op.static_sizes:
        return False
    rewriter.replace(op, [op.memref])
    return True


@pattern(memref.Subview)
def subview_of_subview(op: memref.Subview, rewriter: Rewriter) -> bool:
    """Boxes of boxes with constant inner or outer offsets compose."""
    inner = op.memref.defining_op
    if not isinstance(inner, memref.Subview):
        return False
    outer = iter(zip(op.mixed_offsets, op.mixed_sizes, strict=True))
    offsets: list[int | Value] = []
    sizes: list[int | Value] = []
    for offset, size in zip(inner.mixed_offsets, inner.mixed_sizes, strict=True):
        if size == 0:
            offsets.append(offset)
            sizes.append(0)
            continue
        more, kept = next(outer)
        total = _plus(offset, more)
        if total is None:
            return False
        offsets.append(total)
        sizes.append(kept)
    _replace_subview(op, inner.memref, offsets, sizes, rewriter)
    return True


def _folded(offset: int | Value) -> int | Value:
    known = integer_of(offset) if isinstance(offset, Value) else None
    return offset if known is None else known


def _replace_subview(
    op: memref.Subview, source: Value, offsets: Sequence[int | Value], sizes: Sequence[int | Value], rewriter: Rewriter
) -> None:
    """The same box, taken of `source`."""
    new = memref.Subview(
        source,
        [v for v in offsets if isinstance(v, Value)],
        [v for v in sizes if isinstance(v, Value)],
        tuple(None if isinstance(v, Value) else v for v in offsets),
        tuple(None if isinstance(v, Value) else v for v in sizes),
        result_types=[op.out.type],
    )
    rewriter.replace(op, [rewriter.insert(new).out])


def _plus(a: int | Value, b: int | Value) -> int | Value | None:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0:
        return b
    return a if b == 0 else None


TILES = (
    splat_of_constant,
    move_of_uniform,
    move_to_itself,
    reshape_of_reshape,
    permute_of_permute,
    item_of_splat,
    cast_of_splat,
    decided_checks,
    known_extent,
    constant_offsets,
    whole_view,
    subview_of_subview,
)
