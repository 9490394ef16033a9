"""Masked stores of bytes whose mask comes from bits of a vector, where vector registers are scarce.

Found by random kernels: LLVM 22 took the mask from another register (llvm/llvm-project#191304).
"""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw

_OTHERS = 2


def _loads(number: int) -> str:
    """A tile of f16 of its own for every block."""
    return f"""
  %f0_{number} = reshape %F : tile<ptr<f16>> -> tile<1xptr<f16>>
  %f1_{number} = broadcast %f0_{number} : tile<1xptr<f16>> -> tile<16xptr<f16>>
  %f2_{number} = offset %f1_{number}, %here : tile<16xptr<f16>>, tile<16xi64> -> tile<16xptr<f16>>
  %f_{number}, %t_{number} = load_ptr_tko relaxed tl_blk %f2_{number} : tile<16xptr<f16>> -> tile<16xf16>, token"""


_KERNEL = f"""cuda_tile.module @m {{
entry @k(%A: tile<ptr<f4E2M1FN>>, %F: tile<ptr<f16>>, %R: tile<ptr<i8>>) {{
  %block, %by, %bz = get_tile_block_id : tile<i32>
  %n = make_tensor_view %A, shape = [48], strides = [1] : tensor_view<48xf4E2M1FN, strides=[1]>
  %w = make_partition_view %n : partition_view<tile=(16), padding_value = zero, tensor_view<48xf4E2M1FN, strides=[1]>>
  %x, %t = load_view_tko weak %w[%block] : partition_view<tile=(16), padding_value = zero, tensor_view<48xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<16xf4E2M1FN>, token
  %long = exti %block unsigned : tile<i32> -> tile<i64>
  %sixteen = constant <i64: 16> : tile<i64>
  %start = muli %long, %sixteen : tile<i64>
  %start1 = reshape %start : tile<i64> -> tile<1xi64>
  %starts = broadcast %start1 : tile<1xi64> -> tile<16xi64>
  %steps = iota : tile<16xi64>
  %here = addi %steps, %starts : tile<16xi64>{"".join(map(_loads, range(_OTHERS)))}
  %packed = pack %x : tile<16xf4E2M1FN> -> tile<8xi8>
  %eight = constant <i64: 8> : tile<i64>
  %to = muli %long, %eight : tile<i64>
  %to1 = reshape %to : tile<i64> -> tile<1xi64>
  %tos = broadcast %to1 : tile<1xi64> -> tile<8xi64>
  %lanes = iota : tile<8xi64>
  %there = addi %lanes, %tos : tile<8xi64>
  %r0 = reshape %R : tile<ptr<i8>> -> tile<1xptr<i8>>
  %r1 = broadcast %r0 : tile<1xptr<i8>> -> tile<8xptr<i8>>
  %r = offset %r1, %there : tile<8xptr<i8>>, tile<8xi64> -> tile<8xptr<i8>>
  %odd = trunci %packed : tile<8xi8> -> tile<8xi1>
  %done = store_ptr_tko weak %r, %packed, %odd : tile<8xptr<i8>>, tile<8xi8>, tile<8xi1> -> token
}}
}}
"""


@pytest.mark.parametrize("level", [0, 2])
def test_odd_bytes_are_stored(level: int, rng: np.random.Generator) -> None:
    given = rng.integers(-128, 128, 24).astype(np.int8)
    found = np.full(24, 0x54, np.int8)
    tw.compile(_KERNEL, level=level, cache=False).k[3](given, np.zeros(48, np.float16), found)
    np.testing.assert_array_equal(found, np.where(given & 1, given, 0x54))
