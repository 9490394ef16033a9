"""Boxes that hang over an edge: zero is loaded there, and nothing stored."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilewright.interpreter import KernelError, interpret
from transforms.support import kernel

CHECKED = "{check = [true, false]}"


@pytest.mark.parametrize("start", range(-5, 10))
def test_elements_that_do_not_exist(start: int) -> None:
    body = f"""%t = tile.load %A, %i, %z {CHECKED} -> tile<4x2xf32> tile.store %t, %B, %z, %z
               %s = tile.splat %x -> tile<4x2xf32> tile.store %s, %A, %i, %z {CHECKED}"""
    module = kernel("%A: memref<f32x8x2>, %B: memref<f32x4x2>, %i: index, %z: index, %x: f32", body)
    whole = np.arange(1, 17, dtype=np.float32).reshape(8, 2, order="F")
    padded = np.zeros((30, 2), np.float32)
    padded[10:18] = whole
    wanted = whole.copy()
    wanted[max(start, 0) : max(start + 4, 0)] = -1
    part = np.full((4, 2), np.nan, np.float32, order="F")
    interpret(module.kernels[0], [whole, part, start, 0, -1.0])
    np.testing.assert_array_equal(part, padded[10 + start : 14 + start])
    np.testing.assert_array_equal(whole, wanted)


@pytest.mark.parametrize("start", [-1, 5])
def test_without_a_test_of_bounds_they_are_an_error(start: int) -> None:
    module = kernel("%A: memref<f32x8>, %i: index", "%t = tile.load %A, %i -> tile<4xf32> tile.store %t, %A, %i")
    with pytest.raises(KernelError, match="R010"):
        interpret(module.kernels[0], [np.zeros(8, np.float32), start])


@pytest.mark.parametrize(("i", "j", "outside"), [(5, 0, (8, 0)), (0, 1, (0, 3)), (6, 2, (6, 3)), (-2, 1, (-2, 1))])
def test_the_first_element_outside_is_told(i: int, j: int, outside: tuple[int, int]) -> None:
    body = "%t = tile.load %A, %i, %j -> tile<4x3xf32> tile.store %t, %B, %z, %z"
    module = kernel("%A: memref<f32x8x3>, %B: memref<f32x4x3>, %i: index, %j: index, %z: index", body)
    arrays = [np.zeros(shape, np.float32, order="F") for shape in ((8, 3), (4, 3))]
    said = re.escape(f"index [{outside[0]}, {outside[1]}] is outside %A, which has 8 x 3 elements")
    with pytest.raises(KernelError, match=said):
        interpret(module.kernels[0], [*arrays, i, j, 0])
