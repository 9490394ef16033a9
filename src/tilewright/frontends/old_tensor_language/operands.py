"""Operands: values or literals whose type follows behind the colon, and values that a rule of the upgrade computes.

Operations without `places` stand for no instruction of the text: they are the constants that literals become, and what
`?` forms and conversions of i1 need. `upgrade` writes them in front of the instruction they were made for.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, memref
from tilewright.frontends.old_tensor_language.types import OldTypeReader, spelled
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.lexer import is_integer
from tilewright.frontends.tensor_language.regions import RegionReader
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, F32, INDEX, GroupType, MemrefType, ScalarType, Type

_OPERAND_CODES: Final[Mapping[str, str]] = {
    "arith": "V34",
    "cast": "V35",
    "cmp": "V37",
    "load": "V30",
    "store": "V30",
    "size": "V29",
    "yield": "V22",
    "expand": "U6",
    "fuse": "U6",
    "subview": "U6",
    "for": "V45",
    "foreach": "V43",
}
"""The rule on the operands of an instruction; collective instructions share V39."""


class Operand(Struct, frozen=True):
    """A value, or (None) the literal at `token`."""

    value: Value | None
    token: int


def at_literal(p: RegionReader) -> bool:
    """Whether a literal comes next; true and false are the integers 1 and 0."""
    return p.at_number() or p.texts[p.i] in ("true", "false")


def operand(p: RegionReader) -> Operand:
    """A value or a literal."""
    index = p.i
    if not at_literal(p):
        return Operand(p.value(), index)
    p.places["operand", p.operand_count] = p.range(index)
    p.operand_count += 1
    p.i += 1
    return Operand(None, index)


def operands(p: RegionReader, count: int) -> list[Operand]:
    """Exactly `count` of them, separated by commas."""
    found = [operand(p)]
    for _ in range(count - 1):
        p.expect(",")
        found.append(operand(p))
    return found


def comma_value(p: RegionReader) -> Value:
    """A comma and a value."""
    p.expect(",")
    return p.value()


# Types behind the colon


def colon(p: RegionReader, what: str) -> None:
    """The colon in front of operand types."""
    if p.texts[p.i] != ":":
        p.fail(f"`:` and {what}")
    p.i += 1


def scalar_type(p: RegionReader) -> ScalarType:
    """A scalar type; anything else is reported."""
    first = p.i
    found = p.read_type()
    if isinstance(found, ScalarType):
        return found
    p.error("V1", p.since(first), f"expected a scalar type, found {quoted(p.texts[first])}")
    return p.abandon()


def is_written(actual: Type, written: Type) -> bool:
    """Whether a value's type is what was written.

    `?` for a known stride or offset forgets it; the space goes unwritten, and so may the offset of a group.
    """
    if isinstance(actual, MemrefType) and isinstance(written, MemrefType):
        same = actual.element is written.element and actual.shape == written.shape
        same = same and len(actual.strides) == len(written.strides)
        return same and all(w in (None, a) for a, w in zip(actual.strides, written.strides, strict=True))
    if isinstance(actual, GroupType) and isinstance(written, GroupType):
        return is_written(actual.memref, written.memref) and written.offset in (0, None, actual.offset)
    return actual is written


def check_type(p: RegionReader, held: Operand, written: Type, first: int) -> None:
    """Report a value whose type is not the one written at tokens `first` to the last one read."""
    value = held.value
    if value is None or value.type is written or p.poisoned or is_written(value.type, written):
        return
    where = p.range(first, p.i - 1)
    actual = spelled(value.type)
    name = p.texts[held.token]
    word = p.texts[p.mnemonic]
    code = "V31" if word == "load" and isinstance(value.type, GroupType) else _OPERAND_CODES.get(word, "V39")
    finding = p.error(code, where, f"`{name}` is {actual}, not {spelled(written)}")
    finding.label(value.location, "defined here").fix(where, actual, f"write `{actual}`")
    p.poisoned = True


def written_types(p: RegionReader, held: list[Operand]) -> list[Type]:
    """`: type, ..`, one type for each operand, checked against the values."""
    colon(p, "the type of the operand" if len(held) == 1 else f"the types of the {len(held)} operands")
    found: list[Type] = []
    for index, one in enumerate(held):
        if index:
            p.expect(",")
        first = p.i
        found.append(p.read_type())
        p.places["type", index] = p.since(first)
        check_type(p, one, found[-1], first)
    return found


def memref_of(p: RegionReader, source: Operand) -> MemrefType:
    """The type of a memref operand behind `: type`, which is checked; leaves the instruction if it is none."""
    colon(p, "the type of the memref")
    first = p.i
    written = p.read_type()
    p.places["type"] = p.since(first)
    check_type(p, source, written, first)
    if p.poisoned:
        p.abandon()
    type_ = written if source.value is None else source.value.type
    if not isinstance(type_, MemrefType):
        p.error("V30", p.range(source.token), f"a memref is needed here, not {spelled(type_)}")
        p.abandon()
    return type_


# Literals


def number(p: RegionReader, token: int, type_: ScalarType) -> bool | int | float | None:
    """The literal at a token as a constant of a type; None if it is none of that type."""
    text = p.texts[token]
    is_word = text in ("true", "false")
    if not is_word and not is_integer(text):
        return None if not type_.is_float or text.lstrip("+-") in ("inf", "nan") else p.to_float(token)
    value = int(text == "true") if is_word else p.to_int(token)
    if type_ is BOOL:
        return bool(value) if value in (0, 1) else None
    if type_.is_float:
        return float(value)
    return value if -(1 << type_.bits - 1) <= value < 1 << type_.bits - 1 else None


def constant(p: RegionReader, token: int, type_: ScalarType) -> Value:
    """The constant that a literal stands for."""
    value = number(p, token, type_)
    if value is None:
        text = p.texts[token]
        finding = p.error("U3", p.range(token), f"{quoted(text)} is not {article(spelled(type_))}")
        if text.lstrip("+-") in ("inf", "nan"):
            finding.hint("the old language has no infinities; pass the value as an argument")
        p.abandon()
    return fixed(p, value, type_, token)


def fixed(p: RegionReader, value: bool | int | float, type_: ScalarType, token: int | None = None) -> Value:
    """A constant, in place of the literal at a token or made for the whole instruction."""
    where = p.since(p.first) if token is None else p.range(token)
    op = arith.Constant(value, result_types=[type_], location=where)
    p.block.append(op)
    return op.out


def is_exact(value: bool | int | float, type_: ScalarType) -> bool:
    """Whether a type holds a number as it is."""
    if type_ is BOOL:
        return False
    if type_.is_integer:
        return float(value).is_integer() and -(1 << type_.bits - 1) <= value < 1 << type_.bits - 1
    if type_ is not F32:
        return type_.is_float and float(value) == value
    try:
        stored: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return False
    return stored == value or math.isnan(value)


def bind(p: RegionReader, held: Operand, type_: ScalarType, first: int) -> Value:
    """The operand as a value of a type written at token `first` and following."""
    if held.value is None:
        return constant(p, held.token, type_)
    check_type(p, held, type_, first)
    return held.value


def index_operand(p: RegionReader, held: Operand) -> Value:
    """An operand of type index that no type is written for."""
    value = held.value
    if value is None:
        return constant(p, held.token, INDEX)
    if value.type is not INDEX and not p.poisoned:
        finding = p.error("V30", p.range(held.token), f"an index is needed here, not {spelled(value.type)}")
        finding.label(value.location, "defined here").hint(
            f"write `cast {p.texts[held.token]} : {spelled(value.type)} -> index` first"
        )
        p.poisoned = True
    return value


def generate(p: RegionReader, op: Operation) -> Value:
    """Put an operation in front of the instruction that is being read."""
    op.location = p.since(p.first)
    p.block.append(op)
    return op.results[0]


def extent(p: RegionReader, source: Value, mode: int) -> Value:
    """The extent of a mode as a value: what the text asked for already, or a new instruction."""
    type_ = source.type
    assert isinstance(type_, MemrefType)
    known = type_.shape[mode]
    if known is not None:
        return fixed(p, known, INDEX)
    assert isinstance(p, OldTypeReader)
    seen = p.visible_size(source, mode)
    if seen is not None:
        return seen.out
    op = p.sizes[source, mode] = memref.Size(source, mode)
    return generate(p, op)


def article(noun: str) -> str:
    """The noun with its article; f32 is read out by its letters."""
    return f"an {noun}" if noun[0] in "aeiouf" else f"a {noun}"
