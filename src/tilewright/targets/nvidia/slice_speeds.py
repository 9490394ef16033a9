"""How long products take whose tiles are divided into slices, as measured on an H200.

In elements of the result, of a multiprocessor that has most of them, by the speed of tiles of 128x128 that have one for
themselves: 1024 cubed by 64 of these took, without the 4 us of any launch, 7.7 us in f16, 5.1 in i8, 129 in f32 and
72 in f64. Slices are slower, each by itself, since they load more for what they multiply, and faster if two blocks
share a multiprocessor, one of which multiplies while the other one waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tilewright.ir.types import BF16, F16, F32, F64, I8, I32, ScalarType


class Speed(NamedTuple):
    """Of a block that has a multiprocessor `alone`, and of two that have one together; None if nobody knows."""

    alone: float | None
    shared: float | None


_Tiles = Mapping[tuple[int, int], Speed]

_USUAL: Final = 128 * 128
_HALVES: Final = ((128, 64), (64, 128))
_OF_GROUPS: Final[_Tiles] = {
    (256, 128): Speed(1.24, None),
    (128, 256): Speed(1.24, None),
    **dict.fromkeys(_HALVES, Speed(0.74, 1.02)),
    (64, 64): Speed(0.46, 0.63),
}
"""From 512, 768, 1024 and 1280 cubed, tiles of 128x128 and 256x128, in f16; in bf16 and with turned factors alike."""
_OF_BYTES: Final[_Tiles] = {**dict.fromkeys(_HALVES, Speed(0.61, 1.0)), (64, 64): Speed(None, 0.61)}
_OF_F32: Final[_Tiles] = {(128, 64): Speed(1.1, 1.29), (64, 128): Speed(1.0, 1.18), (64, 64): Speed(0.89, 1.04)}
"""Of factors by rows; of turned ones 64x128 is the faster half."""
_OF_F64: Final[_Tiles] = {
    (128, 64): Speed(0.85, 0.91),
    (64, 128): Speed(0.81, 0.88),
    (64, 64): Speed(0.72, 0.9),
    (128, 32): Speed(0.68, None),
}
_SPEEDS: Final[Mapping[tuple[ScalarType, ScalarType, ScalarType], _Tiles]] = {
    (F16, F16, F32): _OF_GROUPS,
    (BF16, BF16, F32): _OF_GROUPS,
    (I8, I8, I32): _OF_BYTES,
    (F32, F32, F32): _OF_F32,
    (F64, F64, F64): _OF_F64,
}


def time_of_slices(
    types: tuple[ScalarType, ScalarType, ScalarType], tile: tuple[int, int], blocks: int, multiprocessors: int
) -> float | None:
    """Of so many blocks, each of which computes a tile of the result; None if nobody has measured that."""
    known = _SPEEDS.get(types)
    if known is None:
        return None
    size = tile[0] * tile[1]
    alone, shared = known.get(tile, Speed(1.0 if size >= _USUAL else None, None))
    if blocks <= multiprocessors:
        return None if alone is None else size / alone
    return None if shared is None else -(-blocks // (2 * multiprocessors)) * 2 * size / shared
