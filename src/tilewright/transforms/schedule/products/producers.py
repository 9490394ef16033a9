"""Which loops have a producer warp: one beside the work-group, which issues the copies (`assign_roles.py`).

Readers have to tell it that they have read, as those of loops with several products do. Two groups of warps have such a
warp where nobody asks, if blocks go on from tile to tile, or if groups take turns and all blocks have as many
iterations. Measured on an H200, of the speed without: attention of width 128 and length 4096 1.04 if blocks go on, 1.05
if they do not, 1024 1.04, 512 1.07; causal, 4096 1.01 and .99, 512 1.08 and .98; width 96, which takes no turns, 1.01
and .97; width 256 1.07.
"""

from __future__ import annotations

from typing import Final, Protocol

from tilewright.dialects import scf, team
from tilewright.ir.core import Operation
from tilewright.ir.schedules import Schedule

_BEST: Final = 2
_MOST: Final = 4
_MOST_OF_ONE: Final = 3
"""Consumer groups beside the producer, and those of a loop with one product: more would have too few registers."""


class Found(Protocol):
    """What is known of a loop's copies by then."""

    @property
    def around(self) -> object: ...
    @property
    def turns(self) -> int: ...
    @property
    def overlap(self) -> bool: ...


def has_producer(loop: scf.For, groups: int, found: Found, schedule: Schedule) -> bool:
    """Whether a loop of so many groups of warps has a producer warp, if its readers tell what they have read."""
    if schedule.roles is not None:
        return schedule.roles and _BEST <= groups <= _MOST
    is_best = found.around is not None or (found.turns > 1 and _has_as_many(loop))
    return groups == _BEST and not found.overlap and is_best


def has_producer_of_one(groups: int, sides: int, schedule: Schedule) -> bool:
    """Whether a loop with one product of so many groups of warps has a producer warp, for so many `sides`."""
    return bool(schedule.roles) and 1 <= groups * sides <= _MOST_OF_ONE


def _has_as_many(loop: scf.For) -> bool:
    """Whether all blocks have as many iterations."""
    seen, waiting = set[Operation](), [loop.lower, loop.upper]
    while waiting:
        op = waiting.pop().defining_op
        if isinstance(op, team.GroupId | team.Part):
            return False
        if op is not None and op not in seen:
            seen.add(op)
            waiting += op.operands
    return True
