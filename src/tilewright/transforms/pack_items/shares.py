"""How threads of a crew share items that are moved one by one.

An access of a warp costs a pass for each line of memory that it touches, so neighbours belong to lanes beside each
other: a group of lanes moves an item, as many as it has pieces for, and all groups together so many items a pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit

_MOST_PIECES: Final = 48
"""Of a thread, of items that are on their way together."""
_WORTH: Final = 0.9
"""Of the accesses, for groups of which lanes beside each other move less that lies side by side."""


class Share(Struct, frozen=True):
    """`lanes` threads an item, `groups` of them; `passes` until all are moved, of which a `batch` is at a time."""

    lanes: int
    groups: int
    passes: int
    batch: int

    @staticmethod
    def of(crew: int, items: int, pieces: Sequence[int], *, batched: bool) -> Share:
        """Of a crew that moves so many items, whose tiles are so many pieces each; one pass at a time unless batched.

        Groups divide the items, so that all of them move as many; they are the largest that have pieces for each
        thread, or the next ones if these move all in much fewer accesses.
        """
        sizes = [crew >> k for k in range(crew.bit_length()) if crew % (1 << k) == 0 and items % (1 << k) == 0]
        lanes, *smaller = [size for size in sizes if size <= min(pieces)] or sizes[-1:]
        if (
            batched
            and smaller
            and smaller[0] * _accesses(pieces, smaller[0]) <= _WORTH * lanes * _accesses(pieces, lanes)
        ):
            lanes = smaller[0]
        each = _accesses(pieces, lanes)
        passes = items * lanes // crew
        return Share(lanes, crew // lanes, passes, min(max(_MOST_PIECES // each, 1), passes) if batched else 1)

    def slot(self, build: Builder, lane: Value, number: Value) -> Value:
        """The item of the chunk that a thread of the crew moves in a pass."""
        return emit.add(
            build, emit.quotient(build, lane, self.lanes), emit.mul(build, number, build.index(self.groups))
        )

    def rank(self, build: Builder, lane: Value) -> Value:
        """Its number among those that move the item."""
        return emit.rem(build, lane, build.index(self.lanes)) if self.groups > 1 else lane


def _accesses(pieces: Sequence[int], lanes: int) -> int:
    """Of a thread, for an item."""
    return sum(-(-count // lanes) for count in pieces)
