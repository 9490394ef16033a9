"""The loops of a block and of the collective regions in it, each on tiles if it may be."""

from __future__ import annotations

from tilewright.dialects import scf, tl
from tilewright.ir.core import Block
from tilewright.ir.definition import SPMD_REGION
from tilewright.transforms.loops_on_tiles.emission import emit_pieces
from tilewright.transforms.loops_on_tiles.lanes import lanes_of
from tilewright.transforms.loops_on_tiles.points import as_loops, is_for_tiles
from tilewright.transforms.loops_on_tiles.strip_emission import emit_strips
from tilewright.transforms.loops_on_tiles.strips import strip_of
from tilewright.transforms.policy import TilePolicy


def change(block: Block, tiles: TilePolicy, floats: bool, fewest: int) -> bool:
    """Put loops on tiles, as `LoopsOnTiles` has it; whether there were any."""
    changed = False
    for op in list(block):
        if isinstance(op, tl.Foreach) and is_for_tiles(op, floats, fewest):
            change(as_loops(op, fewest).body.entry, tiles, floats, fewest)
            changed = True
            continue
        strip = strip_of(op, fewest) if isinstance(op, tl.Foreach | scf.For) else None
        if strip is not None:
            emit_strips(strip, tiles, fewest)
            changed = True
            continue
        if SPMD_REGION in op.definition.traits:
            continue
        lanes = lanes_of(op, floats, fewest) if isinstance(op, scf.For) else None
        if lanes is not None:
            emit_pieces(lanes, tiles, fewest)
            changed = True
            continue
        for region in op.regions:
            for inner in region.blocks:
                changed |= change(inner, tiles, floats, fewest)
    return changed
