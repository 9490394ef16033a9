"""fuse-epilogues: what follows a product element by element is computed from its tiles, before they leave registers.

before:  tl.gemm %one, %A, %B, %zero, %C
         tl.foreach %i, %j { %x = memref.load %C[%i, %j]  %b = memref.load %bias[%i]  memref.store max(%x + %b, 0), .. }
after:   scf.for .. { %t = tile.mma ..   %b = tile.load %bias[..]   tile.store max(%t + %b, 0), .. }

Such neighbours (`neighbours`) are loops over all elements of the product, parallel or not, with loads, stores and
arithmetic between them, and the collectives that work element by element; one after the other they are one epilogue. It
is fused where all that is written meets anything else element for element or not at all (`chains`). The product is
rounded to its element type before it is used, as in memory, and is still written unless something overwrites it at
once, or it lies in an allocation that nobody else reads. The product is lowered to tiles on the way (`tiles`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import field

from tilewright.dialects import tl
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.extents import Extents
from tilewright.transforms.fuse_epilogues.chains import NAME, Chain, chain_behind
from tilewright.transforms.fuse_epilogues.tiles import lower_chain
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.policy import NO_PREFETCH, Schedule, StreamPrefetch, TilePolicy
from tilewright.transforms.product_tiles import offer_tiles
from tilewright.transforms.steps import next_step


class FuseEpilogues(Pass, frozen=True):
    """Fuse elementwise neighbours into products."""

    name: ClassVar[str] = NAME
    policy: TilePolicy = field(default_factory=GenericTilePolicy)
    prefetch: StreamPrefetch = NO_PREFETCH

    def run(self, module: Module, context: PassContext) -> bool:
        offer_tiles(module, self.policy, context)
        changed = False
        for kernel in module.kernels:
            before, chains = kernel.held_up, _chains(kernel)
            for number, chain in enumerate(chains, next_step(kernel) if chains else 0):
                lower_chain(chain, Schedule(self.policy.of(kernel), self.prefetch), number)
            changed |= bool(chains) or kernel.held_up != before
        return changed


def _chains(kernel: Kernel) -> list[Chain]:
    products = [op for op in kernel.walk() if isinstance(op, tl.Gemm | tl.Gemv)]
    if not products:
        return []
    extents = Extents(kernel)
    return [chain for op in products if (chain := chain_behind(op, extents)) is not None]
