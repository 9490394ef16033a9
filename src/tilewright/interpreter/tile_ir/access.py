"""Tokens, loads and stores through pointers, allocations, atomic updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.dialects.cuda_tile import atomics
from tilewright.dialects.cuda_tile import memory as ops
from tilewright.dialects.cuda_tile.attributes import MemoryOrdering
from tilewright.dialects.cuda_tile.types import F4E2M1FN, I8, ElementType, Pointer
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.order import Access
from tilewright.interpreter.tile_ir.values import (
    ADDRESS,
    Token,
    dtype_of,
    element_of,
    from_bits,
    tile_type,
    to_bits,
)
from tilewright.ir.core import Value
from tilewright.numerics.updates import updated

Array = NDArray[Any]


def unspecified(shape: tuple[int, ...], element: ElementType, checked: bool) -> Array:
    """What a program must not rely on: zeros, in checked mode a pattern that shows."""
    pattern = (0xA5A5A5A5A5A5A5A5 if not element.is_float else 2**64 - 1) if checked else 0
    return from_bits(np.full(shape, pattern & ((1 << element.bits) - 1), np.uint64), element)


def _make_token(w: TileBlock, op: ops.MakeToken) -> None:
    w.values[op.result_token] = Token()


def _join(w: TileBlock, op: ops.JoinTokens) -> None:
    before = 0
    for value in op.tokens:
        token = w.token(value)
        before |= 0 if token is None else token.before
    w.values[op.result_token] = Token(before)


def _fence(w: TileBlock, op: ops.MemoryFenceAlias | ops.GdcLaunchDependents | ops.GdcWait) -> None:
    w.values[op.result_token] = w.token(op.token) or Token()


def _mask(w: TileBlock, mask: Value | None) -> Array | None:
    """Which elements take part; None: all of them."""
    found = None if mask is None else w.tile(mask)
    return None if found is None or found.all() else found


def _load(w: TileBlock, op: ops.LoadPtr) -> None:
    element = element_of(op.out)
    access = w.access(op.token, op.location, op.memory_ordering_semantics is MemoryOrdering.WEAK)
    pointers, mask = w.tile(op.source), _mask(w, op.mask)
    if mask is None:
        w.bind(op.out, _elements(w, pointers.ravel(), element, op.location, access).reshape(pointers.shape))
    else:
        found = unspecified(pointers.shape, element, w.checked) if op.padding is None else w.tile(op.padding).copy()
        if mask.any():
            found[mask] = _elements(w, pointers[mask], element, op.location, access)
        w.bind(op.out, found)
    w.finish(op.result_token, access)


def _elements(w: TileBlock, addresses: Array, element: ElementType, where: Location, access: Access | None) -> Array:
    if element is F4E2M1FN:
        return load_halves(w, addresses, np.zeros(addresses.shape, np.int64), where, access)
    return w.load(addresses, element, where, access)


def load_halves(w: TileBlock, addresses: Array, upper: Array, where: Location, access: Access | None) -> Array:
    """Elements of f4E2M1FN, two a byte."""
    raw = w.load(addresses, I8, where, access).view(np.uint8)
    return from_bits(np.where(upper, raw >> 4, raw & 15), F4E2M1FN)


def store_halves(
    w: TileBlock, addresses: Array, upper: Array, values: Array, where: Location, access: Access | None
) -> None:
    """Elements of f4E2M1FN: first those of lower halves, then those of upper ones."""
    bits = to_bits(values, F4E2M1FN).astype(np.uint8)
    for half, shift, kept in ((0, 0, 0xF0), (1, 4, 0x0F)):
        chosen = upper == half
        raw = w.load(addresses[chosen], I8, where, None).view(np.uint8)
        merged = raw & np.uint8(kept) | bits[chosen] << np.uint8(shift)
        w.store(addresses[chosen], I8, merged.view(np.int8), where, access)


def _store(w: TileBlock, op: ops.StorePtr) -> None:
    element = element_of(op.value)
    access = w.access(op.token, op.location, op.memory_ordering_semantics is MemoryOrdering.WEAK)
    pointers, values, mask = w.tile(op.destination), w.tile(op.value), _mask(w, op.mask)
    at = pointers.ravel() if mask is None else pointers[mask]
    chosen = values.ravel() if mask is None else values[mask]
    if element is F4E2M1FN:
        store_halves(w, at, np.zeros(at.shape, np.int64), chosen, op.location, access)
    else:
        w.store(at, element, chosen, op.location, access)
    w.finish(op.result_token, access)


def _allocate(w: TileBlock, op: ops.Alloca) -> None:
    pointer = tile_type(op.out).element
    assert isinstance(pointer, Pointer)
    assert op.block is not None
    element = pointer.pointee
    size = (op.num_elem + 1) // 2 if element is F4E2M1FN else op.num_elem * element.memory_bytes
    buffer = w.launch.memory.allocate("an allocation", size, op.alignment)
    w.allocated.setdefault(op.block, []).append(buffer)
    w.buffers.append(buffer)
    w.bind(op.out, np.asarray(buffer.base, ADDRESS))


# Atomic updates


def _rounds(addresses: Array) -> list[Array]:
    """Transactions in groups that touch no address twice, in order."""
    order = np.argsort(addresses, kind="stable")
    ordered = addresses[order]
    fresh = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    starts = np.flatnonzero(fresh)
    turn = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    if not turn.any():
        return [order]
    by_turn = np.argsort(turn, kind="stable")
    return np.split(order[by_turn], np.cumsum(np.bincount(turn))[:-1])


def transact(
    w: TileBlock,
    addresses: Array,
    element: ElementType,
    update: Callable[[Array, Array], Array],
    where: Location,
    access: Access | None,
) -> Array:
    """Update elements one after another; what they held. `update` takes old values and which elements they are."""
    held = np.empty(addresses.shape, dtype_of(element))
    for chosen in _rounds(addresses) if addresses.size else []:
        held[chosen] = w.load(addresses[chosen], element, where, access)
        w.store(addresses[chosen], element, update(held[chosen], chosen), where, access)
    return held


def _rmw(w: TileBlock, op: atomics.AtomicRmw) -> None:
    element, access = element_of(op.value), w.access(op.token, op.location, False)
    pointers, values, mask = w.tile(op.pointers), w.tile(op.value), _mask(w, op.mask)
    every = np.ones(pointers.shape, np.bool_) if mask is None else mask
    operands = values[every]

    def update(old: Array, chosen: Array) -> Array:
        return np.asarray(updated(element.format, op.mode.update, old, operands[chosen]))

    found = unspecified(pointers.shape, element, w.checked)
    found[every] = transact(w, pointers[every], element, update, op.location, access)
    w.bind(op.out, found)
    w.finish(op.result_token, access)


def _cas(w: TileBlock, op: atomics.AtomicCas) -> None:
    element, access = element_of(op.value), w.access(op.token, op.location, False)
    pointers, mask = w.tile(op.pointers), _mask(w, op.mask)
    every = np.ones(pointers.shape, np.bool_) if mask is None else mask
    compare, value = w.tile(op.compare)[every], w.tile(op.value)[every]

    def update(old: Array, chosen: Array) -> Array:
        return np.where(to_bits(old, element) == to_bits(compare[chosen], element), value[chosen], old)

    found = w.tile(op.compare).copy()
    found[every] = transact(w, pointers[every], element, update, op.location, access)
    w.bind(op.out, found)
    w.finish(op.result_token, access)


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(
        (
            handler(ops.MakeToken, _make_token),
            handler(ops.JoinTokens, _join),
            handler(ops.MemoryFenceAlias, _fence),
            handler(ops.GdcLaunchDependents, _fence),
            handler(ops.GdcWait, _fence),
            handler(ops.LoadPtr, _load),
            handler(ops.StorePtr, _store),
            handler(ops.Alloca, _allocate),
            handler(atomics.AtomicRmw, _rmw),
            handler(atomics.AtomicCas, _cas),
        )
    )
