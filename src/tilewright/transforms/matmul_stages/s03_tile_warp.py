"""Stage 3, tile_warp: within a block's tile loops count by the tile of a warp, around loops over its elements."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import numbers
from tilewright.transforms.matmul_stages.s02_tile_block import check_loops
from tilewright.transforms.matmul_stages.schedule import spelled
from tilewright.transforms.matmul_stages.tiling import tile
from tilewright.transforms.matmul_stages.visits import check_visits

NAME = "tile_warp"
_LOOPS = ("i", "j", "k", "ii", "jj", "kk", "iii", "jjj", "kkk")


def apply(matmul: Matmul) -> str:
    """Tile ii, jj and kk."""
    schedule = matmul.schedule
    tile(matmul, ("ii", "jj", "kk"), schedule.warp, ("iii", "jjj", "kkk"))
    return f"tiles of {spelled(schedule.warp)}: {schedule.warps} warps a block"


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """ii, jj and kk count by the warp's tile; ii and jj have a trip for each warp; visits as before."""
    steps: dict[str, int] = dict(
        zip(("i", "j", "k", "ii", "jj", "kk"), (*matmul.schedule.block, *matmul.schedule.warp), strict=True)
    )
    check_visits(matmul, matmul.loop("i", NAME))
    check_loops(matmul, _LOOPS, steps, NAME)
    trips = [numbers(matmul.loop(name, NAME)) for name in ("ii", "jj")]
    warps = 1
    for one in trips:
        warps *= 0 if one is None else len(one)
    if warps != matmul.schedule.warps:
        raise Broken(NAME, matmul.loop("ii", NAME), f"{warps} trips over ii and jj for {matmul.schedule.warps} warps")
