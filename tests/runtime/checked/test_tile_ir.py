"""Checked code on the CPU for Tile IR: pointers reach as far as their arrays."""

from __future__ import annotations

from functools import partial

import pytest

import tilewright as tw
from runtime.checked.checking import compiled, fault, guarded, untouched

POINTERS = """cuda_tile.module @m {
  entry @f(%a: tile<ptr<f32>>, %first: tile<i32>, %n: tile<i32>) {
    %i = iota : tile<16xi32>
    %b1 = reshape %first : tile<i32> -> tile<1xi32>
    %b = broadcast %b1 : tile<1xi32> -> tile<16xi32>
    %at = addi %i, %b : tile<16xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n2 = broadcast %n1 : tile<1xi32> -> tile<16xi32>
    %mask = cmpi less_than %at, %n2, signed : tile<16xi32> -> tile<16xi1>
    %p1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p2 = broadcast %p1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %p = offset %p2, %at : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %one = constant <f32: 1.0> : tile<16xf32>
    %t = store_ptr_tko weak %p, %one, %mask : tile<16xptr<f32>>, tile<16xf32>, tile<16xi1> -> token
    return
  }
}
"""

VIEW = """cuda_tile.module @m {
  entry @f(%a: tile<ptr<f32>>, %rows: tile<i32>, %row: tile<i32>) {
    %t = make_tensor_view %a, shape = [%rows, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>
    %v = make_partition_view %t : partition_view<tile=(2x8), tensor_view<?x8xf32, strides=[8,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <f32: 1.0> : tile<2x8xf32>
    %s = store_view_tko weak %one, %v[%row, %zero] : tile<2x8xf32>,
      partition_view<tile=(2x8), tensor_view<?x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
"""


@pytest.mark.parametrize("level", [0, 2])
def test_pointers_of_tile_ir(level: int) -> None:
    kernel = compiled(POINTERS, level).f[1]
    array, whole = guarded(20)
    kernel(array, 4, 100)
    kernel(array, 10, 20)
    kernel(array, 1000, 20)
    assert untouched(whole, 20)
    assert "bytes 20 to 83 of %a are accessed, which has 80" in fault(lambda: kernel(array, 5, 100))
    assert "bytes -4 to 59 of %a are accessed, which has 80" in fault(lambda: kernel(array, -1, 100))
    assert untouched(whole, 20)


@pytest.mark.parametrize("level", [0, 2])
def test_views_of_tile_ir(level: int) -> None:
    kernel = compiled(VIEW, level).f[1]
    array, whole = guarded(40)
    for row in range(3):
        kernel(array, 5, row)
    assert (array == 1).all()
    assert "bytes 128 to 191 of %a are accessed, which has 160" in fault(lambda: kernel(array, 6, 2))
    assert "bytes 192 to 223 of %a are accessed, which has 160" in fault(lambda: kernel(array, 7, 3))
    assert untouched(whole, 40)


def test_steps_that_lead_around_the_address_space() -> None:
    """Four steps of 2^62 elements end where they begin."""
    text = VIEW.replace("strides = [8, 1] : tile<i32>", "strides = [%apart, 1] : tile<i64>")
    text = text.replace("strides=[8,1]", "strides=[?,1]").replace(
        "%rows: tile<i32>", "%apart: tile<i64>, %rows: tile<i64>"
    )
    kernel = compiled(text).f[1]
    array, whole = guarded(16)
    kernel(array, 8, 2, 0)
    assert (array == 1).all()
    said = [fault(partial(kernel, array, apart, 2, 0)) for apart in (1 << 62, -(1 << 62), -1, 1 << 58)]
    for apart, message in zip((1 << 62, -(1 << 62), -1), said, strict=False):
        assert f"2 x 8 elements in steps of {apart} and 1 reach beyond the memory of %a" in message
    assert f"bytes 0 to {(1 << 60) + 31} of %a are accessed, which has 64" in said[-1]
    assert untouched(whole, 16)


def test_a_part_of_an_array_is_all_that_a_pointer_may_reach() -> None:
    kernel = compiled(POINTERS).f[1]
    array, _ = guarded(40)
    kernel(array[10:30], 4, 100)
    assert "bytes -4 to" in fault(lambda: kernel(array[10:30], -1, 100))
    assert "which has 80" in fault(lambda: kernel(array[10:30], 5, 100))


def test_an_address_reaches_as_far_as_it_is_said_to() -> None:
    kernel = compiled(POINTERS).f[1]
    array, whole = guarded(20)
    kernel(tw.address(array.ctypes.data, nbytes=64), 0, 17)
    assert (array[:16] == 1).all()
    message = "bytes 4 to 67 of %a are accessed, which has 64"
    assert message in fault(lambda: kernel(tw.address(array.ctypes.data, nbytes=64), 1, 100))
    assert (array[16:] == 0).all()
    assert untouched(whole, 20)
