"""Reads aliases, locations and debug information."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilewright.diagnostics import Report, Source
from tilewright.dialects.cuda_tile.debug import (
    LOCATIONS,
    SCOPES,
    CallSite,
    CompileUnit,
    DebugFile,
    DebugInfo,
    DebugPool,
    FileLocation,
    FusedDebug,
    LexicalBlock,
    NamedLocation,
    ScopedLocation,
    Subprogram,
)
from tilewright.frontends.tile_ir.attribute_spelling import spell_generic
from tilewright.frontends.tile_ir.attribute_text import AttributeReader
from tilewright.frontends.tile_ir.codes import LIMIT, SYNTAX, WORDS
from tilewright.ir.core import Attribute
from tilewright.ir.mlir.cursor import SKIP, Abort
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.trampoline import Steps, run
from tilewright.ir.types import Type

DEBUG: Final = "C23"
_DEFINITION: Final = re.compile(rf"([!#][A-Za-z_][A-Za-z0-9_$.]*+){SKIP.pattern}=(?!=){SKIP.pattern}")
_DEFINITIONS: Final = re.compile(r"^[ \t]*+(?=[!#][A-Za-z_])", re.MULTILINE)
_ALIAS: Final = re.compile(rf"#([A-Za-z_][A-Za-z0-9_$.]*+){SKIP.pattern}")
_INTEGERS: Final = frozenset({"line", "scopeLine", "column"})
_STRINGS: Final = frozenset({"name", "linkageName"})
_PLACE: Final = re.compile(r"loc\(|#cuda_tile\.di_")
_Kinds: TypeAlias = tuple[type[DebugInfo], ...]
_KINDS: Final[dict[str, _Kinds]] = {"file": (DebugFile,), "scope": SCOPES, "compileUnit": (CompileUnit,)}
_SHAPES: Final[dict[str, tuple[str, ...]]] = {
    "di_compile_unit": ("file",),
    "di_lexical_block": ("scope", "file", "line", "column"),
    "di_subprogram": ("file", "line", "name", "linkageName", "compileUnit", "scopeLine"),
}


class _Alias(Struct, frozen=True):
    """What an alias stands for: a type, an attribute, or debug information (None: unknown)."""

    type: Type | None = None
    attribute: Attribute = None
    debug: DebugInfo | None = None
    is_debug: bool = False
    weight: int = 1


class DebugReader(AttributeReader):
    """Reads aliases, which may be used before their definition, and `loc(..)`.

    What an alias stands for is read once, when it is first needed. `weight` counts the attributes that are expanded,
    so that aliases of aliases cannot grow without bound; places are shared, not expanded.
    """

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.pool = DebugPool()
        self._places = self._find_aliases()
        self._aliases: dict[str, _Alias | None] = {}
        self._open: dict[str, None] = {}
        self._open_values = 0
        self._open_debug = 0

    def _find_aliases(self) -> dict[str, int]:
        places: dict[str, int] = {}
        if "!" not in self.text and "#" not in self.text:
            return places
        for start in _DEFINITIONS.finditer(self.text):
            found = _DEFINITION.match(self.text, start.end())
            if found is not None:
                places.setdefault(found[1], found.start())
        return places

    # Aliases

    def at_alias(self) -> bool:
        """Whether the definition of an alias is ahead."""
        return self.text[self.position : self.position + 1] in ("!", "#") and bool(
            _DEFINITION.match(self.text, self.position)
        )

    def alias_definition(self) -> None:
        """Check the definition of an alias and move over it."""
        start = self.position
        found = _DEFINITION.match(self.text, start)
        assert found is not None
        name = found[1]
        if self._places.get(name) != start:
            finding = self.error(
                SYNTAX, self.range_of(start, start + len(name)), f"the alias {name[:80]} is defined twice"
            )
            first = self._places.get(name, start)
            finding.label(self.range_of(first, first + len(name)), "defined here")
        elif name not in self._aliases:
            run(self._resolve(name, start))
        self.position = found.end()
        run(self._alias_value(name))

    def _resolve(self, name: str, used: int) -> Steps[_Alias]:
        """What an alias stands for."""
        if name in self._aliases and name not in self._open:
            known = self._aliases[name]
            if known is None:
                raise Abort
            self.weigh(known.weight)
            return known
        at = self._places.get(name)
        place = self.range_of(used, used + len(name))
        if at is None and "." in name:
            self.fail(
                f"{name[:80]} is of another dialect; Tile IR holds its own and numbers, texts, lists", WORDS, place
            )
        if at is None:
            self.fail(f"the alias {name[:80]} is not defined", WORDS, place)
        if name in self._open:
            self.fail(f"the alias {name[:80]} stands for itself", WORDS, place)
        definition = _DEFINITION.match(self.text, at)
        assert definition is not None
        # Types and attributes are read on Python's stack, places are not.
        values = not _PLACE.match(self.text, definition.end())
        if values and self._open_values >= self.limits.attribute_nesting:
            self.fail(f"aliases of aliases are more than {self.limits.attribute_nesting} deep", LIMIT, place)
        back = self.position, self.end
        self._open[name] = None
        self._open_values += values
        self._aliases[name] = None
        try:
            self.position = definition.end()
            before = self.weight
            found: _Alias = yield self._alias_value(name)
        finally:
            del self._open[name]
            self._open_values -= values
            self.position, self.end = back
        weight = 1 if found.is_debug else max(1, self.weight - before)
        found = self._aliases[name] = replace(found, weight=weight)
        return found

    def _alias_value(self, name: str) -> Steps[_Alias]:
        if name.startswith("!"):
            return _Alias(type=self.type())
        if _PLACE.match(self.text, self.position):
            return _Alias(debug=(yield self._debug()), is_debug=True)
        if self.at("#") and not self.at("#cuda_tile."):
            return (yield self._attribute_alias())
        return _Alias(attribute=self.attribute())

    def _attribute_alias(self) -> Steps[_Alias]:
        start = self.position
        name = self.take(_ALIAS)
        if name is None:
            self.fail("expected an attribute")
        return (yield self._resolve("#" + name[1], start))

    def type_alias(self, name: str) -> Type | None:
        """What a type alias stands for."""
        return run(self._resolve("!" + name, self.end - len(name) - 1)).type

    def attribute_alias(self) -> Attribute:
        """What an attribute alias stands for."""
        start = self.position
        name = _ALIAS.match(self.text, start)
        at = None if name is None else self._places.get("#" + name[1])
        definition = None if at is None else _DEFINITION.match(self.text, at)
        # Seen before it is read, so that places within attributes within places do not nest on Python's stack.
        if definition is not None and name is not None and _PLACE.match(self.text, definition.end()):
            self.fail("this alias is a location, not an attribute", WORDS, self.range_of(start, name.end(1)))
        found = run(self._attribute_alias())
        if found.is_debug:
            self.fail("this alias is a location, not an attribute", WORDS, self.range_from(start))
        return found.attribute

    # Locations

    def trailing_location(self) -> DebugInfo | None:
        """`loc(..)` behind an operation, if it is there."""
        return run(self._place()) if self.at("loc(") else None

    def _place(self) -> Steps[DebugInfo | None]:
        return self._debug_of(LOCATIONS, "a location")

    def _debug_of(self, kinds: _Kinds, what: str) -> Steps[DebugInfo | None]:
        """Debug information of some kinds, or none."""
        start = self.position
        found: DebugInfo | None = yield self._debug()
        if found is not None and not isinstance(found, kinds):
            self.fail(f"expected {what}", DEBUG, self.range_from(start))
        return found

    def _debug(self) -> Steps[DebugInfo | None]:
        """A location or debug attribute, in any spelling; None is an unknown location."""
        if self.at("#") and not self.at("#cuda_tile.di_"):
            return (yield self._place_alias())
        start = self.position
        self._open_debug += 1
        try:
            # What is open is counted, too: how deep it is, is known when everything has been read.
            self._check_depth(self._open_debug, start)
            found: DebugInfo | None = yield self._location_or_attribute()
            self._check_depth(self.pool.depth(found), start)
            return found
        finally:
            self._open_debug -= 1

    def _check_depth(self, depth: int, start: int) -> None:
        if depth > self.limits.debug_nesting:
            message = f"debug information is nested more than {self.limits.debug_nesting:,} deep"
            self.fail(message, LIMIT, self.range_of(start, max(self.end, start + 1)))

    def _location_or_attribute(self) -> Steps[DebugInfo | None]:
        self.weigh(1)
        if self.accept("loc("):
            found: DebugInfo | None = yield self._location()
            self.expect(")")
            return found
        if self.at("#cuda_tile.di_"):
            return (yield self._debug_attribute())
        return (yield self._location())

    def _place_alias(self) -> Steps[DebugInfo | None]:
        start = self.position
        alias: _Alias = yield self._attribute_alias()
        if not alias.is_debug:
            self.fail("this alias is no location", WORDS, self.range_from(start))
        return alias.debug

    def _location(self) -> Steps[DebugInfo | None]:
        start = self.position
        if self.at("#"):
            return (yield self._debug())
        if self.at('"'):
            return (yield self._named())
        match self.word("a location"):
            case "unknown":
                return None
            case "callsite":
                self.expect("(")
                callee = yield self._place()
                self.expect_word("at")
                caller = yield self._place()
                self.expect(")")
                return self.pool.make(CallSite, callee, caller)
            case "fused":
                return (yield self._fused())
            case word:
                return self.fail(f"there is no location {word[:80]!r}", WORDS, self.range_from(start))

    def _named(self) -> Steps[DebugInfo]:
        text = self.string()
        if self.accept(":"):
            line = self.integer("a line")
            self.expect(":")
            return self.pool.make(FileLocation, text, line, self.integer("a column"), self._end_of_range())
        child = None
        if self.accept("("):
            child = yield self._place()
            self.expect(")")
        return self.pool.make(NamedLocation, text, child)

    def _end_of_range(self) -> tuple[int, ...]:
        """`to :column` or `to line:column`, if it is there."""
        if not self.accept_word("to"):
            return ()
        lines = () if self.at(":") else (self.integer("a line"),)
        self.expect(":")
        return (*lines, self.integer("a column"))

    def _fused(self) -> Steps[DebugInfo]:
        metadata = ""
        if self.accept("<"):
            metadata = spell_generic(self.attribute())
            self.expect(">")
        self.expect("[")
        parts: list[DebugInfo | None] = []
        while not self.at("]"):
            parts.append((yield self._place()))
            if not self.accept(","):
                break
        self.expect("]")
        return self.pool.make(FusedDebug, tuple(parts), metadata)

    def _debug_attribute(self) -> Steps[DebugInfo | None]:
        start = self.position
        self.expect("#cuda_tile.")
        kind = self.word("a debug attribute")
        self.expect("<")
        match kind:
            case "di_file":
                name = self.string("a file name")
                self.expect_word("in")
                found: DebugInfo = self.pool.make(DebugFile, name, self.string("a directory"))
            case "di_loc":
                found = yield self._scoped(start)
            case "di_compile_unit" | "di_lexical_block" | "di_subprogram":
                found = yield self._fields(kind)
            case _:
                self.fail(f"there is no attribute #cuda_tile.{kind[:80]}", WORDS, self.range_from(start))
        self.expect(">")
        return found

    def _scoped(self, start: int) -> Steps[DebugInfo]:
        inner: DebugInfo | None = yield self._place()
        self.expect_word("in")
        scope = yield self._debug_of(SCOPES, "a scope")
        if inner is None:
            return self.pool.make(ScopedLocation, scope, "", 0, 0)
        if not isinstance(inner, FileLocation) or inner.end:
            self.fail("a di_loc is a place in a file within a scope", DEBUG, self.range_from(start))
        return self.pool.make(ScopedLocation, scope, inner.file, inner.line, inner.column)

    def _fields(self, kind: str) -> Steps[DebugInfo]:
        """`name = value, ..` in any order; what is missing is unknown, 0 or empty."""
        found: dict[str, DebugInfo | str | int | None] = {}
        while not self.at(">"):
            start = self.position
            name = self.word("a name")
            if name not in _SHAPES[kind] or name in found:
                said = "is given twice" if name in found else f"is not one of {', '.join(_SHAPES[kind])}"
                self.fail(f"{name[:80]!r} {said}", WORDS, self.range_from(start))
            self.expect("=")
            if name in _INTEGERS:
                found[name] = self.integer()
            elif name in _STRINGS:
                found[name] = self.string()
            else:
                found[name] = yield self._debug_of(_KINDS[name], f"a {name}")
            if not self.accept(","):
                break
        values = [found.get(n, 0 if n in _INTEGERS else "" if n in _STRINGS else None) for n in _SHAPES[kind]]
        if kind == "di_compile_unit":
            return self.pool.make(CompileUnit, *values)
        if kind == "di_lexical_block":
            return self.pool.make(LexicalBlock, *values)
        return self.pool.make(Subprogram, *values)
