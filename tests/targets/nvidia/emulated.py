"""Running kernels on the emulator: the LLVM text that the target prints, before anybody optimises it."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tilewright.artifacts.artifact import KernelInfo
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
        device.launch(self.program, info.symbol, launch.grid, bytes(block), info.local_bytes)
        return packer.results()


def emulated(scheduled: Module) -> Emulated:
    """The kernels of a module that has passed the passes of the device."""
    text, kernels = emit_llvm(scheduled, Architecture.SM_80)
    return Emulated(Program(text), kernels)


def compiled(text: str, level: int = 2) -> Emulated:
    """A text in any language, compiled for the emulator."""
    module = read_module(Source("<kernel>", text), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(level), Report())
    return emulated(module)
