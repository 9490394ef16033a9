"""Launching kernels of an NVIDIA artefact on arrays that are on the device: PyTorch, CuPy, anything with DLPack.

Everything is checked before anything runs, nothing is copied but the tables of groups, and a launch does not wait for
the device. It goes to the stream that is given, else to the current one of the framework that the arrays come from,
else to the default stream.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, Protocol, cast, runtime_checkable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tilewright.artifacts.artifact import (
    Artifact,
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
    block_size,
    slot_layout,
)
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.cuda.driver import Context, KernelFunction, open_device, pointer_device
from tilewright.runtime.addresses import FirstElement, MemoryAt
from tilewright.runtime.argument_checks import ArgumentChecks, argument_binder
from tilewright.runtime.arrays import ArrayView, Device, NotAnArray, UnusableArray, dlpack_view, view
from tilewright.runtime.binders import Binder, MemrefLayouts, bind_pointer, check_access, check_null
from tilewright.runtime.dlpack import Exporter
from tilewright.runtime.dtypes import describe, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.grid import Grid, grid_extents
from tilewright.runtime.groups import ArrayGroup, PointerArray, Table, open_numbers, table_of
from tilewright.runtime.memref_fit import type_text
from tilewright.runtime.scalars import SLOT_FORMATS, SlotValue

_MAX_GRID: Final = ((1 << 31) - 1, 65535, 65535)


def bind_artifact(artifact: Artifact, device: int = 0) -> dict[str, CudaKernel]:
    """Load an NVIDIA artefact on a device and make its kernels launchable, by name."""
    if artifact.target != "nvidia":
        raise LaunchError(f"the artefact is for the target {artifact.target!r}, not for NVIDIA devices")
    context = open_device(device)
    _check_architecture(artifact, context)
    module = context.load(artifact.payload.decode())
    return {info.name: CudaKernel(info, module.function(info.symbol)) for info in artifact.kernels}


def _check_architecture(artifact: Artifact, context: Context) -> None:
    """Code for sm_80 runs on all that came later, code for sm_90a on 9.0 only."""
    description = context.description
    exact = artifact.features == Architecture.SM_90A.value
    fits = description.capability == (9, 0) if exact else description.capability >= (8, 0)
    if not fits:
        major, minor = description.capability
        raise LaunchError(
            f"the artefact was compiled for {artifact.features}; device {description.ordinal} ({description.name}) has "
            f"compute capability {major}.{minor}"
        )


class CudaKernel:
    """A kernel on a device, ready to be launched."""

    def __init__(self, info: KernelInfo, function: KernelFunction) -> None:
        self.info = info
        self._function = function
        self._context = function.module.context
        self._checks = ArgumentChecks(info, partial(_binder, self._context))
        formats = "".join(SLOT_FORMATS[slot.dtype] for slot in slot_layout(info.parameters))
        padding = block_size(info.parameters) - struct.calcsize(f"<{formats}")
        self._packer = struct.Struct(f"<{formats}{padding}x")
        function.allow_shared(info.local_bytes)

    def launch(self, grid: Grid, arguments: Sequence[object], stream: object = None) -> None:
        """Enqueue the kernel on a grid of work-groups. A grid with a zero runs nothing.

        `stream` is a number, an object with `__cuda_stream__`, or a stream of PyTorch or CuPy.
        """
        arguments = self._checks.without_local(arguments)
        sizes = grid_extents(grid, self.info.max_groups)
        if any(size > limit for size, limit in zip(sizes, _MAX_GRID, strict=True)):
            raise LaunchError(f"the grid {sizes} exceeds {_MAX_GRID}, the largest of an NVIDIA device")
        values, _keep = self._checks.values(arguments, sizes)
        if 0 in sizes:
            return
        m, n = self.info.work_group_size
        handle = _current_stream(arguments, self._context) if stream is None else _stream_handle(stream)
        block = self._packer.pack(*values)
        self._function.launch(sizes, (m * n, 1, 1), block, shared_bytes=self.info.local_bytes, stream=handle)

    __call__ = launch


def _binder(context: Context, info: KernelInfo, parameter: Parameter) -> Binder:
    where = f"kernel {info.name}, argument {parameter.name}"
    match parameter:
        case ScalarParameter():
            return argument_binder(info, parameter)
        case MemrefParameter():
            return partial(_bind_memref, _MemrefBinding(parameter, where, context))
        case PointerParameter():
            return partial(_bind_pointer, parameter, where, context)
        case GroupParameter():
            binding = _MemrefBinding(parameter.memref, where, context)
            return partial(_bind_group, parameter, binding)


def _bind_pointer(
    parameter: PointerParameter, where: str, context: Context, argument: object, keep: list[object]
) -> tuple[SlotValue, ...]:
    """Array on the device to the address of its first element; None is a null pointer."""
    if isinstance(argument, MemoryAt):
        _check_place(context, where, argument.number)
    of_array = partial(_device_array, parameter.dtype, f"ptr<{parameter.dtype}>", context, where)
    return bind_pointer(parameter, where, of_array, argument, keep)


def _device_array(dtype: str, wanted: str, context: Context, where: str, argument: object) -> ArrayView:
    """An argument as an array of the right type on the right device."""
    try:
        array = _typed_view(argument)
    except NotAnArray as error:
        raise LaunchTypeError(f"{where}: {error}; an array for {wanted} is wanted") from None
    except UnusableArray as error:
        raise LaunchError(f"{where}: this {type(argument).__name__} cannot be used as it is: {error}") from None
    _check_device(context, where, array)
    if array.dtype != numpy_dtype(dtype):
        raise LaunchTypeError(f"{where}: its dtype is {array.dtype}, {describe(dtype)} is wanted")
    return array


def _check_device(context: Context, where: str, array: ArrayView) -> None:
    _check_kind(context, where, array.device)
    if 0 not in array.shape:
        _check_place(context, where, array.address)


def _check_kind(context: Context, where: str, device: Device) -> None:
    if device.kind != "cuda":
        raise LaunchError(
            f"{where}: the array lies on {device}, this kernel runs on cuda:{context.description.ordinal}; copy it "
            f"there first"
        )


def _check_place(context: Context, where: str, address: int) -> None:
    """`__cuda_array_interface__` and bare addresses do not tell which device it is; the driver knows every address."""
    ordinal, found = context.description.ordinal, pointer_device(address)
    if found is None or found != ordinal:
        place = Device("cuda", found) if found is not None else "no CUDA device"
        raise LaunchError(f"{where}: the array lies on {place}, this kernel was loaded on cuda:{ordinal}")


class _MemrefBinding(Struct, frozen=True):
    """A memref parameter and the device it must lie on."""

    parameter: MemrefParameter
    where: str
    context: Context

    @property
    def layouts(self) -> MemrefLayouts:
        """Extents and strides of the parameter."""
        return MemrefLayouts(self.parameter, reverse=False)

    def typed_view(self, where: str, argument: object) -> ArrayView:
        """An argument as an array of the right type on the right device."""
        return _device_array(self.parameter.dtype, type_text(self.parameter), self.context, where, argument)

    def view(self, where: str, argument: object) -> ArrayView:
        """As `typed_view`, of memory that the kernel may access as it does."""
        array = self.typed_view(where, argument)
        check_access(self.parameter, where, array)
        return array


def _typed_view(argument: object) -> ArrayView:
    """As `view`; where the CUDA interface cannot name the element type (bfloat16), DLPack can."""
    array = view(argument)
    if array.dtype.type is np.void and isinstance(argument, Exporter):
        return replace(dlpack_view(argument), device=array.device)
    return array


def _bind_memref(binding: _MemrefBinding, argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
    """Array to pointer, extents and strides. None is a null pointer without elements, where there may be one."""
    if argument is None:
        check_null(binding.parameter, binding.where)
        return (0, *binding.layouts.null_sizes())
    array = binding.view(binding.where, argument)
    keep.append(array.owner)
    return (array.address, *binding.layouts.sizes(binding.where, array.shape, array.strides))


def _bind_group(
    parameter: GroupParameter, binding: _MemrefBinding, argument: object, keep: list[object]
) -> tuple[SlotValue, ...]:
    """List of arrays, `ArrayGroup` or `PointerArray` to a table on the device, size arrays, size and offset.

    The tables are freed when the launch has been enqueued; the driver lets a free wait for the work before it.
    """
    context, where = binding.context, binding.where
    table = table_of(parameter, binding.layouts, where, binding.typed_view, argument)
    if isinstance(argument, PointerArray):
        _check_device_of_table(context, where, argument, table)
    keep.append(table)
    values: list[SlotValue] = []
    for column in (table.pointers, *table.sizes):
        buffer = context.allocate(max(table.size * 8, 8))
        buffer.write(column[: table.size].tobytes())
        keep.append(buffer)
        values.append(buffer.address)
    if argument is None:
        values[0] = 0
    return (*values, *open_numbers(parameter, table))


def _check_device_of_table(context: Context, where: str, group: PointerArray, table: Table) -> None:
    """The first address stands for all: asking the driver takes as long as a launch."""
    if group.device is not None:
        _check_kind(context, where, group.device)
    addresses = np.flatnonzero(table.pointers[: table.size])
    if len(addresses):
        _check_place(context, f"{where}[{int(addresses[0])}]", int(table.pointers[addresses[0]]))


# Streams


@runtime_checkable
class _StreamProtocol(Protocol):
    def __cuda_stream__(self) -> tuple[int, int]: ...


@runtime_checkable
class _TorchStream(Protocol):
    @property
    def cuda_stream(self) -> int: ...


@runtime_checkable
class _CupyStream(Protocol):
    @property
    def ptr(self) -> int: ...


class _TorchCuda(Protocol):
    def current_stream(self, device: int) -> _TorchStream: ...


class _CupyCuda(Protocol):
    def get_current_stream(self) -> _CupyStream: ...


class _Framework(Protocol):
    @property
    def cuda(self) -> object: ...


def _stream_handle(stream: object) -> int:
    match stream:
        case bool():
            raise LaunchTypeError("a stream is a number or a stream object, not a bool")
        case int():
            return stream
        case type():
            # its methods are bound to nothing, which `runtime.dlpack` says more of
            raise LaunchTypeError(f"the class {stream.__name__} is no CUDA stream, but an object of it may be")
        case _StreamProtocol():
            return stream.__cuda_stream__()[1]
        case _TorchStream():
            return stream.cuda_stream
        case _CupyStream():
            return stream.ptr
        case _:
            raise LaunchTypeError(f"{type(stream).__name__} is no CUDA stream")


def _current_stream(arguments: Sequence[object], context: Context) -> int:
    """The current stream of the framework that made the first device array; frameworks are not imported for this."""
    for item in _arrays(arguments):
        name = type(item).__module__.partition(".")[0]
        framework = cast("_Framework | None", sys.modules.get(name))
        if framework is not None and name == "torch":
            return cast("_TorchCuda", framework.cuda).current_stream(context.description.ordinal).cuda_stream
        if framework is not None and name == "cupy":
            return cast("_CupyCuda", framework.cuda).get_current_stream().ptr
    return 0


def _arrays(arguments: Sequence[object]) -> Iterator[object]:
    for argument in arguments:
        if isinstance(argument, ArrayGroup):
            yield from argument.arrays
        elif isinstance(argument, list | tuple):
            yield from cast("Sequence[object]", argument)
        elif isinstance(argument, PointerArray):
            owner = argument.owner
            yield from cast("tuple[object, ...]", owner) if isinstance(owner, tuple) else (owner,)
        elif isinstance(argument, FirstElement):
            yield argument.array
        else:
            yield argument
