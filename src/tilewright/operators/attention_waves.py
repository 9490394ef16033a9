"""How long multiprocessors take for blocks of queries under a mask, of which some see many keys and some few.

Time is counted in blocks of keys; what a block of queries begins and ends with takes as long as some more of them.
Work-groups that begin anew take the next block of queries when one is done, and nothing is multiplied while they load
the first keys and store the result. Those that go on take pairs of a long block and a short one, all as long
(`attention_whole_text.py`): what is left of pairs keeps some busy while others are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapreplace
from typing import Final

_GOING_ON: Final = 0.9
_ANEW: Final = 1.9
"""Blocks of `_KEYS` that are multiplied while a block of queries begins and ends: what times at lengths 512 and 4096
differ by, on an H200, width 128; of width 256 0.8 and 1.7."""
_KEYS: Final = 128
_LAST: Final = 8
"""Blocks of queries of a multiprocessor from which on what was in front of them does not matter any more."""


def is_faster_in_pairs(seen: Sequence[int], keys: int, heads: int, band: int, resident: int) -> bool:
    """Whether work-groups that go on are done before those that begin anew, of bands of so many heads.

    Blocks of queries of each head see so many blocks of `keys`, those first that see most. So many run at a time.
    """
    return _in_pairs(seen, keys, heads, resident) <= _anew(seen, keys, heads // band, band, resident)


def _in_pairs(seen: Sequence[int], keys: int, heads: int, resident: int) -> float:
    """As long as a pair for as many pairs as run at a time; of those that are left they take a block each, or two."""
    around = _GOING_ON * _KEYS / keys
    rounds, left = divmod(len(seen) * heads // 2, resident)
    pair = 2 * (sum(seen) / len(seen) + around)
    rest = 0.0 if not left else pair if 2 * left > resident else seen[0] + around
    return rounds * pair + rest


def _anew(seen: Sequence[int], keys: int, bands: int, band: int, resident: int) -> float:
    """As long as all take on average, and what some wait for others in the end."""
    times = [blocks + _ANEW * _KEYS / keys for blocks in seen for _ in range(band)]
    ends = [0.0] * resident
    for _ in range(min(bands, 1 + _LAST * resident // len(times))):
        for time in times:
            heapreplace(ends, ends[0] + time)
    return (bands * sum(times) - sum(ends)) / resident + max(ends)
