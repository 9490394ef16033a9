"""Reductions and scans of the work-group by a region: one thread goes along each line, element after element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects import scf
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.nvidia import buffers
from tilewright.targets.nvidia.buffers import Coordinates, each_element, new_buffer
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.elements import Elements, tile_type
from tilewright.targets.nvidia.values import Operand, SharedTile, of_parts, parts_of

Row = list[Operand]
"""One element of each tile."""


class _Line:
    """The elements of the tiles along one dimension, for one position in the others."""

    def __init__(self, ctx: KernelContext, op: ReduceBy | ScanBy, rest: Coordinates) -> None:
        self._ctx, self._op, self._rest = ctx, op, rest

    def place(self, k: Value) -> Coordinates:
        """Where the k-th element lies."""
        return (*self._rest[: self._op.dim], k, *self._rest[self._op.dim :])

    def row(self, k: Value) -> Row:
        """The k-th elements."""
        elements, at = Elements(self._ctx), self.place(k)
        return [elements.at(tile, at) for tile in self._op.tiles]

    def combined(self, later: Row, earlier: Row) -> Row:
        """Emit the region."""
        ctx, block = self._ctx, self._op.body.entry
        pairs = [operand for pair in zip(later, earlier, strict=True) for operand in pair]
        for argument, operand in zip(block.arguments, pairs, strict=True):
            ctx.bind(argument, operand)
        with ctx.per_work_item():
            ctx.lower_block(block)
        return [ctx.operand(v) for v in scf.yielded(self._op.body)]


def _flat(row: Row) -> list[Value]:
    return [part for operand in row for part in parts_of(operand)]


def _rebuilt(like: Row, values: Sequence[Value]) -> Row:
    rest, found = list(values), list[Operand]()
    for operand in like:
        count = len(parts_of(operand))
        found.append(of_parts(rest[:count]))
        del rest[:count]
    return found


def _without(shape: Sequence[int], dim: int) -> tuple[int, ...]:
    return tuple(extent for k, extent in enumerate(shape) if k != dim)


def _start(ctx: KernelContext, op: ReduceBy | ScanBy) -> list[SharedTile]:
    """Buffers for the results, in which nobody reads any more."""
    targets = [new_buffer(ctx, tile_type(value)) for value in op.outs]
    ctx.barrier()
    return targets


def _finish(ctx: KernelContext, op: ReduceBy | ScanBy, targets: Sequence[SharedTile]) -> None:
    ctx.barrier()
    for value, target in zip(op.outs, targets, strict=True):
        ctx.bind(value, target)


def _store(ctx: KernelContext, targets: Sequence[SharedTile], row: Row, at: Coordinates) -> None:
    for target, operand in zip(targets, row, strict=True):
        buffers.store(ctx, target, operand, at)


def _reduce(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ReduceBy)
    shape = tile_type(op.tiles[0]).shape
    targets = _start(ctx, op)
    with each_element(ctx, _without(shape, op.dim)) as rest:
        line = _Line(ctx, op, rest)
        first = line.row(i64(0))
        unroll = ctx.not_unrolled()
        with ctx.b.loop(i64(1), i64(shape[op.dim]), 1, _flat(first), loop_metadata=unroll, hint="r") as loop:
            total = line.combined(line.row(loop.index), _rebuilt(first, loop.carried))
            loop.yield_(*_flat(total))
        _store(ctx, targets, _rebuilt(first, loop.results), rest)
    _finish(ctx, op, targets)


def _scan(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ScanBy)
    shape = tile_type(op.tiles[0]).shape
    extent = shape[op.dim]
    targets = _start(ctx, op)

    def number(k: Value) -> Value:
        return ctx.b.sub(i64(extent - 1), k) if op.reverse else k

    with each_element(ctx, _without(shape, op.dim)) as rest:
        line = _Line(ctx, op, rest)
        first = line.row(number(i64(0)))
        if op.starts:
            first = line.combined(first, [ctx.operand(v) for v in op.starts])
        _store(ctx, targets, first, line.place(number(i64(0))))
        unroll = ctx.not_unrolled()
        with ctx.b.loop(i64(1), i64(extent), 1, _flat(first), loop_metadata=unroll, hint="s") as loop:
            k = number(loop.index)
            total = line.combined(line.row(k), _rebuilt(first, loop.carried))
            _store(ctx, targets, total, line.place(k))
            loop.yield_(*_flat(total))
    _finish(ctx, op, targets)


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {ReduceBy: _reduce, ScanBy: _scan}
