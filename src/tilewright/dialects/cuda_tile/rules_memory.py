"""Rules of loads, stores and atomics: orderings, scopes, types behind pointers."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.attributes import AtomicMode, MemoryOrdering, MemoryScope
from tilewright.dialects.cuda_tile.rules import element, error, number, same_shape, shape, where
from tilewright.dialects.cuda_tile.types import BF16, F16, F32, F64, I32, I64, Pointer, Tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import Type

ORDER = "C15"


def join(op: Operation, report: Report, tokens: Sequence[Value]) -> None:
    """At least two tokens."""
    if len(tokens) < 2:
        error(op, report, ORDER, op.location, f"joins two tokens or more, not {len(tokens)}")


def _order(
    op: Operation, report: Report, order: MemoryOrdering, scope: MemoryScope | None, strong: tuple[MemoryOrdering, ...]
) -> None:
    if order is MemoryOrdering.WEAK:
        if scope is not None:
            error(op, report, ORDER, op.place("memory_scope"), "weak accesses have no scope")
    elif order not in strong:
        words = ", ".join(o.value for o in (MemoryOrdering.WEAK, *strong))
        error(op, report, ORDER, op.place("memory_ordering_semantics"), f"{order.value} is not one of {words}")
    elif scope is None:
        error(op, report, ORDER, op.place("memory_ordering_semantics"), f"{order.value} accesses need a scope")


def load_order(op: Operation, report: Report, order: MemoryOrdering, scope: MemoryScope | None) -> None:
    """Loads are weak, or relaxed or acquire with a scope."""
    _order(op, report, order, scope, (MemoryOrdering.RELAXED, MemoryOrdering.ACQUIRE))


def store_order(op: Operation, report: Report, order: MemoryOrdering, scope: MemoryScope | None) -> None:
    """Stores are weak, or relaxed or release with a scope."""
    _order(op, report, order, scope, (MemoryOrdering.RELAXED, MemoryOrdering.RELEASE))


def atomic_order(op: Operation, report: Report, order: MemoryOrdering) -> None:
    """Atomics are not weak."""
    if order is MemoryOrdering.WEAK:
        error(op, report, ORDER, op.place("memory_ordering_semantics"), "atomic operations are not weak")


def reduction_order(op: Operation, report: Report, order: MemoryOrdering, scope: MemoryScope) -> None:
    """Reductions into views are relaxed, within the device."""
    if order is not MemoryOrdering.RELAXED:
        error(op, report, ORDER, op.place("memory_ordering_semantics"), f"the ordering is relaxed, not {order.value}")
    if scope is MemoryScope.SYS:
        error(op, report, ORDER, op.place("memory_scope"), "the scope is tl_blk or device, not sys")


def through_pointers(op: Operation, report: Report, pointers: Value, type_: Type, mask: Value | None) -> None:
    """Pointers, values and mask have one shape; the pointee is the value's element."""
    found = element(pointers)
    assert isinstance(found, Pointer)
    assert isinstance(type_, Tile)
    if found.pointee is not type_.element:
        error(op, report, "C10", where(op, pointers), f"pointers to {found.pointee} for a value of type {type_}")
    if shape(pointers) != type_.shape:
        error(op, report, "C11", where(op, pointers), f"shapes differ: {pointers.type} and {type_}")
    if mask is not None:
        same_shape(op, report, pointers, mask)


def padding(op: Operation, report: Report, found: Value | None, out: Value) -> None:
    """The padding has the result's type."""
    if found is not None and found.type != out.type:
        error(op, report, "C10", where(op, found), f"the padding is {found.type}, the result {out.type}")


def alloca(op: Operation, report: Report, count: int, alignment: int, out: Value) -> None:
    """A count, and an alignment that is a power of two and enough for the element."""
    found = element(out)
    assert isinstance(found, Pointer)
    if count < 0:
        error(op, report, "C12", op.place("num_elem"), f"{count} elements")
    least = max(1, found.pointee.bits // 8) if found.pointee.bits != 19 else 4
    if alignment < least or alignment & (alignment - 1):
        message = f"the alignment is a power of two of at least {least}, not {alignment}"
        error(op, report, "C12", op.place("alignment"), message)


def exchanged(op: Operation, report: Report, value: Value) -> None:
    """Exchanges work on 32 or 64 bits."""
    if number(value).bits not in (32, 64):
        error(op, report, "C10", where(op, value), f"elements have 32 or 64 bits, unlike {element(value)}")


_INTEGER_MODES = frozenset(
    {
        *(AtomicMode.AND, AtomicMode.OR, AtomicMode.XOR, AtomicMode.ADD),
        *(AtomicMode.MAX, AtomicMode.MIN, AtomicMode.UMAX, AtomicMode.UMIN),
    }
)


def update(op: Operation, report: Report, mode: AtomicMode, value: Value) -> None:
    """The element is one that the mode works on."""
    found = number(value)
    if mode in _INTEGER_MODES:
        legal, words = found in (I32, I64), "i32 or i64"
    elif mode is AtomicMode.ADDF:
        legal, words = found in (F16, BF16, F32, F64), "f16, bf16, f32 or f64"
    else:
        legal, words = found.bits in (32, 64), "types of 32 or 64 bits"
    if not legal:
        error(op, report, "C10", where(op, value), f"{mode.value} works on {words}, not {found}")


def reduction_mode(op: Operation, report: Report, mode: AtomicMode, value: Value) -> None:
    """As `update`, without exchanges."""
    if mode is AtomicMode.XCHG:
        error(op, report, "C12", op.place("mode"), "xchg has no meaning without a result")
    else:
        update(op, report, mode, value)
