"""Going on after an error: at the next instruction, definition or `}`."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from tilewright.frontends.tensor_language.function import FunctionReader
from tilewright.frontends.tensor_language.lexer import END, is_word
from tilewright.frontends.tensor_language.vocabulary import ATTRIBUTE_NAMES, TYPE_WORDS

_CONTINUING: Final = frozenset({"else", "attributes", "init", "as", "in", "x", "true", "false", "inf", "nan"})
_UNFINISHED: Final = frozenset({"=", ",", ":", "(", "[", "<", "->"})


def resume(p: FunctionReader, mnemonics: Container[str]) -> None:
    """Skip the rest of a broken instruction. What it would have defined is broken, its region is read for its own."""
    if not p.frames:
        # The error came from behind the last brace.
        return
    # Results of the region around may come from the broken instruction (a misspelt yield, say).
    p.frames[-1].broken = True
    texts = p.texts
    first = p.first
    i = max(p.i, first + 1) if texts[p.i] is not END else p.i
    dictionaries = _open_dictionaries(texts, first, i)
    while True:
        text = texts[i]
        if text == "}" and dictionaries:
            dictionaries -= 1
            i += 1
            continue
        if text is END or text == "}" or _begins(texts, i, mnemonics) or _misspelt(p, i):
            p.i = i
            break
        if text == "{":
            if not _at_dictionary(texts, i):
                p.orphan(i)
                break
            i = _behind_dictionary(texts, i)
        else:
            i += 1
    for token in range(first, i):
        if texts[token][0] == "%" and len(texts[token]) > 1:
            p.poison(token)


def _open_dictionaries(texts: list[str], first: int, end: int) -> int:
    """How many dictionaries the part of the instruction that was read has opened and not closed."""
    depth = 0
    for text in texts[first:end]:
        if text == "{":
            depth += 1
        elif text == "}" and depth:
            depth -= 1
    return depth


def _begins(texts: list[str], i: int, mnemonics: Container[str]) -> bool:
    """Whether an instruction, a definition or the next function begins at a token."""
    text = texts[i]
    if text[0] == "%":
        return _begins_with_results(texts, i)
    if text[0] == "$":
        return texts[i + 1] == "="
    if text == "func":
        return texts[i + 1][0] == "@"
    return text in mnemonics and texts[i - 1] != "="


def _misspelt(p: FunctionReader, i: int) -> bool:
    """Whether a line begins with a word that continues nothing: most likely another misspelt instruction."""
    text = p.texts[i]
    if not is_word(text) or text in _CONTINUING or text in TYPE_WORDS or p.texts[i - 1] in _UNFINISHED:
        return False
    return p.source.text.find("\n", p.starts[i - 1] + len(p.texts[i - 1]), p.starts[i]) >= 0


def _begins_with_results(texts: list[str], i: int) -> bool:
    """Whether `%a, %b = word` stands at a token that begins such a list."""
    if texts[i - 1] == "," and texts[i - 2][0] == "%":
        return False
    while texts[i + 1] == "," and texts[i + 2][0] == "%":
        i += 2
    return texts[i + 1] == "=" and is_word(texts[i + 2])


def _at_dictionary(texts: list[str], i: int) -> bool:
    """Whether the `{` at a token opens a dictionary rather than a region."""
    following = texts[i + 1]
    return (following in ATTRIBUTE_NAMES or following[0] == '"') and texts[i + 2] == "="


def _behind_dictionary(texts: list[str], i: int) -> int:
    depth = 0
    while texts[i] is not END:
        depth += (texts[i] == "{") - (texts[i] == "}")
        i += 1
        if not depth:
            break
    return i
