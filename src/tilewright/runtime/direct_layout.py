"""Where things lie in the memory that Python and the direct call's IR share.

A *call site* is a kernel with a grid:

    0     Python function for all else | accepted calls ptr | function of the runners ptr
    24    number of arguments | bytes of a launch frame | launch frame's header (48 bytes)

An *accepted call* stands for all calls with arrays of the same types, extents and strides:

    0     next accepted call | slot values ptr | arguments ptr | number of pairs | spans ptr | runner's word ptr
    48    number of pairs of which one must overlap, if there are any | spans ptr

An argument of it: kind | offset of its slot, then for

- an array: dtype ptr | alignment mask | flags needed | rank | extents and strides ptr
- a tensor: type ptr | alignment mask | functions ptr | rank | layout ptr: element type i32 | layout i32 | kind of
  device i32 | which one i32 | least address | extents and strides, in elements. The functions: offset of the C++ tensor
  in the object | those that `torch_functions` names, in that order
- a pointer array: type ptr | alignment mask of each pointer | fields ptr | how many | layout ptr: offset of its table
  in the object | length of the table | an argument of kind array, which the table must be like. A field is its offset
  in the object with the object that must be there, or one equal to it
- an object that cannot change, whose slots are what they were: the address of a word, which is that of the object as
  long as it lives
- an integer: least | greatest; a real number: bytes; a complex number: bytes of a part

A span is a slot's offset with the
first byte and the one behind the last, counted from the address in the slot; two spans are a pair.
"""

from __future__ import annotations

import enum
from typing import Final

SITE_FUNCTION: Final = 0
SITE_CALLS: Final = 8
SITE_LAUNCH: Final = 16
SITE_ARGUMENTS: Final = 24
SITE_FRAME: Final = 32
SITE_NAMES: Final = 40
SITE_HEADER: Final = 48
SITE_TOTAL: Final = SITE_HEADER + 8

CALL_NEXT: Final = 0
CALL_SLOTS: Final = 8
CALL_ARGUMENTS: Final = 16
CALL_PAIRS: Final = 24
CALL_SPANS: Final = 32
CALL_RUNNER: Final = 40
CALL_OVERLAPPING: Final = 48
CALL_OVERLAPPING_SPANS: Final = 56

ARGUMENT: Final = 56
ARGUMENT_SLOT: Final = 8
ARGUMENT_DTYPE: Final = 16
ARGUMENT_MASK: Final = 24
ARGUMENT_WRITEABLE: Final = 32
ARGUMENT_RANK: Final = 40
ARGUMENT_LAYOUT: Final = 48
ARGUMENT_TYPE: Final = 16
ARGUMENT_FUNCTIONS: Final = 32
ARGUMENT_FIELDS: Final = 32
ARGUMENT_COUNT: Final = 40
ARGUMENT_LOW: Final = 16
ARGUMENT_HIGH: Final = 24
ARGUMENT_WIDTH: Final = 16
ARGUMENT_OBJECT: Final = 16

PAIR: Final = 48

# of a tensor
LAYOUT_DTYPE: Final = 0
LAYOUT_DEVICE: Final = 8
LAYOUT_LEAST: Final = 16
LAYOUT_SIZES: Final = 24
# of a pointer array
LAYOUT_LENGTH: Final = 8
LAYOUT_TABLE: Final = 16

# what a tensor has been seen to be, within a call: how much of it is known, then words or halves of words
SEEN: Final = 56
SEEN_NOTHING: Final = 0
SEEN_KIND: Final = 1
SEEN_ALL: Final = 2
SEEN_NO_USE: Final = 3
SEEN_DTYPE: Final = 8
SEEN_FORM: Final = 12
SEEN_DEVICE: Final = 16
SEEN_WHICH: Final = 20
SEEN_RANK: Final = 24
SEEN_DATA: Final = 32
SEEN_SIZES: Final = 40
SEEN_STRIDES: Final = 48

# what torch's libraries have
FUNCTION_GRADIENT: Final = 8
FUNCTION_NEGATIVE: Final = 16
FUNCTION_CONJUGATE: Final = 24
FUNCTION_DTYPE: Final = 32
FUNCTION_FORM: Final = 40
FUNCTION_DEVICE: Final = 48
FUNCTION_WHICH: Final = 56
FUNCTION_RANK: Final = 64
FUNCTION_DATA: Final = 72
FUNCTION_SIZES: Final = 80
FUNCTION_STRIDES: Final = 88

PY_EQ: Final = 2

# CPython puts an object's type last in its head; NumPy's ABI fixes what follows in an array
_HEAD: Final = object.__basicsize__
OBJECT_TYPE: Final = _HEAD - 8
ARRAY_DATA: Final = _HEAD
ARRAY_RANK: Final = _HEAD + 8
ARRAY_DIMENSIONS: Final = _HEAD + 16
ARRAY_STRIDES: Final = _HEAD + 24
ARRAY_DTYPE: Final = _HEAD + 40
ARRAY_FLAGS: Final = _HEAD + 48
WRITEABLE: Final = 0x400


class Kind(enum.Enum):
    """What an argument of an accepted call is."""

    ARRAY = 0
    REAL = 1
    INTEGER = 2
    TRUTH = 3
    TENSOR = 4
    POINTERS = 5
    COMPLEX = 6
    SAME = 7
