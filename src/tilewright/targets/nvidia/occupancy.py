"""How many blocks a multiprocessor should run at a time: ptxas is told, and gives a thread fewer registers then."""

from __future__ import annotations

from typing import Final

from tilewright.dialects import lane, lane_products, memref, scf
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Region
from tilewright.targets.nvidia.model import PACKING
from tilewright.targets.nvidia.pressure import Pressure, pressure
from tilewright.transforms.aliasing import allocation_bytes

REGISTERS: Final = 65536
"""Of a multiprocessor."""

_PACKED_REGISTERS: Final = 128
"""A thread that works on packed items may have so many."""

_STREAM_REGISTERS: Final = 64
"""Those of a thread that loads, computes and stores: 1,024 threads, of which each waits for 32 or 64 bytes, are as many
as memory needs. silu(x) * y of f16 by pointers took 95 on an H200 and reached 0.91 of a copy's speed, 1.03 with 64."""

_STREAM_WORDS: Final = 32
"""Registers that are loaded at most, so that what they wait for has room beside them."""

_WORD: Final = 4


_LONELY: Final = 2
"""Blocks that a multiprocessor should run, so that one works while another one waits for its threads: layer norm
backward of f32 rows of 4096 took 76 registers of each of 512 threads on an H200, and 0.77 of the time with 64."""

_BESIDE: Final = 12
"""Registers beside those of fragments that threads hold, with which ptxas gets along if it must."""

_EASY: Final = 20
"""Those that it takes of itself, and a quarter of those that are held. It is told nothing where these are few enough:
once it knows how many it may take, it takes them, and kernels of 40 registers have 56."""

_FEWEST: Final = 64
"""Registers that a thread is left with."""


def least_blocks(kernel: Kernel, threads: int) -> int | None:
    """Blocks of so many threads that a multiprocessor runs at least; None if ptxas is to choose."""
    if kernel.items > 1 or (kernel.most_blocks is not None and not kernel.gathered):
        # left alone, ptxas spills to save the last register of 64 or 96
        by_shared = PACKING.all_shared_bytes // max(_allocated_bytes(kernel), 1)
        return max(min(REGISTERS // (_PACKED_REGISTERS * threads), by_shared), 1)
    if _streams_in_two_versions(kernel):
        return max(REGISTERS // (_STREAM_REGISTERS * threads), 1)
    if any(isinstance(op, lane_products.Mma | lane_products.MmaAsync) for op in kernel.walk()):
        return None
    shared = _allocated_bytes(kernel)
    if _LONELY * shared > PACKING.all_shared_bytes:
        # ptxas, which does not know that no other has room, takes few registers and loads less at a time: on an H200
        # layer norm of rows of 65536 went from 0.57 to 0.63 of a copy's speed, of f16 from 0.56 to 0.65
        return 1
    found = pressure(kernel)
    return _LONELY if found is not None and _is_lonely(found, threads) else None


def _is_lonely(found: Pressure, threads: int) -> bool:
    """Whether ptxas would leave one block where there is room for two, whose threads wait for each other."""
    most = REGISTERS // (_LONELY * threads)
    fits = found.held + _BESIDE <= most and found.most <= most + most // 8
    return most >= _FEWEST and fits and found.held + found.held // 4 + _EASY > most


def _allocated_bytes(kernel: Kernel) -> int:
    """Of shared memory, by allocations that have their places."""
    allocations = [op for op in kernel.walk() if isinstance(op, memref.Alloca)]
    return max(((op.offset or 0) + allocation_bytes(op) for op in allocations), default=0)


def _streams_in_two_versions(kernel: Kernel) -> bool:
    """Whether nearly all blocks take the first branch of a kernel without loops, which loads and stores little.

    The other one tests each element, and would have more registers than that needs.
    """
    operations = list(kernel.walk())
    if any(isinstance(op, scf.For | scf.While | memref.Alloca) for op in operations):
        return False
    branches = [(op.then, op.orelse) for op in operations if isinstance(op, scf.If)]
    return any(
        _accesses(then) and _loaded_words(then) <= _STREAM_WORDS and _accesses(other)
        for then, other in branches
        if other is not None
    )


def _loaded_words(region: Region) -> int:
    """Registers that are loaded, of two branches those of the one that loads more."""
    words = 0
    for op in region.entry:
        if isinstance(op, lane.Load):
            type_ = fragment_of(op.out)
            words += type_.size * max(type_.element.bytes // _WORD, 1)
        elif isinstance(op, scf.If):
            words += max(map(_loaded_words, filter(None, (op.then, op.orelse))))
    return words


def _accesses(region: Region) -> bool:
    """Whether something is loaded, and something stored."""
    return {lane.Load, lane.Store} <= {type(op) for outer in region.entry for op in outer.walk()}
