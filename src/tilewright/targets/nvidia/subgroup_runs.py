"""Tiles of a subgroup whose lanes have neighbours in memory: each run of those is one access.

Accumulators of tensor cores have two neighbours of a row in each lane, so that half as many instructions move them as
element by element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.ir.layouts import Owner
from tilewright.ir.types import MemrefType
from tilewright.targets.llvm.emitter import Value
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.memory import address, load_elements, place, store_elements
from tilewright.targets.nvidia.registers import positions, registers_of
from tilewright.targets.nvidia.values import Operand, RegisterTile, View
from tilewright.transforms.facts import alignment, stride_divisor
from tilewright.transforms.tile_values import tile_type

_MOST: Final = 16
"""Bytes of an access."""


def load_runs(ctx: KernelContext, op: tile.Load) -> RegisterTile | None:
    """The tile of a load; None if lanes have no neighbours that one access is aligned to."""
    count = _length(ctx, op, op.out)
    if count == 1:
        return None
    slots: list[Operand] = []
    for view, pointer in _runs(ctx, op, op.out, count):
        slots += load_elements(ctx, view.element, pointer, count)
    return RegisterTile(tile_type(op.out), tuple(slots))


def store_runs(ctx: KernelContext, op: tile.Store) -> bool:
    """Store a tile; False if lanes have no neighbours that one access is aligned to."""
    count = _length(ctx, op, op.value)
    if count == 1:
        return False
    slots = registers_of(ctx, op.value).slots
    for number, (view, pointer) in enumerate(_runs(ctx, op, op.value, count)):
        store_elements(ctx, view.element, slots[number * count : (number + 1) * count], pointer)
    return True


def _runs(
    ctx: KernelContext, op: tile.Load | tile.Store, value: core.Value, count: int
) -> Iterator[tuple[View, Value]]:
    """Where each run begins."""
    for where in positions(ctx, value)[::count]:
        view, indices, _ = place(ctx, op.memref, op.indices, where, op.check)
        yield view, address(ctx, view, indices)


def _length(ctx: KernelContext, op: tile.Load | tile.Store, value: core.Value) -> int:
    """How many slots of a value behind each other are neighbours in memory, aligned to all their bytes."""
    layout, type_ = ctx.products.layouts.get(value), op.memref.type
    assert isinstance(type_, MemrefType)
    if layout is None or any(op.check) or not layout.of(Owner.REG):
        return 1
    first = layout.of(Owner.REG)[0]
    if first.dim is None or first.stride != 1 or type_.strides[first.dim] != 1:
        return 1
    size, together = type_.element.bytes, _MOST if type_.swizzle is None else 1 << type_.swizzle.base
    others = [mode for mode in range(type_.order) if mode != first.dim]
    aligned = math.gcd(
        alignment(op.memref, op.indices), *(stride_divisor(op.memref, mode) * size for mode in others), together, _MOST
    )
    return math.gcd(first.extent, max(aligned // size, 1))
