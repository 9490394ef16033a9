"""A place in a text that moves over it: words, numbers, strings, punctuation, and what is missing there."""

from __future__ import annotations

import re
from typing import ClassVar, Final, NoReturn

from msgspec import Struct

from tilewright.diagnostics import Diagnostic, Report, Source, SourceRange
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits

_SKIP: Final = r"(?>(?:[ \t\r\n]++|//[^\n]*+)*)"
SKIP: Final = re.compile(_SKIP)
WORD: Final = re.compile(rf"([A-Za-z_][A-Za-z0-9_$.]*+){_SKIP}")
VALUE: Final = re.compile(rf"(%(?:[0-9]++|[A-Za-z_$.-][A-Za-z0-9_$.-]*+))(?:#([0-9]{{1,9}}))?{_SKIP}")
INTEGER: Final = re.compile(rf"(-?(?:0x[0-9a-fA-F]++|[0-9]++))(?![.\w]){_SKIP}")
FLOAT: Final = re.compile(rf"(-?[0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]++)?){_SKIP}")
STRING: Final = re.compile(rf'("(?>(?:[^"\\\n]|\\.)*)"){_SKIP}')
SYMBOL: Final = re.compile(rf'@([A-Za-z_][A-Za-z0-9_$.]*+|"(?>(?:[^"\\\n]|\\.)*)"){_SKIP}')
_FLOAT_ELSEWHERE: Final = re.compile(r"([+-]?)([0-9]*+)(\.[0-9]*+)?([eE][+-]?[0-9]++)?(?![\w.])")
_NOT_FINITE: Final = re.compile(r"[+-]?(?:inf|nan)(?![\w.])")
_ESCAPE: Final = re.compile(r'\\(?:([0-9a-fA-F]{2})|([nt\\"]))')
_ANY: Final = re.compile(r"[A-Za-z_0-9$.]+|[%@#!^][A-Za-z_0-9$.-]*|->|.", re.DOTALL)
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_SIMPLE: Final = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}


class Codes(Struct, frozen=True):
    """The codes under which a language reports what is wrong with a text."""

    syntax: str
    words: str
    limit: str
    number: str


class Abort(Exception):
    """What is being read cannot be read on; the report says why."""


class GiveUp(Exception):
    """Nothing more of this text is read."""


def unescape(text: str, errors: str = "replace") -> str:
    """The string behind its spelling in quotes; `\\C3\\A9` are bytes of UTF-8, `errors` says what becomes of others."""
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    found = bytearray()
    position = 0
    for match in _ESCAPE.finditer(inner):
        found += inner[position : match.start()].encode("utf-8", "surrogatepass")
        found += bytes([int(match[1], 16)]) if match[1] else _SIMPLE[match[2]].encode()
        position = match.end()
    found += inner[position:].encode("utf-8", "surrogatepass")
    return found.decode("utf-8", errors)


def escape(text: str) -> str:
    """A string in quotes."""
    plain = text.isascii() and text.isprintable() and '"' not in text and "\\" not in text
    if plain:
        return f'"{text}"'
    return '"' + "".join(_escaped(octet) for octet in _octets(text)) + '"'


def _octets(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _escaped(octet: int) -> str:
    if octet == ord("\\"):
        return "\\\\"
    return chr(octet) if 32 <= octet < 127 and octet != ord('"') else f"\\{octet:02X}"


def _with_point(found: re.Match[str]) -> str:
    """A float with a digit, a point and a digit, as one without them is meant; empty for what is no float."""
    sign, whole, fraction, power = (part or "" for part in found.groups())
    if not (fraction or power) or not (whole or fraction[1:]):
        return ""
    return f"{sign.strip('+')}{whole or '0'}{fraction if fraction[1:] else '.0'}{power}"


class Cursor:
    """`position` stands behind white space and comments; `end` behind what was read last."""

    codes: ClassVar[Codes]

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        self.source = source
        self.text = source.text
        self.report = report
        self.limits = limits
        self.already = report.errors
        self.blamed = report.errors
        self.blames_once = False
        self.end: int = 0
        self.position: int = 0
        self.skip()

    def skip(self) -> None:
        """Move over white space and comments."""
        found = SKIP.match(self.text, self.position)
        assert found is not None
        self.position = found.end()

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what a pattern with white space behind group 1 matches here."""
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.end = found.end(found.lastindex or 1)
            self.position = found.end()
        return found

    def range_from(self, start: int) -> SourceRange:
        """From `start` to the end of what was read last."""
        return SourceRange(self.source, start, max(self.end, start))

    def range_of(self, start: int, end: int) -> SourceRange:
        """Characters `start` to `end`."""
        return SourceRange(self.source, start, end)

    def here(self) -> SourceRange:
        """The token ahead."""
        found = _ANY.match(self.text, self.position)
        return SourceRange(self.source, self.position, found.end() if found else self.position)

    # Punctuation and words

    def at(self, text: str) -> bool:
        """Whether punctuation is ahead."""
        return self.text.startswith(text, self.position)

    def accept(self, text: str) -> bool:
        """Read punctuation if it is ahead."""
        if not self.text.startswith(text, self.position):
            return False
        self.end = self.position = self.position + len(text)
        if self.text[self.end : self.end + 1] in " \t\r\n/":
            self.skip()
        return True

    def expect(self, text: str) -> None:
        """Read punctuation or say that it is missing."""
        if not self.accept(text):
            self.fail(f"expected {text!r}")

    def peek_word(self) -> str:
        """The word ahead, or an empty string."""
        found = WORD.match(self.text, self.position)
        return found[1] if found else ""

    def accept_word(self, word: str) -> bool:
        """Read a word if it is ahead."""
        if self.peek_word() != word:
            return False
        self.take(WORD)
        return True

    def expect_word(self, word: str) -> None:
        """Read a word or say that it is missing."""
        if not self.accept_word(word):
            self.fail(f"expected {word!r}")

    def word(self, what: str) -> str:
        """Any word."""
        found = self.take(WORD)
        if found is None:
            self.fail(f"expected {what}")
        return found[1]

    # Literals

    def no_number(self, what: str, may_be_float: bool = True) -> NoReturn:
        """Say that there is no number here, and how to write what would be a float in other languages."""
        if may_be_float and (found := _FLOAT_ELSEWHERE.match(self.text, self.position)):
            place, written = self.range_of(found.start(), found.end()), _with_point(found)
            if written and len(written) <= self.limits.name:
                self.fail(
                    f"write {written} for {found[0]}: a float begins with digits and a point", self.codes.number, place
                )
        if may_be_float and (found := _NOT_FINITE.match(self.text, self.position)):
            place = self.range_of(found.start(), found.end())
            message = f"{found[0]} is written as its bits, such as 0x7F800000, the infinity of f32"
            self.fail(message, self.codes.number, place)
        self.fail(f"expected {what}")

    def integer(self, what: str = "an integer") -> int:
        """A decimal or hexadecimal integer of 64 bits."""
        found = self.take(INTEGER)
        if found is None:
            self.fail(f"expected {what}")
        return self.long_integer(found[1], found.start())

    def long_integer(self, text: str, start: int) -> int:
        """An integer of 64 bits, signed."""
        value = self.checked_integer(text, start)
        if not _LEAST <= value <= _MOST:
            self.fail(
                f"{text} does not fit 64 bits", self.codes.number, SourceRange(self.source, start, start + len(text))
            )
        return value

    def checked_integer(self, text: str, start: int) -> int:
        """An integer of bounded length."""
        if len(text) > self.limits.name:
            self.fail("this number is too long", self.codes.limit, SourceRange(self.source, start, start + len(text)))
        return int(text, 0) if "x" in text else int(text)

    def string(self, what: str = "a string") -> str:
        """A string in quotes."""
        found = self.take(STRING)
        if found is None:
            self.fail(f"expected {what} in quotes")
        return unescape(found[1])

    def symbol(self) -> str:
        """`@name` or `@"any name"`."""
        found = self.take(SYMBOL)
        if found is None:
            self.fail("expected a symbol, such as @name")
        name = unescape(found[1]) if found[1].startswith('"') else found[1]
        if len(name) > self.limits.name:
            self.fail(
                f"names have at most {self.limits.name} characters", self.codes.limit, self.range_from(found.start())
            )
        return name

    # Errors

    def error(self, code: str, place: SourceRange, message: str) -> Diagnostic:
        """Report and go on, unless there are too many errors by now."""
        if self.too_many_errors:
            raise GiveUp
        return self.report.error(code, place, message)

    @property
    def too_many_errors(self) -> bool:
        """Whether more errors help nobody."""
        return self.report.errors - self.already >= self.limits.errors

    @property
    def follows_error(self) -> bool:
        """Whether something was reported in the operation that is being read."""
        return self.blames_once and self.report.errors > self.blamed

    def fail(self, message: str, code: str | None = None, place: SourceRange | None = None) -> NoReturn:
        """Report what is wrong, here unless told otherwise, and give up on what is being read.

        In an operation where something was wrong before, this most likely is a consequence of it.
        """
        if self.follows_error:
            raise Abort
        if place is None:
            place = self.here()
            found = self.text[place.start : place.end]
            message += ", found the end of the text" if not found else f", found {found!r}"
        self.report.error(code or self.codes.syntax, place, message)
        raise Abort
