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
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.policy import TilePolicy


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
        kernels = [kernel for kernel in module.kernels if _has_loops(kernel)]
        if not kernels:
            return False
        # what takes a while to import, and collective regions of few programs need
        from tilewright.transforms.loops_on_tiles.blocks import change

        changes = [change(kernel.body.entry, self.tiles, self.floats, self.fewest) for kernel in kernels]
        return any(changes)


def _has_loops(kernel: Kernel) -> bool:
    return any(isinstance(op, scf.For | tl.Foreach) for op in kernel.walk())
