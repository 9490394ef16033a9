"""Memrefs: views as pointers, extents and strides; loading and storing one element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tilewright.dialects import arith, memref
from tilewright.ir import core
from tilewright.ir.interfaces import Layout, LengthArithmetic, ViewLike
from tilewright.ir.types import GroupType, MemrefType, mixed
from tilewright.targets.llvm.emitter import Complex, Value, boolean, i64, poison, vector, zero
from tilewright.targets.llvm.types import Element, Kind
from tilewright.targets.nvidia.arena import Place
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.values import GLOBAL, SHARED, Operand, View
from tilewright.transforms.facts import divisor, stride_divisor

VECTOR_BYTES: Final = 16
"""Of the largest access of a thread."""


def address(ctx: KernelContext, view: View, indices: Sequence[Value]) -> Value:
    """Address of the element at `indices`."""
    b, total = ctx.b, distance(ctx, view, indices)
    swizzle = view.type.swizzle
    if swizzle is not None:
        mask = swizzle.mask // view.type.element.bytes
        total = b.xor(total, b.and_(b.lshr(total, i64(swizzle.shift)), i64(mask)))
    return element_pointer(ctx, view.element, view.pointer, total)


def address_behind(ctx: KernelContext, view: View, whole: Sequence[Value], rest: Sequence[Value]) -> Value:
    """Address of the element at the sums of indices of which the first are whole periods of the swizzle, if there is
    one.

    What the swizzle adds depends on the rest alone: threads compute it once for what lies periods apart.
    """
    b, near = ctx.b, distance(ctx, view, rest)
    pointer, swizzle = view.pointer, view.type.swizzle
    if swizzle is not None:
        mask = swizzle.mask // view.type.element.bytes
        moved = b.xor(near, b.and_(b.lshr(near, i64(swizzle.shift)), i64(mask)))
        pointer, near = element_pointer(ctx, view.element, pointer, moved), i64(0)
    return element_pointer(ctx, view.element, pointer, b.add(distance(ctx, view, whole), near))


def distance(ctx: KernelContext, view: View, indices: Sequence[Value]) -> Value:
    """Elements from the view's pointer to the element at `indices`, before they are swizzled."""
    total = i64(0)
    for index, stride in zip(indices, view.strides, strict=True):
        total = ctx.b.add(total, ctx.b.mul(index, stride))
    return total


def within_period(
    ctx: KernelContext, memory: core.Value, indices: Sequence[core.Value]
) -> tuple[list[Value], list[Value]]:
    """Indices as sums: of what is certainly whole periods of the memory's swizzle, if it has one, and of the rest."""
    type_ = memory.type
    assert isinstance(type_, MemrefType)
    if type_.swizzle is None:
        return [i64(0)] * len(indices), [ctx.scalar(index) for index in indices]
    whole: list[Value] = []
    rest: list[Value] = []
    for mode, index in enumerate(indices):
        step = stride_divisor(memory, mode) * type_.element.bytes
        parts = [i64(0), i64(0)]
        for term in _terms(index):
            is_whole = divisor(term) * step % type_.swizzle.period == 0
            parts[not is_whole] = ctx.b.add(parts[not is_whole], ctx.scalar(term))
        whole.append(parts[0])
        rest.append(parts[1])
    return whole, rest


def _terms(index: core.Value) -> Iterator[core.Value]:
    """What an index is the sum of."""
    op = index.defining_op
    if isinstance(op, arith.Add):
        yield from (term for operand in op.operands for term in _terms(operand))
    else:
        yield index


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
    b, size = ctx.b, max(element.bits // 8, 1)
    if isinstance(operand, Complex):
        b.store(operand.re, pointer, size)
        b.store(operand.im, b.offset(pointer, size), size)
    else:
        value = b.zext(operand, "i8") if element.kind is Kind.BOOL else operand
        b.store(value, pointer, size)


def load_together(ctx: KernelContext, ltype: str, size: int, pointer: Value, count: int) -> list[Value]:
    """Load as many neighbours of `size` bytes each as are aligned to all their bytes, up to 16 bytes by one access.

    As vectors, though LLVM would make such of single loads: looking for them takes it a large part of its time.
    """
    b, together = ctx.b, min(VECTOR_BYTES // size, count)
    if together == 1:
        return [b.load(ltype, b.gep(ltype, pointer, i64(k), inbounds=False), size) for k in range(count)]
    found: list[Value] = []
    for first in range(0, count, together):
        place = b.gep(ltype, pointer, i64(first), inbounds=False)
        loaded = b.load(vector(ltype, together), place, together * size)
        found += [b.extract(loaded, k) for k in range(together)]
    return found


def store_together(ctx: KernelContext, values: Sequence[Value], size: int, pointer: Value) -> None:
    """Store neighbours, as `load_together` loads them."""
    b, ltype, together = ctx.b, values[0].type, min(VECTOR_BYTES // size, len(values))
    for first in range(0, len(values), together):
        stored = values[first]
        if together > 1:
            stored = poison(vector(ltype, together))
            for k, value in enumerate(values[first : first + together]):
                stored = b.insert(stored, value, k)
        b.store(stored, b.gep(ltype, pointer, i64(first), inbounds=False), together * size)


def load_elements(ctx: KernelContext, element: Element, pointer: Value, count: int) -> list[Operand]:
    """Load neighbours that are aligned to all their bytes, or to 16."""
    if _is_single(element):
        return [load_element(ctx, element, element_pointer(ctx, element, pointer, i64(k))) for k in range(count)]
    return [*load_together(ctx, element.llvm, element.bits // 8, pointer, count)]


def store_elements(ctx: KernelContext, element: Element, operands: Sequence[Operand], pointer: Value) -> None:
    """Store neighbours that are aligned to all their bytes, or to 16."""
    if _is_single(element):
        for k, operand in enumerate(operands):
            store_element(ctx, element, operand, element_pointer(ctx, element, pointer, i64(k)))
        return
    values = [operand for operand in operands if isinstance(operand, Value)]
    store_together(ctx, values, element.bits // 8, pointer)


def _is_single(element: Element) -> bool:
    """Whether each element is an access of its own, or two."""
    return element.kind in (Kind.BOOL, Kind.COMPLEX) or element.bits < 8


def in_bounds(ctx: KernelContext, view: View, indices: Sequence[Value], check: Sequence[object]) -> Value:
    """Whether the indices lie in the extents along the checked modes."""
    inside = boolean(True)
    for index, size, checked in zip(indices, view.sizes, check, strict=False):
        if checked:
            # One unsigned comparison tests both ends: extents are not negative.
            inside = ctx.b.and_(inside, ctx.b.icmp("ult", index, size))
    return inside


def place(
    ctx: KernelContext,
    memref: core.Value,
    indices: Sequence[core.Value],
    where: Sequence[Value],
    check: Sequence[object],
) -> tuple[View, list[Value], Value]:
    """View, indices and bounds test of the element of a tile at `where`."""
    view = ctx.view(memref)
    found = [ctx.b.add(ctx.scalar(i), at) for i, at in zip(indices, where, strict=True)]
    return view, found, in_bounds(ctx, view, found, check)


def checked_indices(
    ctx: KernelContext, starts: Sequence[Value], offset: Sequence[int], check: Sequence[bool]
) -> list[Value]:
    """The indices `offset` behind `starts` along the checked modes, for `in_bounds`; along the others the starts."""
    if not any(check):
        return list(starts)
    rows = zip(starts, offset, check, strict=True)
    return [ctx.b.add(start, i64(steps)) if checked else start for start, steps, checked in rows]


def _load(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Load)
    view = ctx.view(op.memref)
    ctx.bind(op.out, load_element(ctx, view.element, address(ctx, view, [ctx.scalar(i) for i in op.indices])))


def _store(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Store)
    view = ctx.view(op.memref)
    pointer = address(ctx, view, [ctx.scalar(i) for i in op.indices])
    store_element(ctx, view.element, ctx.operand(op.value), pointer)


def local_view(ctx: KernelContext, type_: MemrefType, place: Place) -> View:
    """A memref of static type at a place of the work-group's memory."""
    return _static_view(type_, ctx.pointer_to(place))


def _static_view(type_: MemrefType, pointer: Value) -> View:
    sizes = tuple(i64(s) for s in type_.shape if s is not None)
    strides = tuple(i64(s) for s in type_.strides if s is not None)
    return View(type_, pointer, sizes, strides, pointer)


def _alloca(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Alloca)
    assert isinstance(op.out.type, MemrefType)
    ctx.bind(op.out, local_view(ctx, op.out.type, ctx.arena.place_of(op)))


def _group_memory(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.GroupMemory)
    assert isinstance(op.out.type, MemrefType)
    assert ctx.memory is not None, "kernels that keep memory between launches are given some"
    ctx.bind(op.out, _static_view(op.out.type, ctx.b.offset(ctx.memory, op.offset)))


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


def _view(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ViewLike)
    view, type_ = ctx.view(op.memref), op.results[0].type
    assert isinstance(type_, MemrefType)
    arithmetic = LengthArithmetic(ctx.index, ctx.b.add, ctx.b.mul)
    layout = arithmetic.layout_of(op, Layout(i64(0), view.sizes, view.strides))
    pointer = element_pointer(ctx, view.element, view.pointer, layout.offset)
    ctx.bind(op.results[0], View(type_, pointer, layout.sizes, layout.strides, view.base))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        memref.Alloca: _alloca,
        memref.GroupMemory: _group_memory,
        memref.LifetimeStop: _lifetime_stop,
        memref.Load: _load,
        memref.Store: _store,
        memref.GroupLoad: _group_load,
        memref.Size: _size,
        memref.Stride: _stride,
        memref.Associated: _associated,
        ViewLike: _view,
    }
