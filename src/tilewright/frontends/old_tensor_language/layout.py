"""Keeping the layout of an instruction whose words change: line breaks and comments stay between the words they
stood between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec import Struct, field

from tilewright.frontends.tensor_language.lexer import is_trivia, pieces


class _Gap(Struct, frozen=True):
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


def comments(text: str) -> list[str]:
    """The comments of a text in their order."""
    return [piece.rstrip() for piece, _ in pieces(text) if piece[0] == ";"]


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
    start = (0, 0)
    # Words that occur once cut the texts into short parts; comparing takes quadratic time.
    for end in [*_anchors(old, new), (len(old), len(new))]:
        (a0, c0), (a1, c1) = start, end
        for tag, a, b, c, d in SequenceMatcher(None, old[a0:a1], new[c0:c1], autojunk=False).get_opcodes():
            for index in range(a, b):
                same = tag == "equal" or b - a == d - c
                found[a0 + index] = c0 + (c + index - a + 1 if same else d)
        start = end
    return found


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of words that occur once in both texts, as far as they come in the same order."""
    once_old, once_new = (_once(words) for words in (old, new))
    anchors: list[tuple[int, int]] = []
    for word, index in once_old.items():
        place = once_new.get(word, -1)
        if place > (anchors[-1][1] if anchors else -1):
            anchors.append((index, place))
    return anchors


def _once(words: Sequence[str]) -> dict[str, int]:
    counts = Counter(words)
    return {word: index for index, word in enumerate(words) if counts[word] == 1}


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
