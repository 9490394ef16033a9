"""Spells attributes as the readers take them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from tilewright.dialects.cuda_tile.attributes import (
    Assumption,
    CodedEnum,
    Dense,
    Elements,
    Hints,
    Number,
    Symbol,
    Unit,
)
from tilewright.dialects.cuda_tile.numbers import spell_number
from tilewright.dialects.cuda_tile.types import ElementType, FunctionType, Tile
from tilewright.frontends.tile_ir.attribute_text import BRACKETED, GENERIC
from tilewright.frontends.tile_ir.literal_text import spell_dense
from tilewright.ir.core import Attribute
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.types import TokenType, Type

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


def spell_key(name: str) -> str:
    """A name of a dictionary entry or symbol; quoted where it is no identifier."""
    return name if _BARE.fullmatch(name) else escape(name)


def spell_symbol(name: str) -> str:
    """`@name`."""
    return "@" + spell_key(name)


def spell_enum(value: CodedEnum) -> str:
    """An enumeration's value in the short form."""
    name = BRACKETED.get(type(value))
    return str(value.value) if name is None else f"{name}<{value.value}>"


def spell_typed(number: Number) -> str:
    """`value : type`, where `type` is left out if reading finds it anyway."""
    text = spell_number(number.bits, number.element)
    return text if number.element.name == "i1" else f"{text} : {number.element}"


def spell_hints(hints: Hints) -> str:
    """`<key = {..}, ..>`."""
    return "<" + ", ".join(f"{spell_key(k)} = {spell_dictionary(dict(v))}" for k, v in hints.entries) + ">"


def spell_dictionary(entries: Mapping[str, Attribute]) -> str:
    """`{name = value, ..}`, sorted."""
    parts = [
        spell_key(k) if isinstance(v, Unit) else f"{spell_key(k)} = {spell_generic(v)}"
        for k, v in sorted(entries.items())
    ]
    return "{" + ", ".join(parts) + "}"


def _spell_elements(found: Elements) -> str:
    if isinstance(found.value, Dense):
        assert isinstance(found.type, Tile)
        return f"dense<{spell_dense(found.value, found.type.shape)}> : {spell_type(found.type)}"
    numbers = [spell_number(v.bits, v.element) if isinstance(v, Number) else spell_generic(v) for v in found.value]
    return f"array<{found.type}: {', '.join(numbers)}>" if numbers else f"array<{found.type}>"


def spell_type(type_: Type) -> str:
    """The long spelling, which is understood anywhere."""
    if isinstance(type_, ElementType | FunctionType):
        return str(type_)
    return f"!cuda_tile.{type_}"


def spell_generic(value: Attribute) -> str:
    """An attribute in a dictionary."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return escape(value)
        case Number():
            if not value.element.is_float and value.element.name == "i64":
                return spell_number(value.bits, value.element)
            return spell_typed(value)
        case Symbol():
            return spell_symbol(value.name)
        case CodedEnum():
            name = next(n for n, kind in GENERIC.items() if kind is type(value))
            return f"#cuda_tile.{name}<{value.value}>"
        case Hints():
            return "#cuda_tile.optimization_hints" + spell_hints(value)
        case Assumption():
            return f"#cuda_tile.{value}"
        case Type():
            return "!cuda_tile.token" if isinstance(value, TokenType) else spell_type(value)
        case tuple():
            return "[" + ", ".join(spell_generic(v) for v in value) + "]"
        case dict():
            return spell_dictionary(cast("dict[str, Attribute]", value))
        case Elements():
            return _spell_elements(value)
        case Unit():
            return str(value)
        case _:
            raise AssertionError(f"not an attribute of Tile IR: {value!r}")
