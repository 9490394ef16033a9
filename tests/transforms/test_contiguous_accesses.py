"""Gathers of neighbours whose row stride is known at run time only."""

from __future__ import annotations

import numpy as np

import tilewright as tw

_ROWS, _COLUMNS = 4, 16
_BOX = f"{_ROWS}x{_COLUMNS}"
_COPY = f"""
entry @copy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {{
  %r = iota : tile<{_ROWS}xi32>
  %r1 = reshape %r : tile<{_ROWS}xi32> -> tile<{_ROWS}x1xi32>
  %rows = broadcast %r1 : tile<{_ROWS}x1xi32> -> tile<{_BOX}xi32>
  %c = iota : tile<{_COLUMNS}xi32>
  %c1 = reshape %c : tile<{_COLUMNS}xi32> -> tile<1x{_COLUMNS}xi32>
  %columns = broadcast %c1 : tile<1x{_COLUMNS}xi32> -> tile<{_BOX}xi32>
  %n1 = reshape %n : tile<i32> -> tile<1x1xi32>
  %stride = broadcast %n1 : tile<1x1xi32> -> tile<{_BOX}xi32>
  %jump = muli %rows, %stride : tile<{_BOX}xi32>
  %from = addi %jump, %columns : tile<{_BOX}xi32>
  %width = constant <i32: {_COLUMNS}> : tile<{_BOX}xi32>
  %skip = muli %rows, %width : tile<{_BOX}xi32>
  %to = addi %skip, %columns : tile<{_BOX}xi32>
  %x1 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %xs = broadcast %x1 : tile<1x1xptr<f32>> -> tile<{_BOX}xptr<f32>>
  %y1 = reshape %y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %ys = broadcast %y1 : tile<1x1xptr<f32>> -> tile<{_BOX}xptr<f32>>
  %px = offset %xs, %from : tile<{_BOX}xptr<f32>>, tile<{_BOX}xi32> -> tile<{_BOX}xptr<f32>>
  %py = offset %ys, %to : tile<{_BOX}xptr<f32>>, tile<{_BOX}xi32> -> tile<{_BOX}xptr<f32>>
  %v, %t0 = load_ptr_tko weak %px : tile<{_BOX}xptr<f32>> -> tile<{_BOX}xf32>, token
  %t1 = store_ptr_tko weak %py, %v : tile<{_BOX}xptr<f32>>, tile<{_BOX}xf32> -> token
  return
}}
"""


def test_row_strides_of_run_time(rng: np.random.Generator) -> None:
    program = tw.compile(_COPY)
    assert "memref.from_address" in program.copy.ir("tile")
    x = rng.standard_normal(1000, np.float32)
    last = 900
    for stride in (0, 1, 5, 17, 100, -3, -100):
        y = np.full((_ROWS, _COLUMNS), np.nan, np.float32)
        start = last if stride < 0 else 0
        program.copy[1](x[start:], y, stride)
        rows, columns = np.mgrid[:_ROWS, :_COLUMNS]
        np.testing.assert_array_equal(y, x[start + rows * stride + columns], err_msg=f"stride {stride}")
