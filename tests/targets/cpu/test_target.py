"""What the passes of the CPU leave out."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw

STEPS = """
func @k(%a: f32, %x: memref<f32x64>, %y: memref<f32x64>, %z: memref<f32x64>) {
    axpby %a, %x, %a, %y
    axpby %a, %y, %a, %z
}"""


@pytest.mark.parametrize(("target", "barriers"), [("cpu", 0), ("nvidia:sm_80", 1)])
def test_steps_wait_only_where_several_threads_take_them(target: str, barriers: int) -> None:
    assert tw.compile(STEPS, target=target, cache=False).text("tile").count("team.barrier") == barriers


def test_steps_follow_each_other_without_barriers(rng: np.random.Generator) -> None:
    x, y, z = rng.integers(-9, 10, (3, 64)).astype(np.float32)
    found = y.copy(), z.copy()
    tw.compile(STEPS, target="cpu", cache=False).k[1](2.0, x, *found)
    np.testing.assert_array_equal(found[0], 2 * x + 2 * y)
    np.testing.assert_array_equal(found[1], 2 * found[0] + 2 * z)
