"""MLIR's builtin types, and those of dialects that are not registered here.

Scalars that the IR has (`ir.types`: i1 as `bool`, i4 to i64, index, the floats that arithmetic knows) are themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from tilewright.ir.affine import AffineMap
from tilewright.ir.attributes import Attribute
from tilewright.ir.mlir.float_text import LAYOUTS, FloatLayout
from tilewright.ir.mlir.spelling import Piece, Spelled, element_of, piece_of, separated, spell
from tilewright.ir.types import ALL_SCALARS, BOOL, Extent, ScalarKind, ScalarType, Type
from tilewright.ir.types import spell as spell_extent


class BuiltinType(Type, Spelled):
    """Base of the types here."""

    __slots__ = ()

    @property
    def mlir(self) -> str:
        return spell(self)

    def __str__(self) -> str:
        return spell(self)


class Signedness(Enum):
    """What an integer type says about the sign; the value is its prefix."""

    SIGNLESS = "i"
    SIGNED = "si"
    UNSIGNED = "ui"


class IntegerType(BuiltinType, Struct, frozen=True):
    """An integer of any width that `ir.types` does not have."""

    width: int
    signedness: Signedness = Signedness.SIGNLESS

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"{self.signedness.value}{self.width}",)


class FloatType(BuiltinType, Struct, frozen=True):
    """A float that `ir.types` does not have."""

    name: str

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return (self.name,)


class NoneType(BuiltinType, Struct, frozen=True):
    """The type of a value that says nothing."""

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return ("none",)


class ComplexType(BuiltinType, Struct, frozen=True):
    """A pair of numbers."""

    element: Type

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return ("complex<", self.element, ">")


class TupleType(BuiltinType, Struct, frozen=True):
    """Several values in one."""

    elements: tuple[Type, ...]

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return ("tuple<", *separated(self.elements), ">")


class FunctionType(BuiltinType, Struct, frozen=True):
    """From types of arguments to types of results."""

    inputs: tuple[Type, ...]
    results: tuple[Type, ...]

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return ("(", *separated(self.inputs), ") -> ", *result_pieces(self.results))


def result_pieces(results: Sequence[Type]) -> Sequence[Piece]:
    """Types behind an arrow: one alone, unless it is a function, or a list."""
    if len(results) == 1 and not isinstance(results[0], FunctionType):
        return (results[0],)
    return ("(", *separated(results), ")")


class VectorType(BuiltinType, Struct, frozen=True):
    """A vector; extents that are `scalable` are multiplied by a number of the machine."""

    shape: tuple[int, ...]
    element: Type
    scalable: tuple[bool, ...]

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        extents = (f"[{e}]x" if s else f"{e}x" for e, s in zip(self.shape, self.scalable, strict=True))
        return (f"vector<{''.join(extents)}", self.element, ">")


class TensorType(BuiltinType, Struct, frozen=True):
    """A value of many elements; `shape` is None if not even the rank is known, `encoding` any attribute."""

    shape: tuple[Extent, ...] | None
    element: Type
    encoding: Attribute = None

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        encoding = () if self.encoding is None else (", ", piece_of(self.encoding))
        return (f"tensor<{_extents(self.shape)}", self.element, *encoding, ">")


class MemrefType(BuiltinType, Struct, frozen=True):
    """A reference to memory: row-major unless `layout` (a map, strides or a dialect's attribute) says otherwise.

    `shape` is None if not even the rank is known; `space` is any attribute, None for the default one.
    """

    shape: tuple[Extent, ...] | None
    element: Type
    layout: Attribute = None
    space: Attribute = None

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        found: list[Piece] = [f"memref<{_extents(self.shape)}", self.element]
        if self.layout is not None:
            found += [", ", piece_of(self.layout)]
        if self.space is not None:
            found += [", ", element_of(self.space)]
        return [*found, ">"]


def _extents(shape: tuple[Extent, ...] | None) -> str:
    return "*x" if shape is None else "".join(f"{spell_extent(e)}x" for e in shape)


class OpaqueType(BuiltinType, Struct, frozen=True):
    """A type of a dialect that is not registered: its text, with the values that aliases in it stand for."""

    parts: tuple[Piece, ...]

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return self.parts

    @property
    def dialect(self) -> str:
        """The dialect: `gpu` of `!gpu.async.token`."""
        return dialect_of(self.parts)

    @property
    def name(self) -> str:
        """The name within the dialect: `async.token` of `!gpu.async.token`; empty for `!gpu<..>`."""
        return name_of(self.parts)


_OPAQUE: Final = re.compile(r"[!#]([A-Za-z_][A-Za-z0-9_$]*)(?:\.([A-Za-z0-9_$.-]*))?")


def dialect_of(parts: tuple[Piece, ...]) -> str:
    """The dialect in front of an opaque text."""
    found = _OPAQUE.match(str(parts[0]))
    return "" if found is None else found[1]


def name_of(parts: tuple[Piece, ...]) -> str:
    """The name behind the dialect of an opaque text."""
    found = _OPAQUE.match(str(parts[0]))
    return "" if found is None or found[2] is None else found[2]


SIGNLESS: Final = {t.name: t for t in ALL_SCALARS.values() if t.kind is ScalarKind.INT} | {"i1": BOOL}
FLOATS: Final[dict[str, Type]] = {name: ALL_SCALARS.get(name) or FloatType(name) for name in LAYOUTS}


def integer_type(width: int, signedness: Signedness = Signedness.SIGNLESS) -> Type:
    """The integer type of that width."""
    known = SIGNLESS.get(f"i{width}") if signedness is Signedness.SIGNLESS else None
    return known or IntegerType(width, signedness)


def width_of(type_: Type) -> int | None:
    """Bits of an integer or index; None for any other type."""
    if isinstance(type_, IntegerType):
        return type_.width
    if type_ is BOOL:
        return 1
    return type_.bits if isinstance(type_, ScalarType) and type_.is_integer else None


def is_unsigned(type_: Type) -> bool:
    """Whether it is an integer that is read without a sign."""
    return isinstance(type_, IntegerType) and type_.signedness is Signedness.UNSIGNED


def is_signed(type_: Type) -> bool:
    """Whether it is an integer that says that it has a sign."""
    return isinstance(type_, IntegerType) and type_.signedness is Signedness.SIGNED


def layout_of(type_: Type) -> FloatLayout | None:
    """The format of a float; None for any other type."""
    return LAYOUTS.get(type_.name) if isinstance(type_, ScalarType | FloatType) else None


def is_number(type_: Type) -> bool:
    """Whether it is an integer, index or float."""
    return width_of(type_) is not None or layout_of(type_) is not None


def may_be_element(type_: Type) -> bool:
    """Whether tensors and memrefs may hold it; what a dialect that is not registered allows, nobody knows."""
    kinds = (ComplexType, VectorType, OpaqueType, MemrefType)
    return isinstance(type_, kinds) or is_number(type_)


def is_identity_layout(layout: Attribute) -> bool:
    """Whether a layout says no more than none does."""
    return isinstance(layout, AffineMap) and layout.is_identity
