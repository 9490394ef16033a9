"""Programs whose kernels the interpreter runs; the launch checks are those of compiled kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.engine import Argument, Group, Unwritten, interpret
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.types import mixed
from tilewright.program import Program
from tilewright.runtime.addresses import FirstElement, MemoryAt
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.runtime.arrays import view
from tilewright.runtime.dtypes import AnyDtype, numpy_dtype
from tilewright.runtime.groups import ArrayGroup, PointerArray, table_of_pointers
from tilewright.runtime.launcher import Launcher
from tilewright.runtime.memref_fit import Sizes
from tilewright.runtime.scalars import scalar_binder, slot_number
from tilewright.settings.product_units import Unit
from tilewright.transforms.derive_launch_constraints import DeriveLaunchConstraints
from tilewright.transforms.derive_null_arguments import DeriveNullArguments
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.signature import kernel_info

Array = NDArray[Any]


def interpreted_module(
    module: Module, text: str, checked: bool, report: Report | None = None, units: frozenset[Unit] = frozenset()
) -> Program:
    """A program that runs in the interpreter, from a verified module of the shared dialects on any floor.

    Products of tiles have the arithmetic of `units`.
    """
    report = report or Report()
    passes = [InferWorkGroup(), DeriveNullArguments(), DeriveLaunchConstraints()]
    PassManager(passes).run(module, PassContext(report))
    kernels = {kernel.sym_name: kernel for kernel in module.kernels}
    infos = tuple(kernel_info(kernel, kernel.sym_name, kernel.local_bytes) for kernel in module.kernels)
    texts: dict[str, Callable[[], str]] = {"source": lambda: text, "ir": lambda: print_op(module)}
    artifact = Artifact("interpreter", infos, b"", {"source": text})

    def launcher(info: KernelInfo) -> Launcher:
        return _InterpretedKernel(kernels[info.name], info, checked, units)

    return Program(artifact, launcher, texts, lambda: tuple(report.in_order))


class _InterpretedKernel:
    """Checks arguments as a compiled kernel does, then interprets."""

    def __init__(self, kernel: Kernel, info: KernelInfo, checked: bool, units: frozenset[Unit]) -> None:
        self.kernel = kernel
        self.info = info
        self.checked = checked
        self.units = units
        self.checks = ArgumentChecks(info)

    def __call__(self, grid: tuple[int, int, int], arguments: Sequence[object]) -> None:
        arguments = self.checks.without_local(arguments)
        slots, _ = self.checks.values(arguments, grid)
        made = {} if self.checks.workspaces is None else self.checks.workspaces.shapes(slots)
        given = iter(arguments)
        values: list[Argument] = []
        for parameter in self.info.parameters:
            if parameter.name in made:
                values.append(Unwritten(made[parameter.name]))
            elif isinstance(parameter, MemrefParameter) and parameter.space == "local":
                values.append(None)
            elif isinstance(parameter, ScalarParameter):
                values.append(passed_scalar(parameter, next(given)))
            elif isinstance(parameter, MemrefParameter):
                values.append(_by_modes(parameter, as_numpy(next(given))))
            elif isinstance(parameter, PointerParameter):
                values.append(as_numpy(next(given)))
            else:
                values.append(_group(next(given), parameter))
        interpret(self.kernel, values, grid, checked=self.checked, units=self.units)


def _by_modes(parameter: MemrefParameter, array: Array | None) -> Array | None:
    """An array with its dimensions in the order of the parameter's modes."""
    return array if array is None or not parameter.dimensions else array.transpose(parameter.dimensions)


def passed_scalar(parameter: ScalarParameter, argument: object) -> np.generic:
    """A number as a compiled kernel would be given it."""
    return slot_number(parameter.dtype, scalar_binder(parameter.dtype, parameter.name)(argument))


class _Memory:
    """Memory that another object keeps alive, for NumPy."""

    def __init__(self, interface: Mapping[str, object], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def as_numpy(argument: object) -> Array | None:
    """The same memory as a NumPy array; that of an explicit address as its bytes. None stays what it is."""
    if isinstance(argument, MemoryAt):
        return _array_at(argument.number, np.dtype(np.uint8), (argument.nbytes,), (1,), argument.readonly, None)
    array = argument.array if isinstance(argument, FirstElement) else argument
    if array is None or type(array) is np.ndarray:
        return array
    found = view(array)
    return _array_at(found.address, found.dtype, found.shape, found.strides, found.readonly, found.owner)


def _array_at(address: int, dtype: AnyDtype, shape: Sizes, strides: Sizes, readonly: bool, owner: object) -> Array:
    """Memory as an array; strides count elements."""
    if 0 in shape:
        return np.empty(shape, dtype)
    size = dtype.itemsize
    interface = {
        "shape": shape,
        "strides": tuple(stride * size for stride in strides),
        "typestr": f"|V{size}",
        "data": (address, readonly),
        "version": 3,
    }
    return np.asarray(_Memory(interface, owner)).view(dtype)


def _group(argument: object, parameter: GroupParameter) -> Group | None:
    if argument is None:
        return None
    if isinstance(argument, PointerArray):
        return _group_of_pointers(argument, parameter)
    given = argument if isinstance(argument, ArrayGroup) else ArrayGroup(cast("Sequence[object]", argument))
    return Group([as_numpy(a) for a in given.arrays], given.offset)


def _group_of_pointers(argument: PointerArray, parameter: GroupParameter) -> Group:
    """Arrays over the memory that the addresses name, as far as the group's offset reaches."""
    dtype = numpy_dtype(parameter.memref.dtype)
    table = table_of_pointers(parameter, parameter.name, argument)
    offset = table.offset if parameter.offset is None else parameter.offset
    before = max(0, -offset)
    known = parameter.memref.shape.count(None)
    arrays: list[Array | None] = []
    for index in range(table.size):
        shape = mixed(parameter.memref.shape, (int(entries[index]) for entries in table.sizes[:known]))
        steps = mixed(parameter.memref.strides, (int(entries[index]) for entries in table.sizes[known:]))
        address = int(table.pointers[index])
        if not address:
            arrays.append(None)
            continue
        span = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
        skipped = before * dtype.itemsize
        reached = skipped + (span + max(0, offset)) * dtype.itemsize
        memory = memoryview((ctypes.c_uint8 * reached).from_address(address - skipped))
        flat: Array = np.frombuffer(memory, np.uint8)
        arrays.append(np.ndarray(shape, dtype, flat, skipped, tuple(s * dtype.itemsize for s in steps)))
    return Group(arrays, table.offset)
