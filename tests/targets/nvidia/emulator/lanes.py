"""Lanes of warps: which an instruction names, whether all of them have arrived, whose register a shuffle reads."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from .frame import Frame, Lanes, Sync
from .numbers import Array
from .text import EmulatorError

WARP: Final = 32
_ALL_LANES: Final = 0xFFFFFFFF
_EVERYONE: Final = "i32 -1"
GROUPS: Final = "wgmma."
PHASES: Final = "llvm.nvvm.mbarrier."
WHOLE_WARPS: Final = ("llvm.nvvm.mma.", "llvm.nvvm.ldmatrix.", "llvm.nvvm.stmatrix.", GROUPS)


@cache
def whole_masks(count: int) -> Array:
    """Masks of so many threads that name all lanes of their warps, which nobody may write to."""
    found = np.full(count, _ALL_LANES)
    found.setflags(write=False)
    return found


def names_all(sync: Sync) -> bool:
    """Whether the text shows that all lanes of a warp take part."""
    return sync.operands[0] == _EVERYONE or sync.name.startswith(WHOLE_WARPS)


def named_lanes(lanes: Lanes, sync: Sync) -> Array:
    """The mask of those that take part: all of a warp, or as the instruction says."""
    if sync.name.startswith(WHOLE_WARPS):
        return whole_masks(len(lanes.index))
    return lanes.full(sync.operands[0]).astype(np.int64) & _ALL_LANES


def exited_lanes(frame: Frame) -> Array:
    """The lanes of each warp that have exited, as bits; nobody waits for them."""
    found = np.zeros(-(-len(frame.exited) // WARP), np.int64)
    if not frame.exited.any():
        return found
    who = np.flatnonzero(frame.exited)
    np.bitwise_or.at(found, who // WARP, 1 << who % WARP)
    return found


def are_whole(here: Array, size: int = WARP) -> bool:
    """Whether these threads, in their order, are whole warps, or groups of another size."""
    return len(here) % size == 0 and here[0] % size == 0 and here[-1] - here[0] == len(here) - 1


def completed(here: Array, masks: Array) -> Array:
    """Whether all lanes of its mask stand beside each thread, with the same mask."""
    groups = (here // WARP << WARP) | masks
    complete = np.zeros(len(here), np.bool_)
    for group in set(groups.tolist()):
        mine = groups == group
        arrived = int(np.bitwise_or.reduce(1 << here[mine] % WARP))
        complete[mine] = arrived == group & _ALL_LANES
    return complete


def shuffle_source(mode: str, lane: Array, position: Array, bounds: Array) -> Array:
    """The lane that each lane reads, as PTX's `shfl` defines it; its own where the other is out of bounds."""
    b, clamp, segment = position & 31, bounds & 31, bounds >> 8 & 31
    low = lane & segment
    bound = low | (clamp & ~segment)
    match mode:
        case "up":
            source, inside = lane - b, lane - b >= bound
        case "down":
            source, inside = lane + b, lane + b <= bound
        case "bfly":
            source, inside = lane ^ b, lane ^ b <= bound
        case "idx":
            source = low | (b & ~segment)
            inside = source <= bound
        case _:
            raise EmulatorError(f"unknown shuffle: {mode}")
    return np.where(inside, source, lane)
