"""What is left of blocks of queries when all multiprocessors have had as many: it is divided by keys.

Work-groups that go on take one block of queries each, round after round. Where 4,096 blocks meet 132 multiprocessors,
four of these have a block in the last round and the others none: a round as long as others for a hundredth of the
work. The last blocks are left to a second launch, in which each is computed for several parts of the keys (a batch of
parts, which all have the same queries), and a third one, which makes one result of those of the parts
(`attention_sums_text.py`). No two work-groups meet in memory, and sums have an order: results are the same in each run.

Blocks that are left are the first ones of the last head, or whole heads, the last ones of the last batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from tilewright.operators.attention_heads import Head

_AROUND: Final = 1.0
"""Blocks of keys that are multiplied while a work-group begins and ends."""
_APART: Final = 6 * 128**3
"""Products of as many numbers on one multiprocessor take as long as two more launches."""
_WORTH: Final = 0.01
"""Of all time that has to be won."""
_MOST_PARTS: Final = 32


class Rest(Struct, frozen=True):
    """So many `blocks` of queries of each of the last `heads` of the last batch, in so many `parts`."""

    heads: int
    blocks: int
    parts: int

    @property
    def taken(self) -> int:
        """All blocks of queries."""
        return self.heads * self.blocks


class Blocks(Struct, frozen=True):
    """Attention in blocks, without a mask: batches, heads that share key heads by groups, blocks of queries of a head,
    blocks of keys; products of numbers in one of both."""

    batch: int
    heads: int
    group: int
    queries: int
    keys: int
    products: int

    @property
    def all(self) -> int:
        """Blocks of queries."""
        return self.batch * self.heads * self.queries


def best_rest(of: Blocks, resident: int) -> Rest | None:
    """What is left to a launch of its own, where so many work-groups run at a time; None if it is not worth that."""
    usual = -(-of.all // resident) * (of.keys + _AROUND)
    found = min(_candidates(of, resident), key=lambda rest: _time(of, rest, resident), default=None)
    return found if found is not None and _time(of, found, resident) < (1 - _WORTH) * usual else None


def _candidates(of: Blocks, resident: int) -> Iterator[Rest]:
    """Those that leave whole rounds, or heads."""
    parts = [count for count in range(2, min(of.keys, _MOST_PARTS) + 1) if of.keys % count == 0]
    left = of.all % resident
    for count in parts:
        if 0 < left < of.queries:
            yield Rest(1, left, count)
        for heads in range(of.group, of.heads + 1, of.group):
            if heads * of.queries < of.all:
                yield Rest(heads, of.queries, count)


def _time(of: Blocks, rest: Rest, resident: int) -> float:
    """In blocks of keys."""
    rounds, last = (-(-count // resident) for count in (of.all - rest.taken, rest.taken * rest.parts))
    return rounds * (of.keys + _AROUND) + last * (of.keys // rest.parts + _AROUND) + _APART / of.products


def parts_of(q: Head, k: Head, rest: Rest, rows: int) -> tuple[Head, Head]:
    """Queries and keys of the launch of parts: a batch of them, from `first_of` on."""
    _, _, keys, width = k.shape
    (_, of_q, row, one), (_, of_k, key, _) = q.strides, k.strides
    group = q.shape[1] // k.shape[1]
    each, key_heads = keys // rest.parts, max(rest.heads // group, 1)
    queries = Head((rest.parts, rest.heads, rest.blocks * rows, width), (0, of_q, row, one))
    return queries, Head((rest.parts, key_heads, each, width), (each * key, of_k, key, one))


def first_of(of: Head, heads: int) -> int:
    """The element at which the last heads of the last batch begin."""
    return (of.shape[0] - 1) * of.strides[0] + (of.shape[1] - heads) * of.strides[1]
