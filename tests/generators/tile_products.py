"""Products of tiles as steps of random kernels: of all types, of extents that units take and others."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from generators.tiles import LARGEST, Step, Tile, TileKernel, load

_MOST: Final = 4096
_LOADED: Final = 4
"""No number in memory is larger."""
_SUMS: Final = {
    "i8": "i32",
    "i16": "i32",
    "i32": "i32",
    "i64": "i64",
    "f16": "f32",
    "bf16": "f32",
    "f32": "f32",
    "f64": "f64",
    "c32": "c32",
    "c64": "c64",
}
_EVEN: Final = (8, 16, 32, 48, 64)


def _multiplied(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """The tile or another one times what is loaded, from either side, added to a tile of the sums' type."""
    if tile.element not in _SUMS:
        return None
    if kernel.chance(0.4):
        tile = load(kernel, (kernel.rnd.choice(_EVEN), kernel.rnd.choice(_EVEN)), tile.element)
    if len(tile.shape) != 2 or not prod(tile.shape):
        return None
    is_left = kernel.chance(0.5)
    outer, depth = tile.shape if is_left else reversed(tile.shape)
    extent = kernel.rnd.choice(_EVEN) if kernel.chance(0.5) else kernel.rnd.randint(1, 40)
    bound = depth * tile.bound * _LOADED * (2 if tile.element[0] == "c" else 1)
    if bound > LARGEST or max(outer, depth) * extent > _MOST:
        return None
    other = load(kernel, (depth, extent) if is_left else (extent, depth), tile.element)
    left, right = (tile, other) if is_left else (other, tile)
    shape, element = (left.shape[0], right.shape[1]), _SUMS[tile.element]
    known = [each for each in tiles if (each.shape, each.element) == (shape, element) and each.bound + bound <= LARGEST]
    start = kernel.rnd.choice(known) if known and kernel.chance(0.5) else load(kernel, shape, element)
    return kernel.op(f"tile.mma {left.name}, {right.name}, {start.name}", shape, element, bound + start.bound)


PRODUCTS: Final[Sequence[Step]] = (_multiplied,) * 8
