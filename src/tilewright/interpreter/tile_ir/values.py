"""How the interpreter holds Tile IR values: a tile is a NumPy array of its shape, pointers are 64-bit addresses.

Integers are signed arrays (i4 in an i8 with its sign, i1 as bool), tf32 is a float32 whose low 13 bits are zero,
f8E5M3FNU its bits in a uint8, every other type its own dtype.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import ml_dtypes
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Dense
from tilewright.dialects.cuda_tile.numbers import float_value
from tilewright.dialects.cuda_tile.types import Element, ElementType, Pointer, Tile
from tilewright.ir.core import Value

Array = NDArray[Any]

_TF32_UNUSED: Final = 13

_DTYPES: Final[Mapping[ElementType, np.dtype[Any]]] = MappingProxyType(
    {
        t.I1: np.dtype(np.bool_),
        t.I4: np.dtype(np.int8),
        t.I8: np.dtype(np.int8),
        t.I16: np.dtype(np.int16),
        t.I32: np.dtype(np.int32),
        t.I64: np.dtype(np.int64),
        t.F16: np.dtype(np.float16),
        t.BF16: np.dtype(ml_dtypes.bfloat16),
        t.F32: np.dtype(np.float32),
        t.TF32: np.dtype(np.float32),
        t.F64: np.dtype(np.float64),
        t.F8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
        t.F8E5M2: np.dtype(ml_dtypes.float8_e5m2),
        t.F8E8M0FNU: np.dtype(ml_dtypes.float8_e8m0fnu),
        t.F4E2M1FN: np.dtype(ml_dtypes.float4_e2m1fn),
        t.F8E5M3FNU: np.dtype(np.uint8),
    }
)
ADDRESS: Final = np.dtype(np.uint64)


class Token(Struct, frozen=True):
    """The accesses that come before, as bits of an integer (checked mode only)."""

    before: int = 0


class TensorValue(Struct, frozen=True):
    """A tensor in memory: address of the first element, sizes and strides in elements."""

    element: ElementType
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class ViewValue(Struct, frozen=True):
    """A view of a tensor."""

    type: t.View
    tensor: TensorValue


RuntimeValue = Array | Token | TensorValue | ViewValue


def dtype_of(element: Element) -> np.dtype[Any]:
    """The dtype that holds elements."""
    return ADDRESS if isinstance(element, Pointer) else _DTYPES[element]


def tile_type(value: Value) -> Tile:
    """The type of a value that is a tile."""
    assert isinstance(value.type, Tile)
    return value.type


def element_of(value: Value) -> ElementType:
    """The element of a tile of numbers."""
    element = tile_type(value).element
    assert isinstance(element, ElementType)
    return element


def memory_bytes(element: ElementType) -> int:
    """Bytes of one element in memory (one for the two elements of f4E2M1FN)."""
    return 4 if element is t.TF32 else (element.bits + 7) // 8


def to_bits(values: Array, element: ElementType) -> Array:
    """Bit patterns, as uint64."""
    if element is t.I1:
        return values.astype(np.uint64)
    if element is t.I4:
        return (values.view(np.uint8) & 15).astype(np.uint64)
    found = values.view(np.dtype(f"u{dtype_of(element).itemsize}")).astype(np.uint64)
    return found >> np.uint64(_TF32_UNUSED) if element is t.TF32 else found


def from_bits(bits: Array, element: ElementType) -> Array:
    """Elements from bit patterns, of which the low bits count."""
    patterns = np.asarray(bits).astype(np.uint64)
    if element is t.I1:
        return (patterns & np.uint64(1)).astype(np.bool_)
    if element is t.I4:
        low = (patterns & np.uint64(15)).astype(np.int8)
        return np.where(low > 7, low - np.int8(16), low).astype(np.int8)
    if element is t.F4E2M1FN:
        patterns = patterns & np.uint64(15)
    if element is t.TF32:
        patterns = patterns << np.uint64(_TF32_UNUSED)
    dtype = dtype_of(element)
    return patterns.astype(np.dtype(f"u{dtype.itemsize}")).view(dtype)


@cache
def _values_of(element: ElementType) -> Array:
    return np.array([float_value(bits, element) for bits in range(256)])


def to_double(values: Array, element: ElementType) -> Array:
    """Floating point elements as doubles, which hold all of them."""
    if element is t.F8E5M3FNU:
        return _values_of(element)[values]
    with np.errstate(all="ignore"):
        return values.astype(np.float64)


def signed(values: Array) -> Array:
    """Integers as signed: true is -1."""
    return -values.astype(np.int8) if values.dtype == np.bool_ else values


def unsigned(values: Array) -> Array:
    """Integers as unsigned."""
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    return values.view(np.dtype(f"u{values.dtype.itemsize}"))


def wrapped(values: Array, element: ElementType) -> Array:
    """The low bits of integers."""
    if element is t.I1:
        return (values & 1).astype(np.bool_)
    if element is t.I4:
        return from_bits(values.astype(np.int64).view(np.uint64), element)
    return values.astype(dtype_of(element))


def elements_of(constant: Dense, shape: tuple[int, ...]) -> Array:
    """A constant as a tile."""
    element = constant.element
    if constant.splat:
        bits = np.full(shape, constant.bits(0), np.uint64)
        return from_bits(bits, element)
    if element is t.I1:
        packed = np.unpackbits(np.frombuffer(constant.data, np.uint8), count=constant.count, bitorder="little")
        return packed.astype(np.bool_).reshape(shape)
    width = element.pool_bytes
    raw = np.frombuffer(constant.data, np.uint8).reshape(constant.count, width)
    padded = np.zeros((constant.count, 8), np.uint8)
    padded[:, :width] = raw
    return from_bits(padded.view(np.dtype("<u8"))[:, 0], element).reshape(shape)
