"""Memrefs: views as pointers, extents and strides; loading and storing one element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects import memref
from tilewright.ir import core
from tilewright.ir.types import GroupType, MemrefType, mixed
from tilewright.targets.llvm.emitter import Complex, Value, boolean, i64, zero
from tilewright.targets.llvm.types import Element, Kind
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.values import GLOBAL, SHARED, Operand, View


def address(ctx: KernelContext, view: View, indices: Sequence[Value]) -> Value:
    """Address of the element at `indices`."""
    return element_pointer(ctx, view.element, view.pointer, distance(ctx, view, indices))


def distance(ctx: KernelContext, view: View, indices: Sequence[Value]) -> Value:
    """Elements from the view's pointer to the element at `indices`."""
    total = i64(0)
    for index, stride in zip(indices, view.strides, strict=True):
        total = ctx.b.add(total, ctx.b.mul(index, stride))
    return total


def element_pointer(ctx: KernelContext, element: Element, pointer: Value, count: Value) -> Value:
    """The pointer a number of elements further on; complex elements are pairs of their component."""
    if element.kind is Kind.COMPLEX:
        count = ctx.b.add(count, count)
    ltype = "i8" if element.kind is Kind.BOOL else element.llvm
    return ctx.b.gep(ltype, pointer, count, inbounds=False)


def load_element(ctx: KernelContext, element: Element, pointer: Value) -> Operand:
    """Load one element; bools take a byte."""
    b = ctx.b
    if element.kind is Kind.BOOL:
        return b.trunc(b.load("i8", pointer, 1), "i1")
    align = element.bits // 8
    if element.kind is Kind.COMPLEX:
        second = b.offset(pointer, align)
        return Complex(b.load(element.llvm, pointer, align), b.load(element.llvm, second, align))
    return b.load(element.llvm, pointer, align)


def store_element(ctx: KernelContext, element: Element, operand: Operand, pointer: Value) -> None:
    """Store one element."""
    b = ctx.b
    align = max(element.bits // 8, 1)
    if isinstance(operand, Complex):
        b.store(operand.re, pointer, align)
        b.store(operand.im, b.offset(pointer, align), align)
    else:
        b.store(b.zext(operand, "i8") if element.kind is Kind.BOOL else operand, pointer, align)


def in_bounds(ctx: KernelContext, view: View, indices: Sequence[Value], check: Sequence[object]) -> Value:
    """Whether the indices lie in the extents along the checked modes."""
    inside = boolean(True)
    for index, size, checked in zip(indices, view.sizes, check, strict=False):
        if checked:
            # One unsigned comparison tests both ends: extents are not negative.
            inside = ctx.b.and_(inside, ctx.b.icmp("ult", index, size))
    return inside


def _load(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Load)
    view = ctx.view(op.memref)
    ctx.bind(op.out, load_element(ctx, view.element, address(ctx, view, [ctx.scalar(i) for i in op.indices])))


def _store(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Store)
    view = ctx.view(op.memref)
    pointer = address(ctx, view, [ctx.scalar(i) for i in op.indices])
    if ctx.spmd:
        store_element(ctx, view.element, ctx.operand(op.value), pointer)
        return
    with ctx.b.if_then(ctx.is_elected()):
        store_element(ctx, view.element, ctx.operand(op.value), pointer)


def local_view(ctx: KernelContext, type_: MemrefType, offset: int) -> View:
    """A memref of static type at an offset in shared memory."""
    pointer = ctx.shared_pointer(offset)
    sizes = tuple(i64(s) for s in type_.shape if s is not None)
    strides = tuple(i64(s) for s in type_.strides if s is not None)
    return View(type_, pointer, sizes, strides, pointer)


def _alloca(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Alloca)
    assert isinstance(op.out.type, MemrefType)
    ctx.bind(op.out, local_view(ctx, op.out.type, ctx.arena.offset_of(op)))


def _lifetime_stop(ctx: KernelContext, op: core.Operation) -> None:
    """Lifetimes are settled when the stack is assigned."""


def _group_load(ctx: KernelContext, op: core.Operation) -> None:
    """Pointer `table[index]`, displaced by the group's offset; extents and strides from their arrays."""
    assert isinstance(op, memref.GroupLoad)
    assert isinstance(op.out.type, MemrefType)
    group, index, type_ = ctx.group(op.group), ctx.scalar(op.index), op.out.type
    b, dope = ctx.b, iter(group.dope)

    def extent(entry: int | Value) -> Value:
        return i64(entry) if isinstance(entry, int) else b.load("i64", b.gep("i64", entry, index), 8)

    generic = b.load("ptr", b.gep("ptr", group.table, index), 8, hint="element")
    sizes = tuple(map(extent, mixed(type_.shape, dope)))
    strides = tuple(map(extent, mixed(type_.strides, dope)))
    base = b.cast("addrspacecast", generic, GLOBAL)
    view = View(type_, base, sizes, strides, generic)
    ctx.bind(op.out, View(type_, element_pointer(ctx, view.element, base, group.offset), sizes, strides, generic))


def _size(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Size)
    is_group = isinstance(op.source.type, GroupType)
    ctx.bind(op.out, ctx.group(op.source).size if is_group else ctx.view(op.source).sizes[op.mode])


def _stride(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Stride)
    ctx.bind(op.out, ctx.view(op.source).strides[op.mode])


def _associated(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Associated)
    is_group = isinstance(op.source.type, GroupType)
    base = ctx.group(op.source).table if is_group else ctx.view(op.source).base
    # Shared memory is always there, and its first byte has the address 0.
    known = base.type == SHARED
    ctx.bind(op.out, boolean(True) if known else ctx.b.icmp("ne", base, zero(base.type)))


def _expand(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Expand)
    assert isinstance(op.out.type, MemrefType)
    view, mode = ctx.view(op.memref), op.mode
    extents = list(map(ctx.index, op.mixed_sizes))
    strides = [view.strides[mode]]
    for extent in extents[:-1]:
        strides.append(ctx.b.mul(strides[-1], extent))
    sizes = (*view.sizes[:mode], *extents, *view.sizes[mode + 1 :])
    ctx.bind(
        op.out,
        View(op.out.type, view.pointer, sizes, (*view.strides[:mode], *strides, *view.strides[mode + 1 :]), view.base),
    )


def _fuse(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Fuse)
    assert isinstance(op.out.type, MemrefType)
    view, first, last = ctx.view(op.memref), op.first, op.last
    extent = view.sizes[first]
    for size in view.sizes[first + 1 : last + 1]:
        extent = ctx.b.mul(extent, size)
    sizes = (*view.sizes[:first], extent, *view.sizes[last + 1 :])
    strides = (*view.strides[: first + 1], *view.strides[last + 1 :])
    ctx.bind(op.out, View(op.out.type, view.pointer, sizes, strides, view.base))


def _subview(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Subview)
    assert isinstance(op.out.type, MemrefType)
    view = ctx.view(op.memref)
    at, kept_sizes, kept_strides = i64(0), list[Value](), list[Value]()
    for offset, size, stride in zip(op.mixed_offsets, op.mixed_sizes, view.strides, strict=True):
        at = ctx.b.add(at, ctx.b.mul(ctx.index(offset), stride))
        if size != 0:
            kept_sizes.append(ctx.index(size))
            kept_strides.append(stride)
    pointer = element_pointer(ctx, view.element, view.pointer, at)
    ctx.bind(op.out, View(op.out.type, pointer, tuple(kept_sizes), tuple(kept_strides), view.base))


def _permute(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Permute)
    assert isinstance(op.out.type, MemrefType)
    view = ctx.view(op.memref)
    sizes, strides = (tuple(parts[k] for k in op.order) for parts in (view.sizes, view.strides))
    ctx.bind(op.out, View(op.out.type, view.pointer, sizes, strides, view.base))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        memref.Alloca: _alloca,
        memref.LifetimeStop: _lifetime_stop,
        memref.Load: _load,
        memref.Store: _store,
        memref.GroupLoad: _group_load,
        memref.Size: _size,
        memref.Stride: _stride,
        memref.Associated: _associated,
        memref.Expand: _expand,
        memref.Fuse: _fuse,
        memref.Subview: _subview,
        memref.Permute: _permute,
    }
