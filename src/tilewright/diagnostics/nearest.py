"""What a misspelt word most likely stands for."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 80
"""Words longer than this are no misspellings, and the search is slow."""


def nearest(word: str, candidates: Iterable[str], likeness: float = 0.6) -> str | None:
    """The candidate most like the word, from 0 (nothing in common) to 1 (the same), if one is alike enough."""
    # only what is wrong needs it
    from difflib import get_close_matches

    if len(word) > _LONGEST:
        return None
    return next(iter(get_close_matches(word, list(candidates), 1, likeness)), None)
