"""Spells operations in the generic form."""

from __future__ import annotations

from tilewright.dialects.cuda_tile.attributes import Dense, Number
from tilewright.dialects.cuda_tile.base import TileOperation, generic_name
from tilewright.dialects.cuda_tile.types import ELEMENTS
from tilewright.frontends.tile_ir.attribute_spelling import spell_dictionary, spell_generic, spell_key, spell_type
from tilewright.frontends.tile_ir.literal_text import spell_dense
from tilewright.frontends.tile_ir.names import Names
from tilewright.frontends.tile_ir.properties import generic_of
from tilewright.ir.core import Attribute, Operation
from tilewright.ir.specs import operand_segments
from tilewright.ir.types import Type


def spell_generic_operation(op: TileOperation, names: Names) -> str:
    """An operation without regions."""
    operands = ", ".join(names.of(v) for v in op.operands)
    results = ", ".join(names.define(r) for r in op.results)
    text = f'{results} = "{op.name}"' if results else f'"{op.name}"'
    properties = _properties(op)
    extra = {k: v for k, v in op.attributes.items() if k not in op.definition.attributes and k != "operand_segments"}
    text += f"({operands})" + (f" <{{{', '.join(properties)}}}>" if properties else "")
    return text + (" " + spell_dictionary(extra) if extra else "") + " : " + _function(op)


def _properties(op: TileOperation) -> list[str]:
    found: list[tuple[str, str]] = []
    for key in op.definition.attributes:
        value = op.attributes.get(key)
        if value is None or (value is False and key != "reverse"):
            continue
        name = spell_key(generic_name(type(op), key))
        spelled = _spell(op, key, value)
        found.append((name, f"{name} = {spelled}" if spelled else name))
    if op.definition.segmented:
        sizes = ", ".join(str(b - a) for a, b in operand_segments(op))
        found.append(("operandSegmentSizes", f"operandSegmentSizes = array<i32: {sizes}>"))
    return [text for _, text in sorted(found)]


def _spell(op: TileOperation, key: str, value: Attribute) -> str:
    """Text of an attribute; empty for a unit."""
    match value:
        case Dense():
            type_ = op.results[0].type
            shape = getattr(type_, "shape", ())
            return f"dense<{spell_dense(value, shape)}> : {spell_type(type_)}"
        case tuple() if key == "inbounds":
            return f"array<i1: {', '.join('true' if v else 'false' for v in value)}>" if value else "array<i1>"
        case tuple() if key != "identities":
            return f"array<i32: {', '.join(map(str, value))}>" if value else "array<i32>"
        case True if key != "reverse":
            return ""
        case _:
            found = generic_of(op.name, key, value)
            if isinstance(found, Number) and found.element is ELEMENTS["i64"]:
                return f"{found.value} : i64"
            return spell_generic(found)


def _function(op: Operation) -> str:
    def types(found: list[Type]) -> str:
        return "(" + ", ".join(spell_type(t) for t in found) + ")"

    return f"{types([v.type for v in op.operands])} -> {types([r.type for r in op.results])}"
