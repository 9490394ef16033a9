"""Reads the short form of operations by their declarations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from tilewright.diagnostics import SourceRange
from tilewright.dialects.cuda_tile.attributes import Assumption, CodedEnum, Hints, Symbol
from tilewright.dialects.cuda_tile.base import TileOperation, generic_name
from tilewright.dialects.cuda_tile.types import TensorView, View
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
from tilewright.frontends.tile_ir.attribute_text import BRACKETED
from tilewright.frontends.tile_ir.codes import SYNTAX, WORDS
from tilewright.frontends.tile_ir.draft import Draft
from tilewright.frontends.tile_ir.properties import property_of
from tilewright.frontends.tile_ir.value_text import MISMATCH, ValueReader
from tilewright.ir.core import Attribute, Value
from tilewright.ir.mlir.cursor import WORD
from tilewright.ir.types import Type


class FormReader(ValueReader):
    """Reads what stands behind a mnemonic."""

    def form(self, draft: Draft) -> None:
        """The parts of an operation's short form."""
        for step in _steps(draft.cls):
            step(self, draft)

    def operand(self, draft: Draft, name: str) -> None:
        """One operand."""
        value, place = self.value()
        draft.take_operand(name, value, place)

    def operand_list(self, draft: Draft, name: str) -> None:
        """Any number of operands."""
        if not self.at_value():
            return
        self.operand(draft, name)
        while self.accept(","):
            self.operand(draft, name)

    def dictionary_of(self, draft: Draft) -> None:
        """`{name = value, ..}`, with or without the word `attributes` in front."""
        if not self.at("{") and not (self.at("attributes") and self.accept_word("attributes")):
            return
        start = self.position
        for name, value in self.dictionary().items():
            self.set_attribute(draft, name, value, self.range_from(start))

    def set_attribute(self, draft: Draft, name: str, value: Attribute, place: SourceRange) -> None:
        """An attribute by the name that the generic form gives it; one of no declared name is kept as it is."""
        cls = draft.cls
        for key, spec in cls.definition.attributes.items():
            if generic_name(cls, key) == name:
                if key in draft.attributes:
                    self.error(SYNTAX, place, f"{name} is given twice")
                    return
                found = property_of(key, spec.kind, value)
                if found is None:
                    self.error(WORDS, place, f"{name} is an attribute of another kind")
                    draft.broken = True
                    return
                draft.attributes[key] = found
                draft.places[key] = place
                return
        if name in draft.attributes or name in cls.definition.operands:
            self.error(SYNTAX, place, f"{name} is given twice")
            return
        draft.attributes[name] = value
        draft.places[name] = place

    def expect_type(self, draft: Draft, name: str, index: int, type_: Type, place: SourceRange) -> None:
        """Report an operand whose value has another type than is written."""
        group = draft.operands.get(name, ())
        if draft.broken or self.follows_error or index >= len(group) or group[index].type == type_:
            return
        self.mismatch(group[index], type_, draft.operand_places[name][index], place)
        draft.broken = True

    def mismatch(self, value: Value, type_: Type, use: SourceRange, place: SourceRange) -> None:
        """A value's type is not the one that is written."""
        finding = self.error(MISMATCH, use, f"{use.source.text[use.start : use.end]} has type {value.type}")
        finding.label(place, f"not {type_}").label(value.location, "defined here")
        finding.hint("nothing is converted silently: convert the value, or write its type")

    def type_list(self) -> list[tuple[Type, SourceRange]]:
        """Types with commas between them."""
        found: list[tuple[Type, SourceRange]] = []
        while True:
            start = self.position
            type_ = self.value_type()
            found.append((type_, self.range_from(start)))
            if not self.accept(","):
                return found

    def counted_types(self, draft: Draft, name: str, shared: bool) -> None:
        """The types of a list of operands."""
        group = draft.operands.get(name, ())
        start = self.position
        found = self.type_list()
        if draft.broken or self.follows_error:
            return
        if shared and len(found) == 1:
            found *= len(group)
        if len(found) != len(group):
            said = f"{len(found)} types for {len(group)} operands"
            self.error(MISMATCH, self.range_from(start), said)
            draft.broken = True
            return
        for index, (type_, place) in enumerate(found):
            self.expect_type(draft, name, index, type_, place)

    def dimension_type(self, draft: Draft) -> None:
        """The one type of all results, of which there is one for each dimension of the operand."""
        start = self.position
        type_ = self.value_type()
        draft.places["type"] = self.range_from(start)
        source = next((v.type for group in draft.operands.values() for v in group), None)
        rank = len(source.shape) if isinstance(source, TensorView) else source.rank if isinstance(source, View) else 0
        draft.results = [type_] * rank

    def short_attribute(self, part: AttributePart) -> Attribute:
        """An attribute where the short form has a place for it."""
        if issubclass(part.kind, CodedEnum):
            return self.enum(part.kind)
        return _READERS[part.kind](self, part.name)

    def booleans(self) -> tuple[bool, ...]:
        """`[true, false, ..]`."""
        self.expect("[")
        found: list[bool] = []
        while not self.at("]"):
            start = self.position
            word = self.word("true or false")
            if word not in ("true", "false"):
                self.fail(f"{word[:80]!r} is not one of true, false", WORDS, self.range_from(start))
            found.append(word == "true")
            if not self.accept(","):
                break
        self.expect("]")
        return tuple(found)


Step = Callable[[FormReader, Draft], None]

_READERS: Final[dict[type, Callable[[FormReader, str], Attribute]]] = {
    int: lambda reader, name: reader.integer(),
    str: lambda reader, name: reader.string(),
    tuple: lambda reader, name: reader.booleans() if name == "inbounds" else reader.integers(),
    Symbol: lambda reader, name: Symbol(reader.symbol()),
    Assumption: lambda reader, name: reader.predicate(),
    Hints: lambda reader, name: reader.hints(),
}


@cache
def _steps(cls: type[TileOperation]) -> tuple[Step, ...]:
    return _compile(form_of(cls), cls)


def _compile(parts: tuple[Part, ...], cls: type[TileOperation]) -> tuple[Step, ...]:
    return tuple(_step(part, cls) for part in parts)


def _step(part: Part, cls: type[TileOperation]) -> Step:
    match part:
        case Literal(text):
            if text.isidentifier():
                return lambda reader, draft: reader.expect_word(text)
            return lambda reader, draft: reader.expect(text)
        case OperandPart(name, variadic):
            return (
                (lambda reader, draft: reader.operand_list(draft, name))
                if variadic
                else (lambda reader, draft: reader.operand(draft, name))
            )
        case AttributePart():
            return _optional(part) if part.optional else _required(part)
        case TypePart():
            return _types(part, cls)
        case Group():
            return _group(part, cls)
        case Flags(flags):
            return _flags(flags)
        case Dictionary():
            return lambda reader, draft: reader.dictionary_of(draft)
        case Custom(name):
            assert name == "dimension_type", f"{cls.name} has a form of its own"
            return lambda reader, draft: reader.dimension_type(draft)


def _required(part: AttributePart) -> Step:
    def step(reader: FormReader, draft: Draft) -> None:
        start = reader.position
        draft.attributes[part.name] = reader.short_attribute(part)
        draft.places[part.name] = reader.range_from(start)

    return step


def _optional(part: AttributePart) -> Step:
    read = _required(part)
    kind = part.kind
    if kind is bool:
        return _flags((part,))
    assert issubclass(kind, CodedEnum)
    words = frozenset({BRACKETED[kind]} if kind in BRACKETED else {m.value for m in kind})

    def step(reader: FormReader, draft: Draft) -> None:
        at = reader.position
        text = reader.text[at : at + 1]
        if text == ":" or text == "-":
            return
        if reader.peek_word() in words or (text == "#" and reader.at("#cuda_tile.")):
            read(reader, draft)

    return step


def _flags(parts: tuple[AttributePart, ...]) -> Step:
    by_word = {part.word: part.name for part in parts}

    def step(reader: FormReader, draft: Draft) -> None:
        while (found := reader.peek_word()) in by_word:
            start = reader.position
            reader.take(WORD)
            name = by_word[found]
            place = reader.range_from(start)
            if name in draft.attributes:
                reader.error(SYNTAX, place, f"{found} is given twice")
            draft.attributes[name] = True
            draft.places[name] = place

    return step


def _group(part: Group, cls: type[TileOperation]) -> Step:
    steps = _compile(part.parts, cls)
    if not part.introduces:

        def follow(reader: FormReader, draft: Draft) -> None:
            if part.key in draft.operands:
                for step in steps:
                    step(reader, draft)

        return follow
    first = part.parts[0]
    ahead = first.text if isinstance(first, Literal) else "%"
    is_word = ahead.isidentifier()

    def introduce(reader: FormReader, draft: Draft) -> None:
        if reader.at(ahead) and (not is_word or reader.peek_word() == ahead):
            for step in steps:
                step(reader, draft)

    return introduce


def _types(part: TypePart, cls: type[TileOperation]) -> Step:
    if part.listed:
        return lambda reader, draft: reader.counted_types(draft, part.name, part.shared)
    name, operands = part.name, part.operands
    in_results = any(name in (key, spec.var) for key, spec in cls.definition.results.items())
    is_place = in_results or name not in cls.definition.operands
    follows = name in list(cls.definition.results)[1:]

    def step(reader: FormReader, draft: Draft) -> None:
        start = reader.position
        type_ = reader.value_type()
        place = reader.range_from(start)
        if is_place and not (follows and "type" in draft.places):
            draft.places["type"] = place
        before = draft.types.get(name)
        draft.types[name] = type_
        if before is None:
            for operand in operands:
                reader.expect_type(draft, operand, 0, type_, place)
        elif before != type_ and not (draft.broken or reader.follows_error):
            reader.error(MISMATCH, place, f"this type is {before}, as before")
            draft.broken = True

    return step
