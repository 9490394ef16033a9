"""Stage 2, tile_block: the loops count by the tile of a block, around loops over the elements of a tile.

What is no whole tile is computed by loops of its own behind them, which no later stage changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import name_of, perfect_nest
from tilewright.transforms.matmul_stages.remainders import check_remainders, peel
from tilewright.transforms.matmul_stages.schedule import spelled
from tilewright.transforms.matmul_stages.tiling import tile
from tilewright.transforms.matmul_stages.visits import check_visits

NAME = "tile_block"
_LOOPS = ("i", "j", "k", "ii", "jj", "kk")


def apply(matmul: Matmul) -> str:
    """Tile i, j and k, as far as there are whole tiles."""
    block = matmul.schedule.block
    rest = peel(matmul)
    tile(matmul, "ijk", block, ("ii", "jj", "kk"))
    whole = [matmul.whole[letter] for letter in "ijk"]
    blocks = ["?" if one.terms else one.constant // size for one, size in zip(whole, block, strict=True)]
    said = f"tiles of {spelled(block)}: {blocks[0]} x {blocks[1]} blocks, {blocks[2]} steps along k each"
    return f"{said}; {rest} nests behind them for the rest" if rest else said


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """i, j and k count by the block's tile; each (i, j, k) is visited exactly once."""
    check_visits(matmul, matmul.loop("i", NAME))
    check_remainders(matmul)
    check_loops(matmul, _LOOPS, dict(zip("ijk", matmul.schedule.block, strict=True)), NAME)


def check_loops(matmul: Matmul, names: Sequence[str], steps: dict[str, int], what: str) -> None:
    """Loops of these names are a perfect nest in this order, some with these steps. Raises `Broken` if not."""
    nest = perfect_nest(matmul.loop(names[0], what))
    found = [name_of(loop) for loop in nest]
    if found != list(names):
        raise Broken(what, nest[0], f"the loops are over {', '.join(found)}, not {', '.join(names)}")
    for loop in nest:
        wanted = steps.get(name_of(loop), loop.stride)
        if loop.stride != wanted:
            raise Broken(what, loop, f"%{name_of(loop)} counts by {loop.stride}, not {wanted}")
