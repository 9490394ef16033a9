"""share-tiles: tiles of the work-group that work-items use for themselves go through shared memory.

before:  %t = tile.load ..    team.spmd { %u = arith.add %t, %t .. }
after:   %m = memref.alloca ..    %t = tile.load ..    team.barrier    tile.store %t, %m    team.barrier
         team.spmd { %s = tile.load %m    %u = arith.add %s, %s .. }

There a tile is one of each subgroup, which holds all of its elements.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.memref import Alloca
from tilewright.ir.core import Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import AddressSpace, MemrefType, TileType, packed_strides
from tilewright.transforms.schedule.known import collective, runs_lanes


class ShareTiles(Pass, frozen=True):
    """Share the tiles of kernels that go to the lane level."""

    name: ClassVar[str] = "share-tiles"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            regions = [op for op in collective(kernel) if isinstance(op, team.Spmd)] if runs_lanes(kernel) else []
            for region in regions:
                taken = taken_tiles(region)
                for value in taken:
                    _share(kernel, region, value)
                changed |= bool(taken)
        return changed


def taken_tiles(region: team.Spmd) -> list[Value]:
    """The tiles of the work-group that are used inside, in order."""
    own: set[Value] = set()
    found: dict[Value, None] = {}
    for op in region.walk():
        own.update(op.results)
        own.update(argument for each in op.regions for block in each.blocks for argument in block.arguments)
        found.update((value, None) for value in op.operands if isinstance(value.type, TileType) and value not in own)
    return list(found)


def _share(kernel: Kernel, region: team.Spmd, value: Value) -> None:
    type_ = value.type
    assert isinstance(type_, TileType)
    first, inside = kernel.body.entry.first, region.body.entry
    assert first is not None
    shared = MemrefType(type_.element, type_.shape, packed_strides(type_.shape), AddressSpace.LOCAL)
    memory = Builder.before_op(first)(Alloca(result_types=[shared])).out
    build = Builder.before_op(region)
    zeros = [build.index(0) for _ in type_.shape]
    # those of an earlier time through here may still be reading
    build(team.Barrier(fence_local=True))
    build(tile.Store(value, memory, zeros))
    build(team.Barrier(fence_local=True))
    users = list(region.walk())
    found = Builder(inside, inside.first, region.location)(tile.Load(memory, zeros, result_types=[type_])).out
    for user in users:
        user.replace_operand(value, found)
