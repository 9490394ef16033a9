"""Stores that another one of the same place follows, with nothing in between that reads it.

    memref.store %x, %C, %j, %i   ..   %y = add %x, %p   memref.store %y, %C, %j, %i     (the first is erased)

That is what `mlir-opt --affine-scalrep` makes of unrolled sums: it hands on what was stored, and leaves the stores. The
last of them alone says what becomes of the place.
"""

from __future__ import annotations

from tilewright.dialects import memref
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Block, Value
from tilewright.ir.definition import SPMD_REGION
from tilewright.transforms.aliasing import views_may_overlap

_Place = tuple[Value, ...]


def drop_overwritten(kernel: Kernel) -> bool:
    """Erase all such stores of a kernel outside of regions of work-items; whether there were any."""
    return _in_block(kernel.body.entry)


def _in_block(block: Block) -> bool:
    changed, stores = False, dict[_Place, memref.Store]()
    for op in list(block):
        match op:
            case memref.Store():
                earlier = stores.pop((op.memref, *op.indices), None)
                if earlier is not None:
                    earlier.erase()
                    changed = True
                stores[op.memref, *op.indices] = op
            case memref.Load():
                stores = {k: s for k, s in stores.items() if not views_may_overlap(s.memref, op.memref)}
            case _ if op.effects() != () or op.regions:
                stores = {}
            case _:
                pass
        if SPMD_REGION not in op.definition.traits:
            for region in op.regions:
                for inner in region.blocks:
                    changed |= _in_block(inner)
    return changed
