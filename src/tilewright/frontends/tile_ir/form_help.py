"""How an operation is written, for people who wrote it in another way."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from tilewright.diagnostics import Diagnostic
from tilewright.dialects.cuda_tile.attributes import Assumption, CodedEnum, Hints, Symbol
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.frontends.tile_ir.assembly import (
    WHOLE,
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
from tilewright.frontends.tile_ir.attribute_text import BRACKETED
from tilewright.frontends.tile_ir.codes import SYNTAX

_OWN: Final[Mapping[str, str]] = {
    "module": "module @name { .. }",
    "entry": "entry @name(%a: T, ..) [optimization_hints=<..>] { .. }",
    "global": "global [public|private] [constant] @name [alignment = N] <E: literal> : tile<NxE>",
    "constant": "constant <E: literal> : tile<..xE>",
    "if": "if %condition [-> (T, ..)] { .. } [else { .. }]",
    "for": "for [unsigned] %i in (%lower to %upper, step %step) : T [iter_values(%a = %x, ..) -> (T, ..)] { .. }",
    "loop": "loop [iter_values(%a = %x, ..) : T, ..] [-> T, ..] { .. }",
    "reduce": "reduce %x, .. dim=D identities=[v : E, ..] : T, .. -> T, .. (%element: T, %so_far: T, ..) {..}",
    "scan": "scan %x, .. dim=D reverse=B identities=[v : E, ..] : T, .. -> T, .. (%element: T, %so_far: T, ..) {..}",
    "print": 'print_tko "format"[, %x, ..] [token=%t] [: T, ..] -> token',
    "make_tensor_view": "make_tensor_view %base, shape = [..], strides = [..] : [T ->] tensor_view<..>",
}


def explain_form(finding: Diagnostic, cls: type[TileOperation]) -> None:
    """Tell how an operation is written, if its form was not kept and nothing else is said already."""
    if finding.code == SYNTAX and not finding.hints:
        finding.hint(f"it is written `{written(cls)}`")


@cache
def written(cls: type[TileOperation]) -> str:
    """The short form of an operation, optional parts in brackets."""
    own = cls.spec.assembly[1:]
    if cls.spec.assembly.startswith("!") and own in WHOLE:
        return _OWN[own]
    mnemonic = cls.definition.name.removeprefix("cuda_tile.")
    return " ".join(f"{mnemonic} {_spelled(form_of(cls))}".split()).replace(" ,", ",")


def _spelled(parts: tuple[Part, ...]) -> str:
    return " ".join(filter(None, map(_part, parts))).replace("[ ", "[").replace(" ]", "]")


def _part(part: Part) -> str:
    match part:
        case Literal(text):
            return text
        case OperandPart(name, variadic):
            return f"%{name}, .." if variadic else f"%{name}"
        case AttributePart():
            return f"[{_attribute(part)}]" if part.optional else _attribute(part)
        case TypePart(_, _, listed):
            return "T, .." if listed else "T"
        case Group(parts):
            return f"[{_spelled(parts)}]"
        case Flags(parts):
            return " ".join(f"[{p.word}]" for p in parts)
        case Dictionary():
            return ""
        case Custom():
            return "T"


def _attribute(part: AttributePart) -> str:
    kind = part.kind
    if kind is bool:
        return part.word
    if issubclass(kind, CodedEnum):
        if kind in BRACKETED:
            return f"{BRACKETED[kind]}<..>"
        return "|".join(str(member.value) for member in kind)
    return _KINDS.get(kind, "..")


_KINDS: Final[Mapping[type, str]] = {
    int: "N",
    str: '".."',
    tuple: "[..]",
    Symbol: "@name",
    Assumption: "div_by<N>|same_elements<[..]>|bounded<N, N>",
    Hints: "<..>",
}
