"""Prefetching a tile's place: a hint for each cache line, which never faults.

The hints are spread over the code that follows: more at a time than the core has line buffers (16) hold up its loads.
"""

from __future__ import annotations

from tilewright.dialects import tile
from tilewright.ir.types import MemrefType, TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.sweep import each_position
from tilewright.targets.cpu.expressions.nodes import Memory
from tilewright.targets.cpu.machine import LINE_BYTES
from tilewright.targets.cpu.memory.places import place
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Value, i64

_LOCALITY = (3, 2, 1)
_STRAIGHT_LINES = 128


def lower_prefetch(ctx: KernelContext, roots: Roots, op: tile.Prefetch) -> None:
    """Prefetch the lines of a box: in a row where it lies in one piece, else along the mode of stride 1."""
    memref = op.memref.type
    assert isinstance(memref, MemrefType)
    target = place(ctx, op.memref, op.indices, (), TileType(tuple(op.shape), memref.element))
    locality = _LOCALITY[min(op.level, len(_LOCALITY) - 1)]
    size = memref.element.bytes
    if _in_one_piece(target) and target.type.size * size <= _STRAIGHT_LINES * LINE_BYTES:
        for distance in range(0, target.type.size * size, LINE_BYTES):
            ctx.b.prefetch(ctx.b.offset(target.pointer, distance), write=op.write, locality=locality, spread=True)
        return
    ev, line = roots.evaluator(), max(1, LINE_BYTES // size)
    unit = next((dim for dim, stride in enumerate(target.strides) if stride.integer == 1), None)
    lines = tuple(-(-extent // line) if dim == unit else extent for dim, extent in enumerate(target.type.shape))

    def act(position: tuple[Value, ...]) -> None:
        exact = tuple(ctx.b.mul(at, i64(line)) if dim == unit else at for dim, at in enumerate(position))
        ctx.b.prefetch(ev.address(target, exact), write=op.write, locality=locality)

    each_position(ctx.b, lines, act)


def _in_one_piece(tile: Memory) -> bool:
    """Whether a tile's elements are all neighbours, in any order."""
    expected = 1
    known = [(stride.integer, extent) for stride, extent in zip(tile.strides, tile.type.shape, strict=True)]
    for stride, extent in sorted((s or 0, e) for s, e in known if e != 1):
        if stride != expected:
            return False
        expected *= extent
    return True
