"""Which stores prefetch their lines: long runs in memory that is not the work-group's own, up to their very end."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw


def _double(width: int, operation: str = "addf %u, %u") -> str:
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
  %v = {operation} : tile<{width}xf32>
  %t1 = store_view_tko weak %v, %yv[%b] : tile<{width}xf32>, {part}, tile<i32> -> token
  return
}}
"""


def test_functions_leave_it_to_the_hardware() -> None:
    assert "@llvm.prefetch" not in tw.compile(_double(1024, "exp %u")).double.ir("llvm")


@pytest.mark.parametrize(("width", "prefetches"), [(1024, True), (256, False)])
def test_long_runs_only(width: int, prefetches: bool, rng: np.random.Generator) -> None:
    program = tw.compile(_double(width))
    assert ("@llvm.prefetch" in program.double.ir("llvm")) is prefetches
    x = rng.standard_normal(5 * width + 17, np.float32)
    y = np.full(x.size + 8, np.nan, np.float32)
    program.double[6](x, y, x.size)
    np.testing.assert_array_equal(y[: x.size], 2 * x)
    assert np.isnan(y[x.size :]).all()
