"""What a misspelt word most likely stands for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LONGEST = 80
"""Words longer than this are no misspellings, and the search is slow."""

_MOST = 3
"""More words that are equally alike say nothing."""


def nearest(word: str, candidates: Iterable[str], likeness: float = 0.6) -> tuple[str, ...]:
    """The candidates most like the word, from 0 (nothing in common) to 1 (the same), if they are alike enough.

    Those that are equally alike, three at most, in alphabetical order.
    """
    # only what is wrong needs it
    from difflib import SequenceMatcher, get_close_matches

    if len(word) > _LONGEST:
        return ()
    close = get_close_matches(word, list(dict.fromkeys(candidates)), _MOST, likeness)
    alike = {one: SequenceMatcher(None, one, word).ratio() for one in close}
    return tuple(sorted(one for one in close if alike[one] == max(alike.values())))


def did_you_mean(words: Sequence[str], mark: str = "") -> str:
    """The question whether one of some words was meant, each between two marks."""
    *others, last = (f"{mark}{word}{mark}" for word in words)
    return f"did you mean {' or '.join([', '.join(others), last] if others else [last])}?"
