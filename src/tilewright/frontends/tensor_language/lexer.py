"""Tokens of the tensor language: one regular expression that covers every character.

A token's class is told by its first character, so that a token is nothing but its text and its start:

    %x @f $d   local value, function, definition        word      mnemonic, type name, keyword
    .t         modifier                                 12 -1.5   number (see `is_integer`)
    "text"     string                                   !calc     preprocessor word
    -> <=      the only punctuation of two characters   (blank)   end of the text

Glued shapes (`f32x64x?`) need no help from the parser: an element type ends in front of an `x`, and an `x` that no
letter follows is a token of its own. Characters that fit nowhere become tokens that no rule accepts, so the parser
reports them where they stand.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, compress
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.frontends.tensor_language.limits import (
    IDENTIFIER_LENGTH,
    LITERAL_LENGTH,
    SOURCE_SIZE,
    TOKEN_COUNT,
    Limits,
)

END: Final = " "
"""The token behind the last one."""

# Branches are tried in this order, so the frequent ones that their first character decides come first.
_BLANK: Final = r"[ \t\r\n]+"
# All white space and comments between two tokens at once: a text may hold millions of comments and not a token.
_TRIVIA_STRETCH: Final = r"(?>(?:[ \t\r\n]++|;[^\n]*+\n)+)"
_BRANCHES: Final = r"""
      |[%$](?:\d+|[A-Za-z]\w*)
      |[(){}\[\],:=>?]
      |[adeghj-uwyzA-Z_]\w*
      |;[^\n]*
      |(?:bf16|[fi](?:16|32|64)|i8|i1|c(?:32|64)|index|bool|void)(?=x)
      |x(?![A-Za-z_])
      |[A-Za-z_]\w*
      |[-+]?(?:
          0[xX](?:(?:[0-9a-fA-F]*\.[0-9a-fA-F]+|[0-9a-fA-F]+\.)(?:[pP][-+]?\d+)?|[0-9a-fA-F]+[pP][-+]?\d+)
         |(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?
         |(?:inf|nan)(?!\w))
      |->|<=?
      |\.[A-Za-z_]\w*
      |"[^"\n]*"?
      |@(?:\d+|[A-Za-z]\w*)
      |![A-Za-z_]\w*
      |[^\x00-\x7f]+
      |."""
_FLAGS: Final = re.VERBOSE | re.ASCII | re.DOTALL
_MASTER: Final = re.compile(_TRIVIA_STRETCH + _BRANCHES, _FLAGS)
_TRIVIA: Final = " \t\r\n;"
_SIGILS: Final = "%$@"
_CHUNK: Final = 1 << 18
_UNSAFE: Final = 4


class Tokens(Struct, frozen=True):
    """All tokens of a source; the last one is `END`."""

    source: Source
    texts: list[str]
    starts: array[int]

    def range(self, index: int) -> SourceRange:
        """Source range of one token."""
        start = self.starts[index]
        text = self.texts[index]
        return SourceRange(self.source, start, start if text is END else start + len(text))


def is_integer(text: str) -> bool:
    """Whether a token is an integer literal."""
    return text.isascii() and (text.isdigit() or (text[0] in "+-" and text[1:].isdigit()))


def is_number(text: str) -> bool:
    """Whether a token is an integer or floating point literal."""
    first = text[0]
    if (first.isascii() and first.isdigit()) or text in ("inf", "nan"):
        return True
    return first in "+-." and len(text) > 1 and text != "->" and (first != "." or text[1].isdigit())


def is_word(text: str) -> bool:
    """Whether a token is a mnemonic, type name or keyword."""
    return text[0].isalpha() or text[0] == "_"


@cache
def _pieces_pattern() -> re.Pattern[str]:
    return re.compile(_BLANK + _BRANCHES, _FLAGS)


def pieces(text: str) -> Iterator[tuple[str, int]]:
    """Every token, every stretch of white space and every comment, with its start."""
    start = 0
    for piece in _pieces_pattern().findall(text):
        yield piece, start
        start += len(piece)


def is_trivia(piece: str) -> bool:
    """Whether a piece is white space and comments."""
    return piece[0] in _TRIVIA


def tokenize(source: Source, report: Report, limits: Limits) -> Tokens | None:
    """Split a source into tokens; None if a limit on the whole text is passed."""
    text = source.text
    if len(text) > limits.source_bytes:
        where = SourceRange(source, 0, 0)
        message = f"the source has {len(text):,} characters; the limit is {limits.source_bytes:,}"
        report.error(SOURCE_SIZE, where, message)
        return None
    texts: list[str] = []
    starts = array("q")
    # Equal tokens share one string: memory is what a huge file costs.
    shared: dict[str, str] = {}
    share = shared.setdefault
    for found, begin in _chunks(text):
        significant = [piece[0] not in _TRIVIA for piece in found]
        kept = list(compress(found, significant))
        texts.extend(map(share, kept, kept))
        starts.extend(compress(accumulate(map(len, found), initial=begin), significant))
        if len(texts) > limits.tokens:
            where = SourceRange(source, starts[limits.tokens], starts[limits.tokens] + len(texts[limits.tokens]))
            report.error(TOKEN_COUNT, where, f"the source has more than {limits.tokens:,} tokens")
            return None
    tokens = Tokens(source, texts, starts)
    if max(map(len, texts), default=0) > limits.literal:
        _check_lengths(tokens, report, limits)
    starts.append(starts[-1] + len(texts[-1]) if texts else len(text))
    texts.append(END)
    return tokens


def _chunks(text: str) -> Iterator[tuple[list[str], int]]:
    """The pieces of the text, a chunk at a time, with where each chunk begins: too many tokens are noticed early.

    The end of a chunk may cut a token in up to `_UNSAFE` pieces (`1e+` of `1e+5`), which are read again with the next.
    """
    begin, size = 0, _CHUNK
    while begin < len(text):
        end = begin + size
        found = _MASTER.findall(text, begin, end)
        if end < len(text):
            if len(found) <= _UNSAFE:
                size *= 2
                continue
            cut = sum(map(len, found[-_UNSAFE:]))
            del found[-_UNSAFE:]
            end -= cut
        yield found, begin
        begin, size = end, _CHUNK


def _check_lengths(tokens: Tokens, report: Report, limits: Limits) -> None:
    for index, text in enumerate(tokens.texts):
        if len(text) <= limits.literal:
            continue
        if is_number(text):
            # Signs, the point and letters of the notation are few; only a text near the limit is worth counting.
            digits = len(text) if len(text) > 2 * limits.literal else sum(c.isalnum() for c in text)
            if digits > limits.literal:
                message = f"a literal of {digits} digits; the limit is {limits.literal}"
                report.error(LITERAL_LENGTH, tokens.range(index), message)
        elif (is_word(text) or text[0] in _SIGILS) and len(text) - (text[0] in _SIGILS) > limits.identifier:
            message = f"an identifier of {len(text):,} characters; the limit is {limits.identifier:,}"
            report.error(IDENTIFIER_LENGTH, tokens.range(index), message)
