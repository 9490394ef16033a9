"""Atomic access to one element: by instruction where there is one, else by compare-and-swap on the containing word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.dialects import memref
from tilewright.dialects.memref import AtomicKind, Scope, Semantics
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, boolean, i32
from tilewright.targets.llvm.types import ELEMENTS, Element, Kind
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.memory import address
from tilewright.targets.nvidia.values import SHARED, Operand, of_parts, parts_of

_UPDATE_ORDER: Final = {
    Semantics.RELAXED: "monotonic",
    Semantics.ACQUIRE: "acquire",
    Semantics.RELEASE: "release",
    Semantics.ACQUIRE_RELEASE: "acq_rel",
    Semantics.SEQUENTIALLY_CONSISTENT: "seq_cst",
}
_LOAD_ORDER: Final = {**_UPDATE_ORDER, Semantics.RELEASE: "monotonic", Semantics.ACQUIRE_RELEASE: "acquire"}
_STORE_ORDER: Final = {**_UPDATE_ORDER, Semantics.ACQUIRE: "monotonic", Semantics.ACQUIRE_RELEASE: "release"}
_FAILURE_ORDER: Final = {"acq_rel": "acquire", "release": "monotonic"}


def sync_scope(pointer: Value, scope: Scope) -> str:
    """LLVM's name for who sees the access: the block in shared memory, else at least the device."""
    if scope is Scope.CROSS_DEVICE:
        return ""
    return "block" if pointer.type == SHARED else "device"


def atomic_load(ctx: KernelContext, element: Element, pointer: Value, scope: Scope, semantics: Semantics) -> Operand:
    """Read one element; the parts of a complex one are read one after the other."""

    def read(part: Value) -> Value:
        order = _LOAD_ORDER[semantics]
        bits = ctx.b.atomic_load(f"i{element.bits}", part, order, element.bits // 8, sync_scope(part, scope))
        return ctx.b.bitcast(bits, element.llvm)

    return of_parts([read(part) for part in _part_pointers(ctx, element, pointer)])


def atomic_store(
    ctx: KernelContext, element: Element, operand: Operand, pointer: Value, scope: Scope, semantics: Semantics
) -> None:
    """Write one element; the parts of a complex one are written one after the other."""
    for value, part in zip(parts_of(operand), _part_pointers(ctx, element, pointer), strict=True):
        bits = ctx.b.bitcast(value, f"i{element.bits}")
        ctx.b.atomic_store(bits, part, _STORE_ORDER[semantics], element.bits // 8, sync_scope(part, scope))


def atomic_update(
    ctx: KernelContext,
    kind: AtomicKind,
    element: Element,
    operand: Operand,
    pointer: Value,
    scope: Scope,
    semantics: Semantics,
) -> Operand:
    """Update one element and give its old value; the parts of a complex one are updated one after the other."""
    order = _UPDATE_ORDER[semantics]
    component = ELEMENTS[element.component]
    old = [
        _update(ctx, kind, component, value, part, sync_scope(part, scope), order)
        for value, part in zip(parts_of(operand), _part_pointers(ctx, element, pointer), strict=True)
    ]
    return of_parts(old)


def atomic_exchange(
    ctx: KernelContext, word: str, element: Element, value: Value, pointer: Value, scope: Scope, semantics: Semantics
) -> Value:
    """Replace one element, or change it by and, or, xor, umax, umin of its bits; its old value."""
    order, seen = _UPDATE_ORDER[semantics], sync_scope(pointer, scope)
    bits = ctx.b.bitcast(value, f"i{element.bits}")
    if element.bits >= 32:
        old = ctx.b.atomicrmw(word, pointer, bits, order, element.bits // 8, seen)
        return ctx.b.bitcast(old, element.llvm)

    def combine(old: Value) -> Value:
        b, before = ctx.b, ctx.b.bitcast(old, bits.type)
        match word:
            case "and" | "or" | "xor":
                plain = {"and": b.and_, "or": b.or_, "xor": b.xor}[word]
                return b.bitcast(plain(before, bits), element.llvm)
            case "umax" | "umin":
                larger = b.icmp("ugt" if word == "umax" else "ult", before, bits)
                return b.bitcast(b.select(larger, before, bits), element.llvm)
            case _:
                return value

    return _swap_loop(ctx, element, pointer, combine, seen, order)


def atomic_swap(
    ctx: KernelContext,
    element: Element,
    expected: Value,
    value: Value,
    pointer: Value,
    scope: Scope,
    semantics: Semantics,
) -> Value:
    """Store `value` if the element has the bits of `expected`; its old value."""
    order, seen = _UPDATE_ORDER[semantics], sync_scope(pointer, scope)
    b, word = ctx.b, f"i{element.bits}"
    wanted, new = b.bitcast(expected, word), b.bitcast(value, word)
    if element.bits >= 32:
        found, _ = b.cmpxchg(pointer, wanted, new, order, _FAILURE_ORDER.get(order, order), scope=seen)
        return b.bitcast(found, element.llvm)

    def combine(old: Value) -> Value:
        before = b.bitcast(old, word)
        return b.bitcast(b.select(b.icmp("eq", before, wanted), new, before), element.llvm)

    return _swap_loop(ctx, element, pointer, combine, seen, order)


def _part_pointers(ctx: KernelContext, element: Element, pointer: Value) -> list[Value]:
    if element.kind is Kind.COMPLEX:
        return [pointer, ctx.b.offset(pointer, element.bits // 8)]
    return [pointer]


def _update(
    ctx: KernelContext, kind: AtomicKind, element: Element, operand: Value, pointer: Value, scope: str, order: str
) -> Value:
    is_float = element.kind is Kind.FLOAT
    if element.bits >= 32 and not (is_float and kind is not AtomicKind.ADD):
        word = "fadd" if is_float else kind.value
        return ctx.b.atomicrmw(word, pointer, operand, order, element.bits // 8, scope)

    def combine(old: Value) -> Value:
        new = ctx.arith.lower(kind.value, element.name, old, operand)
        assert isinstance(new, Value)
        return new

    return _swap_loop(ctx, element, pointer, combine, scope, order)


def _swap_loop(
    ctx: KernelContext,
    element: Element,
    pointer: Value,
    combine: Callable[[Value], Value],
    scope: str,
    order: str,
) -> Value:
    """Repeat compare-and-swap on the word that holds the element until nobody came in between."""
    b = ctx.b
    word = f"i{max(element.bits, 32)}"
    base, shift = (pointer, None) if element.bits >= 32 else _containing_word(ctx, pointer)
    first = b.atomic_load(word, base, "monotonic", int(word[1:]) // 8, scope)
    with b.while_loop([first, boolean(False)]) as loop:
        seen, done = loop.carried
        b.leave_unless(loop, b.not_(done))
        new = _insert(ctx, element, seen, shift, combine(_extract(ctx, element, seen, shift)))
        failure = _FAILURE_ORDER.get(order, order)
        found, stored = b.cmpxchg(base, seen, new, order, failure, scope=scope)
        # A success leaves `seen` unchanged, so that the old value is at hand after the loop.
        loop.yield_(found, stored)
    return _extract(ctx, element, loop.results[0], shift)


def _containing_word(ctx: KernelContext, pointer: Value) -> tuple[Value, Value]:
    """The aligned 32-bit word that holds a narrower element, and the bit at which the element begins."""
    b = ctx.b
    if pointer.type == SHARED:
        number = b.cast("ptrtoint", pointer, "i32")
        inside = b.and_(number, i32(3))
    else:
        number = b.cast("ptrtoint", pointer, "i64")
        inside = b.and_(b.trunc(number, "i32"), i32(3))
    back = b.sub(i32(0), inside)
    return b.gep("i8", pointer, b.sext(back, "i64"), inbounds=False), b.shl(inside, i32(3))


def _extract(ctx: KernelContext, element: Element, word: Value, shift: Value | None) -> Value:
    if shift is None:
        return ctx.b.bitcast(word, element.llvm)
    bits = ctx.b.trunc(ctx.b.lshr(word, shift), f"i{element.bits}")
    return ctx.b.bitcast(bits, element.llvm)


def _insert(ctx: KernelContext, element: Element, word: Value, shift: Value | None, new: Value) -> Value:
    b = ctx.b
    bits = b.bitcast(new, f"i{element.bits}")
    if shift is None:
        return bits
    hole = b.not_(b.shl(i32((1 << element.bits) - 1), shift))
    return b.or_(b.and_(word, hole), b.shl(b.zext(bits, "i32"), shift))


def _pointer(ctx: KernelContext, memref_: core.Value, indices: list[core.Value]) -> tuple[Element, Value]:
    view = ctx.view(memref_)
    return view.element, address(ctx, view, [ctx.scalar(i) for i in indices])


def _load(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.AtomicLoad)
    element, pointer = _pointer(ctx, op.memref, op.indices)
    ctx.bind(op.out, atomic_load(ctx, element, pointer, op.scope, op.semantics))


def _store(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.AtomicStore)
    element, pointer = _pointer(ctx, op.memref, op.indices)
    atomic_store(ctx, element, ctx.operand(op.value), pointer, op.scope, op.semantics)


def _rmw(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.AtomicRmw)
    element, pointer = _pointer(ctx, op.memref, op.indices)
    found = atomic_update(ctx, op.kind, element, ctx.operand(op.value), pointer, op.scope, op.semantics)
    ctx.bind(op.out, found)


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {memref.AtomicLoad: _load, memref.AtomicStore: _store, memref.AtomicRmw: _rmw}
