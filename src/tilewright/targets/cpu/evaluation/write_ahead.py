"""Stores of long runs ask for the lines that they are going to write.

A store that misses needs its line first, and the hardware fetches ahead of loads better than ahead of stores. In the
first cache this costs time, but there a run takes less than a launch does.
"""

from __future__ import annotations

from typing import Final

from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.blocks import Block
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.machine import LINE_BYTES
from tilewright.targets.llvm.emitter import i64
from tilewright.targets.llvm.types import ELEMENTS

_DISTANCE_BYTES: Final = 1024
_LONG_RUN_BYTES: Final = 2048


def is_long_run(target: Memory, dim: int | None) -> bool:
    """Whether a store along a dimension writes much memory in one piece that may be in no cache."""
    if not target.distant or dim is None or target.strides[dim].integer != 1:
        return False
    return target.type.shape[dim] * _element_bytes(target) >= _LONG_RUN_BYTES


def ask_ahead(ev: Evaluator, target: Memory, block: Block) -> None:
    """Ask for as many lines as a block has, some way behind it."""
    base, last = ev.address(target, block.origin), block.pieces[-1]
    size = _element_bytes(target)
    for j in range(block.count):
        across = i64(0) if block.across is None else ev.b.mul(target.strides[block.across], i64(j))
        start = ev.advance(target, base, across)
        for distance in range(0, (last.offset + last.lanes) * size, LINE_BYTES):
            ev.b.prefetch(ev.b.offset(start, _DISTANCE_BYTES + distance), write=True)


def _element_bytes(target: Memory) -> int:
    return ELEMENTS[target.type.element.name].bytes
