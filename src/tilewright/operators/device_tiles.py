"""Tiles of a product on an NVIDIA GPU, and in how many parts of its terms it is computed: what the target's model takes
for fastest of the extents, which programs leave open."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilewright.operators.alignment import BYTES, has_whole_sectors
from tilewright.operators.contractions import COLUMNS, ROWS, TERMS, Arrangement
from tilewright.operators.splitting import possible_parts

if TYPE_CHECKING:
    from tilewright.targets.nvidia.product_model import Chosen

_SECOND: Final = 2.5e-6
"""Seconds of a second launch."""
_ADDED: Final = 2e12
"""Bytes a second of the sums of parts, stored and read."""


class Tiles(Struct, frozen=True):
    """In how many parts a product is computed, the schedule that asks for its tiles, and the seconds that it takes."""

    parts: int
    schedule: str
    seconds: float


def device_tiles(arrangement: Arrangement, accumulate: str, target: str, *, divides: bool) -> Tiles:
    """The tiles of a product whose factors lie as the machine copies them, in parts if it may be divided."""
    whole = _chosen(arrangement, accumulate, target, 1)
    best, parts = whole, 1
    time = whole.seconds
    extents = arrangement.extents
    elements = prod(extents[mode] for mode in (*arrangement.loops, ROWS, COLUMNS))
    for count in possible_parts(arrangement) if divides and time > 2 * _SECOND else ():
        moved = 2 * count * elements * BYTES[accumulate]
        more = _SECOND + moved / _ADDED
        if more >= time:
            break
        found = _chosen(arrangement, accumulate, target, count)
        if found.seconds + more < time:
            best, parts, time = found, count, found.seconds + more
    return Tiles(parts, best.schedule, time)


def _chosen(arrangement: Arrangement, accumulate: str, target: str, parts: int) -> Chosen:
    from tilewright.targets.nvidia.product_model import chosen_tile
    from tilewright.targets.nvidia.target import NvidiaTarget

    extents, operands = arrangement.extents, arrangement.operands
    result = accumulate if parts > 1 else operands[-1].dtype
    many = parts * prod(extents[mode] for mode in arrangement.loops)
    matrices = (extents[ROWS], extents[COLUMNS], extents[TERMS] // parts)
    architecture = NvidiaTarget.of(target.partition(":")[2]).architecture
    whole_sectors = all(map(has_whole_sectors, operands[:2]))
    return chosen_tile(matrices, many, operands[0].dtype, result, accumulate, architecture, whole_sectors=whole_sectors)
