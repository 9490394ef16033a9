"""Types of Tile IR on the tile level: dimensions in reverse, rank 0 a scalar, pointers `i64`.

f8E5M3FNU is `i8` there (`unsigned_floats`).
"""

from __future__ import annotations

from typing import Final

from tilewright.dialects.cuda_tile import types as cuda
from tilewright.ir.core import BlockArgument
from tilewright.ir.types import (
    ALL_SCALARS,
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    PointerType,
    ScalarType,
    TileType,
    Type,
)

_ELEMENTS: Final = {
    cuda.I1: BOOL,
    cuda.I8: I8,
    cuda.I16: I16,
    cuda.I32: I32,
    cuda.I64: I64,
    cuda.F16: F16,
    cuda.BF16: BF16,
    cuda.F32: F32,
    cuda.F64: F64,
    cuda.F8E5M3FNU: I8,
}


def element_type(element: cuda.Element) -> ScalarType:
    """The scalar type of an element."""
    if isinstance(element, cuda.Pointer):
        return I64
    return _ELEMENTS.get(element) or ALL_SCALARS[element.name]


def value_type(type_: Type) -> ScalarType | TileType:
    """The type of a tile."""
    assert isinstance(type_, cuda.Tile)
    element = element_type(type_.element)
    return TileType(type_.shape[::-1], element) if type_.shape else element


def stored_type(element: cuda.ElementType) -> ScalarType:
    """How an element lies in memory: i1 as a byte. Of f4E2M1FN two lie in a byte, which no type here can say."""
    assert element is not cuda.F4E2M1FN
    found = element_type(element)
    return I8 if found is BOOL else found


def element_bytes(element: cuda.ElementType) -> int:
    """Bytes of an element in memory."""
    return stored_type(element).bytes


def parameter_type(argument: BlockArgument) -> Type:
    """The type of a kernel parameter."""
    type_ = argument.type
    assert isinstance(type_, cuda.Tile)
    if isinstance(type_.element, cuda.Pointer):
        if type_.element.pointee is cuda.F4E2M1FN:
            return PointerType(I8)
        return PointerType(element_type(type_.element.pointee))
    return element_type(type_.element)
