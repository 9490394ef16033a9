"""Attribute values, and their assembly spelling in the IR's own text."""

from __future__ import annotations

import math
import re
from enum import Enum
from typing import Final

from tilewright.ir.types import Type


class AttributeValue:
    """Base of a dialect's own attributes: frozen records whose `str()` is their spelling."""

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
    return f'"{_ESCAPED.sub(_escape, text)}"'


_ESCAPED: Final = re.compile(r'["\\]|[^ -~]')


def _escape(found: re.Match[str]) -> str:
    letter = found[0]
    return f"\\{letter}" if letter in '"\\' else f"\\u{{{ord(letter):x}}}"


def spell(value: Attribute) -> str:
    """The text that the IR parser reads back to the same value."""
    # of what operations have most: patterns are tried one after the other
    if type(value) is int:
        return str(value)
    if type(value) is tuple:
        return "[" + ", ".join([spell(v) for v in value]) + "]"
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
    return "{" + ", ".join([f"{k if k.isidentifier() else quote(k)} = {spell(v)}" for k, v in values.items()]) + "}"
