"""What may be done to the loops of a nest without changing what depends on what."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.transforms.loop_nests.dependences import Dependence, Direction


def is_parallel(loop: int, found: Sequence[Dependence]) -> bool:
    """Whether the iterations of a loop, by its number from the outermost, may run in any order and at once."""
    return all(one.carrier != loop for one in found)


def may_permute(order: Sequence[int], found: Sequence[Dependence]) -> bool:
    """Whether the loops around all references may stand in another order: the numbers of the old ones, outermost first.

    No dependence may come to point backwards: its first direction that is not EQUAL has to remain LESS.
    """
    return all(_points_forward([one.directions[k] for k in order if k < len(one.directions)]) for one in found)


def _points_forward(directions: Sequence[Direction]) -> bool:
    return next((one is Direction.LESS for one in directions if one is not Direction.EQUAL), True)


def may_tile(band: Sequence[int], found: Sequence[Dependence]) -> bool:
    """Whether adjacent loops may be cut into tiles together: any order of them is allowed in each.

    A dependence carried by a loop around the band does not matter; any other has no GREATER in the band.
    """
    first = min(band)
    return all(
        (one.carrier is not None and one.carrier < first)
        or all(one.directions[k] is not Direction.GREATER for k in band if k < len(one.directions))
        for one in found
    )
