"""The driver's descriptions of matrices, by which a device copies boxes of them by itself."""

from __future__ import annotations

import ctypes
from ctypes import c_uint, c_uint64, c_void_p
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from tilewright.machine.cuda.driver import Context

MAP_BYTES: Final = 128
MAP_ALIGNMENT: Final = 64
"""Of a description, also among the parameters of a kernel."""


class TensorDtype(NamedTuple):
    """A type of elements: what the driver calls it, its bytes."""

    code: int
    bytes: int


TENSOR_DTYPES: Final = {
    "i8": TensorDtype(0, 1),
    "f8E4M3FN": TensorDtype(0, 1),
    "f8E5M2": TensorDtype(0, 1),
    "f16": TensorDtype(6, 2),
    "bf16": TensorDtype(9, 2),
    "f32": TensorDtype(7, 4),
    "tf32": TensorDtype(11, 4),
}
"""The driver knows no floats of 8 bits; what is copied as tf32 is rounded to it."""
MAP_UNIT: Final = 16
"""Bytes of which the addresses of matrices and the distances of their rows are multiples."""
MOST_EXTENT: Final = 1 << 31
"""Elements; the driver takes twice as many, but positions in a matrix are signed numbers of 32 bits."""
PITCH_LIMIT: Final = 1 << 40
"""Bytes; rows are less than that apart."""
_NOT_INTERLEAVED: Final = 0
_SWIZZLED_128: Final = 3
_FETCH_128: Final = 2
"""Bytes that the second cache fetches at a time."""
_ZEROS_OUTSIDE: Final = 0
FIXED: Final = (_NOT_INTERLEAVED, _SWIZZLED_128, _FETCH_128, _ZEROS_OUTSIDE)
"""What the driver is told last, of every matrix."""


def has_map(extents: tuple[int, int], stride: int, element_bytes: int) -> bool:
    """Whether there is a description of a matrix at an address that is a multiple of 16.

    `extents` are elements, neighbours first; `stride` are the elements from a row to the next.
    """
    near, far = extents
    pitch = stride * element_bytes
    is_there = 0 < near <= MOST_EXTENT and 0 < far <= MOST_EXTENT
    return is_there and near <= stride and pitch % MAP_UNIT == 0 and pitch < PITCH_LIMIT


def encoded(
    context: Context, dtype: str, address: int, extents: tuple[int, int], pitch: int, box: tuple[int, int]
) -> bytes:
    """The description of a matrix at an address, which is a multiple of 16, with rows `pitch` bytes apart.

    Extents and those of boxes are elements, neighbours first. Raises `DriverError` if it is refused.
    """
    room = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT)
    place = -(-ctypes.addressof(room) // MAP_ALIGNMENT) * MAP_ALIGNMENT
    context.call(
        "cuTensorMapEncodeTiled",
        c_void_p(place),
        TENSOR_DTYPES[dtype].code,
        len(extents),
        c_void_p(address),
        (c_uint64 * 2)(*extents),
        (c_uint64 * 1)(pitch),
        (c_uint * 2)(*box),
        (c_uint * 2)(1, 1),
        *FIXED,
    )
    return ctypes.string_at(place, MAP_BYTES)
