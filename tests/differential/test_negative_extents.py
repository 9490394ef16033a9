"""Views whose extents a launch makes negative have no elements, on every target."""

from __future__ import annotations

import numpy as np

import tilewright as tw

TEXT = """func @f(%x: memref<f32x?>, %m: memref<f32x?x?,strided<1,?>>, %n: index) {
    %z = constant 0 : index
    %two = constant 2.0 : f32
    %v = subview %x[%z:%n] : memref<f32x?>
    %square = subview %m[%z:%n,%z:%n] : memref<f32x?x?,strided<1,?>>
    %wide = subview %m[0:2,%z:%n] : memref<f32x2x?,strided<1,?>>
    %high = subview %m[%z:%n,0:2] : memref<f32x?x2,strided<1,?>>
    %whole = subview %m[0:2,0:2] : memref<f32x2x2,strided<1,?>>
    %row = subview %x[0:2] : memref<f32x2>
    axpby %two, %v, %two, %v
    cumsum %two, %v, 0, %two, %v
    ger %two, %v, %v, %two, %square
    sum %two, %wide, %two, %row
    gemm %two, %wide, %high, %two, %whole
}"""


def test_sums_of_no_terms_and_results_of_no_elements() -> None:
    for target in ("interpreter", "cpu"):
        x, m = np.ones(4, np.float32), np.ones((2, 2), np.float32, order="F")
        tw.compile(TEXT, target=target, cache=False).f[1](x, m, -3)
        assert x.tolist() == [2, 2, 1, 1], target
        assert m.tolist() == [[2, 2], [2, 2]], target
