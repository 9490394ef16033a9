"""DLPack read through ctypes: where a tensor of another framework lies, without importing the framework.

Whoever uses the address holds on to the capsule, which may own the memory: an exporter need not be what it exports.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Mapping
from typing import Final, Protocol, runtime_checkable

import ml_dtypes
import numpy as np
from msgspec import Struct

from tilewright.runtime.dtypes import AnyDtype

_VERSION: Final = (1, 1)
_READ_ONLY: Final = 1
_IS_COPY: Final = 2
_MOST_MODES: Final = 64


class DlpackError(ValueError):
    """A tensor that cannot be taken as it is."""


@runtime_checkable
class Exporter(Protocol):
    """What has `__dlpack__`."""

    def __dlpack__(self, **options: object) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


class _Tensor(ctypes.Structure):
    data: int | None
    device_type: int
    device_id: int
    ndim: int
    code: int
    bits: int
    lanes: int
    shape: int | None
    strides: int | None
    byte_offset: int
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    major: int
    flags: int
    tensor: _Tensor
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_SMALL_FLOATS: Final = {
    7: ml_dtypes.float8_e3m4,
    8: ml_dtypes.float8_e4m3,
    9: ml_dtypes.float8_e4m3b11fnuz,
    10: ml_dtypes.float8_e4m3fn,
    11: ml_dtypes.float8_e4m3fnuz,
    12: ml_dtypes.float8_e5m2,
    13: ml_dtypes.float8_e5m2fnuz,
    14: ml_dtypes.float8_e8m0fnu,
}
_DTYPES: Final[Mapping[tuple[int, int], AnyDtype]] = {
    **{(0, 8 * size): np.dtype(f"i{size}") for size in (1, 2, 4, 8)},
    **{(1, 8 * size): np.dtype(f"u{size}") for size in (1, 2, 4, 8)},
    **{(2, 8 * size): np.dtype(f"f{size}") for size in (2, 4, 8)},
    (4, 16): np.dtype(ml_dtypes.bfloat16),
    **{(5, 8 * size): np.dtype(f"c{size}") for size in (8, 16)},
    (6, 8): np.dtype(np.bool_),
    **{(code, 8): np.dtype(small) for code, small in _SMALL_FLOATS.items()},
}
"""NumPy's and ml_dtypes' types by DLPack's code and the number of bits."""


def dtype_of_word(word: int) -> AnyDtype | None:
    """The type that a `DLDataType` (code, bits, lanes), read as one word, says; None for one that no array has."""
    code, bits, lanes = word & 0xFF, word >> 8 & 0xFF, word >> 16
    return _DTYPES.get((code, bits)) if lanes == 1 else None


_CODE_NAMES: Final = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}

_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class DlpackTensor(Struct, frozen=True):
    """What a capsule says; strides count elements."""

    capsule: object
    address: int
    dtype: AnyDtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    readonly: bool
    device: tuple[int, int]


def read_tensor(exporter: Exporter) -> DlpackTensor:
    """Read a tensor's description; `DlpackError` if the exporter refuses, would copy, or has a type we do not know."""
    try:
        capsule = exporter.__dlpack__(max_version=_VERSION)
    except TypeError:
        # exporters from before version 1.0 know no max_version
        capsule = _export(exporter)
    except Exception as error:
        raise _refused(error) from error
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        if versioned.major != _VERSION[0]:
            raise DlpackError(f"it speaks DLPack {versioned.major}, we speak {_VERSION[0]}")
        if versioned.flags & _IS_COPY:
            raise DlpackError("its __dlpack__ hands out a copy")
        return _describe(capsule, versioned.tensor, bool(versioned.flags & _READ_ONLY))
    if _is_valid(capsule, b"dltensor"):
        return _describe(capsule, _Tensor.from_address(_get_pointer(capsule, b"dltensor")), readonly=False)
    raise DlpackError("its __dlpack__ returned no fresh DLPack capsule")


def _export(exporter: Exporter) -> object:
    try:
        # A call `f()` in Python may crash if f is a C class's method bound to nothing (CPython's issue 131998, mended
        # after 3.13.0); called from C it raises TypeError.
        return operator.call(exporter.__dlpack__)
    except Exception as error:
        raise _refused(error) from error


def _refused(error: Exception) -> DlpackError:
    """Exporters refuse by one of three exceptions; what else they raise is a mistake of theirs."""
    if isinstance(error, BufferError | RuntimeError | ValueError):
        return DlpackError(str(error))
    return DlpackError(f"its __dlpack__ raises {type(error).__name__}: {error}")


def _describe(capsule: object, tensor: _Tensor, readonly: bool) -> DlpackTensor:
    dtype = _DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        name = f"{_CODE_NAMES.get(tensor.code, f'type {tensor.code} of ')}{tensor.bits}"
        raise DlpackError(f"its element type {name}{f'x{tensor.lanes}' if tensor.lanes != 1 else ''} is not supported")
    order = tensor.ndim
    if not 0 <= order <= _MOST_MODES or (order and not tensor.shape):
        raise DlpackError(f"it says that it has {order} modes, and no shape for them")
    shape = _words(tensor.shape or 0, order)
    strides = _words(tensor.strides, order) if tensor.strides else _row_major(shape)
    device = (tensor.device_type, tensor.device_id)
    address = (tensor.data or 0) + tensor.byte_offset
    return DlpackTensor(capsule, address, dtype, shape, strides, readonly, device)


def _words(address: int, count: int) -> tuple[int, ...]:
    return tuple((ctypes.c_int64 * count).from_address(address)) if count else ()


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))
