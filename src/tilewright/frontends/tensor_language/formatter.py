"""Lays out text of the tensor language; works on tokens, so comments and names survive and only blanks change.

One instruction a line, four columns a region, one blank between words. Line breaks inside an instruction stay (what
follows is aligned with the bracket it stands in), and so do single empty lines. Formatting formatted text changes
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from tilewright.diagnostics import Report, Severity, Source
from tilewright.frontends.tensor_language.attribute_reader import DefinitionValue
from tilewright.frontends.tensor_language.lexer import END, is_word, pieces
from tilewright.frontends.tensor_language.parser import instructions, parse
from tilewright.frontends.tensor_language.spacing import Context, Opener, space_between

_INDENT: Final = "    "
_CONTINUED: Final = "        "
_HARMLESS: Final = frozenset({"V5", "V6", "V7", "V8", "V9", "V16", "V19", "V30", "V31", "V43"})
"""Errors that leave no doubt about where instructions begin and end."""
_CHANGED: Final = "formatting changed a token"
_OPENING: Final = "([{<"
_CLOSING: Final = ")]}>"


class _Token(Struct, frozen=True):
    """A token with what stands before it.

    `trailing` is a comment on the line of the token before, `comments` are those on lines of their own ("" for empty
    lines in front of them), `breaks` says whether a line ends, `empty_line` whether an empty one comes last.
    """

    text: str
    trailing: str
    comments: tuple[str, ...]
    breaks: bool
    empty_line: bool


def _tokens(text: str) -> list[_Token]:
    """The tokens of a text; the last is `END` and holds the comments behind the others."""
    found: list[_Token] = []
    trailing = ""
    comments: list[str] = []
    newlines = 0

    def add(piece: str) -> None:
        breaks = bool(newlines or trailing or comments)
        found.append(_Token(piece, trailing, tuple(comments), breaks, newlines > 1))

    for piece, _ in pieces(text):
        if piece[0] == ";" and not newlines and found and not comments:
            trailing = piece.rstrip()
        elif piece[0] == ";":
            comments += ["", piece.rstrip()] if newlines > 1 else [piece.rstrip()]
            newlines = 0
        elif piece[0] in " \t\r\n":
            newlines = piece.count("\n")
        else:
            add(piece)
            trailing, comments, newlines = "", [], 0
    add(END)
    return found


class _Layout(Struct):
    """Lines so far and the state that the next token is placed by."""

    tokens: list[_Token]
    lines: list[str] = field(default_factory=list[str])
    line: str = ""
    context: Context = field(default_factory=Context)
    depth: int = 0

    def run(self) -> str:
        for index, token in enumerate(self.tokens):
            self._comments(token, index)
            if token.text is END:
                break
            self._place(token, index)
        self._flush()
        return "\n".join(self.lines) + "\n" if self.lines else ""

    def _comments(self, token: _Token, index: int) -> None:
        if token.trailing and self.line:
            self.line += "  " + token.trailing
        elif token.trailing:
            # Behind a `{`, whose line is complete already.
            self.lines[-1] += "  " + token.trailing
        if token.comments or token.trailing:
            self._flush()
        for comment in token.comments:
            if comment:
                self.lines.append((self._continuation() if self.context.openers else self._indent()) + comment)
            else:
                self._empty_line()
        closes = token.text in ("}", END)
        if token.empty_line and not closes and self._begins_line(index):
            self._flush()
            self._empty_line()

    def _empty_line(self) -> None:
        """Keep an empty line, but none at the begin of a region or of the file."""
        if self.lines and self.lines[-1] and not self._region_just_opened():
            self.lines.append("")

    def _region_just_opened(self) -> bool:
        return self.context.previous == "{" and not self.context.openers and self.lines[-1].endswith("{")

    def _place(self, token: _Token, index: int) -> None:
        text = token.text
        context = self.context
        if text == "}" and not context.openers:
            self._flush()
            self.depth = max(0, self.depth - 1)
            self.line = _INDENT * self.depth + "}"
            context.begin("}")
            context.previous = "}"
            return
        if self._begins_line(index):
            self._flush()
            context.begin(text)
            self.line = self._indent()
        elif not self.line or (token.breaks and context.previous != "}" and not self._opens_region(text)):
            self._flush()
            self.line = self._continuation()
        elif space_between(context, text, self._is_dictionary(text)):
            self.line += " "
        self._advance(text)

    def _advance(self, text: str) -> None:
        """Append a token to the line and open or close its bracket."""
        context = self.context
        if self._opens_region(text):
            self.line += text
            context.previous = text
            self._flush()
            self.depth += 1
            return
        self.line += text
        if text in _OPENING:
            context.openers.append(Opener(text, context.owner(), len(self.line)))
        elif text in _CLOSING and context.openers:
            context.openers.pop()
        context.previous = text

    def _begins_line(self, index: int) -> bool:
        """Whether an instruction, a definition or a function begins at a token."""
        if self.context.openers:
            return False
        tokens = self.tokens
        text = tokens[index].text
        before = tokens[index - 1].text if index else ""
        after = tokens[index + 1].text if index + 1 < len(tokens) else END
        if text[0] == "%":
            return self._begins_results(index, before)
        if text[0] == "$":
            return after == "=" and before != "="
        return text == "func" or (text in instructions() and before != "=")

    def _begins_results(self, index: int, before: str) -> bool:
        tokens = self.tokens
        if before == "," and tokens[index - 2].text[0] == "%" and self.context.in_results:
            return False
        while tokens[index + 1].text == "," and tokens[index + 2].text[0] == "%":
            index += 2
        if tokens[index + 1].text != "=" or index + 2 >= len(tokens):
            return False
        return is_word(tokens[index + 2].text)

    def _opens_region(self, text: str) -> bool:
        return text == "{" and not self._is_dictionary(text)

    def _is_dictionary(self, text: str) -> bool:
        context = self.context
        return text == "{" and (bool(context.openers) or context.previous in ("attributes", "alloca", "="))

    def _indent(self) -> str:
        return _INDENT * self.depth

    def _continuation(self) -> str:
        """Indentation of a line that continues an instruction."""
        openers = self.context.openers
        return " " * openers[-1].column if openers else self._indent() + _CONTINUED

    def _flush(self) -> None:
        if self.line.strip():
            self.lines.append(self.line.rstrip())
        self.line = ""


def format_source(source: Source, report: Report, definitions: Mapping[str, DefinitionValue] | None = None) -> str:
    """The text in standard layout. A text with syntax errors comes back as it is, with the errors in `report`."""
    findings = Report()
    parse(source, findings, definitions)
    broken = [d for d in findings.diagnostics if d.severity is Severity.ERROR and d.code not in _HARMLESS]
    if broken:
        report.take(findings)
        return source.text
    text, kept = _laid_out(source.text)
    if findings.has_errors and not kept:
        # An error in a function's header hides what is wrong with the syntax behind it.
        report.take(findings)
        return source.text
    assert kept, _CHANGED
    return text


def laid_out(source: str) -> str:
    """A text without syntax errors in standard layout."""
    text, kept = _laid_out(source)
    assert kept, _CHANGED
    return text


def _laid_out(source: str) -> tuple[str, bool]:
    """A text in standard layout, and whether it has the tokens that it had."""
    tokens = _tokens(source)
    text = _Layout(tokens).run()
    return text, [t.text for t in _tokens(text)] == [t.text for t in tokens]
