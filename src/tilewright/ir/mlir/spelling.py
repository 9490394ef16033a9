"""The text of types and attributes: what a value is spelled from, and spelling it with or without aliases."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast

from msgspec import Struct

from tilewright.ir.attributes import Attribute, AttributeValue
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.types import Type

Piece: TypeAlias = "str | Type | AttributeValue | tuple[Attribute, ...] | dict[str, Attribute]"
"""Text as it is, or a value that is spelled in its place; attributes that are strings come as their quoted text."""

_BARE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


class Spelled:
    """A type or attribute whose text consists of pieces."""

    __slots__ = ()

    @abstractmethod
    def pieces(self) -> Sequence[Piece]:
        """What the text consists of."""

    @property
    def short(self) -> str | None:
        """The text within a list, where that is shorter than elsewhere."""
        return None


class LocationAttribute(AttributeValue, Spelled):
    """Base of the places that operations say they come from."""

    __slots__ = ()

    @abstractmethod
    def inner(self) -> Sequence[Piece]:
        """What the text between the parentheses of `loc(..)` consists of."""

    def pieces(self) -> Sequence[Piece]:
        return ("loc(", *self.inner(), ")")

    def __str__(self) -> str:
        return spell(self)


class Nested(AttributeValue, Spelled, Struct, frozen=True):
    """A location where no `loc(..)` stands around it."""

    location: LocationAttribute

    def pieces(self) -> Sequence[Piece]:
        return self.location.inner()


class UnitAttribute(AttributeValue, Spelled, Struct, frozen=True):
    """An attribute that says something by being there."""

    def pieces(self) -> Sequence[Piece]:
        return ("unit",)

    def __str__(self) -> str:
        return "unit"


UNIT: Final = UnitAttribute()


def spell_key(name: str) -> str:
    """A name in a dictionary or behind `@`; quoted where it is no identifier."""
    return name if _BARE.fullmatch(name) else escape(name)


def piece_of(value: Attribute) -> Piece:
    """An attribute where it stands for itself."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return escape(value)
        case Type() | AttributeValue() | tuple() | dict():
            return cast("Piece", value)
        case _:
            raise AssertionError(f"not an attribute of MLIR: {value!r}")


def spell(value: Attribute, aliases: Mapping[int, str] | None = None) -> str:
    """The text of a value. `aliases` are the names of objects by their identity, which stand for them."""
    return spell_pieces((piece_of(value),), aliases)


def spell_definition(value: Attribute, aliases: Mapping[int, str]) -> str:
    """The text of what an alias stands for: its own name does not stand for it."""
    piece = piece_of(value)
    return piece if isinstance(piece, str) else spell_pieces(pieces_of(piece), aliases)


def spell_pieces(pieces: Sequence[Piece], aliases: Mapping[int, str] | None = None) -> str:
    """The text of pieces. What is nested is spelled on a list, not on Python's stack: aliases may be deep."""
    named: Mapping[int, str] = {} if aliases is None else aliases
    text: list[str] = []
    stack = list(reversed(pieces))
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            text.append(piece)
            continue
        name = named.get(id(piece.location if isinstance(piece, Nested) else piece))
        if name is not None:
            text.append(name)
        else:
            stack.extend(reversed(pieces_of(piece)))
    return "".join(text)


def pieces_of(value: Piece) -> Sequence[Piece]:
    """What a value that is no text is spelled from."""
    if isinstance(value, Spelled):
        return value.pieces()
    if isinstance(value, Type):
        return (value.mlir,)
    if isinstance(value, tuple):
        return ("[", *separated([element_of(v) for v in value]), "]")
    return dictionary_pieces(value) if isinstance(value, dict) else (str(value),)


def element_of(value: Attribute) -> Piece:
    """An attribute in a list: its type is left out where reading finds it anyway."""
    short = value.short if isinstance(value, Spelled) else None
    return piece_of(value) if short is None else short


def separated(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with commas between them."""
    found: list[Piece] = []
    for piece in pieces:
        if found:
            found.append(", ")
        found.append(piece)
    return found


def dictionary_pieces(entries: Mapping[str, Attribute]) -> list[Piece]:
    """`{name = value, ..}`; a unit is its name alone."""
    found: list[Piece] = []
    for name, value in entries.items():
        found.append((", " if found else "{") + spell_key(name))
        if not isinstance(value, UnitAttribute):
            found += [" = ", piece_of(value)]
    return [*found, "}"] if found else ["{}"]
