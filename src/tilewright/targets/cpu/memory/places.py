"""From operands of the IR to places in memory and tiles."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from tilewright.ir import core
from tilewright.ir.types import AddressSpace, TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import Bound, Expression, Memory
from tilewright.targets.cpu.lowered import Scalar
from tilewright.targets.cpu.memory.lanes import plain_address
from tilewright.targets.llvm.emitter import Builder, Value, i64
from tilewright.targets.llvm.types import ELEMENTS, Kind
from tilewright.transforms.facts import never_negative


def tile_of(ctx: KernelContext, value: core.Value) -> Expression:
    """What a tile of the IR became."""
    found = ctx.values[value]
    assert isinstance(found, Expression)
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
    base = ctx.uniform_value(view.pointer)
    assert isinstance(base, Value)
    pointer = b.gep(element.llvm, base, distance)
    if distance.integer is None:
        pointer = plain_address(b, pointer)
    ends = [number(ctx, size) for size in view.sizes]
    bounds = tuple(
        _bound(b, at[k], ends[k], type_.shape[k], never_negative(index)) if k < len(check) and check[k] else None
        for k, index in enumerate(indices)
    )
    distant = view.type.space is AddressSpace.GLOBAL
    return Memory(type_, pointer, strides, bounds, _span(at, strides, view.type.span), distant)


def _bound(b: Builder, index: Value, size: Value, extent: int, inside: bool) -> Bound | None:
    """What exists of `extent` positions from `index` on; None if all do. `inside`: that is 0 or more."""
    low, high = i64(0) if inside else b.sub(i64(0), index), b.sub(size, index)
    from_start = low.integer is not None and low.integer <= 0
    if from_start and high.integer is not None and extent <= high.integer:
        return None
    return Bound.below(_hidden(b, high)) if from_start else Bound(_hidden(b, low), _hidden(b, high))


def _hidden(b: Builder, bound: Value) -> Value:
    """A bound that LLVM takes for unknown if it is constant, so that it folds no masks.

    LLVM 22.1 stores the three bytes behind one that it stores under a constant mask of one lane (AVX-512), and ends
    abnormally on loads under constant masks of which vectors that it splits are wholly on or off (AVX2).
    """
    return bound if bound.integer is None else b.inline_asm("i64", "", "=r,0", [bound], hint="end")


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
