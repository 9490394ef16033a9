"""Steps: the loops and accesses to tiles that one collective instruction became, tied together by an attribute."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tilewright.dialects import scf, tile
from tilewright.ir.core import Operation

STEP: Final = "step"
"""Attribute that ties the tile accesses and loops of one collective instruction together."""


def tag_step(ops: Iterable[Operation], step: int) -> int:
    """Mark loops and accesses to tiles as parts of one collective instruction; how many operations it became."""
    count = 0
    for root in ops:
        for op in root.walk():
            count += 1
            if isinstance(op, scf.For | tile.Load | tile.Store | tile.AtomicStore | tile.AtomicRmw):
                op.attributes[STEP] = step
    return count


def next_step(root: Operation) -> int:
    """A number that no instruction inside of an operation has."""
    numbers = [step for op in root.walk() if isinstance(step := op.attributes.get(STEP), int)]
    return max(numbers, default=-1) + 1
