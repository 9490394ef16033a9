"""Programs on the emulated device, launched with arrays of the host as all others are."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence
from typing import cast

from msgspec import Struct

from tilewright.artifacts.artifact import Artifact, KernelInfo, slot_layout
from tilewright.dialects.builtin import Module
from tilewright.program import Program
from tilewright.runtime.apart import takes_apart
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.runtime.arrays import ArrayView, NotAnArray, reach, view
from tilewright.runtime.grid import Extents
from tilewright.runtime.scalars import SLOT_FORMATS

from .emulated import Emulated, compiled, scheduled
from .emulator.machine import Device
from .emulator.memory import Buffer, Memory

_ALIGNMENT = 256


class Copy(Struct, frozen=True):
    """Bytes of the host from `low` on with their copy; alike modulo 256."""

    low: int
    high: int
    buffer: Buffer
    offset: int

    @staticmethod
    def of(memory: Memory, low: int, high: int) -> Copy:
        offset = low % _ALIGNMENT
        buffer = memory.allocate(offset + high - low)
        buffer.write(ctypes.string_at(low, high - low), offset)
        return Copy(low, high, buffer, offset)

    def back(self) -> None:
        """Let the host have what is in the copy."""
        size = self.high - self.low
        ctypes.memmove(self.low, self.buffer.read(size, self.offset), size)


class EmulatedLauncher:
    """Launches a kernel, in the form for its arguments, on arrays that are copied for it; those that share memory share
    it on the device."""

    def __init__(self, kernels: Emulated, info: KernelInfo, races: bool = True) -> None:
        self._kernels, self._info, self._races = kernels, info, races
        self._checks = ArgumentChecks(info)
        self._slots = slot_layout(info.parameters)
        self._apart = None if info.apart is None else EmulatedLauncher(kernels, info.apart, races)

    def __call__(self, grid: Extents, arguments: tuple[object, ...]) -> None:
        """Check the arguments, copy, run, copy back."""
        if self._apart is not None and takes_apart(self._info, arguments):
            self._apart(grid, arguments)
            return
        values, _ = self._checks.values(arguments, grid)
        device = Device(races=self._races)
        copies = [Copy.of(device.memory, *part) for part in overlapping(arrays_among(arguments))]
        if self._checks.workspaces is not None:
            made = device.memory.allocate(max(self._checks.workspaces.bytes(values), 1))
            self._checks.workspaces.place(values, made.address)
        words = list(values)
        for position, slot in enumerate(self._slots):
            assert slot.role != "table", "groups are passed by `device_memory`"
            if slot.role == "pointer":
                words[position] = moved(copies, cast("int", words[position]))
        formats = "".join(SLOT_FORMATS[slot.dtype] for slot in self._slots)
        try:
            self._kernels.launch(device, self._info, grid, struct.pack(f"<{formats}", *words))
        finally:
            for copy in copies:
                copy.back()


def arrays_among(arguments: Sequence[object]) -> Iterator[ArrayView]:
    """Those with elements."""
    for argument in arguments:
        try:
            array = view(argument)
        except NotAnArray:
            continue
        if 0 not in array.shape:
            yield array


def overlapping(arrays: Iterator[ArrayView]) -> list[tuple[int, int]]:
    """Ranges of bytes, put together where they overlap."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(map(reach, arrays)):
        if found and low < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def moved(copies: Sequence[Copy], address: int) -> int:
    """Where the device has what the host has at an address; that of no array with elements stays."""
    for copy in copies:
        if copy.low <= address < copy.high:
            return copy.buffer.address + copy.offset + address - copy.low
    return address


def program_of(kernels: Emulated, races: bool = True) -> Program:
    """Kernels as a program."""
    artifact = Artifact("nvidia", kernels.kernels, b"")
    return Program(artifact, lambda info: EmulatedLauncher(kernels, info, races), {})


def program_of_text(
    text: str,
    level: int = 2,
    shared_bytes: int | None = None,
    schedule: str = "",
    *,
    checked: bool = False,
    report_words: int = 1 << 16,
) -> Program:
    """A text in any language, for a device that may have less shared memory than others."""
    return program_of(compiled(text, level, shared_bytes, schedule, checked=checked, report_words=report_words))


def program_of_module(module: Module, level: int = 2) -> Program:
    """A module in the shared dialects."""
    return program_of(scheduled(module, level))
