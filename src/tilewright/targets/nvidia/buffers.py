"""Tiles in memory of the work-group: packed column-major, each element written by one thread of the work-group."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from tilewright.ir.types import TileType
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.memory import element_pointer, load_element, store_element
from tilewright.targets.nvidia.values import Operand, SharedTile

Coordinates = tuple[Value, ...]


def linear_number(ctx: KernelContext, shape: Sequence[int], at: Sequence[Value]) -> Value:
    """Column-major number of an element."""
    number, stride = i64(0), 1
    for extent, index in zip(shape, at, strict=True):
        number = ctx.b.add(number, ctx.b.mul(index, i64(stride)))
        stride *= extent
    return number


def coordinates(ctx: KernelContext, shape: Sequence[int], number: Value) -> Coordinates:
    """Position of the element with a column-major number."""
    b, found = ctx.b, list[Value]()
    for extent in shape[:-1]:
        whole = number.integer
        if whole is not None:
            found.append(i64(whole % extent))
            number = i64(whole // extent)
        else:
            found.append(i64(0) if extent == 1 else b.urem(number, i64(extent)))
            number = b.udiv(number, i64(extent))
    return (*found, number) if shape else ()


def new_buffer(ctx: KernelContext, type_: TileType) -> SharedTile:
    """Memory of the work-group for a tile, until the end of the arena's frame."""
    return SharedTile(type_, ctx.pointer_to(ctx.arena.place(type_.size * type_.element.bytes)))


def _pointer(ctx: KernelContext, tile: SharedTile, at: Sequence[Value]) -> Value:
    element = ELEMENTS[tile.type.element.name]
    return element_pointer(ctx, element, tile.pointer, linear_number(ctx, tile.type.shape, at))


def load(ctx: KernelContext, tile: SharedTile, at: Sequence[Value]) -> Operand:
    """One element."""
    return load_element(ctx, ELEMENTS[tile.type.element.name], _pointer(ctx, tile, at))


def store(ctx: KernelContext, tile: SharedTile, operand: Operand, at: Sequence[Value]) -> None:
    """Write one element."""
    store_element(ctx, ELEMENTS[tile.type.element.name], operand, _pointer(ctx, tile, at))


@contextmanager
def each_element(ctx: KernelContext, shape: Sequence[int]) -> Generator[Coordinates]:
    """Emit code that runs once for each element of a shape, spread over the threads of the work-group."""
    size = 1
    for extent in shape:
        size *= extent
    unroll = ctx.not_unrolled()
    with (
        ctx.per_work_item(),
        ctx.b.loop(ctx.thread, i64(size), ctx.threads, loop_metadata=unroll, hint="element") as loop,
    ):
        yield coordinates(ctx, shape, loop.index)


def fill(ctx: KernelContext, tile: SharedTile, produce: Callable[[Coordinates], Operand]) -> None:
    """Write all elements. What anybody read there before is done, and what is written is seen by all."""
    ctx.barrier()
    with each_element(ctx, tile.type.shape) as at:
        store(ctx, tile, produce(at), at)
    ctx.barrier()


def copy_tile(ctx: KernelContext, source: SharedTile, target: SharedTile) -> None:
    """The elements of one tile into the memory of another."""
    fill(ctx, target, lambda at: load(ctx, source, at))
