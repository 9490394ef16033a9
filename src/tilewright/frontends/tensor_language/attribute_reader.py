"""Reading attributes and the definitions that may stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from tilewright.diagnostics import Location, Source, SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.frontends.tensor_language.cursor import SyntaxFailure, quoted
from tilewright.frontends.tensor_language.lexer import END, is_integer, is_word, tokenize
from tilewright.frontends.tensor_language.limits import ATTRIBUTE_SIZE, NESTING
from tilewright.frontends.tensor_language.preprocess import (
    OPERATORS,
    CalcError,
    Definition,
    Kind,
    calculate,
    kind_of,
)
from tilewright.frontends.tensor_language.type_reader import TypeReader
from tilewright.frontends.tensor_language.vocabulary import ATTRIBUTE_NAMES, LANGUAGE_ATTRIBUTES
from tilewright.ir.core import Attribute, Place
from tilewright.ir.types import Type

DefinitionValue = bool | int | float | complex | str | Type | tuple[Attribute, ...] | dict[str, Attribute]
"""A definition from outside; a string is read as the text to the right of `=`."""

Places = dict[Place, Location]


class AttributeReader(TypeReader):
    """Reads attributes, dictionaries and definitions."""

    _entries = 0
    """Entries of arrays and dictionaries read for the current attribute, those of definitions included."""

    def attribute(self, depth: int = 0) -> Attribute:
        """An array, dictionary, bool, integer or string."""
        index = self.i
        text = self.texts[index]
        if text == "[" or text == "{":
            if depth >= self.limits.attribute_nesting:
                message = f"attributes nested more than {self.limits.attribute_nesting} deep"
                self.error(NESTING, self.range(index), message)
                raise SyntaxFailure
            return self._array(depth) if text == "[" else self.dictionary({}, depth)
        if is_integer(text):
            self.i = index + 1
            return self.to_int(index)
        if text == "true" or text == "false":
            self.i = index + 1
            return text == "true"
        if text[0] == '"':
            return self._string()
        if text[0] == "$":
            found = self.definition()
            if found.kind in (Kind.FLOAT, Kind.COMPLEX, Kind.TYPE):
                raise self.wrong_kind(found, index, "an attribute")
            self._count(found.size, index)
            return found.value
        return self.fail("an attribute: an integer, bool, string, `[` or `{`")

    def _string(self) -> str:
        text = self.texts[self.i]
        if len(text) < 2 or text[-1] != '"' or not text.isascii() or not text.isprintable():
            self.fail("a string")
        self.i += 1
        return text[1:-1]

    def _count(self, entries: int, index: int) -> None:
        self._entries += entries
        if self._entries > self.limits.attribute_entries:
            message = f"an attribute of more than {self.limits.attribute_entries:,} entries"
            self.error(ATTRIBUTE_SIZE, self.range(index), message)
            raise SyntaxFailure

    def _array(self, depth: int) -> tuple[Attribute, ...]:
        self.i += 1
        entries: list[Attribute] = []
        if not self.accept("]"):
            entries.append(self.attribute(depth + 1))
            while self.accept(","):
                entries.append(self.attribute(depth + 1))
            self._count(len(entries), self.i - 1)
            if not self.accept("]"):
                self.fail("`,` or `]`")
        return tuple(entries)

    def dictionary(self, places: Places, depth: int = 0) -> dict[str, Attribute]:
        """A dictionary or a definition of one; the range of each entry goes to `places`."""
        if not depth:
            self._entries = 0
        if self.texts[self.i][0] == "$":
            return self._defined_dictionary(places)
        self.expect("{")
        entries: dict[str, Attribute] = {}
        starts: dict[str, Location] = {}
        if self.accept("}"):
            return entries
        while True:
            first = self.i
            name = self._attribute_name()
            self.expect("=")
            value = self.attribute(depth + 1)
            self._count(1, first)
            where = self.since(first)
            if name in entries:
                finding = self.error("V16", where, f"attribute `{name}` is given twice")
                finding.label(starts[name], "first given here")
            else:
                entries[name], starts[name] = value, where
            if not self.accept(","):
                break
        if not self.accept("}"):
            self.fail("`,` or `}`")
        places.update(starts)
        return entries

    def refuse_others(
        self, owner: str, given: dict[str, Attribute], known: frozenset[str], places: Mapping[Place, Location]
    ) -> None:
        """Report the language's attributes that `owner` does not have, and take them out."""
        for name in sorted(given.keys() & ATTRIBUTE_NAMES - known):
            where = places[name].primary
            assert where is not None
            finding = self.error("V16", where, f"{owner} has no attribute `{name}`")
            finding.hint("it knows " + ", ".join(f"`{k}`" for k in sorted(known)))
            del given[name]

    def kept_apart(self, given: dict[str, Attribute], known: frozenset[str]) -> dict[str, Attribute]:
        """Attributes as operations and parameters hold them: quoted names without a meaning are one entry."""
        found = {name: value for name, value in given.items() if name in known}
        others = {name: value for name, value in given.items() if name not in known}
        return {**found, LANGUAGE_ATTRIBUTES: others} if others else found

    def _defined_dictionary(self, places: Places) -> dict[str, Attribute]:
        index = self.i
        found = self.definition()
        if not isinstance(found.value, dict):
            raise self.wrong_kind(found, index, "a dictionary")
        places.update(dict.fromkeys(found.value, self.range(index)))
        return dict(found.value)

    def _attribute_name(self) -> str:
        text = self.texts[self.i]
        if text in ATTRIBUTE_NAMES:
            self.i += 1
            return text
        if text[0] == '"':
            return self._string()
        if not is_word(text):
            self.fail("an attribute name")
        finding = self.error("V2", self.range(self.i), f"{quoted(text)} is not an attribute name")
        guesses = nearest(text, ATTRIBUTE_NAMES)
        finding.suggest(self.range(self.i), guesses, "`")
        if not guesses:
            finding.hint("names that the language does not know are written in quotes")
        self.i += 1
        return text

    # Definitions

    def at_define(self) -> bool:
        """Whether `$name =` comes next."""
        return self.texts[self.i][0] == "$" and self.texts[self.i + 1] == "="

    def refuse_undefined(self) -> NoReturn:
        """Report that no `=` follows the `$name` that comes next."""
        self.i += 1
        self.fail("`=`")

    def define(self) -> None:
        """Read `$name = ..` and make it visible in the current scope."""
        first = self.i
        name = self.texts[first]
        where = self.range(first)
        self.i += 2
        try:
            value, size = self._right_side()
        except SyntaxFailure:
            # Uses of a definition without value are not reported again.
            self._add(Definition(name, Kind.UNKNOWN, None, where, used=True), where)
            raise
        self._add(Definition(name, kind_of(value), value, where, size, used=True), where)

    def _add(self, definition: Definition, where: SourceRange) -> None:
        taken = self.definitions.add(definition)
        if taken is not None and taken.kind is Kind.UNKNOWN and taken.value is None:
            return
        if taken is not None:
            finding = self.error("V8", where, f"`{definition.name}` is defined twice")
            finding.label(taken.location, "first defined here")
            finding.hint("a definition holds in nested regions too; take another name")
            taken.used = True

    def _right_side(self) -> tuple[Attribute, int]:
        """Value of what stands to the right of `=`, and the number of its entries."""
        self._entries = 0
        index = self.i
        text = self.texts[index]
        if text == "!calc":
            return self._calc(), 1
        if text[0] == "$":
            found = self.definition()
            return found.value, found.size
        if self.at_type() or text in ("void", "i1"):
            return self.read_type(), 1
        if self.at_number() and not is_integer(text):
            self.i += 1
            return self.to_float(index), 1
        if text == "[" and self._at_complex():
            self.i += 1
            return self.complex_tail(), 1
        if text in ("[", "{", "true", "false") or text[0] == '"' or is_integer(text):
            return self.attribute(), 1 + self._entries
        return self.fail("a constant, type, attribute, definition or `!calc`")

    def _at_complex(self) -> bool:
        """Whether `[` opens a complex constant: its first part is a float or a definition of one."""
        text = self.texts[self.i + 1]
        if text[0] == "$":
            found = self.definitions.visible.get(text)
            return found is not None and found.kind is Kind.FLOAT
        self.i += 1
        answer = self.at_number() and not is_integer(text)
        self.i -= 1
        return answer

    def _calc(self) -> int:
        first = self.i
        self.i += 1
        self.expect("(")
        items: list[int | str] = []
        places: list[SourceRange] = []
        while self.texts[self.i] != ")":
            index = self.i
            text = self.texts[index]
            places.append(self.range(index))
            if text in OPERATORS:
                self.i += 1
                items.append(text)
            elif text[0] == "%" and text[1:].isdigit():
                # `7 4 %2 +`: an operator directly before a number is still an operator.
                self.i += 1
                items += ["%", int(text[1:]) if len(text) < 19 else 0]
                places.append(self.range(index))
            else:
                items.append(self.integer("an integer, an operator or `)`"))
        self.i += 1
        try:
            return calculate(items)
        except CalcError as error:
            where = self.since(first) if error.index is None else places[error.index]
            self.error("V8", where, error.message)
            raise SyntaxFailure from None

    # Definitions from outside

    def define_outside(self, given: Mapping[str, DefinitionValue]) -> None:
        """Make definitions from outside the text visible."""
        for name, value in given.items():
            key = "$" + name.removeprefix("$")
            text = value if isinstance(value, str) else ""
            source = Source(f"<definition of {key}>", text)
            where = SourceRange(source, 0, len(text))
            if not _is_identifier(key[1:]):
                self.error("V8", where, f"`{key}` is not a name for a definition")
                continue
            if isinstance(value, str):
                self._define_text(key, source)
            else:
                self._add(Definition(key, kind_of(value), value, where), where)

    def _define_text(self, key: str, source: Source) -> None:
        """Read the right side of a definition from a text of its own."""
        where = SourceRange(source, 0, len(source.text))
        tokens = tokenize(source, self.report, self.limits)
        if tokens is None:
            return
        inner = AttributeReader(tokens, self.report, self.limits)
        inner.definitions = self.definitions
        value, size = None, 1
        try:
            value, size = inner._right_side()
            if inner.texts[inner.i] is not END:
                inner.fail("the end of the definition")
        except SyntaxFailure:
            value = None
        kind = Kind.UNKNOWN if value is None else kind_of(value)
        self._add(Definition(key, kind, value, where, size), where)

    def report_unused(self, given: Mapping[str, DefinitionValue]) -> None:
        """Warn about definitions from outside that the text never uses."""
        for name in given:
            found = self.definitions.visible.get("$" + name.removeprefix("$"))
            if found is not None and not found.used and found.kind is not Kind.UNKNOWN:
                self.report.warning("V8", found.location, f"definition `{found.name}` from outside is never used")


def _is_identifier(text: str) -> bool:
    if not text.isascii():
        return False
    return text.isdigit() or (text[:1].isalpha() and text.replace("_", "").isalnum())
