"""Running kernels on the emulator: the LLVM text that the target prints, before anybody optimises it."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.report_sites import ReportSite, device_words, read_sites
from tilewright.artifacts.tensor_maps import TensorMap
from tilewright.compiler import CompileOptions, lower_module, manager_of, read_source
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Module
from tilewright.ir.passes import PassContext
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.reports import Record, deliver
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import Array, Launch
from .device_memory import Packer, entry_of, launches, work_of
from .emulator.barriers import encoded
from .emulator.machine import Device, Program

HEAD = 4
"""Words in front of the records."""


@dataclass(frozen=True, slots=True)
class Emulated:
    """The kernels of a module as the device would get them."""

    program: Program
    kernels: tuple[KernelInfo, ...]
    report_words: int = 1 << 16
    """Room for what a launch reports, at most."""

    def run(
        self,
        launch: Launch,
        number: int = 0,
        schedule: random.Random | None = None,
        races: bool = True,
        between: bool = True,
    ) -> dict[int, Array | list[Array | None]]:
        """Launch a kernel; contents of the array arguments afterwards. What lies around arrays, and `between` their
        elements, must be as before."""
        info, device = self.kernels[number], Device(schedule, races)
        packer = Packer(device.memory)
        block = packer.block(info.parameters, launch.arguments)
        self.launch(device, info, launch.grid, bytes(block))
        return packer.results(between)

    def launch(self, device: Device, info: KernelInfo, grid: tuple[int, int, int], slots: bytes) -> None:
        """Launch a kernel on what is in a device's memory, and deliver what it reports."""
        reported = read_sites(info.facts)
        words = 0 if reported is None else min(device_words(reported[1]), self.report_words)
        records = device.memory.allocate(8 * (HEAD + words))
        records.write(struct.pack(f"<{HEAD}q", 0, words, 0, 0))
        reporting = None if reported is None else (records.address, words)
        for launch, memory in launches(device.memory, info, grid):
            work = work_of(device.memory, launch, grid, slots, reporting, kept=memory, described=described)
            device.launch(self.program, entry_of(launch, work.block), work.blocks, work.block, launch.local_bytes)
            if memory is not None and launch.launch is not None:
                assert not any(memory.read()[: launch.launch.flag_bytes]), "a launch leaves flags as it finds them"
        if reported is not None:
            deliver(info.name, *reports_in(np.frombuffer(records.read(), np.int64), reported[1]))


def described(found: TensorMap, address: int, extents: Sequence[int], pitches: Sequence[int]) -> bytes:
    """What the emulator takes for the map of matrices."""
    return encoded(address, found.element_bytes, extents, pitches, found.box, found.dtype == "tf32")


def reports_in(memory: npt.NDArray[np.int64], sites: Sequence[ReportSite]) -> tuple[list[Record], int]:
    """What the records of a launch say, and how many are missing; independent of the launcher."""
    claimed, room, lost, _ = memory[:HEAD].tolist()
    rest, found = memory[HEAD : HEAD + min(claimed, room)], list[Record]()
    while len(rest):
        site = sites[int(rest[0])]
        count = sum(prod(value.shape) for value in site.values)
        x, y, z = rest[1:4].tolist()
        found.append(Record(site, (x, y, z), rest[4 : 4 + count].tobytes()))
        rest = rest[4 + count :]
    return found, lost


def emulated(module: Module, shared_bytes: int | None = None, report_words: int = 1 << 16) -> Emulated:
    """The kernels of a module that has passed the passes of the device, which may have less shared memory.

    Packed kernels have been planned for what there is of it.
    """
    if any(kernel.items > 1 for kernel in module.kernels):
        shared_bytes = None
    text, kernels = emit_llvm(module, Architecture.SM_80, shared_bytes)
    return Emulated(Program(text), kernels, report_words)


def scheduled(
    module: Module,
    level: int = 2,
    shared_bytes: int | None = None,
    schedule: str = "",
    *,
    checked: bool = False,
    report_words: int = 1 << 16,
) -> Emulated:
    """The kernels of a module, compiled for the emulator."""
    target = NvidiaTarget(Architecture.SM_80).scheduled(schedule)
    lower_module(module, target, CompileOptions(level, checked=checked), Report())
    return emulated(module, shared_bytes, report_words)


def compiled(
    text: str,
    level: int = 2,
    shared_bytes: int | None = None,
    schedule: str = "",
    *,
    checked: bool = False,
    report_words: int = 1 << 16,
) -> Emulated:
    """A text in any language, compiled for the emulator."""
    source, target = Source("<kernel>", text), NvidiaTarget(Architecture.SM_80).scheduled(schedule)
    options = CompileOptions(level, checked=checked)
    module = read_source(source, Report())
    manager_of(source, target, options).run(module, PassContext())
    return emulated(module, shared_bytes, report_words)
