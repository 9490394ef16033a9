"""Keeping the layout of an instruction whose words change: line breaks and comments stay between the words they
stood between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from tilewright.frontends.tensor_language.lexer import is_trivia, pieces


@dataclass(frozen=True, slots=True)
class _Gap:
    """What stands behind a word: comments, with a line break in front of those on lines of their own, and whether a
    line ends."""

    comments: list[str] = field(default_factory=list[str])
    breaks: bool = False


def carry(old: str, new: str) -> str:
    """`new` with the comments and line breaks of `old`. What stood among dropped words goes to the place they left."""
    if "\n" not in old and ";" not in old:
        return new
    old_words, gaps = _split(old)
    new_words, _ = _split(new)
    behind = _behind(old_words, new_words)
    comments: dict[int, list[str]] = {}
    breaks: set[int] = set()
    for index, gap in enumerate(gaps):
        comments.setdefault(behind[index], []).extend(gap.comments)
        if gap.breaks:
            breaks.add(behind[index])
    return _join(new, comments, breaks)


def _split(text: str) -> tuple[list[str], list[_Gap]]:
    """The words of a text, and what stands behind each of them."""
    words: list[str] = []
    gaps: list[_Gap] = []
    for piece, _ in pieces(text):
        if not is_trivia(piece):
            words.append(piece)
            gaps.append(_Gap())
        elif words and piece[0] == ";":
            own_line = gaps[-1].breaks and not gaps[-1].comments
            gaps[-1].comments.append("\n" * own_line + piece.rstrip())
        elif words and "\n" in piece:
            gaps[-1] = _Gap(gaps[-1].comments, True)
    return words, gaps


def _behind(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """For each old word how many new ones stand in front of the gap behind it."""
    found = [0] * len(old)
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for index in range(a, b):
            same = tag == "equal" or b - a == d - c
            found[index] = c + index - a + 1 if same else d
    return found


def _join(new: str, comments: dict[int, list[str]], breaks: set[int]) -> str:
    """The new text with gaps behind some of its words; a line break behind the last one belongs to what follows."""
    parts: list[str] = []
    words = 0
    total = sum(1 for piece, _ in pieces(new) if not is_trivia(piece))
    for piece, _ in pieces(new):
        parts.append(piece)
        if is_trivia(piece):
            continue
        words += 1
        for comment in comments.get(words, ()):
            parts.append(comment.lstrip() + "\n" if parts[-1].endswith("\n") else f" {comment}\n")
        if words in breaks and words < total and not comments.get(words):
            parts.append("\n")
    return "".join(parts)
