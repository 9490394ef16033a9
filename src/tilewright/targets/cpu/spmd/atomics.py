"""Atomics: native instructions where they exist, compare-and-swap on the element's bits elsewhere.

Work-items of a subgroup are served one after another. Complex elements are updated part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tilewright.dialects import memref
from tilewright.dialects.memref import AtomicKind, Semantics
from tilewright.ir import core
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.lowered import Operand, Scalar
from tilewright.targets.cpu.spmd.memrefs import address, lane_addresses, position
from tilewright.targets.cpu.spmd.scalars import dtype_of
from tilewright.targets.llvm.emitter import Complex, Value, boolean, i64, vector, zero
from tilewright.targets.llvm.types import ELEMENTS, Kind

_ORDERING = {
    Semantics.RELAXED: "monotonic",
    Semantics.ACQUIRE: "acquire",
    Semantics.RELEASE: "release",
    Semantics.ACQUIRE_RELEASE: "acq_rel",
    Semantics.SEQUENTIALLY_CONSISTENT: "seq_cst",
}
_NATIVE_INTEGER = {AtomicKind.ADD: "add", AtomicKind.MAX: "max", AtomicKind.MIN: "min"}


def load_ordering(semantics: Semantics) -> str:
    """What of the semantics applies to a load; the release part has no meaning there."""
    return {"release": "monotonic", "acq_rel": "acquire"}.get(_ORDERING[semantics], _ORDERING[semantics])


def store_ordering(semantics: Semantics) -> str:
    """What of the semantics applies to a store; the acquire part has no meaning there."""
    return {"acquire": "monotonic", "acq_rel": "release"}.get(_ORDERING[semantics], _ORDERING[semantics])


def _parts(ctx: KernelContext, dtype: str, pointer: Value) -> list[tuple[str, Value]]:
    """Element type and address of each part that is updated on its own."""
    element = ELEMENTS[dtype]
    if element.kind is not Kind.COMPLEX:
        return [(dtype, pointer)]
    return [(element.component, pointer), (element.component, ctx.b.gep(element.llvm, pointer, i64(1)))]


def _joined(values: list[Value]) -> Operand:
    return values[0] if len(values) == 1 else Complex(values[0], values[1])


def _split(operand: Operand) -> list[Value]:
    return [operand.re, operand.im] if isinstance(operand, Complex) else [operand]


def atomic_load(ctx: KernelContext, dtype: str, pointer: Value, semantics: Semantics) -> Operand:
    """Load one element atomically."""
    found: list[Value] = []
    for part, at in _parts(ctx, dtype, pointer):
        element = ELEMENTS[part]
        bits = ctx.b.atomic_load(f"i{element.bits}", at, load_ordering(semantics), element.bytes)
        found.append(ctx.b.bitcast(bits, element.llvm))
    return _joined(found)


def atomic_store(ctx: KernelContext, dtype: str, pointer: Value, operand: Operand, semantics: Semantics) -> None:
    """Store one element atomically."""
    for (part, at), value in zip(_parts(ctx, dtype, pointer), _split(operand), strict=True):
        element = ELEMENTS[part]
        bits = ctx.b.bitcast(value, f"i{element.bits}")
        ctx.b.atomic_store(bits, at, store_ordering(semantics), element.bytes)


def atomic_update(
    ctx: KernelContext, dtype: str, pointer: Value, operand: Operand, kind: AtomicKind, semantics: Semantics
) -> Operand:
    """Update one element atomically; its old value."""
    old = [
        _update_part(ctx, part, at, value, kind, semantics)
        for (part, at), value in zip(_parts(ctx, dtype, pointer), _split(operand), strict=True)
    ]
    return _joined(old)


def _update_part(
    ctx: KernelContext, dtype: str, pointer: Value, value: Value, kind: AtomicKind, semantics: Semantics
) -> Value:
    element = ELEMENTS[dtype]
    ordering = _ORDERING[semantics]
    if element.kind is Kind.INTEGER:
        return ctx.b.atomicrmw(_NATIVE_INTEGER[kind], pointer, value, ordering, element.bytes)
    bits = f"i{element.bits}"
    first = ctx.b.atomic_load(bits, pointer, "monotonic", element.bytes)
    failure = load_ordering(semantics)
    with ctx.b.while_loop([first, boolean(False)]) as loop:
        expected, done = loop.carried
        ctx.b.leave_unless(loop, ctx.b.not_(done))
        updated = ctx.arith.binary(kind.value, dtype, ctx.b.bitcast(expected, element.llvm), value)
        assert isinstance(updated, Value)
        found, swapped = ctx.b.cmpxchg(pointer, expected, ctx.b.bitcast(updated, bits), ordering, failure)
        loop.yield_(found, swapped)
    return ctx.b.bitcast(loop.results[0], element.llvm)


def _each_lane(
    ctx: KernelContext,
    pointer: Scalar,
    operand: Scalar | None,
    result_dtype: str | None,
    act: Callable[[Value, Operand | None], Operand | None],
) -> Scalar | None:
    """Run `act(pointer, operand)` for each active lane in turn and collect what it returns."""
    b = ctx.b
    pointers = pointer.value
    wide = None if operand is None else ctx.widen(operand)
    results: list[Value] = []
    if result_dtype is not None:
        element = ELEMENTS[result_dtype]
        nothing = zero(vector(element.llvm, ctx.lanes))
        results = [nothing, nothing] if element.kind is Kind.COMPLEX else [nothing]
    mask = ctx.lane_mask()
    with b.loop(i64(0), i64(ctx.lanes), 1, results, hint="lane") as loop:
        lane = loop.index
        with b.if_else(b.extract(mask, lane)) as branch:
            with branch.then():
                one = None if wide is None else _joined([b.extract(part, lane) for part in _split(wide)])
                found = act(b.extract(pointers, lane), one)
                if found is not None:
                    new = [b.insert(v, x, lane) for v, x in zip(loop.carried, _split(found), strict=True)]
                    branch.yield_(*new)
            with branch.otherwise():
                branch.yield_(*loop.carried)
        if results:
            loop.yield_(*branch.results)
    return Scalar(_joined(loop.results), True) if results else None


def _pointer(ctx: KernelContext, op: core.Operation, memref_: core.Value, indices: list[core.Value]) -> Scalar:
    view = ctx.view(memref_)
    at = position(ctx, view, [ctx.scalar(i) for i in indices])
    if ctx.lanes == 1:
        return Scalar(address(ctx, view, at))
    return Scalar(lane_addresses(ctx, view, at), True)


def _load(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.AtomicLoad)
    dtype, pointer = dtype_of(op.out), _pointer(ctx, op, op.memref, op.indices)
    if ctx.lanes == 1:
        ctx.bind(op.out, Scalar(atomic_load(ctx, dtype, pointer.value, op.semantics)))
        return
    found = _each_lane(ctx, pointer, None, dtype, lambda p, _: atomic_load(ctx, dtype, p, op.semantics))
    assert found is not None
    ctx.bind(op.out, found)


def _store(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.AtomicStore)
    dtype, pointer, value = dtype_of(op.value), _pointer(ctx, op, op.memref, op.indices), ctx.scalar(op.value)
    if ctx.lanes == 1:
        atomic_store(ctx, dtype, pointer.value, value.operand, op.semantics)
        return

    def store(at: Value, operand: Operand | None) -> None:
        assert operand is not None
        atomic_store(ctx, dtype, at, operand, op.semantics)

    _each_lane(ctx, pointer, value, None, store)


def _rmw(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, memref.AtomicRmw)
    dtype, pointer, value = dtype_of(op.value), _pointer(ctx, op, op.memref, op.indices), ctx.scalar(op.value)
    if ctx.lanes == 1:
        ctx.bind(op.out, Scalar(atomic_update(ctx, dtype, pointer.value, value.operand, op.kind, op.semantics)))
        return

    def update(at: Value, operand: Operand | None) -> Operand:
        assert operand is not None
        return atomic_update(ctx, dtype, at, operand, op.kind, op.semantics)

    found = _each_lane(ctx, pointer, value, dtype, update)
    assert found is not None
    ctx.bind(op.out, found)


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {memref.AtomicLoad: _load, memref.AtomicStore: _store, memref.AtomicRmw: _rmw}


def atomic_exchange(
    ctx: KernelContext, dtype: str, pointer: Value, value: Value, word: str, semantics: Semantics
) -> Value:
    """An update of the bits (`and`, `or`, `xor`, `umax`, `umin`, `xchg`) of one element; its old value."""
    element = ELEMENTS[dtype]
    bits = ctx.b.bitcast(value, f"i{element.bits}")
    old = ctx.b.atomicrmw(word, pointer, bits, _ORDERING[semantics], element.bytes)
    return ctx.b.bitcast(old, element.llvm)


def atomic_swap(
    ctx: KernelContext, dtype: str, pointer: Value, expected: Value, value: Value, semantics: Semantics
) -> Value:
    """Compare and swap of the bits of one element; its old value."""
    element = ELEMENTS[dtype]
    bits = f"i{element.bits}"
    old, _ = ctx.b.cmpxchg(
        pointer,
        ctx.b.bitcast(expected, bits),
        ctx.b.bitcast(value, bits),
        _ORDERING[semantics],
        load_ordering(semantics),
    )
    return ctx.b.bitcast(old, element.llvm)
