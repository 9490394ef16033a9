"""Memory at computed addresses: pointers, memrefs made of an address, tiles whose elements lie anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.artifacts.symbols import global_symbol
from tilewright.dialects import addresses
from tilewright.dialects.addresses import UpdateKind
from tilewright.dialects.memref import AtomicKind
from tilewright.dialects.statics import GlobalAddress, Reserve, global_of
from tilewright.ir import core
from tilewright.ir.types import element_of
from tilewright.targets.llvm.emitter import Value, boolean, i64
from tilewright.targets.llvm.types import ELEMENTS, Element
from tilewright.targets.nvidia.atomics import atomic_exchange, atomic_load, atomic_store, atomic_swap, atomic_update
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.guards import guarded
from tilewright.targets.nvidia.memory import load_element, store_element
from tilewright.targets.nvidia.values import GLOBAL, Operand, View
from tilewright.transforms.address_spaces import is_global_address

ReadingAccess = addresses.Gather | addresses.ScatterUpdate | addresses.ScatterExchange
Access = ReadingAccess | addresses.Scatter

_KINDS: Mapping[UpdateKind, AtomicKind] = {
    UpdateKind.ADD: AtomicKind.ADD,
    UpdateKind.MAX: AtomicKind.MAX,
    UpdateKind.MIN: AtomicKind.MIN,
}


def _pointer(ctx: KernelContext, address: Value) -> Value:
    """A number as an address: generic, for it may be that of memory reserved in the work-group."""
    return ctx.b.cast("inttoptr", address, "ptr", hint="at")


def _global_address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, GlobalAddress)
    found = global_of(op)
    assert found is not None, "the verifier has looked"
    data = bytes.fromhex(found.data)
    contents = 'c"' + "".join(f"\\{byte:02X}" for byte in data) + '"' if any(data) else "zeroinitializer"
    align = max(found.alignment, 16)
    place = ctx.module.global_variable(
        global_symbol(found.sym_name), f"[{len(data)} x i8]", contents, address_space=1, align=align
    )
    ctx.bind(op.out, ctx.b.cast("ptrtoint", place, "i64", hint="global"))


def _reserve(ctx: KernelContext, op: core.Operation) -> None:
    """Memory of the work-group until the region around ends."""
    assert isinstance(op, Reserve)
    align = op.alignment
    found = ctx.arena.place_for(op)
    if not found.fresh:
        ctx.barrier()
    place = ctx.b.cast("addrspacecast", ctx.pointer_to(found), "ptr")
    address = ctx.b.add(ctx.b.cast("ptrtoint", place, "i64"), i64(align - 1))
    ctx.bind(op.out, ctx.b.and_(address, i64(-align)))


def _address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.AddressOf)
    ctx.bind(op.out, ctx.scalar(op.pointer))


def _from_address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.FromAddress)
    space = GLOBAL if is_global_address(op.address) else "ptr"
    pointer = ctx.b.cast("inttoptr", ctx.scalar(op.address), space, hint="at")
    sizes, strides = (tuple(map(ctx.index, given)) for given in op.mixed_layout)
    ctx.bind(op.out, View(op.type, pointer, sizes, strides, pointer))


Reader = Callable[[core.Value], Operand]
"""Gives what a register of a fragment holds."""


def access_element(ctx: KernelContext, op: ReadingAccess, reader: Reader) -> Operand:
    """What one register gets by a gather or an atomic update."""
    match op:
        case addresses.Gather():
            return _gathered(ctx, op, reader)
        case addresses.ScatterUpdate():
            return _updated(ctx, op, reader)
        case addresses.ScatterExchange():
            return _exchanged(ctx, op, reader)


def _element(op: Access) -> Element:
    found = element_of(op.operands[0].type if isinstance(op, addresses.Scatter) else op.results[0].type)
    assert found is not None
    return ELEMENTS[found.name]


def _place(ctx: KernelContext, reader: Reader, op: Access) -> tuple[Value, Callable[[], Value]]:
    """Whether an element is accessed, and how to compute where it lies."""
    condition = boolean(True)
    if op.mask is not None:
        found = reader(op.mask)
        assert isinstance(found, Value)
        condition = found

    def pointer() -> Value:
        address = reader(op.addresses)
        assert isinstance(address, Value)
        return _pointer(ctx, address)

    return condition, pointer


def _gathered(ctx: KernelContext, op: addresses.Gather, reader: Reader) -> Operand:
    element = _element(op)
    inside, pointer = _place(ctx, reader, op)

    def read() -> Operand:
        place = pointer()
        if op.semantics is None:
            return load_element(ctx, element, place)
        return atomic_load(ctx, element, place, op.scope, op.semantics)

    return guarded(ctx, inside, read, lambda: ctx.arith.constant(element.name, 0))


def scatter_element(ctx: KernelContext, op: addresses.Scatter, reader: Reader) -> None:
    """One element of a scatter."""
    element = _element(op)
    inside, pointer = _place(ctx, reader, op)
    with ctx.b.if_then(inside):
        place, value = pointer(), reader(op.value)
        if op.semantics is None:
            store_element(ctx, element, value, place)
        else:
            atomic_store(ctx, element, value, place, op.scope, op.semantics)


def _updated(ctx: KernelContext, op: addresses.ScatterUpdate, reader: Reader) -> Operand:
    element = _element(op)
    inside, pointer = _place(ctx, reader, op)

    def update() -> Operand:
        place, value = pointer(), reader(op.value)
        kind = _KINDS.get(op.kind)
        if kind is not None:
            return atomic_update(ctx, kind, element, value, place, op.scope, op.semantics)
        assert isinstance(value, Value)
        return atomic_exchange(ctx, op.kind.value, element, value, place, op.scope, op.semantics)

    return guarded(ctx, inside, update, lambda: ctx.arith.constant(element.name, 0))


def _exchanged(ctx: KernelContext, op: addresses.ScatterExchange, reader: Reader) -> Operand:
    element = _element(op)
    inside, pointer = _place(ctx, reader, op)
    expected = reader(op.expected)

    def swap() -> Operand:
        place, value = pointer(), reader(op.value)
        assert isinstance(value, Value)
        assert isinstance(expected, Value)
        return atomic_swap(ctx, element, expected, value, place, op.scope, op.semantics)

    return guarded(ctx, inside, swap, lambda: expected)


ACCESSES: Final = (addresses.Gather, addresses.Scatter, addresses.ScatterUpdate, addresses.ScatterExchange)


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        addresses.AddressOf: _address,
        addresses.FromAddress: _from_address,
        GlobalAddress: _global_address,
        Reserve: _reserve,
    }
