"""Tiles whose elements come from memory in another order, put together in a buffer and stored past the caches from it.

A transposed tile touches a few lines of each of many rows. Stored where they belong, these are read first, to be
written back later, and most are gone from the caches when the next tile has their other elements. From a buffer each
row leaves in whole lines past the caches; only the ends of a row go through these. Dimensions that continue each other
in the target are one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.streamed_stores import StreamedStores, worth_streaming_runs
from tilewright.targets.cpu.evaluation.sweep import Plan
from tilewright.targets.cpu.expressions.nodes import (
    Broadcast,
    Converted,
    Elementwise,
    Expression,
    Memory,
    Permute,
    Splat,
    subexpressions,
)
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Value, boolean, i64, zero

_KNOWN: Final = (Memory, Splat, Elementwise, Converted, Broadcast, Permute)


class _Rows(Struct, frozen=True):
    """A target's dimensions from the nearest elements to the farthest, of which the first `merged` are one row."""

    order: tuple[int, ...]
    merged: int

    def of(self, memory: Memory) -> Memory:
        """The memory with rows as its first dimension."""
        shape, others = memory.type.shape, self.order[self.merged :]
        length = prod(shape[dim] for dim in self.order[: self.merged])
        type_ = TileType((length, *(shape[dim] for dim in others)), memory.type.element)
        return Memory(
            type_,
            memory.pointer,
            (i64(1), *(memory.strides[dim] for dim in others)),
            (None,) * type_.rank,
            distant=memory.distant,
        )


def store(ctx: KernelContext, roots: Roots, value: Expression, target: Memory) -> None:
    """Store a tile by way of a buffer, if that is worth it when the code runs, or at once."""
    rows = _rows(target.type.shape, target.strides) if _may_leave(value, target) else None
    condition = boolean(False)
    if rows is not None and _comes_in_pieces(roots, value, target, rows):
        condition = _condition(roots, value, target, rows)
    if rows is None or condition.text == "false":
        roots.store(value, target)
        return
    with ctx.b.if_else(condition) as branch:
        with branch.then():
            _by_buffer(roots, value, target, rows)
        with branch.otherwise():
            roots.store(value, target)


def _may_leave(value: Expression, target: Memory) -> bool:
    """Whether the target may be larger than the caches, and the tile is computed element by element."""
    if target.checked or target.tables or target.exceeds is None or target.exceeds.text == "false":
        return False
    return all(isinstance(part, _KNOWN) for part in subexpressions(value))


def _comes_in_pieces(roots: Roots, value: Expression, target: Memory, rows: _Rows) -> bool:
    """Whether a row of the target is put together from several places: vectors of it are, or rows of memory."""
    strides = _strides(value)
    if strides is not None and rows.merged > 1:
        mine = _rows(target.type.shape, strides)
        if mine is None or mine.order[: mine.merged] != rows.order[: rows.merged]:
            return True
    return Plan(roots.evaluator(), value, rows.order[0]).across_first


def _strides(value: Expression) -> Sequence[Value] | None:
    """How far apart elements of memory lie that is only copied."""
    match value:
        case Memory() if not value.tables:
            return value.strides
        case Permute():
            inner = _strides(value.source)
            return None if inner is None else [inner[dim] for dim in value.order]
        case _:
            return None


def _rows(shape: Sequence[int], strides: Sequence[Value]) -> _Rows | None:
    """The rows of memory whose elements have neighbours."""
    known = {dim: stride.integer for dim, stride in enumerate(strides) if shape[dim] > 1}
    order, length = list[int](), 1
    while (following := next((dim for dim, stride in known.items() if stride == length), None)) is not None:
        del known[following]
        order.append(following)
        length *= shape[following]
    return _Rows((*order, *(dim for dim in range(len(shape)) if dim not in order)), len(order)) if order else None


def _condition(roots: Roots, value: Expression, target: Memory, rows: _Rows) -> Value:
    ev, flat = roots.evaluator(False), rows.of(target)
    near = Memory(flat.type, zero("ptr"), flat.strides, flat.bounds)
    return worth_streaming_runs(ev, value, target, (near, flat), Plan(ev, near, 0))


def _by_buffer(roots: Roots, value: Expression, target: Memory, rows: _Rows) -> None:
    buffer, ev = roots.buffer(target.type, order=rows.order), roots.evaluator(False)
    roots.store(value, buffer)
    near, flat = rows.of(buffer), rows.of(target)
    StreamedStores(ev, near, flat, Plan(ev, near, 0)).runs()
