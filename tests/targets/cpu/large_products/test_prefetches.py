"""What packing prefetches lies near the arrays of a launch.

Elsewhere there may be no page, and a processor takes long to find that out. Prefetches are calls here, which remember
their addresses.
"""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

import tilewright as tw
from frontends.tlx.kernels import function, ivec, load, typed
from tilewright.machine.native import compile_text, load_object

_PREFETCH = re.compile(r"@llvm\.prefetch\.p0\((ptr %[^,)]+), i32 \d, i32 \d, i32 1\)")
_DECLARED = re.compile(r"declare void @llvm\.prefetch.*")
_NEAR = 1 << 16
_STALE = 0x55
"""What another kernel left in each byte of the thread's memory: as a distance it leads nowhere."""
_CHANNELS, _SIZE = 32, 20


def _convolution(element: str) -> str:
    out = (1, _CHANNELS, _SIZE - 2, _SIZE - 2)
    vector, ones = f"<{np.prod(out)} x {element}>", ivec([1, 1])
    return function(
        f"%x = {load('%a', element, (1, _CHANNELS, _SIZE, _SIZE))}",
        f"%y = {load('%b', element, (_CHANNELS, _CHANNELS, 3, 3))}",
        f"%z = call {vector} @llvm.tensor.convolution(token %x, token %y, {ones}, {ones}, {ones})",
        f"%t = call token @llvm.tensor.typeinfo({vector} %z, {typed(out)})",
        f"call void @llvm.tensor.store(ptr elementtype({element}) %c, token %t, {ivec([0] * 4)})",
    )


@pytest.mark.parametrize(("element", "dtype"), [("i8", "b"), ("float", "f"), ("double", "d")])
def test_packing_of_patches_prefetches_the_image(element: str, dtype: str) -> None:
    """Tables say where patches lie, and packing reads them ahead of itself: behind their ends, too."""
    kernel = tw.compile(_convolution(element), cache=False).k
    seen: set[int] = set()
    remember = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(seen.add)
    text = _DECLARED.sub("declare void @seen(ptr)", _PREFETCH.sub(r"@seen(\1)", kernel.llvm))
    where = {"seen": ctypes.cast(remember, ctypes.c_void_p).value or 0}
    code = load_object(compile_text(text), [kernel.info.symbol], symbols=where)
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    run = ctypes.CFUNCTYPE(None, pointer, pointer, number, number, pointer, pointer)(code.address(kernel.info.symbol))
    shapes = [(_CHANNELS, _SIZE, _SIZE), (_CHANNELS, _CHANNELS, 3, 3), (_CHANNELS, _SIZE - 2, _SIZE - 2)]
    arrays = [np.ones(shape, dtype) for shape in shapes]
    memory = np.full(kernel.info.local_bytes + 128, _STALE, np.uint8)
    slots, grid = np.array([a.ctypes.data for a in arrays]), np.ones(3, np.int64)
    run(slots.ctypes.data, grid.ctypes.data, 0, 1, memory.ctypes.data + -memory.ctypes.data % 128, None)
    assert (arrays[2] == np.array(9 * _CHANNELS).astype(dtype)).all()
    assert seen
    ranges = [(a.ctypes.data - _NEAR, a.ctypes.data + a.nbytes + _NEAR) for a in (*arrays, memory)]
    assert [hex(at) for at in seen if not any(low <= at < high for low, high in ranges)] == []
