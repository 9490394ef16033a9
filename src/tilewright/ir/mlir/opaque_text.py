"""Keeps the text of attributes and types of dialects, and knows what aliases stand for."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.ir.attributes import Attribute, AttributeValue
from tilewright.ir.mlir.affine_text import AffineReader
from tilewright.ir.mlir.attributes import OpaqueAttribute
from tilewright.ir.mlir.codes import LIMIT, WORDS
from tilewright.ir.mlir.cursor import SKIP, Abort
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.spelling import Piece, UnitAttribute, piece_of, spell
from tilewright.ir.mlir.types import OpaqueType
from tilewright.ir.types import ScalarType, Type

_NAME: Final = re.compile(rf"([!#](?:[0-9]++|[A-Za-z_$.-][A-Za-z0-9_$.-]*+)){SKIP.pattern}")
_BODY: Final = re.compile(r'"(?>(?:[^"\\\n]|\\.)*)"|->|[<>()\[\]{}"]|[!#][A-Za-z_][A-Za-z0-9_$.-]*+(?!<)')
_CLOSING: Final = {"<": ">", "(": ")", "[": "]", "{": "}"}
DEFINITION: Final = re.compile(rf"([!#][A-Za-z_0-9][A-Za-z0-9_$-]*+){SKIP.pattern}=(?!=){SKIP.pattern}")


class Alias(AttributeValue, Struct, frozen=True):
    """What an alias stands for; how much it is with all that it consists of, and how deep aliases are nested in it.

    It may stand behind the operations of the file, as those of locations do.
    """

    name: str
    value: Attribute
    weight: int
    depth: int
    place: SourceRange
    behind: bool = False

    def __str__(self) -> str:
        return f"{self.name} = {spell(self.value)}"

    @property
    def stands_for_itself(self) -> bool:
        """Whether the object behind the name is that of the alias alone: scalars and such are shared by everything."""
        return not isinstance(self.value, bool | str | ScalarType | UnitAttribute) and self.value != ()


class OpaqueReader(AffineReader):
    """Reads `!dialect.name<..>`, `#dialect.name<..>`, `!alias` and `#alias`.

    `aliases_lost`: a definition could not be read, so that aliases that are not defined are no news.
    """

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.aliases: dict[str, Alias] = {}
        self.aliases_lost = False

    def opaque_type(self) -> Type:
        start = self.position
        found = self._named("a type")
        if not isinstance(found, tuple):
            value = self.resolve(found, start)
            if not isinstance(value, Type):
                self.fail(f"{found[:80]} is no type", WORDS, self.range_from(start))
            return value
        return self.dialect_type(found, start)

    def dialect_type(self, parts: tuple[Piece, ...], start: int) -> Type:
        """The type of a dialect that a text from `start` to here spells. Readers that know dialects override it."""
        return OpaqueType(parts)

    def opaque_attribute(self) -> Attribute:
        """An attribute of a dialect, or what an alias stands for: `#` is ahead."""
        start = self.position
        found = self._named("an attribute")
        if not isinstance(found, tuple):
            return self.resolve(found, start)
        return OpaqueAttribute(found, self.type() if self.accept(":") else None)

    def alias_ahead(self) -> str | None:
        """The name of the alias that is ahead, if it is one."""
        found = _NAME.match(self.text, self.position)
        if found is None or "." in found[1] or self.text.startswith("<", found.end(1)):
            return None
        return found[1]

    def resolve(self, name: str, start: int) -> Attribute:
        """What an alias stands for."""
        alias = self.aliases.get(name)
        if alias is None and self.aliases_lost:
            raise Abort
        if alias is None:
            place = self.range_of(start, start + len(name))
            finding = self.error(WORDS, place, f"the alias {name[:80]} is not defined above")
            finding.suggest(place, nearest(name, self.aliases))
            raise Abort
        self.weight += alias.weight
        self.reached = max(self.reached, alias.depth)
        return alias.value

    def _named(self, what: str) -> str | tuple[Piece, ...]:
        """The name of an alias, or the text of a dialect's own."""
        start = self.position
        found = self.take(_NAME)
        if found is None:
            self.fail(f"expected {what}")
        if self.text.startswith("<", found.end(1)):
            return self._body(start, found.end(1))
        return (found[1],) if "." in found[1] else found[1]

    def _body(self, start: int, opening: int) -> tuple[Piece, ...]:
        """From the prefix to the bracket that closes the one at `opening`; known aliases become their values."""
        parts: list[Piece] = []
        expected: list[str] = []
        written = start
        for found in _BODY.finditer(self.text, opening):
            token = found[0]
            if token in _CLOSING:
                expected.append(_CLOSING[token])
            elif token in (">", ")", "]", "}"):
                if token != expected[-1]:
                    self.fail(f"expected {expected[-1]!r}, found {token!r}", place=self.range_of(*found.span()))
                expected.pop()
                if not expected:
                    self._close(found.end())
                    return (*parts, self.text[written : found.end()])
            elif token == '"':
                self.fail("this string does not end", place=self.range_of(*found.span()))
            elif token in self.aliases:
                parts += [self.text[written : found.start()], piece_of(self.resolve(token, found.start()))]
                written = found.end()
        return self.fail("this bracket is not closed", place=self.range_of(opening, opening + 1))

    def _close(self, end: int) -> None:
        self.position = self.end = end
        self.skip()

    def define_alias(self, behind: bool) -> None:
        """`#name = attribute` or `!name = type`."""
        found = DEFINITION.match(self.text, self.position)
        assert found is not None
        name, place = found[1], self.range_of(*found.span(1))
        self.position, self.end = found.end(), found.end(1)
        before, self.reached = self.weight, 0
        value = self.type() if name.startswith("!") else self.attribute()
        weight = self.weight - before
        if weight > self.limits.operations or self.reached > self.limits.debug_nesting:
            self.fail(f"{name[:80]} stands for too much: aliases of aliases grow without bound", LIMIT, place)
        known = self.aliases.get(name)
        if known is not None:
            self.error(WORDS, place, f"the alias {name[:80]} is defined twice").label(known.place, "defined here")
            return
        self.aliases[name] = Alias(name, value, weight, self.reached + 1, place, behind)
