"""The sign of zeros in reductions of Tile IR."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from .tile_ir_kernels import run


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_extrema_of_zeros(element: str) -> None:
    """+0 is more than -0, wherever in a row they stand."""
    dtype = np.dtype(ml_dtypes.bfloat16) if element == "bf16" else np.dtype(np.float32)
    identities = {"f32": ("0xff800000", "0x7f800000"), "bf16": ("0xff80", "0x7f80")}[element]
    parts = "".join(
        f"""
  %{op} = reduce %x dim=1 identities=[{identity} : {element}] : tile<4x64x{element}> -> tile<4x{element}> (%e{op}: tile<{element}>, %a{op}: tile<{element}>) {{
    %m{op} = {op} %e{op}, %a{op} : tile<{element}>
    yield %m{op} : tile<{element}>
  }}
  %r{op} = store_view_tko weak %{op}, %to[%{row}] : tile<4x{element}>, partition_view<tile=(4), tensor_view<8x{element}, strides=[1]>>, tile<i32> -> token"""
        for op, identity, row in zip(("maxf", "minf"), identities, ("zero", "one"), strict=True)
    )
    body = f"""
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %n = make_tensor_view %X, shape = [4, 64], strides = [64, 1] : tensor_view<4x64x{element}, strides=[64,1]>
  %from = make_partition_view %n : partition_view<tile=(4x64), tensor_view<4x64x{element}, strides=[64,1]>>
  %x, %t = load_view_tko weak %from[%zero, %zero] : partition_view<tile=(4x64), tensor_view<4x64x{element}, strides=[64,1]>>, tile<i32> -> tile<4x64x{element}>, token
  %out = make_tensor_view %R, shape = [8], strides = [1] : tensor_view<8x{element}, strides=[1]>
  %to = make_partition_view %out : partition_view<tile=(4), tensor_view<8x{element}, strides=[1]>>{parts}"""
    x = np.zeros((4, 64), dtype)
    x[:2] = -0.0
    x[1, 37], x[3, 5] = 0.0, -0.0
    found = np.full(8, 7, dtype)
    run(body, f"%X: tile<ptr<{element}>>, %R: tile<ptr<{element}>>", 1, x, found)
    assert (found == 0).all()
    np.testing.assert_array_equal(
        np.signbit(found.astype(np.float32)), [True, False, False, False, True, True, False, True]
    )
