"""Memory at addresses: those of the arrays that the kernel was given; anything else is out of bounds."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import addresses
from tilewright.interpreter.memory import Buffer, Lanes, View
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import FragmentType, TileType
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.updates import updated

Array = NDArray[Any]


class Space(Struct, frozen=True):
    """The bytes of one array, from address `low` on."""

    name: str
    low: int
    data: NDArray[np.uint8]
    readonly: bool


def space_of(array: Array, name: str) -> tuple[int, Space]:
    """The address of an array's first element, and the memory around it that belongs to the array."""
    address = int(array.__array_interface__["data"][0])
    reach = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)] if array.size else []
    low = address + sum(r for r in reach if r < 0)
    count = sum(abs(r) for r in reach) + (array.itemsize if array.size else 0)
    raw = (ctypes.c_uint8 * count).from_address(low)
    return address, Space(name, low, np.frombuffer(memoryview(raw), np.uint8), not array.flags.writeable)


def _space(w: WorkGroup, address: int, size: int, where: Location) -> Space:
    for space in w.spaces:
        assert isinstance(space, Space)
        if space.low <= address and address + size <= space.low + len(space.data):
            return space
    return fail("R010", where, f"address {address:#x} lies in no array of the launch")


def _address(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, addresses.AddressOf)
    w.values[op.out] = w.values[op.pointer]


def _reach(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, addresses.Reach)

    def reach(address: int) -> int:
        spaces = [s for s in w.spaces if isinstance(s, Space) and s.low <= address <= s.low + len(s.data)]
        return max((s.low + len(s.data) for s in spaces), default=address - 1) - address

    at = np.asarray(w.scalar(op.pointer))
    w.values[op.out] = np.array([reach(int(address)) for address in at.ravel()], np.int64).reshape(at.shape)


def _from_address(w: WorkGroup, op: Operation) -> None:
    """One view, or one for each work-item where their numbers differ. What is never accessed may be anywhere."""
    assert isinstance(op, addresses.FromAddress)
    dtype, rank = dtype_of(op.type.element.format), len(op.type.shape)
    layout = [np.asarray(n if isinstance(n, int) else w.scalar(n)) for numbers in op.mixed_layout for n in numbers]
    numbers = [np.asarray(w.scalar(op.address)), *layout]

    def view(found: list[int]) -> View:
        address, *found = found
        return view_at(w, address, dtype, tuple(found[:rank]), tuple(found[rank:]))

    if all(n.ndim == 0 for n in numbers):
        w.values[op.out] = view([int(n) for n in numbers])
        return
    rows = np.stack([w.spread(n) for n in numbers], axis=1).tolist()
    nothing = View(None, 0, (0,) * rank, (1,) * rank)
    w.values[op.out] = Lanes(
        tuple(view(row) if on else nothing for row, on in zip(rows, np.broadcast_to(w.active, len(rows)), strict=True))
    )


def view_at(w: WorkGroup, address: int, dtype: np.dtype[Any], shape: tuple[int, ...], steps: tuple[int, ...]) -> View:
    """Elements from an address on, with strides in elements; a null memref if it lies in no array of the launch.

    Of arrays that overlap or touch the one that reaches farthest counts.
    """
    around = [s for s in w.spaces if isinstance(s, Space) and s.low <= address <= s.low + len(s.data)]
    if not around:
        return View(None, 0, shape, steps)
    assert min(shape, default=0) >= 0, "code tests places against extents without sign"
    space = max(around, key=lambda s: s.low + len(s.data))
    lead = (address - space.low) % dtype.itemsize
    usable = (len(space.data) - lead) // dtype.itemsize * dtype.itemsize
    elements = space.data[lead : lead + usable].view(dtype)
    buffer = Buffer(space.name, elements, None, space.readonly)
    return View(buffer, (address - space.low) // dtype.itemsize, shape, steps)


def _elements(
    w: WorkGroup, value: Value, places: Value, mask: Value | None, where: Location, writes: bool
) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Position and memory (an array without dimensions) of each element that is accessed."""
    shape = shape_of(w, value)
    dtype, at = dtype_of(value.type.format), np.broadcast_to(w.scalar(places), shape)
    kept = np.broadcast_to(w.active, shape) if w.mask is not None else np.ones(shape, bool)
    if mask is not None:
        kept = kept & w.scalar(mask)
    for position in np.ndindex(shape):
        if not kept[position]:
            continue
        address = int(at[position])
        space = _space(w, address, dtype.itemsize, where)
        if writes and space.readonly:
            fail("R012", where, f"writes {space.name}, which is read-only")
        start = address - space.low
        yield position, space.data[start : start + dtype.itemsize].view(dtype).reshape(())


def shape_of(w: WorkGroup, value: Value) -> tuple[int, ...]:
    """Of a tile of the work-group, or of what all work-items hold in their registers."""
    if isinstance(value.type, FragmentType):
        return (value.type.size, w.items)
    assert isinstance(value.type, TileType)
    return value.type.shape


def _gather(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, addresses.Gather)
    out = np.zeros(shape_of(w, op.out), dtype_of(op.out.type.format))
    for position, element in _elements(w, op.out, op.addresses, op.mask, op.location, False):
        out[position] = element[()]
    w.values[op.out] = out


def _scatter(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, addresses.Scatter)
    values = np.broadcast_to(w.scalar(op.value), shape_of(w, op.value))
    for position, element in _elements(w, op.value, op.addresses, op.mask, op.location, True):
        element[()] = values[position]


def _update(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, addresses.ScatterUpdate)
    values = np.broadcast_to(w.scalar(op.value), shape_of(w, op.value))
    out = np.zeros_like(values)
    layout, update = op.value.type.format, op.kind.update
    for position, element in _elements(w, op.value, op.addresses, op.mask, op.location, True):
        out[position] = element[()]
        element[()] = updated(layout, update, out[position], values[position])
    w.values[op.out] = out


def _exchange(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, addresses.ScatterExchange)
    shape = shape_of(w, op.value)
    values, expected = (np.broadcast_to(w.scalar(value), shape) for value in (op.value, op.expected))
    out = expected.copy()
    for position, element in _elements(w, op.value, op.addresses, op.mask, op.location, True):
        out[position] = element[()]
        if out[position].tobytes() == expected[position].tobytes():
            element[()] = values[position]
    w.values[op.out] = out


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        addresses.AddressOf: _address,
        addresses.Reach: _reach,
        addresses.FromAddress: _from_address,
        addresses.Gather: _gather,
        addresses.Scatter: _scatter,
        addresses.ScatterUpdate: _update,
        addresses.ScatterExchange: _exchange,
    }
