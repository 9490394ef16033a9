"""Floats of 16 bits that are only moved keep their bits: selects, masks, loops and branches round nothing."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw

Bits = NDArray[np.int16]

_NUMPY = {"bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype(np.float16)}
_QUIET_NAN = {"bf16": 0x7FC0, "f16": 0x7E00}

_KERNEL = """cuda_tile.module @m {{
entry @k(%A: tile<ptr<i16>>, %R: tile<ptr<{dtype}>>, %n: tile<i32>) {{
  %index = iota : tile<{count}xi32>
  %a0 = reshape %A : tile<ptr<i16>> -> tile<1xptr<i16>>
  %a1 = broadcast %a0 : tile<1xptr<i16>> -> tile<{count}xptr<i16>>
  %a = offset %a1, %index : tile<{count}xptr<i16>>, tile<{count}xi32> -> tile<{count}xptr<i16>>
  %bits, %t0 = load_ptr_tko weak %a : tile<{count}xptr<i16>> -> tile<{count}xi16>, token
  %x = bitcast %bits : tile<{count}xi16> -> tile<{count}x{dtype}>
  %limit = reshape %n : tile<i32> -> tile<1xi32>
  %limits = broadcast %limit : tile<1xi32> -> tile<{count}xi32>
  %inside = cmpi less_than %index, %limits, signed : tile<{count}xi32> -> tile<{count}xi1>
  %r0 = reshape %R : tile<ptr<{dtype}>> -> tile<1xptr<{dtype}>>
  %r1 = broadcast %r0 : tile<1xptr<{dtype}>> -> tile<{count}xptr<{dtype}>>
  %r = offset %r1, %index : tile<{count}xptr<{dtype}>>, tile<{count}xi32> -> tile<{count}xptr<{dtype}>>
  %old, %t1 = load_ptr_tko weak %r : tile<{count}xptr<{dtype}>> -> tile<{count}x{dtype}>, token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %last = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%carried = %old) -> (tile<{count}x{dtype}>) {{
    continue %x : tile<{count}x{dtype}>
  }}
  %chosen = select %inside, %last, %old : tile<{count}xi1>, tile<{count}x{dtype}>
  %t2 = store_ptr_tko weak %r, %chosen, %inside token=%t1 : tile<{count}xptr<{dtype}>>, tile<{count}x{dtype}>, tile<{count}xi1> -> token
}}
}}
"""


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("count", [1, 4, 64])
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_bits_stay(dtype: str, count: int, level: int, rng: np.random.Generator) -> None:
    """AVX512_BF16 flushes subnormal numbers wherever LLVM takes a detour through f32."""
    subnormal: Bits = np.arange(1, 1 + count, dtype=np.int16)
    nan = subnormal | np.int16(_QUIET_NAN[dtype])
    kernel = tw.compile(_KERNEL.format(dtype=dtype, count=count), level=level, cache=False).k
    for given in (subnormal, subnormal | np.int16(-0x8000), nan, rng.permutation(subnormal)):
        found = np.full(count, 0x55, np.int16)
        inside = max(1, count - 1)
        kernel[1](given, found.view(_NUMPY[dtype]), inside)
        np.testing.assert_array_equal(found[:inside], given[:inside])
        np.testing.assert_array_equal(found[inside:], 0x55)
