"""Which tiles suit a product whose extents are known before its program is compiled, and how long it takes."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.ir.types import SCALARS
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.model import MULTIPROCESSORS, ProductTile, product_tiles

_RATES: Final = {1: 1000e12, 2: 700e12, 4: 50e12, 8: 60e12}
_DEPTH_BYTES: Final = 128
_LEAST_DEPTH: Final = 16


class Chosen(Struct, frozen=True):
    """A schedule that asks for a tile, and the seconds that products take with it."""

    schedule: str
    seconds: float


def chosen_tile(
    extents: tuple[int, int, int], many: int, element: str, result: str, accumulate: str, architecture: Architecture
) -> Chosen:
    """The tile of so `many` products of matrices, each m x n x k."""
    m, n, k = (max(extent, 1) for extent in extents)
    factor, sums = SCALARS[element], SCALARS[accumulate]
    depth = max(_DEPTH_BYTES // factor.bytes, _LEAST_DEPTH)
    steps = -(-k // depth)
    tiles = product_tiles(factor, factor, sums, architecture)

    def time(tile: ProductTile) -> float:
        count = many * -(-m // tile.rows) * -(-n // tile.columns)
        waves = -(-count // MULTIPROCESSORS)
        flops = 2 * tile.rows * tile.columns * depth * steps * waves * MULTIPROCESSORS
        return flops / (tile.speed * _RATES[factor.bytes])

    best = min(tiles.tiles, key=time)
    return Chosen(f"threads={best.threads} tile={best.rows}x{best.columns}x{depth}", time(best))
