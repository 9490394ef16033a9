"""Tensors of PyTorch as its C interface shows them, without the microseconds that a DLPack capsule takes.

`torch.Tensor` carries DLPack's exchange interface: a table of C functions, one of which fills in where a tensor lies.
It says nothing of what else a tensor may be: one that needs a gradient, or whose elements wait to be negated or
conjugated. Whoever uses it asks for that beside. Calls that are recognised without Python ask other functions
(`torch_functions`). torch itself is never imported here.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Final, Protocol, cast

from msgspec import Struct

from tilewright.once import once

_CAPSULE: Final = b"dlpack_exchange_api"
_MAJOR: Final = 1
_DESCRIBE: Final = 40
_CURRENT_STREAM: Final = 48
_TENSOR: Final = struct.Struct("=Q3iI3Q")
"""`DLTensor`: data, kind of device and which one, rank, element type, places of shape and strides, offset in bytes."""
_CPU: Final = 1

_is_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_table_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Tensor(Protocol):
    shape: tuple[int, ...]
    requires_grad: bool

    def stride(self) -> tuple[int, ...]: ...
    def data_ptr(self) -> int: ...
    def is_neg(self) -> bool: ...
    def is_conj(self) -> bool: ...


class _Torch(Protocol):
    Tensor: type

    def zeros(self, *shape: int, device: str) -> _Tensor: ...


class TensorLayout(Struct, frozen=True):
    """A tensor: its address, DLPack's numbers for the kind of its device and which one, its element type as one word of
    DLPack and as bytes, extents, and strides in elements."""

    address: int
    device: tuple[int, int]
    dtype: int
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def is_tensor(value: object) -> bool:
    """Whether this is a tensor of torch itself, not of a class derived from it."""
    torch = sys.modules.get("torch")
    return torch is not None and type(value) is getattr(torch, "Tensor", None)


def unexported_state(value: object) -> str | None:
    """What is wrong with the memory of a tensor of torch that its protocols export all the same, if anything is.

    `__dlpack__` does not look at the negative bit, `__cuda_array_interface__` at neither.
    """
    torch = sys.modules.get("torch")
    # not isinstance: objects may say that they are of a class which they are not
    if torch is None or not issubclass(type(value), getattr(torch, "Tensor", ())):
        return None
    tensor = cast("_Tensor", value)
    if tensor.is_neg():
        return "its elements are still to be negated; pass tensor.resolve_neg(), a copy"
    if tensor.is_conj():
        return "its conjugate bit is set, its elements are still to be conjugated; pass tensor.resolve_conj(), a copy"
    return None


def tensor_layout(value: object) -> TensorLayout | None:
    """What C code finds for a tensor; None if this torch does not tell C code."""
    describe = describer()
    return _described(describe, value) if describe else None


def is_plain(value: object) -> bool:
    """Whether the memory of a tensor is all that there is to it: no gradient is wanted, nothing is to be done yet."""
    tensor = cast("_Tensor", value)
    return not (tensor.requires_grad or tensor.is_neg() or tensor.is_conj())


@once
def describer() -> int:
    """The address of `int describe(PyObject *, DLTensor *)`; 0 if there is none, or it does not do as DLPack says.

    To be called once torch has been imported.
    """
    torch = cast("_Torch", sys.modules["torch"])
    describe = _exchanged(_DESCRIBE)
    probe = torch.zeros(2, 3, device="cpu")
    found = _described(describe, probe) if describe else None
    if found is None:
        return 0
    expected = (probe.data_ptr(), _CPU, tuple(probe.shape), probe.stride())
    return describe if (found.address, found.device[0], found.shape, found.strides) == expected else 0


@once
def stream_teller() -> int:
    """The address of `int current(int kind, int device, void **stream)`, which tells the current stream of a device of
    DLPack's kind; 0 if there is none. To be called once torch has been imported."""
    return _exchanged(_CURRENT_STREAM)


def _exchanged(offset: int) -> int:
    """A function of the exchange interface, by its place in the table; 0 if this torch has none."""
    torch = cast("_Torch", sys.modules["torch"])
    capsule: object = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    if not _is_capsule(capsule, _CAPSULE):
        return 0
    table = _table_of(capsule, _CAPSULE)
    if ctypes.c_uint32.from_address(table).value != _MAJOR:
        return 0
    return ctypes.c_void_p.from_address(table + offset).value or 0


@cache
def _callable(describe: int) -> Callable[[object, object], int]:
    prototype = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    return cast("Callable[[object, object], int]", prototype(describe))


def _described(describe: int, value: object) -> TensorLayout | None:
    tensor = ctypes.create_string_buffer(_TENSOR.size)
    try:
        _callable(describe)(value, tensor)
    except Exception:
        # the long way asks torch in another manner, and says what is wrong
        return None
    data, kind, ordinal, rank, dtype, sizes, steps, offset = _TENSOR.unpack(tensor)
    if rank and not (sizes and steps):
        return None
    # code of the type, bits, lanes
    itemsize = (dtype >> 8 & 0xFF) * (dtype >> 16) // 8
    return TensorLayout(data + offset, (kind, ordinal), dtype, itemsize, _numbers(sizes, rank), _numbers(steps, rank))


def _numbers(address: int, count: int) -> tuple[int, ...]:
    return tuple((ctypes.c_int64 * count).from_address(address)) if count else ()
