"""Arrays behind pointers that overlap: a store that reads its operands in place writes what it would have without."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw

_N = 1024
_VIEW = f"tensor_view<{_N}xf32, strides=[1]>"
_PART = f"partition_view<tile=({_N}), {_VIEW}>"


def _view(name: str) -> str:
    return (
        f"%{name}t = make_tensor_view %{name}, shape = [{_N}], strides = [1] : {_VIEW}\n"
        f"%{name}v = make_partition_view %{name}t : {_PART}\n"
    )


_ADD = f"""
entry @add(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {{
  {_view("x")} {_view("y")} {_view("z")}
  %o = constant <i32: 0> : tile<i32>
  %a, %t0 = load_view_tko weak %xv[%o] : {_PART}, tile<i32> -> tile<{_N}xf32>, token
  %b, %t1 = load_view_tko weak %yv[%o] : {_PART}, tile<i32> -> tile<{_N}xf32>, token
  %s = addf %a, %b : tile<{_N}xf32>
  %t2 = store_view_tko weak %s, %zv[%o] : tile<{_N}xf32>, {_PART}, tile<i32> -> token
  return
}}
"""


@pytest.fixture(scope="module")
def program() -> tw.Program:
    return tw.compile(_ADD)


@pytest.mark.parametrize(
    ("x", "y", "z"),
    [(0, 2000, 4000), (0, 2000, 0), (0, 2000, 2000), (0, 0, 0), (0, 2000, 1), (17, 2000, 0), (2000, 0, 3), (5, 0, 2)],
)
def test_overlapping_operands(program: tw.Program, x: int, y: int, z: int, rng: np.random.Generator) -> None:
    memory = rng.standard_normal(6000, np.float32)
    expected = memory.copy()
    expected[z : z + _N] = memory[x : x + _N] + memory[y : y + _N]
    program.add[1](memory[x:], memory[y:], memory[z:])
    np.testing.assert_array_equal(memory, expected)
