"""Calls the native entry of a kernel given as IR text, without the launcher: for tests of the lowering."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from code_generation import code_of
from tilewright.artifacts.artifact import Slot, block_size, slot_layout
from tilewright.artifacts.parameters import KernelInfo
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.verifier import verify
from tilewright.machine.native import LoadedObject, load_object
from tilewright.targets.cpu.kernel import lower_kernel
from tilewright.targets.cpu.machine import Machine, machine_of
from tilewright.targets.cpu.tiles.lowering import CpuTiles
from tilewright.targets.llvm.emitter import Module as LlvmModule

Array = NDArray[np.generic]
CANARY = 1024
"""Bytes behind a kernel's scratch memory that it must leave alone."""
UNWRITTEN = 0xFF
"""What a kernel finds in its scratch memory: NaN of every type of floats."""


def parsed(text: str) -> Module:
    """A verified module."""
    report = Report()
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    assert verify(module, report), [str(d) for d in report.diagnostics]
    return module


class Entry:
    """A kernel compiled for the host; call it with arguments by parameter name."""

    def __init__(self, text: str, shape: Machine | None = None) -> None:
        shape = shape or machine_of()
        llvm = LlvmModule()
        kernel = parsed(text).kernels[0]
        self.info: KernelInfo = lower_kernel(kernel, llvm, shape.flags, CpuTiles(shape), shape.attributes)
        self.text = str(llvm)
        code = code_of(self.text)
        self._library: LoadedObject = load_object(code, [self.info.symbol])
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        kind = ctypes.CFUNCTYPE(None, pointer, pointer, number, number, pointer, pointer)
        self._call = kind(self._library.address(self.info.symbol))

    def __call__(
        self,
        arguments: Mapping[str, Array | np.generic],
        grid: tuple[int, int, int] = (1, 1, 1),
        groups: range | None = None,
    ) -> None:
        """Run the work-groups with these linear numbers (default: all)."""
        block = np.zeros(block_size(self.info.parameters), np.uint8)
        for slot in slot_layout(self.info.parameters):
            data = _slot_bytes(slot, arguments[slot.parameter])
            block[slot.offset : slot.offset + len(data)] = np.frombuffer(data, np.uint8)
        scratch = np.full(self.info.local_bytes + 128 + CANARY, UNWRITTEN, np.uint8)
        base = -(-scratch.ctypes.data // 128) * 128
        extents = np.array(grid, np.int64)
        groups = range(int(extents.prod())) if groups is None else groups
        self._call(block.ctypes.data, extents.ctypes.data, groups.start, groups.stop, base, None)
        behind = scratch[base - scratch.ctypes.data + self.info.local_bytes :]
        assert (behind == UNWRITTEN).all(), "the kernel wrote behind the memory that it asks for"


def _slot_bytes(slot: Slot, argument: Array | np.generic) -> bytes:
    if slot.role == "value":
        return argument.tobytes()
    assert isinstance(argument, np.ndarray)
    if slot.role == "pointer":
        return argument.ctypes.data.to_bytes(8, "little")
    assert isinstance(slot.role, tuple)
    kind, mode = slot.role
    number = argument.shape[mode] if kind == "extent" else argument.strides[mode] // argument.itemsize
    return int(number).to_bytes(8, "little", signed=True)
