"""Arrays of any library as one view: address, element type, shape, strides in elements, read-only flag, device.

Nothing is ever copied and no framework is imported. Asked in order: NumPy itself, torch's C interface,
`__cuda_array_interface__` of what is not on the CPU, DLPack, `__array_interface__`, the buffer protocol.
"""

from __future__ import annotations

import ctypes
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, SupportsIndex, TypeAlias, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tilewright.runtime.dlpack import DlpackError, Exporter, dtype_of_word, read_tensor
from tilewright.runtime.dtypes import AnyDtype
from tilewright.runtime.torch_tensors import is_plain, is_tensor, tensor_layout, unexported_state

AnyArray: TypeAlias = "np.ndarray[tuple[int, ...], AnyDtype]"

LEAST_ADDRESS: Final = 4096
"""No process has memory in the page of null pointers."""

_MOST_BYTES: Final = (1 << 63) - 1
_MOST_SPANNED: Final = 1 << 57
"""Bytes of the largest address space of a 64-bit machine, that of page tables of five levels."""

_DLPACK_CPU: Final = 1
_DLPACK_CUDA: Final = (2, 3, 13)
_PINNED_HOST: Final = 3
_DLPACK_NAMES: Final = {4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 14: "oneapi"}


class NotAnArray(TypeError):
    """An object that offers its memory by none of the protocols."""


class UnusableArray(ValueError):
    """An array whose memory cannot be used as it is."""


class Device(Struct, frozen=True):
    """Where memory lies: kind "cpu", "cuda" or another name, and which one of the kind."""

    kind: str
    ordinal: int = 0

    def __str__(self) -> str:
        return self.kind if self.kind == "cpu" else f"{self.kind}:{self.ordinal}"


CPU: Final = Device("cpu")


class ArrayView(Struct, frozen=True):
    """An array as the machine sees it. Whoever uses the address holds on to `owner`, which keeps the memory alive."""

    address: int
    dtype: AnyDtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    readonly: bool
    device: Device
    owner: object


def view(value: object) -> ArrayView:
    """Look at an array without copying it; `NotAnArray` or `UnusableArray` says why that cannot be done."""
    if type(value) is ArrayView:
        return value
    # not isinstance: objects may say that they are of a class which they are not (`unittest.mock` does)
    if issubclass(type(value), np.ndarray):
        return _numpy_view(cast("AnyArray", value))
    if issubclass(type(value), type):
        # it has the methods of its arrays, and no memory
        raise NotAnArray("it is a class, no array")
    # NumPy's scalars show a copy of themselves by `__array_interface__`, which goes at once
    if not issubclass(type(value), np.generic):
        if is_tensor(value) and (tensor := _tensor_view(value)) is not None:
            return tensor
        on_device = _cuda_interface(value)
        if on_device is not None:
            _check_exported(value)
            return _interface_view(on_device, value, device_of(value))
        if _offer(value, "__dlpack__") is not None:
            return dlpack_view(cast("Exporter", value))
        interface = _offer(value, "__array_interface__")
        if isinstance(interface, dict):
            found = _interface_view(cast("dict[str, object]", interface), value, device_of(value))
            _check_buffer(found, value)
            return found
    return _exact_view(_buffer(value))


def typed_view(value: object) -> ArrayView:
    """As `view`; where the CUDA interface cannot name the element type (bfloat16), DLPack can."""
    array = view(value)
    if array.dtype.type is np.void and isinstance(value, Exporter):
        return replace(dlpack_view(value), device=array.device)
    return array


def _check_exported(value: object) -> None:
    """Raise where the memory that an object's protocols show is not what the object means."""
    try:
        problem = unexported_state(value)
    except Exception as error:
        raise UnusableArray(f"its state cannot be asked for ({type(error).__name__}: {error})") from error
    if problem is not None:
        raise UnusableArray(problem)


def _offer(value: object, name: str) -> object:
    """An attribute of an array, None if it has none; what goes wrong in its library's code is the array's fault."""
    try:
        return cast("object", getattr(value, name, None))
    except Exception as error:
        raise UnusableArray(f"its {name} raises {type(error).__name__}: {error}") from error


def device_of(value: object) -> Device:
    """Where an array's memory lies, as far as its protocols tell; what tells nothing is on the CPU."""
    ask = _offer(value, "__dlpack_device__")
    if not callable(ask):
        return Device("cuda") if _cuda_interface(value) is not None else CPU
    try:
        kind, ordinal = cast("tuple[int, int]", operator.call(ask))
        return _dlpack_device(int(kind), int(ordinal))
    except Exception as error:
        raise UnusableArray(f"its __dlpack_device__ tells no device ({type(error).__name__}: {error})") from error


def _dlpack_device(kind: int, ordinal: int) -> Device:
    if kind in (_DLPACK_CPU, _PINNED_HOST):
        return CPU
    if kind in _DLPACK_CUDA:
        return Device("cuda", ordinal)
    return Device(_DLPACK_NAMES.get(kind, f"dlpack{kind}"), ordinal)


def _cuda_interface(value: object) -> dict[str, object] | None:
    interface = _offer(value, "__cuda_array_interface__")
    return cast("dict[str, object]", interface) if isinstance(interface, dict) else None


def _numpy_view(array: AnyArray) -> ArrayView:
    if type(array) is not np.ndarray:
        if isinstance(array, np.ma.MaskedArray):
            raise UnusableArray("it is masked")
        # what a subclass says of its shape or strides need not be so
        array = np.ndarray.view(array, np.ndarray)
    return _exact_view(array)


def _exact_view(array: AnyArray) -> ArrayView:
    strides = _element_strides(array.shape, array.strides, array.dtype.itemsize)
    return ArrayView(data_address()(array), array.dtype, array.shape, strides, not array.flags.writeable, CPU, array)


def _buffer(value: object) -> AnyArray:
    """An array over the buffer that an object exports, which cannot be resized while the array is there."""
    try:
        buffer = memoryview(cast("bytes", value))
    except TypeError:
        raise NotAnArray(
            f"{type(value).__name__} is no array: it has none of DLPack, __array_interface__ and the buffer protocol"
        ) from None
    except Exception as error:
        raise UnusableArray(f"its buffer cannot be had ({type(error).__name__}: {error})") from error
    try:
        array: AnyArray = np.asarray(buffer)
    except Exception as error:
        raise UnusableArray(f"its buffer of {buffer.format!r} cannot be read ({error})") from error
    base = cast("object", array.base)
    if not isinstance(base, memoryview):
        # NumPy copies the elements where it does not know their format
        raise UnusableArray(f"its buffer's format {buffer.format!r} is not supported")
    return array


def _element_strides(shape: Sequence[int], byte_strides: Sequence[int], size: int) -> tuple[int, ...]:
    """Strides in elements; where nobody steps along one it may be any number."""
    if not size:
        raise UnusableArray("its elements have no bytes")
    matter = 0 not in shape
    if any(matter and extent > 1 and stride % size for extent, stride in zip(shape, byte_strides, strict=True)):
        raise UnusableArray(f"its byte strides {tuple(byte_strides)} are no multiples of the element size {size}")
    return tuple(stride // size for stride in byte_strides)


def _tensor_view(value: object) -> ArrayView | None:
    """A tensor of torch, in a few microseconds; None where another protocol has to say what it is or why it is not."""
    layout = tensor_layout(value)
    if layout is None or not is_plain(value):
        return None
    dtype = dtype_of_word(layout.dtype)
    if dtype is None:
        return None
    device = _dlpack_device(*layout.device)
    return _believable(ArrayView(layout.address, dtype, layout.shape, layout.strides, False, device, value))


def dlpack_view(value: Exporter) -> ArrayView:
    """What an object's DLPack says, whatever else it offers. Raises `UnusableArray`."""
    _check_exported(value)
    # what the capsule says of the device costs nothing; PyTorch takes long to answer `__dlpack_device__`
    try:
        tensor = read_tensor(value)
    except DlpackError as error:
        raise UnusableArray(str(error)) from error.__cause__
    device, owner = _dlpack_device(*tensor.device), (value, tensor.capsule)
    return _believable(
        ArrayView(tensor.address, tensor.dtype, tensor.shape, tensor.strides, tensor.readonly, device, owner)
    )


_TYPESTR: Final = re.compile(r"[<>|=][a-zA-Z]\d+")


def _interface_view(interface: Mapping[str, object], value: object, device: Device) -> ArrayView:
    data, typestr, given = (interface.get(name) for name in ("data", "typestr", "strides"))
    shape = _integers(interface.get("shape"))
    match data:
        case (int(address), bool(readonly)) if not isinstance(address, bool) and shape is not None:
            pass
        case _:
            raise UnusableArray("its array interface lacks shape, typestr or an address")
    if interface.get("mask") is not None:
        raise UnusableArray("it is masked")
    dtype = _dtype_of(typestr)
    byte_strides = None if given is None else _integers(given)
    if given is not None and (byte_strides is None or len(byte_strides) != len(shape)):
        raise UnusableArray(f"its strides {given!r} are not one integer for each of {len(shape)} extents")
    strides = _packed(shape) if byte_strides is None else _element_strides(shape, byte_strides, dtype.itemsize)
    # the dictionary may hold what keeps the memory alive
    owner = (value, interface)
    return _believable(ArrayView(address, dtype, shape, strides, readonly, device, owner))


def _dtype_of(typestr: object) -> AnyDtype:
    if isinstance(typestr, str) and _TYPESTR.fullmatch(typestr):
        try:
            dtype = np.dtype(typestr)
        except TypeError:
            dtype = np.dtype(np.void)
        if dtype.itemsize:
            return dtype
    raise UnusableArray(f"its element type {typestr!r} is not supported")


def _integers(values: object) -> tuple[int, ...] | None:
    """A tuple of integers as such; None if it is something else."""
    if not isinstance(values, tuple):
        return None
    try:
        return tuple(operator.index(cast("SupportsIndex", value)) for value in cast("tuple[object, ...]", values))
    except TypeError:
        return None


def _packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps = [1]
    for extent in reversed(shape[1:]):
        steps.append(steps[-1] * extent)
    return tuple(reversed(steps[: len(shape)]))


def _believable(array: ArrayView) -> ArrayView:
    """The array, unless no memory can be as it says; `UnusableArray` then. NumPy checks its own."""
    if any(extent < 0 for extent in array.shape):
        raise UnusableArray(f"its shape {array.shape} has a negative extent")
    size = array.dtype.itemsize
    if math.prod(extent for extent in array.shape if extent) * size > _MOST_BYTES:
        raise UnusableArray(f"its shape {array.shape} of elements of {size} bytes is of no array that can be")
    if 0 in array.shape:
        # some libraries have no memory for no elements; to a kernel only None is null
        return array if array.address else replace(array, address=LEAST_ADDRESS)
    if 0 <= array.address < LEAST_ADDRESS:
        raise UnusableArray(f"it says that its elements (shape {array.shape}) lie at address {array.address:#x}: null")
    low, high = reach(array)
    if low < 0 or high > 1 << 64 or high - low > _MOST_SPANNED:
        raise UnusableArray(
            f"its bytes (shape {array.shape}, strides {array.strides} from address {array.address:#x}) lie outside of "
            f"all memory"
        )
    return array


def reach(array: ArrayView) -> tuple[int, int]:
    """The address of the first byte that an array may touch, and that behind the last."""
    if 0 in array.shape:
        return array.address, array.address
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    low, high = sum(step for step in steps if step < 0), sum(step for step in steps if step > 0)
    size = array.dtype.itemsize
    return array.address + low * size, array.address + (high + 1) * size


def _check_buffer(array: ArrayView, value: object) -> None:
    """What gives a buffer too cannot have elements outside of it. Raises `UnusableArray`."""
    if array.device != CPU or 0 in array.shape:
        return
    try:
        memory = _buffer(value)
    except (NotAnArray, UnusableArray):
        return
    low, high = reach(array)
    begin, end = reach(_exact_view(memory))
    if low < begin or high > end:
        raise UnusableArray(
            f"its __array_interface__ says bytes {low:#x} to {high:#x}, the buffer that it gives has {begin:#x} to "
            f"{end:#x}"
        )


@cache
def data_address() -> Callable[[AnyArray], int]:
    """A function that tells where a NumPy array's data lies.

    NumPy's own ways take almost a microsecond. The first member of its array structure, which its ABI fixes, holds
    the address; whether this Python lays objects out so is tried on an array before it is relied upon.
    """
    probe = np.empty(3)
    offset = object.__basicsize__

    class Head(ctypes.Structure):
        data: int
        _fields_ = (("header", ctypes.c_byte * offset), ("data", ctypes.c_uint64))

    at = Head.from_address

    def read(array: AnyArray) -> int:
        return at(id(array)).data

    def ask(array: AnyArray) -> int:
        return int(array.ctypes.data)

    return read if read(probe) == probe.ctypes.data and read(probe[1:]) == probe[1:].ctypes.data else ask
