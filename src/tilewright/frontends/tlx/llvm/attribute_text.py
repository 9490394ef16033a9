"""Reads attributes of functions, parameters and calls, and passes over metadata."""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.frontends.tlx.llvm.constant_text import CONSTANT_WORDS, ConstantReader
from tilewright.frontends.tlx.llvm.syntax import Attributes

_TYPED: Final = frozenset({"byval", "sret", "elementtype", "preallocated", "inalloca", "byref"})
_NUMBERED: Final = frozenset({"align", "alignstack", "dereferenceable", "dereferenceable_or_null"})
_OLD_READS: Final = {"nocapture": ("captures", "none")}
ITEMS: Final = frozenset({"define", "declare", "attributes", "target", "source_filename", "module"})
"""Words that items of a module begin with."""
_NEVER: Final = frozenset("%@!<>(){},=")
"""What no attribute begins with."""
_BEHIND: Final = frozenset(
    {"to", "unwind", "personality", "prefix", "prologue", "section", "comdat", "gc", "partition"}
)


class AttributeReader(ConstantReader):
    """`groups` are attribute groups (`attributes #0 = {..}`), which may be used before they stand there."""

    groups: dict[str, Attributes]
    stops: ClassVar[frozenset[str]] = ITEMS
    """Words that begin something else than an attribute."""

    def attributes(self) -> Attributes:
        """Attributes up to what is none. A group is kept by its name (`#0`)."""
        found: Attributes = {}
        while True:
            token = self.texts[self.index]
            if token[:1] in _NEVER:
                return found
            if token[:1] == "#" and token[1:].isdigit():
                found[self.take()] = None
            elif len(token) > 1 and token[0] == '"':
                self._quoted(found)
            elif self._at_word(token):
                self.attribute(found)
            else:
                return found

    def resolved(self, attributes: Attributes) -> Attributes:
        """With what groups say in their places."""
        found: Attributes = {}
        for name, value in attributes.items():
            if name.startswith("#"):
                found |= self.groups.get(name, {})
            else:
                found[name] = value
        return found

    def _at_word(self, token: str) -> bool:
        first = token[:1]
        if not (first.isalpha() or first == "_") or token.endswith(":"):
            return False
        return token not in self.stops and token not in CONSTANT_WORDS and token not in _BEHIND and not self.at_type()

    def _quoted(self, found: Attributes) -> None:
        key = self.string("an attribute")
        found[f'"{key}"'] = self.string("the value of an attribute") if self.accept("=") else None

    def attribute(self, found: Attributes) -> None:
        """One attribute that is a word."""
        start, name = self.start, self.take()
        if name in _OLD_READS:
            key, value = _OLD_READS[name]
            found[key] = value
        elif name in _TYPED:
            found[name] = None
            if self.accept("("):
                found[name] = self.value_type("the type of the attribute")
                self.expect(")")
        elif name in _NUMBERED:
            bracket = self.accept("(")
            if not bracket:
                self.accept("=")
            found[name] = self.natural("a number")
            if bracket:
                self.expect(")")
            if name == "align" and found[name] not in _POWERS:
                place = self.range_of(start, self.end)
                self.error(self.codes.malformed, place, "an alignment is a power of two up to 4294967296")
        elif self.token == "(":
            inside = self.start
            self.skip_balanced()
            found[name] = self.source.text[inside + 1 : max(self.end - 1, inside + 1)].strip()
        else:
            found[name] = None

    # Metadata

    def trailing_metadata(self) -> None:
        """Pass `, !dbg !12` behind an instruction."""
        while self.token == "," and self.texts[self.index + 1][:1] == "!":
            self.index += 1
            self.attached_metadata()

    def attached_metadata(self) -> None:
        """Pass `!dbg !12`."""
        self.take()
        self.metadata()
        self.leave_out("metadata")

    def metadata(self) -> None:
        """Pass `!12`, `!{..}`, `!"text"`, `!DILocation(..)`, `distinct !{..}`."""
        self.accept("distinct")
        if self.token[:1] != "!":
            self.fail("expected metadata")
        found = self.take()
        if found == "!" and self.token[:1] == '"':
            self.take()
        elif self.token == ("{" if found == "!" else "(") and not found[1:].isdigit():
            self.skip_balanced()

    def leave_out(self, what: str) -> None:
        """Count something that is read and not kept."""
        raise NotImplementedError


_POWERS: Final = frozenset(1 << k for k in range(33))
