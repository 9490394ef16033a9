"""MLIR's builtin attributes, and those of dialects that are not registered here.

Attributes that Python has are plain values: `true` and `false`, strings without a type, lists (tuples), dictionaries
(sorted by name), types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.ir.attributes import Attribute, AttributeValue
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.mlir.float_text import spell_float, value_of
from tilewright.ir.mlir.spelling import (
    LocationAttribute,
    Nested,
    Piece,
    Spelled,
    UnitAttribute,
    piece_of,
    separated,
    spell,
    spell_key,
)
from tilewright.ir.mlir.types import dialect_of, is_signed, is_unsigned, layout_of, name_of, width_of
from tilewright.ir.types import BOOL, F64, I64, Extent, Type
from tilewright.ir.types import spell as spell_extent


class BuiltinAttribute(AttributeValue, Spelled):
    """Base of the attributes here."""

    __slots__ = ()

    def __str__(self) -> str:
        return spell(self)


class IntegerAttribute(BuiltinAttribute, Struct, frozen=True):
    """An integer with its type; signed unless the type is unsigned."""

    value: int
    type: Type

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"{self.value} : ", self.type)

    @property
    def short(self) -> str | None:
        """The text without a type, where a reader takes the number for an i64."""
        return str(self.value) if self.type is I64 else None


class FloatAttribute(BuiltinAttribute, Struct, frozen=True):
    """A float with its type, as its bit pattern."""

    bits: int
    type: Type

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"{spell_number(self.bits, self.type)} : ", self.type)

    @property
    def value(self) -> float:
        """The number as a double."""
        layout = layout_of(self.type)
        assert layout is not None
        return value_of(self.bits, layout)

    @property
    def short(self) -> str | None:
        """The text without a type, where a reader takes the number for an f64."""
        text = spell_number(self.bits, self.type)
        return text if self.type is F64 and not text.startswith("0x") else None


class TypedString(BuiltinAttribute, Struct, frozen=True):
    """A string with a type."""

    text: str
    type: Type

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"{escape(self.text)} : ", self.type)


class SymbolReference(BuiltinAttribute, Struct, frozen=True):
    """`@root::@nested`."""

    root: str
    nested: tuple[str, ...] = ()

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return ("::".join(f"@{spell_key(name)}" for name in (self.root, *self.nested)),)


class StridedLayout(BuiltinAttribute, Struct, frozen=True):
    """`strided<[s, ..], offset: o>`; None where dynamic."""

    strides: tuple[Extent, ...]
    offset: Extent = 0

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        offset = "" if self.offset == 0 else f", offset: {spell_extent(self.offset)}"
        return (f"strided<[{', '.join(map(spell_extent, self.strides))}]{offset}>",)


class DenseArray(BuiltinAttribute, Struct, frozen=True):
    """`array<i64: 1, 2>`: integers, or bit patterns of floats."""

    element: Type
    values: tuple[int, ...]

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        values = ", ".join(spell_number(v, self.element) for v in self.values)
        return ("array<", self.element, f": {values}>" if values else ">")


class DenseResource(BuiltinAttribute, Struct, frozen=True):
    """`dense_resource<key> : type`: elements that stand at the end of the file."""

    key: str
    type: Type

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"dense_resource<{spell_key(self.key)}> : ", self.type)


class DistinctAttribute(BuiltinAttribute, Struct, frozen=True):
    """`distinct[n]<attribute>`: equal to those of the same number only."""

    number: int
    attribute: Attribute

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        inner = () if isinstance(self.attribute, UnitAttribute) else (piece_of(self.attribute),)
        return (f"distinct[{self.number}]<", *inner, ">")


class OpaqueAttribute(BuiltinAttribute, Struct, frozen=True):
    """An attribute of a dialect that is not registered: its text, with the values that aliases in it stand for."""

    parts: tuple[Piece, ...]
    type: Type | None = None

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return self.parts if self.type is None else (*self.parts, " : ", self.type)

    @property
    def dialect(self) -> str:
        """The dialect: `gpu` of `#gpu.address_space<workgroup>`."""
        return dialect_of(self.parts)

    @property
    def name(self) -> str:
        """The name within the dialect: `address_space`; empty for `#gpu<..>`."""
        return name_of(self.parts)


# Locations


class UnknownPlace(LocationAttribute, Struct, frozen=True):
    """No place."""

    __str__ = LocationAttribute.__str__

    def inner(self) -> Sequence[Piece]:
        return ("unknown",)


class FilePlace(LocationAttribute, Struct, frozen=True):
    """A place in a file, or a range of one: `end` is its last line and column, or column alone."""

    file: str
    line: int
    column: int
    end: tuple[int, ...] = ()

    __str__ = LocationAttribute.__str__

    def inner(self) -> Sequence[Piece]:
        prefix = " to :" if len(self.end) == 1 else " to "
        end = prefix + ":".join(map(str, self.end)) if self.end else ""
        return (f"{escape(self.file)}:{self.line}:{self.column}{end}",)


class NamedPlace(LocationAttribute, Struct, frozen=True):
    """A name, and the place of what it stands for."""

    name: str
    child: LocationAttribute | None = None

    __str__ = LocationAttribute.__str__

    def inner(self) -> Sequence[Piece]:
        child = () if self.child is None else ("(", Nested(self.child), ")")
        return (escape(self.name), *child)


class CallPlace(LocationAttribute, Struct, frozen=True):
    """A place that was inlined where it was called."""

    callee: LocationAttribute
    caller: LocationAttribute

    __str__ = LocationAttribute.__str__

    def inner(self) -> Sequence[Piece]:
        return ("callsite(", Nested(self.callee), " at ", Nested(self.caller), ")")


class FusedPlace(LocationAttribute, Struct, frozen=True):
    """Several places at once, and what made them one."""

    parts: tuple[LocationAttribute, ...]
    metadata: Attribute = None

    __str__ = LocationAttribute.__str__

    def inner(self) -> Sequence[Piece]:
        metadata = () if self.metadata is None else ("<", piece_of(self.metadata), ">")
        return ("fused", *metadata, "[", *separated([Nested(p) for p in self.parts]), "]")


UNKNOWN_PLACE: Final = UnknownPlace()


def spell_number(value: int, type_: Type) -> str:
    """An integer, or a float by its bit pattern, without the type."""
    if type_ is BOOL:
        return "true" if value else "false"
    layout = layout_of(type_)
    return str(value) if layout is None else spell_float(value, layout)


def wrapped(value: int, type_: Type) -> int | None:
    """The integer of a type that a literal spells, None if it does not fit.

    Types without a sign of their own take the signed and the unsigned range; what they hold is read as signed.
    """
    width = width_of(type_)
    assert width is not None
    if width == 0:
        return value if value == 0 else None
    half = 1 << (width - 1)
    if is_unsigned(type_):
        return value if 0 <= value < 2 * half else None
    if is_signed(type_):
        return value if -half <= value < half else None
    if not -half <= value < 2 * half:
        return None
    if type_ is BOOL:
        return value & 1
    return value - 2 * half if value >= half else value
