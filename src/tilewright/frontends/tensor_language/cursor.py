"""Walking over tokens: what comes next, what was expected, and where an error is shown."""

from __future__ import annotations

from typing import NoReturn

from tilewright.diagnostics import Diagnostic, Report, SourceRange
from tilewright.frontends.tensor_language.lexer import END, Tokens, is_number
from tilewright.frontends.tensor_language.limits import Limits

_SHOWN = 40


class SyntaxFailure(Exception):
    """The instruction cannot be read on; the report says why."""


class GiveUp(Exception):
    """The file cannot be read on; the report says why."""


def quoted(text: str) -> str:
    """A token as shown in a message."""
    if text is END:
        return "the end of the file"
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return f"`{shown}`" if shown.isascii() and shown.isprintable() else repr(shown)


class Cursor:
    """A position in the tokens of one source: `i` is the next token, with `first` begins what is being read."""

    def __init__(self, tokens: Tokens, report: Report, limits: Limits) -> None:
        self.tokens = tokens
        self.source = tokens.source
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.report = report
        self.limits = limits
        self.errors_allowed = report.errors + limits.errors
        self.i: int = 0
        self.first: int = 0

    # Ranges

    def range(self, first: int, last: int | None = None) -> SourceRange:
        """Source range from token `first` to token `last`, both inclusive."""
        end = first if last is None else max(first, last)
        text = self.texts[end]
        tail = self.starts[end] + (0 if text is END else len(text))
        return SourceRange(self.source, self.starts[first], tail)

    def since(self, first: int) -> SourceRange:
        """Source range from token `first` to the last token read."""
        return self.range(first, self.i - 1)

    def here(self) -> SourceRange:
        """Where to report that something is missing: the next token, or the gap before it if a line ends there."""
        i = self.i
        if i and self.texts[i] is not END:
            gap = self.source.text.find("\n", self.starts[i - 1] + len(self.texts[i - 1]), self.starts[i])
            if gap < 0:
                return self.range(i)
        elif i == 0:
            return self.range(i)
        end = self.starts[i - 1] + len(self.texts[i - 1])
        return SourceRange(self.source, end, end)

    # Errors

    def error(self, code: str, where: SourceRange, message: str) -> Diagnostic:
        """Report an error; reading goes on."""
        if self.report.errors >= self.errors_allowed:
            raise GiveUp
        return self.report.error(code, where, message)

    def fail(self, expected: str, hint: str | None = None) -> NoReturn:
        """Report that `expected` should have come here and leave the instruction."""
        text = self.texts[self.i]
        stray = self._stray(text)
        if stray is not None:
            self.error("V1", self.range(self.i), stray)
            raise SyntaxFailure
        # Where nothing has been read, nothing is missing: the token itself is wrong.
        where = self.range(self.i) if self.i == self.first else self.here()
        finding = self.error("V1", where, f"expected {expected}, found {quoted(text)}")
        if hint is not None:
            finding.hint(hint)
        raise SyntaxFailure

    def abandon(self) -> NoReturn:
        """Leave an instruction whose error is reported."""
        raise SyntaxFailure

    def _stray(self, text: str) -> str | None:
        """What is wrong with a token that no rule accepts, whatever was expected."""
        if text == "\0":
            return "a NUL character; the text must be ASCII"
        if not text.isascii():
            return f"{quoted(text)} is not ASCII; other characters are allowed in comments only"
        if text[0] == '"' and (len(text) < 2 or text[-1] != '"'):
            return "this string does not end on its line"
        if text == "#" or (text == "/" and self.texts[self.i + 1] in ("/", "*")):
            return "a comment begins with `;`"
        if not text.isprintable() or text in ("`", "~", "'", "\\", "&", "|"):
            return f"the character {text!r} fits nowhere"
        return None

    # Reading

    def accept(self, text: str) -> bool:
        """Read `text` if it comes next."""
        if self.texts[self.i] == text:
            self.i += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Read `text`, which must come next."""
        if self.texts[self.i] != text:
            self.fail(f"`{text}`")
        self.i += 1

    def at_number(self) -> bool:
        """Whether an integer or float literal comes next."""
        text = self.texts[self.i]
        return text is not END and is_number(text)
