"""Attribute values, and their assembly spelling for the IR's own text and for generic MLIR."""

from __future__ import annotations

import math
from enum import Enum
from typing import cast

from tilewright.ir.types import Type


class AttributeValue:
    """Base of a dialect's own attributes: frozen dataclasses whose `str()` is their spelling."""

    __slots__ = ()


Attribute = (
    bool
    | int
    | float
    | complex
    | str
    | Type
    | Enum
    | AttributeValue
    | tuple["Attribute", ...]
    | dict[str, "Attribute"]
    | None
)
"""An attribute is a plain immutable value; dictionaries in attributes are never mutated in place."""


def spell_float(value: float) -> str:
    """Shortest decimal text that reads back exactly; `inf`, `-inf`, `nan` as words."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    return text if any(c in text for c in ".e") else text + ".0"


def quote(text: str) -> str:
    """A double-quoted string with escapes for quotes, backslashes and control characters."""
    escaped = "".join(
        f"\\{c}" if c in '"\\' else c if c.isprintable() and c.isascii() else f"\\u{{{ord(c):x}}}" for c in text
    )
    return f'"{escaped}"'


def spell(value: Attribute) -> str:
    """The text that the IR parser reads back to the same value."""
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return spell_float(value)
        case complex():
            return f"({spell_float(value.real)}, {spell_float(value.imag)})"
        case str():
            return quote(value)
        case Enum():
            return quote(str(value.value))
        case Type():
            return str(value)
        case AttributeValue():
            return quote(str(value))
        case tuple():
            return "[" + ", ".join(spell(v) for v in value) + "]"
        case dict():
            return spell_dict(value)
    raise AssertionError(f"not an attribute: {value!r}")


def spell_dict(values: dict[str, Attribute]) -> str:
    """`{name = value, ..}`; names that are no identifiers are quoted."""
    return "{" + ", ".join(f"{k if k.isidentifier() else quote(k)} = {spell(v)}" for k, v in values.items()) + "}"


def spell_mlir(value: Attribute) -> str:
    """The value as a builtin MLIR attribute."""
    match value:
        case None:
            return "unit"
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value} : i64"
        case float():
            return _mlir_float(value)
        case complex():
            return f"[{_mlir_float(value.real)}, {_mlir_float(value.imag)}]"
        case str():
            return quote(value)
        case Enum():
            return quote(str(value.value))
        case Type():
            return value.mlir
        case AttributeValue():
            return quote(str(value))
        case tuple():
            return "[" + ", ".join(spell_mlir(v) for v in value) + "]"
        case dict():
            items = cast("dict[str, Attribute]", value).items()
            return "{" + ", ".join(f"{quote(k)} = {spell_mlir(v)}" for k, v in items) + "}"
    raise AssertionError(f"not an attribute: {value!r}")


def _mlir_float(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        bits = {"nan": "0x7FF8000000000000", "inf": "0x7FF0000000000000", "-inf": "0xFFF0000000000000"}
        return f"{bits[spell_float(value)]} : f64"
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    return (mantissa if "." in mantissa else mantissa + ".0") + exponent + power + " : f64"
