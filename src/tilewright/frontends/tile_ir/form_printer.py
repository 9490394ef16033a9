"""Spells the short form of operations by their declarations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, cast

from tilewright.dialects.cuda_tile.attributes import CodedEnum, Hints, Symbol
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.frontends.tile_ir.assembly import (
    AttributePart,
    Custom,
    Dictionary,
    Flags,
    Group,
    Literal,
    OperandPart,
    Part,
    TypePart,
    form_of,
)
from tilewright.frontends.tile_ir.attribute_spelling import spell_dictionary, spell_enum, spell_hints, spell_symbol
from tilewright.frontends.tile_ir.names import Names
from tilewright.ir.core import Attribute, Operation, Value
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.specs import operand_segments
from tilewright.ir.types import Type

Speller = Callable[["Form"], str]
_TIGHT_BEFORE: Final = (",", "]")


class Form:
    """What the parts of one operation's form are spelled from."""

    __slots__ = ("names", "op", "operands")

    def __init__(self, op: TileOperation, names: Names) -> None:
        self.op = op
        self.names = names
        values = op.operands
        self.operands: dict[str, list[Value]] = {
            key: list(values[a:b]) for key, (a, b) in zip(op.definition.operands, operand_segments(op), strict=True)
        }


def spell_form(op: TileOperation, names: Names) -> str:
    """What stands behind the mnemonic."""
    form = Form(op, names)
    return _join([speller(form) for speller in _spellers(type(op))])


def extra_dictionary(op: Operation) -> str:
    """Attributes that the form has no place for, with a space in front."""
    declared = op.definition.attributes
    if len(op.attributes) <= len(declared) and all(k in declared or k == "operand_segments" for k in op.attributes):
        return ""
    extra = {k: v for k, v in op.attributes.items() if k not in declared and k != "operand_segments"}
    return " " + spell_dictionary(extra) if extra else ""


def _join(texts: list[str]) -> str:
    found = ""
    for text in texts:
        if not text:
            continue
        tight = not found or text.startswith(_TIGHT_BEFORE) or found.endswith("[") or text == "["
        found += text if tight else " " + text
    return found


@cache
def _spellers(cls: type[TileOperation]) -> tuple[Speller, ...]:
    return tuple(_speller(part, cls) for part in form_of(cls))


def _speller(part: Part, cls: type[TileOperation]) -> Speller:
    match part:
        case Literal(text):
            return lambda form: text
        case OperandPart(name):
            return lambda form: ", ".join(form.names.of(v) for v in form.operands[name])
        case AttributePart():
            return _attribute(part, cls)
        case TypePart():
            return _types(part, cls)
        case Group(parts, key):
            inner = tuple(_speller(p, cls) for p in parts if not isinstance(p, Dictionary))
            return lambda form: _join([s(form) for s in inner]) if _present(form, key) else ""
        case Flags(parts):
            flags = tuple(_attribute(p, cls) for p in parts)
            return lambda form: " ".join(t for t in (f(form) for f in flags) if t)
        case Dictionary():
            return lambda form: extra_dictionary(form.op).strip()
        case Custom():
            return lambda form: str(form.op.results[0].type) if form.op.results else ""


def _present(form: Form, key: str) -> bool:
    if key in form.operands:
        return bool(form.operands[key])
    value = form.op.attributes.get(key)
    if isinstance(value, Hints):
        return bool(value.entries)
    return any(cast("tuple[bool, ...]", value)) if isinstance(value, tuple) else value is not None


def _attribute(part: AttributePart, cls: type[TileOperation]) -> Speller:
    name, word = part.name, part.word
    if part.kind is bool:
        return lambda form: word if form.op.attributes.get(name) else ""
    default = cls.definition.attributes[name].default

    def spell(form: Form) -> str:
        value = form.op.attributes.get(name)
        return "" if value is None or (part.optional and value == default) else _spell(value)

    return spell


def _spell(value: Attribute) -> str:
    match value:
        case CodedEnum():
            return spell_enum(value)
        case Symbol():
            return spell_symbol(value.name)
        case Hints():
            return spell_hints(value)
        case str():
            return escape(value)
        case tuple():
            return "[" + ", ".join(str(v).lower() for v in value) + "]"
        case _:
            return str(value)


def _types(part: TypePart, cls: type[TileOperation]) -> Speller:
    name = part.name
    if part.listed:
        return lambda form: _list([v.type for v in form.operands[name]], part.shared)
    operand = part.operands[0] if part.operands else None
    if operand is not None:
        return lambda form: str(form.operands[operand][0].type)
    results = cls.definition.results
    index = next(i for i, (key, spec) in enumerate(results.items()) if name in (key, spec.var))
    return lambda form: str(form.op.results[index].type)


def _list(types: list[Type], shared: bool) -> str:
    if shared and len(set(types)) == 1:
        return str(types[0])
    return ", ".join(map(str, types))
