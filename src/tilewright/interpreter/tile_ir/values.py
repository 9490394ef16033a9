"""How the interpreter holds Tile IR values: a tile is a NumPy array of its shape, pointers are 64-bit addresses.

`numerics.arrays` says which arrays hold which elements.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Dense
from tilewright.dialects.cuda_tile.types import Element, ElementType, Tile
from tilewright.ir.core import Value
from tilewright.numerics import arrays

Array = NDArray[Any]

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
    return arrays.dtype_of(element.format)


def tile_type(value: Value) -> Tile:
    """The type of a value that is a tile."""
    assert isinstance(value.type, Tile)
    return value.type


def element_of(value: Value) -> ElementType:
    """The element of a tile of numbers."""
    element = tile_type(value).element
    assert isinstance(element, ElementType)
    return element


def to_bits(values: Array, element: ElementType) -> Array:
    """Bit patterns, as uint64."""
    return arrays.to_bits(element.format, values)


def from_bits(bits: Array, element: ElementType) -> Array:
    """Elements from bit patterns, of which the low bits count."""
    return arrays.from_bits(element.format, bits)


def to_double(values: Array, element: ElementType) -> Array:
    """Floating point elements as doubles, which hold all of them."""
    with np.errstate(all="ignore"):
        return arrays.to_double(element.floating, values)


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
