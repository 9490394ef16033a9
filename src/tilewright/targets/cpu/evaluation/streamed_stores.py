"""Stores past the caches, of tiles whose memory is larger than these.

A store that misses reads its line first, to write it back later: two transfers, and what is in the caches has to go for
something that is gone itself before anybody reads it. Stores of whole lines past the caches (non-temporal ones) cost
one. Vectors so stored lie at multiples of their size. What a run of them has in front of its first multiple and behind
its last one goes through the caches: where every run of 4 KiB had such ends, the loads of the next ones were late, and
nothing was gained (Zen 5, floor of 10^7 f32: 2.23 ms; 2.13 through the caches, 1.68 in one run; log: 2.9, 2.1, 1.9). So
tiles are stored in this way if they have no ends, and loops over tiles as one long run (`tiles/long_runs.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.sweep import Plan, each_position
from tilewright.targets.cpu.expressions.blocks import Block, Piece
from tilewright.targets.cpu.expressions.nodes import (
    Bound,
    Broadcast,
    Converted,
    Elementwise,
    Expression,
    Iota,
    Memory,
    Permute,
    Splat,
    leaves,
    natural_dim,
    subexpressions,
)
from tilewright.targets.cpu.machine import LINE_BYTES
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64
from tilewright.targets.llvm.types import ELEMENTS, Kind

_SHORTEST_RUN: Final = 512
"""Bytes that a tile has in one piece."""
_SHORTEST_BUFFERED_RUN: Final = 128
"""And one in a buffer, whose loads are not late: short runs have ends which go through the caches, in any case."""
_NARROWEST: Final = 16
_MANY_INSTRUCTIONS: Final = 12
"""For a vector, of which complex numbers fill two: of more of them a core has too few loads on their way at once, and
past the caches the hardware fetches less ahead (Zen 5, 10^7 f32: tanh 4.4 ms without prefetches, 1.8 with them, log
2.0, 1.8; floor 1.7, 1.8)."""
_PREFETCH_BYTES: Final = 4096
_KNOWN: Final = (Memory, Splat, Elementwise, Converted, Broadcast, Permute, Iota)


def worth_streaming(ev: Evaluator, value: Expression, target: Memory, plan: Plan) -> Value:
    """Whether what is stored is to go past the caches, as far as it is known now; else code has to find out.

    Never where old elements of the target are read: these lines are near.
    """
    if not _is_possible(ev, value, target, plan, _SHORTEST_RUN):
        return boolean(False)
    return _goes_past_caches(ev.b, value, target)


def worth_streaming_runs(
    ev: Evaluator, value: Expression, target: Memory, pair: tuple[Memory, Memory], plan: Plan
) -> Value:
    """The same for a value that is put together in a buffer first; `pair`: the runs of that, and of the target."""
    if not _is_possible(ev, *pair, plan, _SHORTEST_BUFFERED_RUN):
        return boolean(False)
    return _goes_past_caches(ev.b, value, target)


def _goes_past_caches(b: Builder, value: Expression, target: Memory) -> Value:
    found = target.exceeds
    if found is None or found.text == "false":
        return boolean(False)
    found = b.and_(found, b.icmp("eq", b.and_(_start(b, target), i64(_bytes(target) - 1)), i64(0)))
    for part in subexpressions(value):
        if isinstance(part, Memory) and part.distant and part.type.element.bytes == target.type.element.bytes:
            found = b.and_(found, b.icmp("ne", part.pointer, target.pointer))
    return found


def begins_with_vectors(b: Builder, target: Memory, plan: Plan) -> Value:
    """Whether all runs of a tile consist of vectors at multiples of their size."""
    size = plan.pieces.lanes * _bytes(target)
    if plan.pieces.rest:
        return boolean(False)
    found = _start(b, target)
    for dim, stride in enumerate(target.strides):
        if dim != plan.vector and target.type.shape[dim] > 1:
            found = b.or_(found, b.mul(stride, i64(_bytes(target))))
    return b.icmp("eq", b.and_(found, i64(size - 1)), i64(0))


def _is_possible(ev: Evaluator, value: Expression, target: Memory, plan: Plan, shortest: int) -> bool:
    """Whether a value is computed vector by vector, along memory, in vectors that can be stored past the caches."""
    element, parts = ELEMENTS[target.type.element.name], list(subexpressions(value))
    if ev.checked or not ev.machine.masks or ev.machine.compact or not target.distant or plan.across_first:
        return False
    if element.kind is Kind.BOOL or plan.vector != natural_dim(target):
        return False
    if not all(isinstance(part, _KNOWN) for part in parts):
        return False
    if any(isinstance(part, Memory) and part.tables for part in (target, *parts)):
        return False
    whole, register = (plan.pieces.lanes * kind.bytes for kind in (element, ELEMENTS[element.component]))
    return plan.pieces.full * whole >= shortest and _NARROWEST <= register <= LINE_BYTES


def _start(b: Builder, target: Memory) -> Value:
    return b.cast("ptrtoint", target.pointer, "i64")


def _bytes(target: Memory) -> int:
    return ELEMENTS[target.type.element.name].bytes


class StreamedStores:
    """Computes a tile and stores it past the caches."""

    __slots__ = ("_ev", "_lanes", "_parts", "_plan", "_target", "_value")

    def __init__(self, ev: Evaluator, value: Expression, target: Memory, plan: Plan) -> None:
        self._ev = ev
        self._value = value
        self._target = target
        self._plan = plan
        self._lanes = plan.pieces.lanes
        self._parts = 2 if target.type.element.is_complex else 1

    def tile(self) -> None:
        """All of a tile whose runs begin and end with whole vectors."""
        extent = i64(self._plan.extents[self._plan.vector])
        others = [1 if dim == self._plan.vector else extent for dim, extent in enumerate(self._plan.extents)]
        each_position(self._ev.b, others, lambda position: self._vectors(position, i64(0), extent))

    def runs(self) -> None:
        """All of a tile, whose runs begin and end anywhere."""
        extents, vector = self._plan.extents, self._plan.vector
        others = [1 if dim == vector else extent for dim, extent in enumerate(extents)]
        each_position(self._ev.b, others, lambda position: self.run(i64(extents[vector]), position))

    def run(self, extent: Value, position: Sequence[Value] = ()) -> None:
        """So many elements from the tile's first one on, or from a position; at least a whole vector, anywhere."""
        b, lanes = self._ev.b, self._lanes
        position = position or (i64(0),) * len(self._plan.extents)
        start = b.cast("ptrtoint", self._ev.address(self._target, tuple(position)), "i64")
        size = _bytes(self._target)
        before = b.udiv(b.and_(b.sub(i64(0), start), i64(lanes * size - 1)), i64(size))
        value, target = (_bounded(tile, self._plan.vector, extent) for tile in (self._value, self._target))
        assert isinstance(target, Memory)
        edges = Evaluator(b, self._ev.arith, self._ev.machine, checked=True)

        def edge(first: Value) -> None:
            block = self._block(position, first, 1)
            edges.forget()
            edges.store(target, block, edges.block(value, block))

        end = b.add(before, b.and_(b.sub(extent, before), i64(-lanes)))
        with b.if_then(b.icmp("ne", before, i64(0))), edges.scope():
            edge(b.sub(before, i64(lanes)))
        self._vectors(position, before, end)
        with b.if_then(b.icmp("slt", end, extent)), edges.scope():
            edge(end)

    def _vectors(self, position: Sequence[Value], first: Value, end: Value) -> None:
        """Groups of vectors, then single ones."""
        b, lanes, group = self._ev.b, self._lanes, self._plan.shape.group
        count = b.mul(b.udiv(b.sub(end, first), i64(group * lanes)), i64(group * lanes))
        grouped = b.add(first, count)
        for start, stop, vectors in ((first, grouped, group), (grouped, end, 1)):
            with b.loop(start, stop, vectors * lanes, hint="v") as loop, self._ev.scope():
                self._ev.forget()
                block, before = self._block(position, loop.index, vectors), b.function.length
                self._ev.store(self._target, block, self._ev.block(self._value, block), streamed=True)
                if b.function.length - before > _MANY_INSTRUCTIONS * vectors * self._parts:
                    self._prefetch(block)

    def _prefetch(self, block: Block) -> None:
        """As many lines of what is read as a block has, some way behind it."""
        b = self._ev.b
        for leaf in leaves(self._value):
            if not isinstance(leaf, Memory) or leaf.strides != self._target.strides:
                continue
            start = self._ev.address(leaf, block.origin)
            for distance in range(0, len(block.pieces) * self._lanes * _bytes(leaf), LINE_BYTES):
                b.prefetch(b.offset(start, _PREFETCH_BYTES + distance))

    def _block(self, position: Sequence[Value], first: Value, count: int) -> Block:
        origin = tuple(first if dim == self._plan.vector else at for dim, at in enumerate(position))
        pieces = tuple(Piece(k * self._lanes, self._lanes, self._lanes) for k in range(count))
        return Block(origin, self._plan.vector, pieces)


def _bounded(tile: Expression, dim: int, extent: Value) -> Expression:
    """The tile with nothing beyond so many positions of a dimension."""
    match tile:
        case Memory():
            bounds = list(tile.bounds)
            bounds[dim] = Bound(i64(0), extent)
            return replace(tile, bounds=tuple(bounds))
        case Elementwise():
            return replace(tile, operands=tuple(_bounded(part, dim, extent) for part in tile.operands))
        case Converted():
            return replace(tile, source=_bounded(tile.source, dim, extent))
        case Broadcast():
            stretched = tile.source.type.shape[dim] != tile.type.shape[dim]
            return tile if stretched else replace(tile, source=_bounded(tile.source, dim, extent))
        case Permute():
            return replace(tile, source=_bounded(tile.source, tile.order[dim], extent))
        case _:
            return tile
