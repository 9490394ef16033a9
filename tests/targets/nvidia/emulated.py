"""Running kernels on the emulator: the LLVM text that the target prints, before anybody optimises it."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from math import prod

from tilewright.artifacts.artifact import KernelInfo, device_block_size, scratch_slots
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Module
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget, emit_llvm

from .case import Array, Launch
from .device_memory import Packer
from .emulator.machine import Device, Program


@dataclass(frozen=True, slots=True)
class Emulated:
    """The kernels of a module as the device would get them."""

    program: Program
    kernels: tuple[KernelInfo, ...]

    def run(
        self, launch: Launch, number: int = 0, schedule: random.Random | None = None, races: bool = True
    ) -> dict[int, Array | list[Array | None]]:
        """Launch a kernel; contents of the array arguments afterwards."""
        info, device = self.kernels[number], Device(schedule, races)
        packer = Packer(device.memory)
        block = packer.block(info.parameters, launch.arguments)
        self.launch(device, info, launch.grid, bytes(block))
        return packer.results()

    def launch(self, device: Device, info: KernelInfo, grid: tuple[int, int, int], slots: bytes) -> None:
        """Launch a kernel on what is in a device's memory."""
        assert info.launch is not None
        size, first = info.launch.scratch_bytes, scratch_slots(info.parameters)[0]
        if size:
            scratch = device.memory.allocate(size * prod(info.launch.blocks(grid)))
            slots = slots[:first].ljust(first, b"\0") + struct.pack("<Qq", scratch.address, size)
        device.launch(self.program, info.symbol, grid, slots.ljust(device_block_size(info), b"\0"), info.local_bytes)


def emulated(module: Module, shared_bytes: int | None = None) -> Emulated:
    """The kernels of a module that has passed the passes of the device, which may have less shared memory."""
    text, kernels = emit_llvm(module, Architecture.SM_80, shared_bytes)
    return Emulated(Program(text), kernels)


def scheduled(module: Module, level: int = 2, shared_bytes: int | None = None, schedule: str = "") -> Emulated:
    """The kernels of a module, compiled for the emulator."""
    lower_module(module, NvidiaTarget(Architecture.SM_80).scheduled(schedule), CompileOptions(level), Report())
    return emulated(module, shared_bytes)


def compiled(text: str, level: int = 2, shared_bytes: int | None = None, schedule: str = "") -> Emulated:
    """A text in any language, compiled for the emulator."""
    return scheduled(read_module(Source("<kernel>", text), Report()), level, shared_bytes, schedule)
