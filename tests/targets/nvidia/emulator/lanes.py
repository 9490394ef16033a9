"""Lanes of warps: which an instruction names, whether all of them have arrived, whose register a shuffle reads."""

from __future__ import annotations

from typing import Final

import numpy as np

from .frame import Frame, Lanes, Sync
from .numbers import Array
from .text import EmulatorError

WARP: Final = 32
_ALL_LANES: Final = 0xFFFFFFFF
GROUPS: Final = "wgmma."
PHASES: Final = "llvm.nvvm.mbarrier."
WHOLE_WARPS: Final = ("llvm.nvvm.mma.", "llvm.nvvm.ldmatrix.", "llvm.nvvm.stmatrix.", GROUPS)


def named_lanes(lanes: Lanes, sync: Sync) -> Array:
    """The mask of those that take part: all of a warp, or as the instruction says."""
    if sync.name.startswith(WHOLE_WARPS):
        return np.full(len(lanes.index), _ALL_LANES)
    return lanes.full(sync.operands[0]).astype(np.int64) & _ALL_LANES


def exited_lanes(frame: Frame) -> Array:
    """The lanes of each warp that have exited, as bits; nobody waits for them."""
    found = np.zeros(-(-len(frame.exited) // WARP), np.int64)
    who = np.flatnonzero(frame.exited)
    np.bitwise_or.at(found, who // WARP, 1 << who % WARP)
    return found


def all_there(here: Array, masks: Array) -> bool:
    """Whether these threads, in their order, are whole warps which name all of their lanes."""
    whole = len(here) % WARP == 0 and here[0] % WARP == 0 and here[-1] - here[0] == len(here) - 1
    return whole and bool((masks == _ALL_LANES).all())


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
