"""What packing prefetches lies near the arrays of a launch.

Elsewhere there may be no page, and a processor takes long to find that out. Prefetches are calls here, which remember
their addresses.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from targets.cpu.large_products.patches import Convolution
from tilewright.targets.cpu.machine import machine_of

_PREFETCH = re.compile(r"@llvm\.prefetch\.p0\((ptr %[^,)]+), i32 \d, i32 \d, i32 1\)")
_DECLARED = re.compile(r"declare void @llvm\.prefetch.*")
_AHEAD = re.compile(r"@llvm\.prefetch\.p0\((ptr %[^,)]+), i32 0, i32 2, i32 1\)")
_NEAR = 1 << 16
_LINE = 64


@pytest.mark.parametrize("element", ["i8", "float", "double"])
def test_packing_of_patches_prefetches_the_image(rng: np.random.Generator, element: str) -> None:
    """Tables say where patches lie, and packing reads them ahead of itself: behind their ends, too."""
    convolution = Convolution(rng, element, 32, 20)
    seen: set[int] = set()
    remember = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(seen.add)
    text = _DECLARED.sub("declare void @seen(ptr)", _PREFETCH.sub(r"@seen(\1)", convolution.kernel.llvm))
    found = convolution.run(text, {"seen": ctypes.cast(remember, ctypes.c_void_p).value or 0})
    assert np.array_equal(found, convolution.expected)
    assert seen
    arrays = [*convolution.arrays, convolution.memory]
    ranges = [(a.ctypes.data - _NEAR, a.ctypes.data + a.nbytes + _NEAR) for a in arrays]
    assert [hex(at) for at in seen if not any(low <= at < high for low, high in ranges)] == []


def test_each_panel_of_vectors_prefetches_a_share_of_the_next_panel_of_scalars(rng: np.random.Generator) -> None:
    """All shares together are nearly every line of the packed scalars, and none behind them: first the second panel, at
    last the first one again, for the next panels of vectors."""
    convolution = Convolution(rng, "float", 64, 56)
    seen: list[int] = []
    remember = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(seen.append)
    text = "declare void @seen(ptr)\n" + _AHEAD.sub(r"@seen(\1)", convolution.kernel.llvm)
    found = convolution.run(text, {"seen": ctypes.cast(remember, ctypes.c_void_p).value or 0})
    assert np.array_equal(found, convolution.expected)
    lines = {at // _LINE for at in seen}
    first, last = min(lines), max(lines)
    assert seen[0] // _LINE > first
    assert len(lines) > 0.85 * (last - first + 1)
    block = re.search(r"blocks of \d+x(\d+), runs of (\d+)", convolution.kernel.schedule)
    assert block is not None
    width, terms = map(int, block.groups())
    panel = width * (4 * terms + _LINE)
    panels = -(-64 // width)
    assert 0.9 * panels * panel < (last - first) * _LINE < panels * (panel + 2 * _LINE)


@pytest.mark.skipif(not machine_of().masks, reason="this machine has no AVX-512")
def test_each_panel_of_vectors_prefetches_a_share_of_what_is_packed_next(rng: np.random.Generator) -> None:
    """Where scalars pass by: all of the factor but what the first panel is packed from, and nothing behind its end."""
    convolution = Convolution(rng, "float", 96, 10, l2_bytes=1 << 17)
    convolution.arrays[1] = maps = _behind_a_line(convolution.arrays[1])
    seen: set[int] = set()
    remember = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(seen.add)
    text = "declare void @seen(ptr)\n" + _AHEAD.sub(r"@seen(\1)", convolution.kernel.llvm)
    found = convolution.run(text, {"seen": ctypes.cast(remember, ctypes.c_void_p).value or 0})
    assert np.array_equal(found, convolution.expected)
    width = int(convolution.kernel.schedule.split("blocks of ")[1].split(",")[0].split("x")[1])
    first, end = maps[width:].ctypes.data, maps.ctypes.data + maps.nbytes
    assert all(first <= at < end for at in seen)
    assert len({at // _LINE for at in seen}) > 0.98 * (end - first) / _LINE


def _behind_a_line(array: NDArray[Any]) -> NDArray[Any]:
    """The same, 16 bytes behind where a line begins, so that it is the same lines that a few terms fill each time."""
    size = array.itemsize
    room = np.empty(array.size + _LINE // size, array.dtype)
    start = (16 - room.ctypes.data) % _LINE // size
    found = room[start : start + array.size].reshape(array.shape)
    found[...] = array
    return found
