"""Attributes between their declared kinds and the kinds that the generic form has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from tilewright.dialects.cuda_tile.attributes import CodedEnum, Elements, Number, Unit
from tilewright.dialects.cuda_tile.types import I32, I64
from tilewright.frontends.tile_ir.attribute_text import NUMBERED
from tilewright.ir.core import Attribute

NARROW: Final[Mapping[tuple[str, str], bool]] = {("cuda_tile.reduce", "dim"): True, ("cuda_tile.scan", "dim"): True}
"""Integer attributes of 32 bits; the others have 64."""


def property_of(key: str, kind: type, value: Attribute) -> Attribute:
    """An attribute as it is declared, from what the generic form holds; None if it is of another kind."""
    if isinstance(value, Elements):
        value = value.value
    if issubclass(kind, CodedEnum):
        return _enum(kind, value)
    if kind is bool:
        return True if isinstance(value, Unit) else value if isinstance(value, bool) else None
    if kind is int:
        return value.value if isinstance(value, Number) and not value.element.is_float else None
    if kind is tuple and isinstance(value, tuple):
        wanted = Number if key == "identities" else bool if key == "inbounds" else int
        return value if all(isinstance(v, wanted) for v in value) else None
    return value if isinstance(value, kind) else None


def _enum(kind: type[CodedEnum], value: Attribute) -> Attribute:
    if kind not in NUMBERED:
        return value if isinstance(value, kind) else None
    if not isinstance(value, Number) or value.element.is_float:
        return None
    members = list(kind)
    return members[cast("int", value.value)] if 0 <= value.value < len(members) else None


def generic_of(op: str, key: str, value: Attribute) -> Attribute:
    """The inverse of `property_of`."""
    match value:
        case bool():
            return value if key == "reverse" else Unit()
        case int():
            element = I32 if (op, key) in NARROW else I64
            return Number(element, value & ((1 << element.bits) - 1))
        case CodedEnum() if type(value) in NUMBERED:
            return Number(I32, value.code)
        case _:
            return value
