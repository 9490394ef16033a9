"""Arrays behind pointers that overlap: a store that reads its operands in place writes what it would have without."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Final

import numpy as np
import pytest

import tilewright as tw
from targets.cpu.entry import Entry

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


_LENGTH: Final = 300
_STRIDES: Final = (1, 2, 3, -1, -2)


@cache
def _strided() -> Entry:
    """A negated vector from one address to another, each in steps of its own."""
    return Entry(f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: i64, %y: i64, %from: index, %to: index) {{
      %o = arith.constant {{value = 0}} -> index
      %a = memref.from_address %x, %from {{operand_segments = [1, 0, 1]}} -> memref<f32x{_LENGTH},strided<?>>
      %b = memref.from_address %y, %to {{operand_segments = [1, 0, 1]}} -> memref<f32x{_LENGTH},strided<?>>
      %t = tile.load %a, %o -> tile<{_LENGTH}xf32>
      %n = arith.neg %t -> tile<{_LENGTH}xf32>
      tile.store %n, %b, %o
    }} }}""")


def _elements(start: int, stride: int) -> np.ndarray:
    return start + stride * np.arange(_LENGTH)


@pytest.mark.parametrize(("step", "target_step"), list(itertools.product(_STRIDES, _STRIDES)))
def test_vectors_in_steps(step: int, target_step: int, rng: np.random.Generator) -> None:
    """Where they share any number of elements, from one at either end to all."""
    start = 8 * _LENGTH
    reach = _elements(0, step)[-1], _elements(0, target_step)[-1]
    ends = {a - b for a in (0, reach[0]) for b in (0, reach[1])}
    distances = sorted({end + d for end in ends for d in (-1, 0, 1)} | {int(rng.integers(-600, 600)) for _ in range(4)})
    for distance in distances:
        memory = rng.standard_normal(16 * _LENGTH).astype(np.float32)
        expected = memory.copy()
        expected[_elements(start + distance, target_step)] = -memory[_elements(start, step)]
        at = [np.int64(memory.ctypes.data + 4 * k) for k in (start, start + distance)]
        _strided()({"x": at[0], "y": at[1], "from": np.int64(step), "to": np.int64(target_step)})
        np.testing.assert_array_equal(memory, expected, f"{distance} elements apart")
