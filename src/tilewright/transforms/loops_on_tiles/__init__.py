"""loops-on-tiles: loops over neighbouring elements that may run at once, on tiles.

before:  %m = scf.for %j = %lo to %hi (%a = %init) { %x = memref.load %A[%j, %i]  %y = arith.maximum %a, %x  yield %y }
after:   tiles of A's row are loaded and folded into one, and its elements into %m at the end

What iterations compute of their elements is computed of all elements of a tile. They may store to where no other
iteration reads or writes, and fold into values that the loop carries, or into an element of memory: sums, products,
extrema, bits. Sums and products of floats are formed in another order by that; the compile option `reorder_sums=False`
leaves them out. All that moves does so along a mode of stride 1. Other loops stay, also those that use their variable
for more than subscripts. Linear in the operations of a loop, but for its accesses: each is compared with each store.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import field

from tilewright.dialects import scf, tl
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block
from tilewright.ir.definition import SPMD_REGION
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.loops_on_tiles.emission import emit_pieces
from tilewright.transforms.loops_on_tiles.lanes import lanes_of
from tilewright.transforms.loops_on_tiles.points import as_loops, is_for_tiles
from tilewright.transforms.policy import GenericTilePolicy, TilePolicy


class LoopsOnTiles(Pass, frozen=True):
    """Of collective regions, whose loops run once for a work-group.

    Loops that fold `fewest` iterations or more run on tiles: putting the elements of a tile together takes a while.
    """

    name: ClassVar[str] = "loops-on-tiles"
    tiles: TilePolicy = field(default_factory=GenericTilePolicy)
    floats: bool = True
    fewest: int = 32

    def keeping_order(self) -> LoopsOnTiles:
        return LoopsOnTiles(self.tiles, floats=False, fewest=self.fewest)

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            changed |= self._block(kernel.body.entry)
        return changed

    def _block(self, block: Block) -> bool:
        changed = False
        for op in list(block):
            if isinstance(op, tl.Foreach) and is_for_tiles(op, self.floats, self.fewest):
                self._block(as_loops(op, self.fewest).body.entry)
                changed = True
            if SPMD_REGION in op.definition.traits:
                continue
            lanes = lanes_of(op, self.floats, self.fewest) if isinstance(op, scf.For) else None
            if lanes is not None:
                emit_pieces(lanes, self.tiles, self.fewest)
                changed = True
                continue
            for region in op.regions:
                for inner in region.blocks:
                    changed |= self._block(inner)
        return changed
