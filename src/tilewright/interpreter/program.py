"""Programs whose kernels the interpreter runs; the launch checks are those of compiled kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.engine import Argument, Group, interpret
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.types import mixed
from tilewright.program import Program
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.runtime.arrays import ArrayView, view
from tilewright.runtime.dtypes import numpy_dtype
from tilewright.runtime.groups import ArrayGroup, PointerArray
from tilewright.targets.artifact import Artifact
from tilewright.targets.launcher import Launcher
from tilewright.targets.parameters import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.targets.signature import kernel_info
from tilewright.transforms.derive_launch_constraints import DeriveLaunchConstraints
from tilewright.transforms.infer_work_group import InferWorkGroup

Array = NDArray[Any]


def interpreted_module(module: Module, text: str, checked: bool, report: Report | None = None) -> Program:
    """A program that runs in the interpreter, from a verified module of the shared dialects on any floor."""
    report = report or Report()
    PassManager([InferWorkGroup(), DeriveLaunchConstraints()]).run(module, PassContext(report))
    kernels = {kernel.sym_name: kernel for kernel in module.kernels}
    infos = tuple(kernel_info(kernel, kernel.sym_name, kernel.local_bytes) for kernel in module.kernels)
    texts: dict[str, Callable[[], str]] = {"source": lambda: text, "ir": lambda: print_op(module)}
    artifact = Artifact("interpreter", infos, b"", {"source": text})

    def launcher(info: KernelInfo) -> Launcher:
        return _InterpretedKernel(kernels[info.name], info, checked)

    return Program(artifact, launcher, texts, tuple(report.in_order))


class _InterpretedKernel:
    """Checks arguments as a compiled kernel does, then interprets."""

    def __init__(self, kernel: Kernel, info: KernelInfo, checked: bool) -> None:
        self.kernel = kernel
        self.info = info
        self.checked = checked
        self.checks = ArgumentChecks(info)

    def __call__(self, grid: tuple[int, int, int], arguments: Sequence[object]) -> None:
        arguments = self.checks.without_local(arguments)
        self.checks.values(arguments, grid)
        given = iter(arguments)
        values: list[Argument] = []
        for parameter in self.info.parameters:
            if isinstance(parameter, MemrefParameter) and parameter.space == "local":
                values.append(None)
            elif isinstance(parameter, ScalarParameter):
                values.append(cast("Argument", next(given)))
            elif isinstance(parameter, MemrefParameter | PointerParameter):
                values.append(as_numpy(next(given)))
            else:
                values.append(_group(next(given), parameter))
        interpret(self.kernel, values, grid, checked=self.checked)


def as_numpy(argument: object) -> Array | None:
    """The same memory as a NumPy array."""
    if argument is None or isinstance(argument, np.ndarray):
        return cast("Array | None", argument)
    array = view(argument)
    return np.asarray(_Memory(array)).view(array.dtype)


class _Memory:
    """An array for NumPy, with elements without a type: NumPy's protocols know none of ml_dtypes."""

    def __init__(self, array: ArrayView) -> None:
        size = array.dtype.itemsize
        self._owner = array.owner
        self.__array_interface__: Final = {
            "version": 3,
            "typestr": f"|V{size}",
            "data": (array.address, array.readonly),
            "shape": array.shape,
            "strides": tuple(size * stride for stride in array.strides),
        }


def _group(argument: object, parameter: GroupParameter) -> Group | None:
    if argument is None:
        return None
    if isinstance(argument, PointerArray):
        return _group_of_pointers(argument, parameter)
    arrays, offset = (
        (argument.arrays, argument.offset)
        if isinstance(argument, ArrayGroup)
        else (cast("Sequence[object]", argument), 0)
    )
    return Group([as_numpy(a) for a in arrays], offset)


def _group_of_pointers(argument: PointerArray, parameter: GroupParameter) -> Group:
    """Arrays over the memory that the addresses name."""
    dtype = numpy_dtype(parameter.memref.dtype)
    count = len(argument.pointers) if argument.size is None else argument.size
    offset = argument.offset if parameter.offset is None else parameter.offset
    before = max(0, -offset)
    arrays: list[Array | None] = []
    for index in range(count):
        shape = mixed(parameter.memref.shape, (int(entries[index]) for entries in argument.extents))
        steps = mixed(parameter.memref.strides, (int(entries[index]) for entries in argument.strides))
        address = int(argument.pointers[index])
        if not address:
            arrays.append(None)
            continue
        span = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
        skipped = before * dtype.itemsize
        reached = skipped + (span + max(0, offset)) * dtype.itemsize
        memory = memoryview((ctypes.c_uint8 * reached).from_address(address - skipped))
        flat: Array = np.frombuffer(memory, np.uint8)
        arrays.append(np.ndarray(shape, dtype, flat, skipped, tuple(s * dtype.itemsize for s in steps)))
    return Group(arrays, argument.offset)
