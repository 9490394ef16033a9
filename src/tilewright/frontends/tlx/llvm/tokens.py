"""A place in LLVM text that moves over its tokens, and what is missing there."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final, NoReturn

from tilewright.diagnostics import Diagnostic, Report, Source, SourceRange
from tilewright.frontends.tlx.llvm.codes import Codes
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.cursor import Abort, GiveUp

_SHORT_VECTOR: Final = (
    r"""<(?:\d{1,9}+ x (?:i(?:1|8|16|32|64)|ptr|half|bfloat|float|double)"""
    r"""|i32 \d{1,9}+(?:, i32 \d{1,9}+){0,31}+|i64 \d{1,9}+(?:, i64 \d{1,9}+){0,31}+)>"""
)
"""Types of vectors and short lists of integers, as everybody writes them: half of a text of TLX."""
_TOKEN: Final = re.compile(
    rf"""([%@](?:[-\w$.]++|"[^"]*+")|[,()=]|{_SHORT_VECTOR}"""
    r"""|[-\w$.]++:(?!:)|"[^"]*+":?+|[!$](?:[-\w$.]++|"[^"]*+")|\#\d++|\^\d++"""
    r"""|[us]?0x[KLMHR]?[0-9A-Fa-f]++|[-+]?\d++(?:\.\d*+(?:[eE][-+]?\d++)?)?|\.\.\.|[A-Za-z_$.][\w$.]*+"""
    r"""|;[^\n]*+|[^ \t\r\n])""",
    re.ASCII,
)
_PART: Final = re.compile(r"\w+|[<,>]", re.ASCII)
_AHEAD: Final = 4
"""How many tokens behind the one ahead readers look at."""
_ESCAPE: Final = re.compile(rb"\\(\\|[0-9a-fA-F]{2})")
_SPELLED: Final = re.compile(r"[-A-Za-z$._][-A-Za-z$._0-9]*|[0-9]+")
_STRAY: Final = {"?": "text copied from a mail keeps stray '?'; delete them", "…": "'…' stands for code left out"}


def unescape(text: str) -> bytes:
    """The bytes behind what stands between quotes."""
    data = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)]), data)


def spelled(sigil: str, name: str) -> str:
    """A name behind its sigil, in quotes if it needs them."""
    if _SPELLED.fullmatch(name):
        return sigil + name
    octets = name.encode("utf-8", "surrogateescape")
    return sigil + '"' + "".join(chr(o) if 32 <= o < 127 and o not in b'"\\' else f"\\{o:02X}" for o in octets) + '"'


def is_natural(text: str) -> bool:
    """Whether a text is digits. Of other scripts, and raised ones, there are none in LLVM."""
    return text.isascii() and text.isdigit()


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


class Tokens:
    """`index` is that of the token ahead; `texts` and `starts` are those of all, with an empty one at the end.

    The type of a vector is one token, and so is a short list of integers, unless they are oddly written.
    """

    def __init__(self, source: Source, report: Report, codes: Codes, limits: Limits = DEFAULT_LIMITS) -> None:
        self.source = source
        self.report = report
        self.codes = codes
        self.limits = limits
        self.already = report.errors
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.index: int = 0

    def read_tokens(self) -> None:
        """Cut the text into tokens. Raises `GiveUp` if it is too long."""
        text, limits = self.source.text, self.limits
        if len(text) > limits.source_bytes:
            self.over("a text", len(text), limits.source_bytes, "characters", SourceRange(self.source, 0, 0))
        if len(text) > limits.tokens:
            self._bound_tokens(text, limits.tokens)
        # all at once: a text is cut into what lies between tokens and, in turn with it, tokens
        parts = _TOKEN.split(text)
        self.texts, self.starts = parts[1::2], list(accumulate(map(len, parts)))[:-1:2]
        if ";" in text:
            kept = [k for k, token in enumerate(self.texts) if token[0] != ";"]
            self.texts, self.starts = [self.texts[k] for k in kept], [self.starts[k] for k in kept]
        # some more, so that the end may be looked over
        self.texts += [""] * (_AHEAD + 1)
        self.starts += [len(text)] * (_AHEAD + 1)

    def _bound_tokens(self, text: str, most: int) -> None:
        """Count the tokens of a text that is long enough to have too many."""
        tokens = (found for found in _TOKEN.finditer(text) if found[0][0] != ";")
        for number, found in enumerate(tokens):
            if number >= most:
                self.over("a text", number + 1, most, "tokens", self.range_of(found.start(), found.end()))

    def split_vector(self) -> None:
        """Cut the token ahead, which is a vector, into its parts: something about it is wrong, and which?"""
        parts = list(_PART.finditer(self.token))
        at, start = slice(self.index, self.index + 1), self.start
        self.texts[at] = [part[0] for part in parts]
        self.starts[at] = [start + part.start() for part in parts]

    # The token ahead

    @property
    def token(self) -> str:
        """The token ahead, empty at the end."""
        return self.texts[self.index]

    @property
    def start(self) -> int:
        """Where the token ahead starts."""
        return self.starts[self.index]

    @property
    def end(self) -> int:
        """Where the token read last ends."""
        last = self.index - 1
        return self.starts[last] + len(self.texts[last]) if last >= 0 else 0

    def begins_line(self, index: int) -> bool:
        """Whether a token is the first one of its line."""
        if index == 0:
            return True
        behind = self.starts[index - 1] + len(self.texts[index - 1])
        return "\n" in self.source.text[behind : self.starts[index]]

    def take(self) -> str:
        """Read the token ahead, whatever it is."""
        found = self.texts[self.index]
        if found:
            self.index += 1
        return found

    def accept(self, text: str) -> bool:
        """Read a token if it is this one."""
        if self.texts[self.index] != text:
            return False
        self.index += 1
        return True

    def expect(self, text: str) -> None:
        """Read a token or say that it is missing."""
        if not self.accept(text):
            self.fail(f"expected {text!r}")

    def is_name(self, sigil: str) -> bool:
        """Whether a name with this sigil is ahead."""
        found = self.texts[self.index]
        return len(found) > 1 and found[0] == sigil

    def name(self, sigil: str, what: str) -> str:
        """The name behind its sigil."""
        found = self.texts[self.index]
        if len(found) < 2 or found[0] != sigil:
            self.fail(f"expected {what}")
        self.index += 1
        if found[1] != '"' and len(found) <= self.limits.name:
            return found[1:]
        return self.plain_name(found[1:], self.starts[self.index - 1])

    def plain_name(self, text: str, start: int) -> str:
        """What a name in quotes or without them is."""
        if text.startswith('"'):
            text = unescape(text[1:-1]).decode("utf-8", "surrogateescape")
        if len(text) > self.limits.name:
            place = self.range_of(start, self.end)
            self.over("a name", len(text), self.limits.name, "characters", place, give_up=False)
        return text

    def string(self, what: str) -> str:
        """What stands between quotes, with its escapes."""
        found = self.token
        if len(found) < 2 or found[0] != '"' or found[-1] != '"':
            self.fail(f"expected {what} in quotes")
        return self.take()[1:-1]

    def natural(self, what: str) -> int:
        """A decimal number without sign."""
        if not is_natural(self.token):
            self.fail(f"expected {what}")
        start = self.start
        return self.number_of(self.take(), start)

    def number_of(self, digits: str, start: int) -> int:
        """A number of bounded length."""
        if len(digits.lstrip("-+")) > self.limits.digits:
            place = self.range_of(start, start + len(digits))
            self.over("a number", len(digits), self.limits.digits, "digits", place, give_up=False)
        return int(digits)

    def skip_balanced(self) -> None:
        """Pass what stands in brackets ahead, whatever it is."""
        depth = 0
        while self.token:
            found = self.take()
            if found in {"(", "[", "{", "<"}:
                depth += 1
            elif found in {")", "]", "}", ">"}:
                depth -= 1
            if depth <= 0:
                return

    # Places and errors

    def range_of(self, start: int, end: int) -> SourceRange:
        """Characters `start` to `end`."""
        return SourceRange(self.source, start, max(start, end))

    def here(self) -> SourceRange:
        """The token ahead."""
        return self.range_of(self.start, self.start + len(self.token))

    @property
    def too_many_errors(self) -> bool:
        """Whether more errors help nobody."""
        return self.report.errors - self.already >= self.limits.errors

    def error(self, code: str, place: SourceRange, message: str) -> Diagnostic:
        """Report and go on, unless there are too many errors by now."""
        if self.too_many_errors:
            raise GiveUp
        return self.report.error(code, place, message)

    def over(
        self, what: str, found: int, most: int, unit: str, place: SourceRange, give_up: bool = True, code: str = ""
    ) -> NoReturn:
        """Say that a limit is exceeded."""
        message = f"{what} of {found:,} {unit}; the limit is {most:,}"
        self.error(code or self.codes.limit, place, message)
        raise GiveUp if give_up else Abort

    def fail(self, message: str, code: str | None = None, place: SourceRange | None = None) -> NoReturn:
        """Report what is wrong, here unless told otherwise, and give up on what is being read."""
        hint = None
        if place is None:
            place, found = self.here(), self.token
            message += f", found {found!r}" if found else ", found the end of the text"
            hint = _STRAY.get(found[:1])
        finding = self.error(code or self.codes.syntax, place, message)
        if hint is not None:
            finding.hint(hint)
        raise Abort
