"""The driver's descriptions of matrices, by which a device copies boxes of them by itself."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
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
MOST_MODES: Final = 5
"""Of what a description is of: those of a matrix, and others along which matrices lie beside each other."""
_NOT_INTERLEAVED: Final = 0
_SWIZZLES: Final = {128: 3, 64: 2, 32: 1}
"""What the driver calls the swizzles of boxes, by bytes of their rows (`SWIZZLED_LINES`)."""
_NOT_SWIZZLED: Final = 0
_FETCH_128: Final = 2
"""Bytes that the second cache fetches at a time."""
_ZEROS_OUTSIDE: Final = 0
INTERLEAVED: Final = (_NOT_INTERLEAVED,)
FETCHED: Final = (_FETCH_128, _ZEROS_OUTSIDE)
"""What the driver is told last, of every matrix, before and behind how boxes are swizzled."""


def is_row(bytes_: int) -> bool:
    """Whether boxes may have rows of so many bytes: such as are swizzled, or longer ones of whole lines."""
    return bytes_ in _SWIZZLES or (bytes_ > max(_SWIZZLES) and bytes_ % max(_SWIZZLES) == 0)


def swizzle_of(row_bytes: int) -> int:
    """What the driver calls the swizzle of boxes with such rows."""
    return _SWIZZLES.get(row_bytes, _NOT_SWIZZLED)


def has_map(extents: Sequence[int], strides: Sequence[int], element_bytes: int) -> bool:
    """Whether there is a description of matrices of which the first lies at an address that is a multiple of 16.

    `extents` are elements, those of a row first, then of rows, then of modes along which there are more matrices;
    `strides` are the elements from a row to the next, and so on.
    """
    pitches = [stride * element_bytes for stride in strides]
    is_there = all(0 < extent <= MOST_EXTENT for extent in extents) and extents[0] <= strides[0]
    return is_there and all(pitch % MAP_UNIT == 0 and 0 < pitch < PITCH_LIMIT for pitch in pitches)


def encoded(
    context: Context, dtype: str, address: int, extents: Sequence[int], pitches: Sequence[int], box: tuple[int, int]
) -> bytes:
    """The description of matrices at an address, which is a multiple of 16, with rows `pitches[0]` bytes apart.

    Extents are elements, as of `has_map`, those of boxes too, which are of one matrix each. Raises `DriverError` if it
    is refused.
    """
    swizzle = swizzle_of(box[0] * TENSOR_DTYPES[dtype].bytes)
    room = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT)
    place = -(-ctypes.addressof(room) // MAP_ALIGNMENT) * MAP_ALIGNMENT
    rank = len(extents)
    context.call(
        "cuTensorMapEncodeTiled",
        c_void_p(place),
        TENSOR_DTYPES[dtype].code,
        rank,
        c_void_p(address),
        (c_uint64 * rank)(*extents),
        (c_uint64 * (rank - 1))(*pitches),
        (c_uint * rank)(*whole_box(box, rank)),
        (c_uint * rank)(*(1,) * rank),
        *(*INTERLEAVED, swizzle, *FETCHED),
    )
    return ctypes.string_at(place, MAP_BYTES)


def whole_box(box: tuple[int, int], rank: int) -> tuple[int, ...]:
    """The extents of boxes along all modes."""
    return (*box, *(1,) * (rank - len(box)))
