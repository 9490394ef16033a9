"""Matrices whose rows or columns are several dimensions of memory: tables say where each position lies.

(Matthews: High-Performance Tensor Contraction without Transposition. What is called scatter vectors there.)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec.structs import replace

from tilewright.ir.types import I64, TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import Memory, Reshaped, Table
from tilewright.targets.cpu.expressions.reshaping import Steps, grouped_steps
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.buffers import borrowed
from tilewright.targets.llvm.emitter import Builder, Value, i64, vector, zero

_BEHIND = 256
"""Entries that may be read behind the last one: more than a panel has lines, and than packing is ahead of itself.

They lead to the first element, so that prefetches do not go to what the workspace held before: to look for pages that
are not there took as long as 0.7 of a whole convolution of i8."""
_AT_ONCE = 8


def matrix_of(ctx: KernelContext, machine: Machine, type_: TileType, memory: Memory) -> Memory:
    """Memory as a matrix. Inside of `Workspace.passing`."""
    groups = grouped_steps(memory, type_)
    tables = tuple(_table(ctx, machine, group) for group in groups)
    return replace(
        memory,
        type=type_,
        strides=tuple(group[0].stride for group in groups),
        bounds=(None,) * type_.rank,
        span=None,
        padding=0,
        tables=tables if any(tables) else (),
    )


def source_of(tile: Reshaped) -> Memory:
    """The memory that is read as a matrix."""
    assert isinstance(tile.source, Memory), "only memory is read as a matrix"
    return tile.source


def _table(ctx: KernelContext, machine: Machine, steps: Sequence[Steps]) -> Table | None:
    if len(steps) == 1:
        return None
    b, positions = ctx.b, prod(step.extent for step in steps)
    entries = borrowed(ctx, machine, I64, positions + _BEHIND)
    _fill(b, entries, steps, i64(0), i64(0))
    with b.loop(i64(positions), i64(positions + _BEHIND), _AT_ONCE, hint="behind") as loop:
        b.store(zero(vector("i64", _AT_ONCE)), b.gep("i64", entries, loop.index), I64.bytes)
    return Table(entries, steps[0].extent, i64(0))


def _fill(b: Builder, entries: Value, steps: Sequence[Steps], first: Value, offset: Value) -> None:
    """All positions of some steps, the farthest in the outermost loop."""
    *nearer, step = steps
    with b.loop(i64(0), i64(step.extent), hint="at") as loop:
        position = b.add(first, b.mul(loop.index, i64(prod(s.extent for s in nearer))))
        distance = b.add(offset, b.mul(loop.index, step.stride))
        if nearer:
            _fill(b, entries, nearer, position, distance)
        else:
            b.store(distance, b.gep("i64", entries, position))
