"""Elements of memrefs: loads and stores at uniform and varying positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects import memref
from tilewright.ir import core
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.lowered import Operand, Scalar, View
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes, store_lanes
from tilewright.targets.cpu.spmd.scalars import product_of, sum_of
from tilewright.targets.llvm.emitter import Complex, Value, i64, vector, zero
from tilewright.targets.llvm.types import ELEMENTS, Kind


def position(ctx: KernelContext, view: View, indices: Sequence[Scalar]) -> Scalar:
    """Distance in elements from the view's pointer to the element at `indices`."""
    total = view.offset
    for index, stride in zip(indices, view.strides, strict=True):
        total = sum_of(ctx, total, product_of(ctx, index, stride))
    return total


def address(ctx: KernelContext, view: View, at: Scalar) -> Value:
    """Address of the element at distance `at`; a vector of addresses if it varies."""
    element = ELEMENTS[view.type.element.name]
    distance = at.value if element.kind is not Kind.COMPLEX else _doubled(ctx, at.value)
    return ctx.b.gep(element.llvm, view.pointer.value, distance)


def _doubled(ctx: KernelContext, value: Value) -> Value:
    """Complex elements are addressed as pairs of their component."""
    return ctx.b.add(value, value)


def element_alignment(view: View) -> int:
    """Bytes to which an element is aligned: its component's size."""
    return view.type.element.component.bytes


def _load(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Load)
    view = ctx.view(op.memref)
    at = position(ctx, view, [ctx.scalar(i) for i in op.indices])
    ctx.bind(op.out, load_element(ctx, view, at))


def load_element(ctx: KernelContext, view: View, at: Scalar) -> Scalar:
    """Load the element at distance `at`: once if uniform, as a vector if consecutive, else by gather."""
    if not (at.varying or view.pointer.varying):
        return Scalar(_load_uniform(ctx, view, at))
    if ctx.lanes == 1:
        return Scalar(_load_uniform(ctx, view, at))
    if (row := _row(ctx, view, at)) is not None:
        return Scalar(load_lanes(ctx.b, row, ctx.mask), True)
    pointers = _lane_addresses(ctx, view, at)
    return Scalar(_gather(ctx, view, pointers), True)


def _row(ctx: KernelContext, view: View, at: Scalar) -> Lanes | None:
    """The elements at distance `at` if they are neighbours in memory, one a lane."""
    linear = None if view.pointer.varying else at.linear
    if linear is None or linear.stride != 1:
        return None
    return Lanes(view.type.element.name, address(ctx, view, Scalar(linear.base)), i64(1), ctx.lanes)


def _load_uniform(ctx: KernelContext, view: View, at: Scalar) -> Operand:
    """A uniform load is guarded where no lane may be active: its address need not be valid then."""
    if ctx.mask is None or ctx.lanes == 1:
        return plain_load(ctx, view, address(ctx, view, at))
    element = ELEMENTS[view.type.element.name]
    complex_ = element.kind is Kind.COMPLEX
    nothing = zero(element.llvm)
    with ctx.b.if_else(ctx.any_active(ctx.mask)) as branch:
        with branch.then():
            loaded = plain_load(ctx, view, address(ctx, view, at))
            branch.yield_(*([loaded.re, loaded.im] if isinstance(loaded, Complex) else [loaded]))
        with branch.otherwise():
            branch.yield_(*([nothing, nothing] if complex_ else [nothing]))
    return Complex(branch.results[0], branch.results[1]) if complex_ else branch.results[0]


def plain_load(ctx: KernelContext, view: View, pointer: Value) -> Operand:
    """Load one element from its address."""
    element = ELEMENTS[view.type.element.name]
    align = element_alignment(view)
    if element.kind is not Kind.COMPLEX:
        return ctx.b.load(element.llvm, pointer, align)
    imaginary = ctx.b.gep(element.llvm, pointer, i64(1))
    return Complex(ctx.b.load(element.llvm, pointer, align), ctx.b.load(element.llvm, imaginary, align))


def plain_store(ctx: KernelContext, view: View, operand: Operand, pointer: Value) -> None:
    """Store one element to its address."""
    element = ELEMENTS[view.type.element.name]
    align = element_alignment(view)
    if isinstance(operand, Complex):
        ctx.b.store(operand.re, pointer, align)
        ctx.b.store(operand.im, ctx.b.gep(element.llvm, pointer, i64(1)), align)
    else:
        ctx.b.store(operand, pointer, align)


def _lane_addresses(ctx: KernelContext, view: View, at: Scalar) -> Value:
    element = ELEMENTS[view.type.element.name]
    distance = ctx.wide(at)
    if element.kind is Kind.COMPLEX:
        distance = ctx.b.add(distance, distance)
    return ctx.b.gep(element.llvm, view.pointer.value, distance)


def lane_addresses(ctx: KernelContext, view: View, at: Scalar) -> Value:
    """One address a lane."""
    pointers = _lane_addresses(ctx, view, at)
    return pointers if pointers.type.startswith("<") or ctx.lanes == 1 else ctx.b.splat(pointers, ctx.lanes)


def _gather(ctx: KernelContext, view: View, pointers: Value) -> Operand:
    element = ELEMENTS[view.type.element.name]
    ltype, mask, align = vector(element.llvm, ctx.lanes), ctx.lane_mask(), element_alignment(view)
    if element.kind is not Kind.COMPLEX:
        return ctx.b.gather(ltype, pointers, mask, align)
    imaginary = ctx.b.gep(element.llvm, pointers, i64(1))
    return Complex(ctx.b.gather(ltype, pointers, mask, align), ctx.b.gather(ltype, imaginary, mask, align))


def _store(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.Store)
    view = ctx.view(op.memref)
    at = position(ctx, view, [ctx.scalar(i) for i in op.indices])
    store_element(ctx, view, at, ctx.scalar(op.value))


def store_element(ctx: KernelContext, view: View, at: Scalar, value: Scalar) -> None:
    """Store to distance `at` for every active lane; of lanes that write one element the highest wins."""
    varying = at.varying or view.pointer.varying
    if ctx.lanes == 1 or not (varying or value.varying):
        _store_uniform(ctx, view, at, value)
        return
    operand = ctx.widen(value)
    if (row := _row(ctx, view, at)) is not None:
        store_lanes(ctx.b, operand, row, ctx.mask)
        return
    element = ELEMENTS[view.type.element.name]
    align, mask = element_alignment(view), ctx.lane_mask()
    pointers = lane_addresses(ctx, view, at)
    if isinstance(operand, Complex):
        ctx.b.scatter(operand.re, pointers, mask, align)
        ctx.b.scatter(operand.im, ctx.b.gep(element.llvm, pointers, i64(1)), mask, align)
    else:
        ctx.b.scatter(operand, pointers, mask, align)


def _store_uniform(ctx: KernelContext, view: View, at: Scalar, value: Scalar) -> None:
    if ctx.mask is None or ctx.lanes == 1:
        plain_store(ctx, view, value.operand, address(ctx, view, at))
        return
    with ctx.b.if_then(ctx.any_active(ctx.mask)):
        plain_store(ctx, view, value.operand, address(ctx, view, at))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {memref.Load: _load, memref.Store: _store}
