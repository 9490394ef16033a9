"""Which stores prefetch their lines: long runs in memory that is not the work-group's own, up to their very end."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from targets.cpu.entry import Entry
from tilewright.targets.cpu.machine import machine_of


def _double(width: int) -> str:
    view = "tensor_view<?xf32, strides=[1]>"
    part = f"partition_view<tile=({width}), {view}>"
    views = "".join(
        f"%{p}t = make_tensor_view %{p}, shape = [%n], strides = [1] : tile<i32> -> {view}\n"
        f"%{p}v = make_partition_view %{p}t : {part}\n"
        for p in "xy"
    )
    return f"""
entry @double(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {{
  {views}
  %b, %c, %d = get_tile_block_id : tile<i32>
  %u, %t0 = load_view_tko weak %xv[%b] : {part}, tile<i32> -> tile<{width}xf32>, token
  %v = addf %u, %u : tile<{width}xf32>
  %t1 = store_view_tko weak %v, %yv[%b] : tile<{width}xf32>, {part}, tile<i32> -> token
  return
}}
"""


def _entry(width: int, *, fetches_stores: bool) -> Entry:
    text = f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: memref<f32x{width}>, %y: memref<f32x{width}>) {{
      %zero = arith.constant {{value = 0}} -> index
      %u = tile.load %x, %zero -> tile<{width}xf32>
      %v = arith.add %u, %u -> tile<{width}xf32>
      tile.store %v, %y, %zero
    }} }}"""
    return Entry(text, replace(machine_of(), fetches_stores=fetches_stores))


@pytest.mark.parametrize("fetches_stores", [False, True])
@pytest.mark.parametrize("width", [1024, 256])
def test_long_runs_where_the_hardware_does_not(width: int, fetches_stores: bool, rng: np.random.Generator) -> None:
    entry = _entry(width, fetches_stores=fetches_stores)
    assert ("@llvm.prefetch" in entry.text) is (width == 1024 and not fetches_stores)
    x, y = rng.standard_normal((2, width)).astype(np.float32)
    entry({"x": x, "y": y})
    np.testing.assert_array_equal(y, 2 * x)


@pytest.mark.parametrize("width", [1024, 256])
def test_ends_of_long_runs(width: int, rng: np.random.Generator) -> None:
    x = rng.standard_normal(5 * width + 17, np.float32)
    y = np.full(x.size + 8, np.nan, np.float32)
    tw.compile(_double(width)).double[6](x, y, x.size)
    np.testing.assert_array_equal(y[: x.size], 2 * x)
    assert np.isnan(y[x.size :]).all()
