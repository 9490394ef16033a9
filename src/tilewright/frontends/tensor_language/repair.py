"""Missing `}`: found by the indentation of the text, close to where it was forgotten.

Without this the end of the file would be the first place to notice, after many errors about names that seem to be
defined twice. Only texts with more `{` than `}` come here.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Report, SourceRange
from tilewright.frontends.tensor_language.lexer import Tokens

_NOT_INDENTED: Final = -1
"""Column of a region whose first line is not further to the right than the one that opens it."""


class _Open(Struct, frozen=True):
    token: int
    column: int


def lacks_braces(tokens: Tokens) -> bool:
    """Whether the text opens more braces than it closes."""
    return tokens.texts.count("{") > tokens.texts.count("}")


def close_by_indentation(tokens: Tokens, report: Report, mnemonics: Container[str]) -> Tokens:
    """The tokens with a `}` wherever a statement stands too far to the left for the region it is in; reports each."""
    texts = tokens.texts
    missing = texts.count("{") - texts.count("}")
    found: list[tuple[int, _Open]] = []
    stack: list[_Open] = []
    column = parentheses = 0
    for index, text in enumerate(texts):
        if not parentheses and _begins_statement(texts, index, mnemonics):
            here = _column(tokens, index)
            if here is not None:
                column = here
                if stack and stack[-1].token == index - 1 and text not in ("func", "}") and here <= stack[-1].column:
                    stack[-1] = _Open(index - 1, _NOT_INDENTED)
                while stack and len(found) < missing and _is_outside(column, text, stack[-1]):
                    found.append((index, stack.pop()))
        if text == "{":
            stack.append(_Open(index, column))
        elif text == "}" and stack:
            stack.pop()
        elif text in "([":
            parentheses += 1
        elif text in ")]" and parentheses:
            parentheses -= 1
    return _insert(tokens, found, report)


def _is_outside(column: int, text: str, region: _Open) -> bool:
    return text == "func" or (column < region.column if text == "}" else column <= region.column)


def _begins_statement(texts: list[str], index: int, mnemonics: Container[str]) -> bool:
    text = texts[index]
    return text[0] in "%$}" or text == "func" or text in mnemonics


def _column(tokens: Tokens, index: int) -> int | None:
    """Column of a token that is the first on its line."""
    start = tokens.starts[index]
    text = tokens.source.text
    begin = text.rfind("\n", 0, start) + 1
    return None if text[begin:start].strip(" \t\r") else start - begin


def _insert(tokens: Tokens, found: list[tuple[int, _Open]], report: Report) -> Tokens:
    if not found:
        return tokens
    texts, starts = tokens.texts[:], tokens.starts[:]
    for index, _ in reversed(found):
        end = tokens.starts[index - 1] + len(tokens.texts[index - 1])
        texts.insert(index, "}")
        starts.insert(index, end)
    for index, region in found:
        end = tokens.starts[index - 1] + len(tokens.texts[index - 1])
        finding = report.error("V1", SourceRange(tokens.source, end, end), "expected `}`, judging by the indentation")
        finding.label(tokens.range(region.token), "this region is still open")
        finding.fix(SourceRange(tokens.source, end, end), "\n}", "close the region")
    return Tokens(tokens.source, texts, starts)
