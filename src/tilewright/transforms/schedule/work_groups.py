"""How many work-groups a kernel can have, as far as what they write tells."""

from __future__ import annotations

from math import prod

from tilewright.dialects import scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.types import MemrefType
from tilewright.transforms.schedule.known import collective
from tilewright.transforms.tile_values import tile_type


def most_groups(kernel: Kernel) -> int | None:
    """So many, if each writes a tile of its own of the same array; None if no tile is written once by each."""
    counts = (_tiles(op) for op in collective(kernel) if isinstance(op, tile.Store) and not _repeats(op))
    return min((count for count in counts if count is not None), default=None)


def _repeats(op: tile.Store) -> bool:
    return any(isinstance(parent, scf.For | scf.While) for parent in op.ancestors())


def _tiles(op: tile.Store) -> int | None:
    """Tiles like the one that is stored of the whole memref, whose extents must be known; at least one."""
    assert isinstance(op.memref.type, MemrefType)
    pairs = list(zip(op.memref.type.shape, tile_type(op.value).shape, strict=True))
    known = [-(-extent // max(length, 1)) for extent, length in pairs if extent is not None]
    return max(prod(known), 1) if len(known) == len(pairs) else None
