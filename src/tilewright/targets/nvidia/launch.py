"""Launching kernels of an NVIDIA artefact on arrays that are on the device: PyTorch, CuPy, anything with DLPack.

Everything is checked before anything runs, nothing is copied but the tables of groups, and a launch does not wait for
the device. It goes to the stream that is given, else to the current one of the framework that the arrays come from,
else to the default stream.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, cast, runtime_checkable

import numpy as np

from tilewright.runtime.argument_checks import ArgumentChecks, argument_binder
from tilewright.runtime.arrays import ArrayView, Device, NotAnArray, UnusableArray, view
from tilewright.runtime.binders import Binder, MemrefLayouts, check_access, checked_address
from tilewright.runtime.dlpack import DlpackError, Exporter, read_tensor
from tilewright.runtime.dtypes import describe, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.grid import Grid, grid_extents
from tilewright.runtime.groups import ArrayGroup
from tilewright.runtime.memref_fit import type_text
from tilewright.runtime.scalars import SLOT_FORMATS, SlotValue
from tilewright.targets.artifact import (
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
from tilewright.targets.nvidia.driver import Context, KernelFunction, open_device, pointer_device
from tilewright.targets.nvidia.ptx import Architecture

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
    parameter: PointerParameter, where: str, context: Context, argument: object, _keep: list[object]
) -> tuple[SlotValue, ...]:
    """Array on the device to the address of its first element; an integer is an address, None a null pointer."""
    if argument is None:
        return (0,)
    if type(argument) is int:
        return (checked_address(where, argument),)
    array = _device_array(parameter.dtype, f"ptr<{parameter.dtype}>", context, where, argument)
    if parameter.written and array.readonly:
        raise LaunchError(f"{where}: the array is read-only and the kernel writes to it; pass a writable array")
    return (array.address,)


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
    ordinal = context.description.ordinal
    if array.device.kind != "cuda":
        raise LaunchError(
            f"{where}: the array lies on {array.device}, this kernel runs on cuda:{ordinal}; copy it there first"
        )
    # __cuda_array_interface__ does not tell which device it is; the driver knows every address.
    found = pointer_device(array.address) if array.address else ordinal
    if found is None or found != ordinal:
        place = Device("cuda", found) if found is not None else "no CUDA device"
        raise LaunchError(f"{where}: the array lies on {place}, this kernel was loaded on cuda:{ordinal}")


@dataclass(frozen=True, slots=True)
class _MemrefBinding:
    """A memref parameter and the device it must lie on."""

    parameter: MemrefParameter
    where: str
    context: Context

    @property
    def layouts(self) -> MemrefLayouts:
        """Extents and strides of the parameter."""
        return MemrefLayouts(self.parameter, reverse=False)

    def view(self, where: str, argument: object) -> ArrayView:
        """An argument as an array of the right type on the right device."""
        array = _device_array(self.parameter.dtype, type_text(self.parameter), self.context, where, argument)
        check_access(self.parameter, where, array)
        return array


def _typed_view(argument: object) -> ArrayView:
    """As `view`; where the CUDA interface cannot name the element type (bfloat16), DLPack can."""
    array = view(argument)
    if array.dtype.type is np.void and isinstance(argument, Exporter):
        try:
            tensor = read_tensor(argument)
        except DlpackError as error:
            raise UnusableArray(str(error)) from None
        return ArrayView(
            tensor.address, tensor.dtype, tensor.shape, tensor.strides, tensor.readonly, array.device, argument
        )
    return array


def _bind_memref(binding: _MemrefBinding, argument: object, _keep: list[object]) -> tuple[SlotValue, ...]:
    """Array to pointer, extents and strides. None is a null pointer without elements."""
    if argument is None:
        return (0, *binding.layouts.null_sizes())
    array = binding.view(binding.where, argument)
    return (array.address, *binding.layouts.sizes(binding.where, array.shape, array.strides))


def _bind_group(
    parameter: GroupParameter, binding: _MemrefBinding, argument: object, keep: list[object]
) -> tuple[SlotValue, ...]:
    """List of arrays or `ArrayGroup` to a table on the device, size arrays, size and offset.

    The tables are freed when the launch has been enqueued; the driver lets a free wait for the work before it.
    """
    if isinstance(argument, list | tuple):
        group = ArrayGroup(cast("Sequence[object]", argument))
    elif isinstance(argument, ArrayGroup):
        group = argument
    else:
        raise LaunchTypeError(f"{binding.where}: a list of arrays or an ArrayGroup is wanted")
    _check_group(parameter, binding.where, group)
    rows: list[tuple[int, ...]] = []
    for index, item in enumerate(group.arrays):
        place = f"{binding.where}[{index}]"
        if item is None:
            rows.append((0, *binding.layouts.null_sizes()))
        else:
            array = binding.view(place, item)
            rows.append((array.address, *binding.layouts.sizes(place, array.shape, array.strides)))
    columns = np.array(rows, np.int64).reshape(len(rows), 1 + len(binding.layouts.null_sizes()))
    values: list[SlotValue] = []
    for k in range(columns.shape[1]):
        buffer = binding.context.allocate(max(columns.shape[0] * 8, 8))
        buffer.write(np.ascontiguousarray(columns[:, k]).tobytes())
        keep.append(buffer)
        values.append(buffer.address)
    values += [len(rows)] if parameter.size is None else []
    values += [group.offset] if parameter.offset is None else []
    return tuple(values)


def _check_group(parameter: GroupParameter, where: str, group: ArrayGroup) -> None:
    if parameter.size is not None and len(group.arrays) < parameter.size:
        raise LaunchError(f"{where}: the group has {len(group.arrays)} arrays, at least {parameter.size} are wanted")
    if parameter.offset is not None and group.offset not in (0, parameter.offset):
        raise LaunchError(f"{where}: the offset is {group.offset}, the kernel was compiled for {parameter.offset}")
    memref = parameter.memref
    offset = group.offset if parameter.offset is None else parameter.offset
    if offset * numpy_dtype(memref.dtype).itemsize % memref.alignment:
        raise LaunchError(f"{where}: an offset of {offset} elements breaks the alignment of {memref.alignment} bytes")


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
        else:
            yield argument
