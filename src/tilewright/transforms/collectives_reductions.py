"""sum and cumsum."""

from __future__ import annotations

from collections.abc import Callable

from tilewright.dialects import memref, tile, tl
from tilewright.dialects.arith import Add
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Value
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.collectives_elementwise import stretched, update_each
from tilewright.transforms.collectives_products import sum_rows
from tilewright.transforms.policy import Schedule, contiguous_mode
from tilewright.transforms.scaling import Update, update
from tilewright.transforms.streams import prefetch_reads
from tilewright.transforms.tiling import Box, Piece, along, cover, extents, strips


def lower_sum(op: tl.Sum, build: Builder, schedule: Schedule) -> None:
    """`b_i := alpha sum_j op(A)_ij + beta b_i`."""
    goal = update(build, op.alpha, op.beta, op.b, op.atomic)
    if emit.memref_type(op.b).order == 0:
        _sum_vector(op, build, goal, schedule)
    elif goal.alpha.is_zero:
        update_each(build, goal, schedule, lambda at, box: at.zero(TileType(box.shape, goal.accumulator)))
    else:
        _sum_matrix(op, build, goal, schedule)


def _sum_vector(op: tl.Sum, build: Builder, goal: Update, schedule: Schedule) -> None:
    """Sum of a vector into one element."""
    if goal.alpha.is_zero:
        goal.finish_scalar(build, build.zero(goal.accumulator))
        return
    length = schedule.tiles.reduction_tile(emit.memref_type(op.a), 0)[0]

    def row(at: Builder, piece: Piece) -> Value:
        box = Box((piece,))
        prefetch_reads(at, op.a, box, schedule.prefetch)
        value = emit.cast(at, box.load(at, op.a), goal.accumulator)
        return stretched(at, value, (1, piece.length), (1, piece.length))

    first = build.zero(TileType((1,), goal.accumulator))
    total = sum_rows(build, row, emit.extent(build, op.a, 0), length, 1, first)
    goal.finish_scalar(build, build(tile.Item(total)).out)


def _sum_matrix(op: tl.Sum, build: Builder, goal: Update, schedule: Schedule) -> None:
    source = emit.permuted(build, op.a, op.transpose)
    type_ = emit.memref_type(source)
    rows, depth = schedule.tiles.reduction_tile(type_, 1)
    inner = emit.extent(build, source, 1)
    wide = schedule.tiles.adds_tiles or contiguous_mode(type_) == 1

    def body(at: Builder, box: Box) -> None:
        strip = box.pieces[0]
        first = at.zero(TileType((strip.length,), goal.accumulator))

        def values(deep: Builder, piece: Piece) -> Value:
            return emit.cast(deep, Box((strip, piece)).load(deep, source), goal.accumulator)

        def step(deep: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
            part = deep(tile.Reduce(values(deep, piece), AtomicKind.ADD, 1)).out
            return [deep(Add(carried[0], part)).out]

        if wide:
            total = sum_rows(at, values, inner, depth, strip.length, first)
        else:
            # rows of a part of a strip are short: several at once would be as many streams through the same pages
            is_part = strip.checked and strip.length == rows
            total = along(at, inner, 1 if is_part else depth, step, [first])[0]
        goal.finish(at, total, box)

    strips(build, emit.extent(build, op.b, 0), rows, body, fitted=not wide)


def lower_cumsum(op: tl.Cumsum, build: Builder, schedule: Schedule) -> None:
    """`B[..j..] := alpha sum_{i<=j} A[..i..] + beta B[..j..]`: blocks in order, carrying their totals."""
    goal = update(build, op.alpha, op.beta, op.b, op.atomic)
    keep = tuple(k for k in range(emit.memref_type(op.a).order) if k in (0, 1 if op.mode == 0 else op.mode))
    mode = keep.index(op.mode)

    def slice_(at: Builder, a: Value, b: Value) -> None:
        inner = Update(goal.alpha, goal.beta, b, goal.atomic)
        if goal.alpha.is_zero:
            update_each(at, inner, schedule, lambda deep, box: deep.zero(TileType(box.shape, goal.accumulator)))
        else:
            _scan_slice(at, a, inner, mode, schedule)

    _each_slice(build, op.a, op.b, keep, slice_)


def _each_slice(
    build: Builder, a: Value, b: Value, keep: tuple[int, ...], body: Callable[[Builder, Value, Value], None]
) -> None:
    """Call `body` with the views of both tensors that fix all modes but `keep`, for every position of the others."""
    order = emit.memref_type(a).order
    others = [k for k in range(order) if k not in keep]
    if not others:
        body(build, a, b)
        return

    def step(at: Builder, box: Box) -> None:
        offsets: list[Value | None] = [None] * order
        for mode, piece in zip(others, box.pieces, strict=True):
            offsets[mode] = piece.index
        body(at, _slice(at, a, offsets), _slice(at, b, offsets))

    totals = extents(build, a)
    cover(build, [totals[k] for k in others], [1] * len(others), list(reversed(range(len(others)))), step)


def _slice(build: Builder, view: Value, offsets: list[Value | None]) -> Value:
    """The view with the modes that have an offset dropped."""
    type_ = emit.memref_type(view)
    kept = [k for k, o in enumerate(offsets) if o is None]
    dropped = [o for o in offsets if o is not None]
    lengths = [emit.size_kept(build, view, k) if o is None else 0 for k, o in enumerate(offsets)]
    sizes = tuple(length if isinstance(length, int) else None for length in lengths)
    result = MemrefType(
        type_.element, tuple(sizes[k] for k in kept), tuple(type_.strides[k] for k in kept), type_.space
    )
    return build(
        memref.Subview(
            view,
            dropped,
            [length for length in lengths if isinstance(length, Value)],
            tuple(0 if o is None else None for o in offsets),
            sizes,
            result_types=[result],
        )
    ).out


def _scan_slice(build: Builder, source: Value, goal: Update, mode: int, schedule: Schedule) -> None:
    """Prefix sums of a vector or matrix along `mode`."""
    type_ = emit.memref_type(source)
    lengths = schedule.tiles.scan_tile(type_, mode)
    others = [k for k in range(type_.order) if k != mode]
    totals = extents(build, source)

    def strip(at: Builder, outer: Box) -> None:
        def box(piece: Piece) -> Box:
            pieces = list(outer.pieces)
            pieces.insert(mode, piece)
            return Box(tuple(pieces))

        def step(deep: Builder, piece: Piece, carried: list[Value]) -> list[Value]:
            place = box(piece)
            value = emit.cast(deep, place.load(deep, source), goal.accumulator)
            scanned = value if piece.length == 1 else deep(tile.Scan(value, AtomicKind.ADD, mode)).out
            before = stretched(deep, carried[0], _flat(place.shape, mode), place.shape)
            prefix = deep(Add(scanned, before)).out
            goal.finish(deep, prefix, place)
            return [_last(deep, prefix, mode)]

        flat = _flat(box(Piece(build.index(0), 1, False)).shape, mode)
        along(at, totals[mode], lengths[mode], step, [at.zero(TileType(flat, goal.accumulator))])

    if others:
        strips(build, totals[others[0]], lengths[others[0]], strip)
    else:
        strip(build, Box(()))


def _flat(shape: tuple[int, ...], mode: int) -> tuple[int, ...]:
    return tuple(1 if k == mode else s for k, s in enumerate(shape))


def _last(build: Builder, value: Value, mode: int) -> Value:
    """The last slice of a tile along `mode`."""
    assert isinstance(value.type, TileType)
    shape = value.type.shape
    offsets = tuple(s - 1 if k == mode else 0 for k, s in enumerate(shape))
    type_ = TileType(_flat(shape, mode), value.type.element)
    return value if type_ == value.type else build(tile.Extract(value, offsets, result_types=[type_])).out
