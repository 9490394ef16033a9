"""Arguments of a launch in the memory of a device, or of what stands for one; independent of the launcher."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tilewright.artifacts.artifact import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    block_size,
    device_block_size,
    grid_slots,
    memory_slot,
    scratch_slots,
    slot_layout,
)
from tilewright.artifacts.constraints import Origin, Quantity
from tilewright.artifacts.tensor_maps import MAP_BYTES, TensorMap
from tilewright.runtime.memref_fit import bound_strides

from .case import Argument, Array, GroupArgument

GUARD = 64
"""Bytes around each array that no kernel may touch."""

PARTS = 3
"""Blocks of a work-group that is divided."""


class Buffer(Protocol):
    """Memory of a device."""

    @property
    def address(self) -> int: ...

    def write(self, data: bytes, offset: int = 0, /) -> None: ...

    def read(self, size: int | None = None, offset: int = 0, /) -> bytes: ...


class DeviceMemory(Protocol):
    """A device, or what stands for one."""

    def allocate(self, size: int, /) -> Buffer: ...


@dataclass(frozen=True, slots=True)
class Work:
    """What a kernel is launched with: the grid of blocks and the whole block of parameters."""

    blocks: tuple[int, int, int]
    block: bytes
    scratch: Buffer | None
    """Memory that must live as long as the launch."""


def work_of(
    memory: DeviceMemory,
    info: KernelInfo,
    grid: tuple[int, int, int],
    slots: bytes,
    records: tuple[int, int] | None = None,
    parts: int = PARTS,
    kept: Buffer | None = None,
    described: Callable[[TensorMap, int, Sequence[int], Sequence[int]], bytes] | None = None,
) -> Work:
    """A launch on a grid of work-groups with the slots of the parameters, and the address and words of records.

    Work-groups that blocks share have `parts` of them each: any number has to do. `kept` is what they keep between
    launches, `described` makes the map of matrices at an address, of extents and bytes from row to row. Written
    independently of the launcher as a check on it.
    """
    plan = info.launch
    assert plan is not None
    together = prod(plan.cluster)
    parts = -(-parts // together) * together
    used = scratch_slots(info.parameters)[0]
    slots, scratch = slots[:used].ljust(used, b"\0"), None
    blocks = plan.blocks(grid, 1 if plan.parts is None else parts)
    if plan.gathered:
        blocks = (min(prod(grid), parts), 1, 1)
    if plan.scratch_bytes:
        scratch = memory.allocate(plan.scratch_bytes * prod(blocks))
        slots += struct.pack("<Qq", scratch.address, plan.scratch_bytes)
    if records is not None:
        slots += struct.pack("<Qq", *records)
    if plan.grid_words:
        has_scratch, has_reports = scratch is not None, records is not None
        first, *_ = grid_slots(info.parameters, plan.grid_words, has_scratch=has_scratch, has_reports=has_reports)
        said = grid[: plan.grid_words] if plan.parts is None else (parts,)
        slots = slots.ljust(first, b"\0") + struct.pack(f"<{len(said)}q", *said)
    if plan.group_bytes:
        assert kept is not None
        has_scratch, has_reports = scratch is not None, records is not None
        last = memory_slot(
            info.parameters, has_scratch=has_scratch, has_reports=has_reports, grid_words=plan.grid_words
        )
        slots = slots.ljust(last, b"\0") + struct.pack("<Q", kept.address)
    maps = b""
    if plan.maps:
        assert described is not None
        places = {slot.parameter: slot.offset for slot in slot_layout(info.parameters) if slot.role == "pointer"}
        for found in plan.maps:
            (address,) = struct.unpack_from("<Q", slots, places[found.parameter])
            place = address + found.distance
            extents, strides = (
                [passed(slots, info.parameters, number) for number in numbers]
                for numbers in (found.extents, found.strides)
            )
            pitches = [stride * found.element_bytes for stride in strides]
            # the driver has no map of what is not aligned, overlaps, or has no elements
            is_odd = place % 16 or any(pitch % 16 or pitch < 1 for pitch in pitches)
            is_none = is_odd or extents[0] > strides[0] or min(extents) < 1
            maps += bytes(MAP_BYTES) if is_none else described(found, place, extents, pitches)
    return Work(blocks, slots.ljust(device_block_size(info) - len(maps), b"\0") + maps, scratch)


def entry_of(info: KernelInfo, block: bytes) -> str:
    """The symbol of the entry that a launch with a block of parameters takes."""
    assert info.launch is not None
    count = len(info.launch.maps)
    maps = [block[len(block) - MAP_BYTES * (k + 1) :][:MAP_BYTES] for k in range(count)]
    return f"{info.symbol}$maps" if info.launch.has_mapped and all(map(any, maps)) else info.symbol


def passed(slots: bytes, parameters: tuple[Parameter, ...], number: int | Quantity) -> int:
    """An extent or a stride of a matrix, from the slots of a launch."""
    if isinstance(number, int):
        return number
    role = "value" if number.origin is Origin.VALUE else (number.origin.value, number.mode)
    (slot,) = [s for s in slot_layout(parameters) if s.parameter == number.parameter and s.role == role]
    bytes_ = {"i8": 1, "i16": 2, "i32": 4}.get(slot.dtype, 8)
    return int.from_bytes(slots[slot.offset : slot.offset + bytes_], "little", signed=True)


def launches(
    memory: DeviceMemory, info: KernelInfo, grid: tuple[int, int, int]
) -> list[tuple[KernelInfo, Buffer | None]]:
    """What a kernel is run by, each with the memory that work-groups keep: its steps, if there are some, but such as
    join work-groups only on grids that suit them."""
    joined = None if info.steps is None else info.steps.joined
    if info.steps is None or (joined is not None and not joined.suits(grid)):
        return [(info, flags_of(memory, info, prod(grid)))]
    plans = [step.launch for step in info.steps.kernels]
    size = max(plan.group_bytes for plan in plans if plan is not None)
    kept = memory.allocate(size * prod(grid)) if size else None
    return [(step, kept) for step in info.steps.kernels]


def flags_of(memory: DeviceMemory, info: KernelInfo, groups: int) -> Buffer | None:
    """Memory of work-groups whose blocks tell each other something, with flags that are 0; None where they do not."""
    plan = info.launch
    if plan is None or not plan.flag_bytes:
        return None
    kept = memory.allocate(plan.group_bytes * groups)
    for group in range(groups):
        kept.write(bytes(plan.flag_bytes), group * plan.group_bytes)
    return kept


class DeviceArray:
    """A copy of an array on the device, with the same strides and alignment and a guard on both sides."""

    def __init__(self, context: DeviceMemory, array: Array) -> None:
        self.array = array
        low, high = np.lib.array_utils.byte_bounds(array)
        self._size = high - low
        self._first = array.__array_interface__["data"][0] - low
        raw = ctypes.string_at(low, self._size)
        self._front = GUARD + low % GUARD
        self._image = b"\xa5" * self._front + raw + b"\xa5" * GUARD
        self._buffer = context.allocate(len(self._image))
        self._buffer.write(self._image)
        self.address = self._buffer.address + self._front + self._first

    def read(self, between: bool = True) -> Array:
        """The array as it is on the device now. Bytes around it, and those `between` its elements, are as before."""
        image = self._buffer.read()
        assert image[: self._front] == self._image[: self._front], "the kernel wrote in front of an array"
        assert image[-GUARD:] == self._image[-GUARD:], "the kernel wrote behind an array"
        found = self._view(bytearray(image))
        if between:
            untouched = bytearray(image)
            self._view(untouched)[...] = self.array
            assert bytes(untouched) == self._image, "the kernel wrote between the elements of an array"
        return found

    def _view(self, image: bytearray) -> Array:
        array = self.array
        start = self._front + self._first
        return np.ndarray(array.shape, array.dtype, image, start, array.strides)


class Packer:
    """Turns arguments into slots, written independently of the launcher as a check on both."""

    def __init__(self, context: DeviceMemory) -> None:
        self._context = context
        self._arrays: dict[int, DeviceArray] = {}
        self._groups: dict[int, list[DeviceArray | None]] = {}
        self._tables: list[DeviceArray] = []

    def block(self, parameters: tuple[Parameter, ...], arguments: Sequence[Argument]) -> bytearray:
        """The block of parameters that a kernel is launched with."""
        block = bytearray(block_size(parameters))
        for slot, word in zip(slot_layout(parameters), self._words(parameters, arguments), strict=True):
            block[slot.offset : slot.offset + len(word)] = word
        return block

    def _words(self, parameters: tuple[Parameter, ...], arguments: Sequence[Argument]) -> list[bytes]:
        """The slots' bytes in order."""
        found: list[bytes] = []
        for k, (parameter, argument) in enumerate(zip(parameters, arguments, strict=True)):
            found += self._slots(k, parameter, argument)
        return found

    def _slots(self, k: int, parameter: Parameter, argument: Argument) -> list[bytes]:
        if isinstance(argument, GroupArgument):
            assert isinstance(parameter, GroupParameter)
            return self._group(k, parameter, argument)
        if argument is None:
            assert isinstance(parameter, MemrefParameter)
            return [bytes(8)] * (1 + parameter.shape.count(None) + parameter.strides.count(None))
        if isinstance(argument, np.ndarray):
            assert isinstance(parameter, MemrefParameter | PointerParameter)
            self._arrays[k] = DeviceArray(self._context, argument)
            sizes = self._sizes(parameter, argument) if isinstance(parameter, MemrefParameter) else []
            return [struct.pack("<Q", self._arrays[k].address), *sizes]
        return [argument.tobytes()]

    def _sizes(self, parameter: MemrefParameter, array: Array) -> list[bytes]:
        strides = bound_strides(parameter, array.shape, tuple(s // array.itemsize for s in array.strides))
        unknown = [n for n, known in zip(array.shape, parameter.shape, strict=True) if known is None]
        unknown += [n for n, known in zip(strides, parameter.strides, strict=True) if known is None]
        return [struct.pack("<q", n) for n in unknown]

    def _group(self, k: int, parameter: GroupParameter, argument: GroupArgument) -> list[bytes]:
        items = [None if a is None else DeviceArray(self._context, a) for a in argument.arrays]
        self._groups[k] = items
        pointers = [0 if i is None else i.address - argument.in_front * i.array.itemsize for i in items]
        words = [self._table(np.array(pointers, np.uint64))]
        dope = [b"" if a is None else b"".join(self._sizes(parameter.memref, a)) for a in argument.arrays]
        width = parameter.memref.shape.count(None) + parameter.memref.strides.count(None)
        rows = np.array([np.frombuffer(d, np.int64) if d else np.full(width, -1) for d in dope], np.int64)
        words += [self._table(np.ascontiguousarray(column)) for column in rows.T]
        if parameter.size is None:
            words.append(struct.pack("<q", len(items)))
        if parameter.offset is None:
            words.append(struct.pack("<q", argument.offset))
        return words

    def _table(self, numbers: npt.NDArray[Any]) -> bytes:
        self._tables.append(DeviceArray(self._context, numbers))
        return struct.pack("<Q", self._tables[-1].address)

    def results(self, between: bool = True) -> dict[int, Array | list[Array | None]]:
        """What is in the arrays now (`DeviceArray.read`)."""
        found: dict[int, Array | list[Array | None]] = {k: a.read(between) for k, a in self._arrays.items()}
        for k, items in self._groups.items():
            found[k] = [None if item is None else item.read(between) for item in items]
        return found
