"""Elementwise collectives and ger: every element of the target is updated from elements of the inputs, by tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects import memref, tile, tl
from tilewright.dialects.arith import Mul
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.policy import Remainders, Schedule, contiguous_mode
from tilewright.transforms.scaling import Update, update
from tilewright.transforms.streams import prefetch_reads, prefetch_writes
from tilewright.transforms.tiling import Box, cover, extents, loop_order


def lower_elementwise(op: tl.ElementwiseCollective, build: Builder, schedule: Schedule) -> None:
    """`C := alpha f(A, ..) + beta C`."""
    alpha, *_, beta, out = op.operands
    goal = update(build, alpha, beta, out, bool(op.attributes.get("atomic")))
    _, *inputs = op.tensor_modes()
    sources = [emit.permuted(build, op.operands[tensor.operand], tensor.transposed) for tensor in inputs]
    target = emit.memref_type(out)
    if target.order == 0:
        _scalar(op, build, goal, sources)
        return
    crosswise = any(contiguous_mode(emit.memref_type(source)) != contiguous_mode(target) for source in sources)
    lengths = schedule.tiles.elementwise_tile(target, crosswise)
    if crosswise:
        lengths = _squared(target, lengths)

    def formed(at: Builder, box: Box) -> Value:
        return op.emit(at, [emit.cast(at, box.load(at, source), goal.accumulator) for source in sources])

    remainders = schedule.tiles.crosswise_remainders if crosswise else Remainders.ALONE
    update_each(build, goal, schedule, formed, sources, lengths, remainders)


def _squared(target: MemrefType, lengths: tuple[int, ...]) -> tuple[int, ...]:
    """A square of about as many elements: cache lines of both tensors are used up while they are at hand."""
    whole = all(extent is not None and extent <= length for extent, length in zip(target.shape, lengths, strict=True))
    if whole or len(lengths) != 2:
        return lengths
    side = 1 << ((lengths[0] * lengths[1]).bit_length() - 1) // 2
    return (side, side)


def _scalar(op: tl.ElementwiseCollective, build: Builder, goal: Update, sources: Sequence[Value]) -> None:
    if goal.alpha.is_zero:
        formed = build.zero(goal.accumulator)
    else:
        inputs = [emit.cast(build, build(memref.Load(source, [])).out, goal.accumulator) for source in sources]
        formed = op.emit(build, inputs)
    goal.finish_scalar(build, formed)


def lower_ger(op: tl.Ger, build: Builder, schedule: Schedule) -> None:
    """`C := alpha a b^T + beta C`."""
    goal = update(build, op.alpha, op.beta, op.c, op.atomic)

    def product(at: Builder, box: Box) -> Value:
        rows, columns = box.pieces
        a = emit.cast(at, Box((rows,)).load(at, op.a), goal.accumulator)
        b = emit.cast(at, Box((columns,)).load(at, op.b), goal.accumulator)
        left = stretched(at, a, (rows.length, 1), box.shape)
        return at(Mul(left, stretched(at, b, (1, columns.length), box.shape))).out

    lengths = schedule.tiles.elementwise_tile(emit.memref_type(op.c), shared=True)
    update_each(build, goal, schedule, product, lengths=lengths)


def stretched(build: Builder, value: Value, shape: tuple[int, ...], to: tuple[int, ...]) -> Value:
    """A tile reshaped to `shape` and repeated along its dimensions of extent 1 to `to`."""
    element = emit.scalar_type(value.type)
    if value.type != TileType(shape, element):
        value = build(tile.Reshape(value, result_types=[TileType(shape, element)])).out
    return value if shape == to else build(tile.Broadcast(value, result_types=[TileType(to, element)])).out


def update_each(
    build: Builder,
    goal: Update,
    schedule: Schedule,
    product: Callable[[Builder, Box], Value],
    streams: Sequence[Value] = (),
    lengths: tuple[int, ...] = (),
    remainders: Remainders = Remainders.ALONE,
) -> None:
    """Update every tile of the target with `product(builder, box)`, which is not called where alpha is constant 0.

    `streams` are views that it loads at the same box. Tiles have the schedule's lengths unless others are given.
    """
    type_ = emit.memref_type(goal.target)
    if goal.alpha.is_zero and goal.beta.is_one:
        return

    def body(at: Builder, box: Box) -> None:
        nothing = TileType(box.shape, goal.accumulator)
        # A target that is loaded before it is stored is fetched by these loads: prefetching gains nothing then.
        if goal.beta.is_zero and not goal.atomic:
            for view in () if goal.alpha.is_zero else streams:
                prefetch_reads(at, view, box, schedule.prefetch)
            prefetch_writes(at, goal.target, box, schedule.prefetch)
        goal.finish(at, at.zero(nothing) if goal.alpha.is_zero else product(at, box), box)

    lengths = lengths or schedule.tiles.elementwise_tile(type_)
    cover(build, extents(build, goal.target), lengths, loop_order(type_), body, remainders)
