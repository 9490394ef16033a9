"""From operands of the IR to places in memory and tiles."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu import tiles
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.lanes import plain_address
from tilewright.targets.cpu.lowered import Scalar
from tilewright.targets.cpu.tiles import AnyTile, Bound, Memory
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.llvm.types import ELEMENTS, Kind


def tile_of(ctx: KernelContext, value: core.Value) -> AnyTile:
    """What a tile of the IR became."""
    found = ctx.values[value]
    assert isinstance(found, tiles.AnyTile)
    return found


def number(ctx: KernelContext, scalar: Scalar) -> Value:
    """A dynamically uniform integer as one LLVM value."""
    found = ctx.uniform_value(scalar)
    assert isinstance(found, Value)
    return found


def place(
    ctx: KernelContext, memref: core.Value, indices: Sequence[core.Value], check: Sequence[bool], type_: TileType
) -> Memory:
    """The box of a tile's shape at `indices` of a memref."""
    b, view = ctx.b, ctx.view(memref)
    at = [number(ctx, ctx.scalar(index)) for index in indices]
    strides = tuple(number(ctx, stride) for stride in view.strides)
    distance = number(ctx, view.offset)
    for index, stride in zip(at, strides, strict=True):
        distance = b.add(distance, b.mul(index, stride))
    element = ELEMENTS[type_.element.name]
    if element.kind is Kind.COMPLEX:
        distance = b.add(distance, distance)
    root = ctx.uniform_value(view.pointer)
    assert isinstance(root, Value)
    pointer = b.gep(element.llvm, root, distance)
    if distance.integer is None:
        pointer = plain_address(b, pointer)
    bounds = tuple(
        Bound(b.sub(i64(0), index), b.sub(number(ctx, size), index)) if checked else None
        for index, size, checked in zip(at, view.sizes, check or [False] * len(at), strict=True)
    )
    return Memory(type_, pointer, strides, bounds, _span(at, strides, view.type.span))


def _span(indices: Sequence[Value], strides: Sequence[Value], total: int | None) -> int | None:
    """Elements of the view from the box on, where they are known."""
    if total is None:
        return None
    before = 0
    for index, stride in zip(indices, strides, strict=True):
        position, step = index.integer, stride.integer
        if position is None or step is None or position < 0:
            return None
        before += position * step
    return total - before


@contextmanager
def guarded(ctx: KernelContext) -> Generator[None]:
    """Code with effects that runs only if a work-item of the subgroup is active."""
    if ctx.lanes == 1 or ctx.mask is None:
        yield
        return
    with ctx.b.if_then(ctx.any_active(ctx.mask)):
        yield
