"""Views: memrefs as pointers, extents and strides, taken from allocations, groups, other views and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tilewright.dialects import addresses, memref
from tilewright.ir import core
from tilewright.ir.interfaces import Layout, LengthArithmetic, ViewLike
from tilewright.ir.types import GroupType, MemrefType, mixed
from tilewright.targets.cpu.context import KernelContext, OpLowering, view_of
from tilewright.targets.cpu.lowered import Scalar, View
from tilewright.targets.cpu.spmd.scalars import product_of, sum_of
from tilewright.targets.llvm.emitter import Value, i64, vector, zero

_TABLE_PREFETCH_BYTES = 512


def _alloca(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Alloca)
    type_, offset = op.out.type, op.offset
    assert isinstance(type_, MemrefType)
    assert offset is not None, "assign-stack must run before the CPU lowering"
    pointer = Scalar(ctx.b.offset(ctx.scratch, offset, hint="local"))
    nothing = [Scalar(i64(0))] * type_.order
    ctx.bind(op.out, view_of(type_, pointer, nothing, nothing))


def _nothing(ctx: KernelContext, op: core.Operation) -> None:
    """Lifetimes are settled when the stack is assigned."""


def _size(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Size)
    if isinstance(op.source.type, GroupType):
        ctx.bind(op.out, ctx.group(op.source).size)
    else:
        ctx.bind(op.out, ctx.view(op.source).sizes[op.mode])


def _stride(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Stride)
    ctx.bind(op.out, ctx.view(op.source).strides[op.mode])


def _associated(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Associated)
    is_group = isinstance(op.source.type, GroupType)
    base = Scalar(ctx.group(op.source).table) if is_group else ctx.view(op.source).base
    null = zero(base.value.type)
    ctx.bind(op.out, Scalar(ctx.b.icmp("ne", base.value, null), base.varying))


def _group_load(ctx: KernelContext, op: core.Operation) -> None:
    """Pointer `table[index]` and dope entries; the group's offset goes into the view's, so null bases stay null."""
    assert isinstance(op, memref.GroupLoad)
    group, index = ctx.group(op.group), ctx.scalar(op.index)
    type_ = op.out.type
    assert isinstance(type_, MemrefType)
    pointer = _table_entry(ctx, group.table, index, "ptr")

    def extent(entry: int | Value) -> Scalar:
        return ctx.index(entry) if isinstance(entry, int) else _table_entry(ctx, entry, index, "i64")

    sizes = tuple(map(extent, mixed(type_.shape, group.extents)))
    strides = tuple(map(extent, mixed(type_.strides, group.strides)))
    ctx.bind(op.out, View(type_, pointer, group.offset, sizes, strides, pointer))


def _table_entry(ctx: KernelContext, table: Value, index: Scalar, ltype: str) -> Scalar:
    """An entry for a work-group; one cache line holds those of many, too slow a stream for the hardware to follow."""
    if index.varying and ctx.lanes > 1:
        pointers = ctx.b.gep(ltype, table, index.value)
        return Scalar(ctx.b.gather(vector(ltype, ctx.lanes), pointers, ctx.lane_mask(), 8), True)
    pointer = ctx.b.gep(ltype, table, index.value)
    ctx.b.prefetch(ctx.b.offset(pointer, _TABLE_PREFETCH_BYTES), spread=True)
    if ctx.mask is None or ctx.lanes == 1:
        return Scalar(ctx.b.load(ltype, pointer, 8))
    with ctx.b.if_else(ctx.any_active(ctx.mask)) as branch:
        with branch.then():
            branch.yield_(ctx.b.load(ltype, pointer, 8))
        with branch.otherwise():
            branch.yield_(zero(ltype))
    return Scalar(branch.results[0])


def _view(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ViewLike)
    view, type_ = ctx.view(op.memref), op.results[0].type
    assert isinstance(type_, MemrefType)
    arithmetic = LengthArithmetic(ctx.index, partial(sum_of, ctx), partial(product_of, ctx))
    layout = arithmetic.layout_of(op, Layout(view.offset, view.sizes, view.strides))
    ctx.bind(op.results[0], View(type_, view.pointer, layout.offset, layout.sizes, layout.strides, view.base))


def _address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.AddressOf)
    ctx.bind(op.out, ctx.scalar(op.pointer))


def _reach(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.Reach)
    ctx.bind(op.out, ctx.reaches[op.pointer])


def _from_address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.FromAddress)
    address = ctx.scalar(op.address)
    pointer = Scalar(ctx.b.cast("inttoptr", address.value, "ptr", hint="at"), address.varying)
    sizes, strides = (tuple(map(ctx.index, given)) for given in op.mixed_layout)
    ctx.bind(op.out, View(op.type, pointer, ctx.index(0), sizes, strides, pointer))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        memref.Alloca: _alloca,
        memref.LifetimeStop: _nothing,
        memref.GroupLoad: _group_load,
        memref.Size: _size,
        memref.Stride: _stride,
        memref.Associated: _associated,
        ViewLike: _view,
        addresses.AddressOf: _address,
        addresses.Reach: _reach,
        addresses.FromAddress: _from_address,
    }
