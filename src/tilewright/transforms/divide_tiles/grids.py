"""How many work-groups a grid surely needs, as far as the program tells: one for each tile of its results."""

from __future__ import annotations

from math import prod

from tilewright.dialects import scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.definition import PURE
from tilewright.ir.types import MemrefType
from tilewright.transforms.tile_values import tile_type


def groups_of(kernel: Kernel) -> int | None:
    """The work-groups that write all tiles of a kernel's results, each one of them; None if that is not known.

    Of a kernel that computes slices, the blocks, each with one of them. A launch may have others. It is known where
    extents are constant, and tiles are numbered by the grid.
    """
    found = [_tiles(op) for op in kernel.walk() if isinstance(op, tile.Store)]
    known = [count for count in found if count is not None]
    return max(known) if known and len(known) == len(found) else None


def _tiles(store: tile.Store) -> int | None:
    type_ = store.memref.type
    assert isinstance(type_, MemrefType)
    counts = list[int]()
    for extent, length, index in zip(type_.shape, tile_type(store.value).shape, store.indices, strict=True):
        if extent is None or (extent > length and not _is_numbered(index)):
            return None
        counts.append(-(-extent // length))
    return prod(counts)


def _is_numbered(index: Value) -> bool:
    """Whether an index is computed of the number of a work-group, and of nothing that a loop counts but slices."""
    waiting, seen, is_numbered = [index], set[Value](), False
    while waiting:
        value = waiting.pop()
        op = value.defining_op
        if value in seen or _counts_slices(value):
            continue
        seen.add(value)
        if op is None or PURE not in op.definition.traits:
            return False
        is_numbered = is_numbered or isinstance(op, team.GroupId)
        waiting += op.operands
    return is_numbered


def _counts_slices(value: Value) -> bool:
    loop = value.block.parent_op if isinstance(value, BlockArgument) else None
    return isinstance(loop, scf.For) and loop.parallel
