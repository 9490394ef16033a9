"""What is left of blocks of queries when all multiprocessors have had as many: it is divided by keys.

Work-groups that go on take one block of queries each, round after round. Where 4,096 blocks meet 132 multiprocessors,
four of these have a block in the last round and the others none: a round as long as others for a thousandth of the
work. The last blocks are left to a second launch, in which each is computed for several parts of the keys, and a third
one makes one result of those of the parts (`attention_sums_text.py`). No two work-groups write to one place, and sums
have an order: results are the same in each run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

_AROUND: Final = 1.0
"""Blocks of keys that are multiplied while a work-group begins and ends a block of queries."""
APART: Final = 6 * 128**3
"""Products of as many numbers on one multiprocessor take as long as two more launches."""
_OF_RESULTS: Final = 1.1
"""And as many for each element of the result of a part, which is stored and read once."""
_FEW, _WITH_ALL = 0.75, 1.25
"""What a round takes of the time of a whole one that few multiprocessors, or all, have a block in, as a line between:
the fewer there are the faster they are, of one supply of power."""
_WORTH: Final = 0.014
"""Of all time that has to be won."""
_MOST_PARTS: Final = 32
_MOST_ROUNDS: Final = 2
"""Of which blocks are divided."""


class Rest(Struct, frozen=True):
    """So many of the last `blocks` of queries, by so many blocks of `keys`."""

    blocks: int
    keys: int

    def parts(self, keys: int) -> int:
        """Of so many blocks of keys; the last one may have fewer."""
        return -(-keys // self.keys)


def best_rest(blocks: int, keys: int, each: tuple[int, int], width: int, resident: int) -> Rest | None:
    """What is left to launches of its own of so many blocks of queries, which see as many blocks of keys, where so many
    work-groups run at a time; None if it is not worth that.

    Blocks have so many queries and keys `each`, of a width.
    """
    rows, columns = each
    whole, last = divmod(blocks, resident)
    usual = (whole + (min(_FEW + (_WITH_ALL - _FEW) * last / resident, 1) if last else 0)) * (keys + _AROUND)
    apart, of_results = APART / (rows * columns * width), _OF_RESULTS / columns

    def time(rest: Rest) -> float:
        """In blocks of keys."""
        results = rest.blocks * rest.parts(keys)
        of_parts = -(-results // resident) * (rest.keys + _AROUND) + results * of_results
        return (blocks - rest.blocks) // resident * (keys + _AROUND) + of_parts + apart

    found = min(_candidates(blocks, keys, resident), key=time, default=None)
    return found if found is not None and time(found) < (1 - _WORTH) * usual else None


def _candidates(blocks: int, keys: int, resident: int) -> Iterator[Rest]:
    for left in range(blocks % resident, min(blocks, _MOST_ROUNDS * resident), resident):
        if left:
            yield from (Rest(left, each) for each in range(-(-keys // _MOST_PARTS), keys))
