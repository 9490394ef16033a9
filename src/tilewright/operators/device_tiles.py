"""Tiles of a product on an NVIDIA GPU, and in how many parts of its terms it is computed: what the target's model takes
for fastest of the extents, which programs leave open."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilewright.operators.alignment import BYTES, has_maps, has_whole_sectors
from tilewright.operators.contractions import COLUMNS, ROWS, TERMS, Arrangement
from tilewright.operators.splitting import possible_parts
from tilewright.operators.turning import is_turned, rounds

if TYPE_CHECKING:
    from tilewright.machine.cuda.architecture import Architecture
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


def device_tiles(
    arrangement: Arrangement,
    accumulate: str,
    target: str,
    precision: str,
    *,
    divides: bool,
    reads_result: bool,
    operations: int,
) -> Tiles:
    """The tiles of a product whose factors lie as the machine copies them, in parts if it may be divided. Where it
    `reads_result`, threads store that. So many `operations` on each element follow."""
    by_machine = not reads_result and has_maps(arrangement)
    whole = _chosen(arrangement, accumulate, target, precision, 1, by_machine, operations)
    best, parts = whole, 1
    time = whole.seconds
    extents = arrangement.extents
    elements = prod(extents[mode] for mode in (*arrangement.loops, ROWS, COLUMNS))
    for count in possible_parts(arrangement) if divides and time > 2 * _SECOND else ():
        moved = 2 * count * elements * BYTES[accumulate]
        more = _SECOND + moved / _ADDED
        if more >= time:
            break
        found = _chosen(arrangement, accumulate, target, precision, count)
        if found.seconds + more < time:
            best, parts, time = found, count, found.seconds + more
    return Tiles(parts, best.schedule, time)


def architecture_of(target: str) -> Architecture:
    """The machine that a target's name says, or the one that is here."""
    from tilewright.targets.nvidia.target import NvidiaTarget

    return NvidiaTarget.of(target.partition(":")[2]).architecture


def _chosen(
    arrangement: Arrangement,
    accumulate: str,
    target: str,
    precision: str,
    parts: int,
    by_machine: bool = False,
    operations: int = 0,
) -> Chosen:
    from tilewright.targets.nvidia.product_model import chosen_tile

    extents, operands = arrangement.extents, arrangement.operands
    result = accumulate if parts > 1 else operands[-1].dtype
    many = parts * prod(extents[mode] for mode in arrangement.loops)
    matrices = (extents[ROWS], extents[COLUMNS], extents[TERMS] // parts)
    left, right = operands[:2]
    exact = precision == "exact"
    return chosen_tile(
        matrices,
        many,
        "tf32" if rounds(arrangement, precision) else left.dtype,
        result,
        accumulate,
        architecture_of(target),
        whole_sectors=has_whole_sectors(left, exact=exact) and has_whole_sectors(right, exact=exact),
        turned=(is_turned(right), is_turned(left)),
        exact=exact,
        streams=parts == 1 and len(operands) == 3,
        by_machine=by_machine,
        operations=operations,
    )
