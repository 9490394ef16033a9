"""Arrays of any library as one view: address, element type, shape, strides in elements, read-only flag, device.

Nothing is ever copied and no framework is imported. Asked in order: NumPy itself, `__cuda_array_interface__` of what
is not on the CPU, DLPack, `__array_interface__`, the buffer protocol.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias, cast

import numpy as np

from tilewright.runtime.dlpack import DlpackError, Exporter, read_tensor
from tilewright.runtime.dtypes import AnyDtype

AnyArray: TypeAlias = "np.ndarray[tuple[int, ...], AnyDtype]"

_DLPACK_CPU: Final = 1
_DLPACK_CUDA: Final = (2, 3, 13)
_PINNED_HOST: Final = 3
_DLPACK_NAMES: Final = {4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 14: "oneapi"}


class NotAnArray(TypeError):
    """An object that offers its memory by none of the protocols."""


class UnusableArray(ValueError):
    """An array whose memory cannot be used as it is."""


@dataclass(frozen=True, slots=True)
class Device:
    """Where memory lies: kind "cpu", "cuda" or another name, and which one of the kind."""

    kind: str
    ordinal: int = 0

    def __str__(self) -> str:
        return self.kind if self.kind == "cpu" else f"{self.kind}:{self.ordinal}"


CPU: Final = Device("cpu")


@dataclass(frozen=True, slots=True)
class ArrayView:
    """An array as the machine sees it; `owner` keeps the memory alive."""

    address: int
    dtype: AnyDtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    readonly: bool
    device: Device
    owner: object


def view(value: object) -> ArrayView:
    """Look at an array without copying it; `NotAnArray` or `UnusableArray` says why that cannot be done."""
    if isinstance(value, np.ndarray):
        if isinstance(value, np.ma.MaskedArray):
            raise UnusableArray("it is masked")
        array = cast("AnyArray", value)
        return _numpy_view(array, array)
    on_device = _cuda_interface(value)
    if on_device is not None:
        return _interface_view(on_device, value, device_of(value))
    if hasattr(value, "__dlpack__"):
        return _dlpack_view(cast("Exporter", value))
    interface: object = getattr(value, "__array_interface__", None)
    if isinstance(interface, dict):
        return _interface_view(cast("dict[str, object]", interface), value, device_of(value))
    try:
        buffer = memoryview(cast("bytes", value))
    except TypeError:
        raise NotAnArray(
            f"{type(value).__name__} is no array: it has none of DLPack, __array_interface__ and the buffer protocol"
        ) from None
    return _numpy_view(np.asarray(buffer), value)


def device_of(value: object) -> Device:
    """Where an array's memory lies, as far as its protocols tell; what tells nothing is on the CPU."""
    ask: object = getattr(value, "__dlpack_device__", None)
    if callable(ask):
        return _dlpack_device(*cast("tuple[int, int]", ask()))
    return Device("cuda") if _cuda_interface(value) is not None else CPU


def _dlpack_device(kind: int, ordinal: int) -> Device:
    if kind in (_DLPACK_CPU, _PINNED_HOST):
        return CPU
    if kind in _DLPACK_CUDA:
        return Device("cuda", int(ordinal))
    return Device(_DLPACK_NAMES.get(int(kind), f"dlpack{int(kind)}"), int(ordinal))


def _cuda_interface(value: object) -> dict[str, object] | None:
    interface: object = getattr(value, "__cuda_array_interface__", None)
    return cast("dict[str, object]", interface) if isinstance(interface, dict) else None


def _numpy_view(array: AnyArray, owner: object) -> ArrayView:
    strides = _element_strides(array.shape, array.strides, array.dtype.itemsize)
    return ArrayView(data_address()(array), array.dtype, array.shape, strides, not array.flags.writeable, CPU, owner)


def _element_strides(shape: Sequence[int], byte_strides: Sequence[int], size: int) -> tuple[int, ...]:
    """Strides in elements; where nobody steps along one it may be any number."""
    matter = 0 not in shape
    if any(matter and extent > 1 and stride % size for extent, stride in zip(shape, byte_strides, strict=True)):
        raise UnusableArray(f"its byte strides {tuple(byte_strides)} are no multiples of the element size {size}")
    return tuple(stride // size for stride in byte_strides)


def _dlpack_view(value: Exporter) -> ArrayView:
    # what the capsule says of the device costs nothing; PyTorch takes long to answer `__dlpack_device__`
    try:
        tensor = read_tensor(value)
    except DlpackError as error:
        raise UnusableArray(str(error)) from None
    device = _dlpack_device(*tensor.device)
    return ArrayView(tensor.address, tensor.dtype, tensor.shape, tensor.strides, tensor.readonly, device, value)


_TYPESTR: Final = re.compile(r"[<>|=][a-zA-Z]\d+")


def _interface_view(interface: Mapping[str, object], owner: object, device: Device) -> ArrayView:
    match interface:
        case {"shape": tuple(), "typestr": str(typestr), "data": (int(address), bool(readonly))}:
            shape = cast("tuple[int, ...]", interface["shape"])
        case _:
            raise UnusableArray("its array interface lacks shape, typestr or an address")
    if interface.get("mask") is not None:
        raise UnusableArray("it is masked")
    if not _TYPESTR.fullmatch(typestr):
        raise UnusableArray(f"its element type {typestr!r} is not supported")
    dtype = np.dtype(typestr)
    given = interface.get("strides")
    if given is None:
        strides = _packed(shape)
    else:
        strides = _element_strides(shape, cast("tuple[int, ...]", given), dtype.itemsize)
    return ArrayView(address, dtype, shape, strides, readonly, device, owner)


def _packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps = [1]
    for extent in reversed(shape[1:]):
        steps.append(steps[-1] * extent)
    return tuple(reversed(steps[: len(shape)]))


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
