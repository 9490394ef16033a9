"""How many blocks that follow each other multiply the same factor at a time, in a program's own loop over tiles.

The program's own arithmetic says where factors lie: it is computed for the first tile of some blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.arith import Constant
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Value
from tilewright.transforms import emit
from tilewright.transforms.fold import compute
from tilewright.transforms.schedule.products.sources import source_of

_BLOCKS: Final = 64
"""More than the numbers that matter."""
_GRID: Final = 132
"""Work-groups along a mode, where the program asks."""
_EXTENT: Final = 4096
"""Of what only a launch knows."""


def longest_run(product: tile.Mma, tiles: scf.For) -> int | None:
    """The most blocks in a row whose first tiles have a factor in common; None if places are not those of numbers."""
    longest = 0
    for factor in (product.lhs, product.rhs):
        source = source_of(factor, None)
        if source is None:
            return None
        places = [_place(source.load.indices, product, tiles, block) for block in range(_BLOCKS)]
        if None in places:
            return None
        longest = max(longest, *(len(list(run)) for _, run in groupby(places)))
    return longest


def _place(indices: Sequence[Value], product: tile.Mma, tiles: scf.For, block: int) -> tuple[int, ...] | None:
    """Where a factor lies that a block multiplies first."""
    loop = product.parent_op
    assert isinstance(loop, scf.For)
    known: dict[Value, int | None] = {}
    for each in (tiles, loop):
        known[each.index] = _number(each.lower, known, block)
    found = [_number(index, known, block) for index in indices]
    numbers = [number for number in found if number is not None]
    return tuple(numbers) if len(numbers) == len(found) else None


def _number(value: Value, known: dict[Value, int | None], block: int) -> int | None:
    """An integer in a block of that number."""
    if value not in known:
        known[value] = _computed(value, known, block)
    return known[value]


def _computed(value: Value, known: dict[Value, int | None], block: int) -> int | None:
    op = value.defining_op
    match op:
        case None:
            return _EXTENT if isinstance(value, BlockArgument) and isinstance(value.block.parent_op, Kernel) else None
        case memref.Size() | memref.Stride():
            return _EXTENT
        case team.GroupId():
            return 0 if op.dim else block
        case team.NumGroups():
            return 1 if op.dim else _GRID
        case Constant():
            return emit.integer_of(value)
        case _:
            operands = [_number(operand, known, block) for operand in op.operands]
            numbers = [number for number in operands if number is not None]
            found = compute(op, numbers) if len(numbers) == len(operands) else None
            return found if isinstance(found, int) else None
