"""Groups are what compiled kernels are given: displaced by their offset, as long as their type says, null or not."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.runtime.groups import ArrayGroup, PointerArray


def kernel(size: str, offset: str, body: str) -> str:
    return (
        f"func @k(%g: group<memref<f32x2>x{size}, offset: {offset}>, %o: memref<f32x2>) {{\n"
        "%i = constant 0 : index %j = constant 1 : index %one = constant 1.0 : f32 %zero = constant 0.0 : f32\n"
        f"{body} }}"
    )


COPY = "%m = load %g[%j] : memref<f32x2> axpby %one, %m, %zero, %o"
DESCRIBE = (
    "%n = size %g[0] : index %c = cast %n : f32 store %c, %o[%i] %a = associated %g : bool if %a { store %one, %o[%j] }"
)


@pytest.mark.parametrize(("written", "given", "first"), [("-2", 0, 6), ("2", 0, 10), ("?", 3, 11), ("?", -3, 5)])
@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_offsets(target: str, written: str, given: int, first: int) -> None:
    memory = np.arange(20, dtype=np.float32)
    arrays = [memory[4:6], memory[8:10]]
    addresses = PointerArray(np.array([a.ctypes.data for a in arrays]), np.float32, offset=given)
    program = tw.compile(kernel("?", written, COPY), target=target, cache=False)
    for group in (ArrayGroup(arrays, given), addresses):
        out = np.zeros(2, np.float32)
        program.k[1](group, out)
        assert out.tolist() == [first, first + 1]


@pytest.mark.parametrize("offset", ["30", "11", "-9"])
def test_offsets_beyond_the_array(offset: str) -> None:
    memory, out = np.zeros(20, np.float32), np.zeros(2, np.float32)
    with pytest.raises(KernelError, match="outside the 20 elements"):
        tw.compile(kernel("?", offset, COPY), target="interpreter").k[1]([memory[4:6], memory[8:10]], out)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_sizes_and_null(target: str) -> None:
    arrays = [np.zeros(2, np.float32) for _ in range(3)]
    for size, group, wanted in (("2", arrays, [2, 1]), ("?", arrays, [3, 1]), ("2", None, [2, 0]), ("?", None, [0, 0])):
        out = np.zeros(2, np.float32)
        tw.compile(kernel(size, "0", DESCRIBE), target=target, cache=False).k[1](group, out)
        assert out.tolist() == wanted, (size, group is None)
