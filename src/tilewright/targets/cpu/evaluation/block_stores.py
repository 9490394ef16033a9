"""Storing the blocks of a sweep: when, and how vectors with lanes outside their column are written.

A load whose bytes, masked-off lanes included, overlap those of an earlier store, masked-off lanes included, waits until
that store has left the store buffer. So such vectors are stored under a mask where nothing loads their neighbours soon:

* in straight-line code a block is stored after the old elements of the next one were loaded;
* the last column is stored exactly, in ever narrower vectors, since the next tile may begin behind it;
* in loops over a target that is read, all columns are.

Evidence (benchmarks/batched_gemm.py, f32 9x56x9, GFLOP/s): masks alone 63, exactly 67, in this way 77.

Stores of long runs prefetch the lines that they are going to write: a store that misses needs its line first, and the
hardware of Intel fetches ahead of loads better than ahead of stores (Sapphire Rapids, sums of f32: a quarter less time
from the third cache, 15 % from memory). In the first cache this costs time, but there a run takes less than a launch
does. AMD's asks ahead for lines of both, and prefetches only stand in its way: without, sums of two f32 take 10 % less
time from the second cache of an EPYC (Zen 5), 16 % from the third, up to 14 % from memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.sweep import Plan
from tilewright.targets.cpu.expressions.blocks import Block
from tilewright.targets.cpu.expressions.fragments import Fragments
from tilewright.targets.cpu.expressions.graph import reachable
from tilewright.targets.cpu.expressions.nodes import (
    Converted,
    Elementwise,
    Expression,
    Memory,
    Product,
    natural_dim,
)
from tilewright.targets.cpu.machine import LINE_BYTES
from tilewright.targets.llvm.emitter import i64
from tilewright.targets.llvm.types import ELEMENTS

_SPILLED_VECTORS: Final = 4
"""Waiting for the old elements of the next block pays in spite of so many vectors too many (f32 9x35x20: 2 %)."""

_PREFETCH_BYTES: Final = 1024
_LONG_RUN_BYTES: Final = 2048


class BlockStores:
    """Computes the blocks of a tile one after another and stores them to a target."""

    __slots__ = ("_ev", "_late", "_masks", "_old", "_plan", "_prefetches", "_target", "_value", "_waiting")

    def __init__(self, ev: Evaluator, value: Expression, target: Memory, plan: Plan) -> None:
        self._ev = ev
        self._value = value
        self._target = target
        self._plan = plan
        self._prefetches = not (ev.checked or ev.machine.fetches_stores) and _is_long_run(target, natural_dim(target))
        self._old = [part for part in reachable(value, _same_position) if _may_be(part, target)]
        vectors = plan.shape.group * plan.shape.columns
        fits = 2 * vectors <= ev.machine.registers + _SPILLED_VECTORS
        partial = any(piece.partial for piece in plan.pieces.rest)
        self._late = plan.straight and partial and fits and bool(self._old)
        self._masks = self._late or not self._old
        self._waiting: tuple[Block, Fragments] | None = None

    def emit(self, block: Block) -> None:
        """Compute a block, store it or the one before it."""
        ev = self._ev
        if not self._plan.shape.resident:
            ev.forget()
        if self._prefetches:
            _prefetch_behind(ev, self._target, block)
        if self._late:
            for part in self._old:
                ev.read_once(part, block)
            self.finish()
        self._waiting = block, ev.block(self._value, block)
        if not self._late:
            self.finish()

    def finish(self) -> None:
        """Store the block that waits."""
        if self._waiting is not None:
            self._ev.store(self._target, *self._waiting, masks=self._masks)
            self._waiting = None


def _same_position(tile: Expression) -> Sequence[Expression]:
    """The tiles of which each element goes into the element at the same position."""
    match tile:
        case Elementwise():
            return tile.operands
        case Converted():
            return (tile.source,)
        case Product():
            return (tile.acc,)
        case _:
            return ()


def _may_be(tile: Expression, target: Memory) -> bool:
    """Whether a tile may be the target's old elements: pointers to the same place have different names."""
    return isinstance(tile, Memory) and tile.strides == target.strides


def _is_long_run(target: Memory, dim: int | None) -> bool:
    """Whether a store along a dimension writes much memory in one piece that may be in no cache."""
    if not target.distant or dim is None or target.strides[dim].integer != 1:
        return False
    return target.type.shape[dim] * _element_bytes(target) >= _LONG_RUN_BYTES


def _prefetch_behind(ev: Evaluator, target: Memory, block: Block) -> None:
    """Prefetch as many lines as a block has, some way behind it."""
    base, last = ev.address(target, block.origin), block.pieces[-1]
    size = _element_bytes(target)
    for j in range(block.count):
        across = i64(0) if block.across is None else ev.b.mul(target.strides[block.across], i64(j))
        start = ev.advance(target, base, across)
        for distance in range(0, (last.offset + last.lanes) * size, LINE_BYTES):
            ev.b.prefetch(ev.b.offset(start, _PREFETCH_BYTES + distance), write=True)


def _element_bytes(target: Memory) -> int:
    return ELEMENTS[target.type.element.name].bytes
