"""Tiles that hang over the end of a tensor write nothing beyond it."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw

DTYPES = {"i8": np.int8, "i16": np.int16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_an_extent_known_only_after_folding(dtype: str, size: int) -> None:
    one = "1" if dtype[0] == "i" else "1.0"
    text = f"""func @k(%target: memref<{dtype}x1x9>, %source: memref<{dtype}x?>) {{
        %size = constant {size} : index
        %part = subview %target[0,0:%size] : memref<{dtype}x?,strided<1>>
        %one = constant {one} : {dtype}
        axpby %one, %source, %one, %part
    }}"""
    target = np.arange(1, 10).astype(DTYPES[dtype]).reshape((1, 9))
    expected = target.astype(np.float64)
    source = np.full(size, 5).astype(DTYPES[dtype])
    expected[0, :size] += 5
    tw.compile(text, target="cpu", cache=False).k[1](target, source)
    assert np.array_equal(target.astype(np.float64), expected)


@pytest.mark.parametrize("target", ["cpu", "cpu:avx2"])
@pytest.mark.parametrize("start", [3 - (1 << 63), -25, -4, -3, 0, 11, 17, (1 << 63) - 9, (1 << 63) - 1])
def test_any_first_row(target: str, start: int) -> None:
    """The tile is longer than the matrix: no distance from one of its rows to the end wraps to one that exists."""
    matrix = "coopmatrix<c64x24x3,matrix_acc>"
    alone = "attributes{subgroup_size=1,work_group_size=[1,1]}"
    text = f"""func @k(%x: memref<c64x17x4>, %y: memref<c64x24x3>) {alone} {{
        parallel {{
            %start = constant {start} : index
            %zero = constant 0 : index
            %m = cooperative_matrix_load.rows_checked %x[%start,%zero] : {matrix}
            cooperative_matrix_store %m, %y[%zero,%zero]
        }}
    }}"""
    x = np.arange(1, 69).reshape((17, 4), order="F") * (1 + 2j)
    y = np.full((24, 3), np.nan, np.complex128, order="F")
    tw.compile(text, target=target, cache=False).k[1](x, y)
    expected = np.zeros((24, 3), np.complex128)
    rows = [row for row in range(24) if 0 <= start + row < 17]
    expected[rows] = x[[start + row for row in rows], :3]
    assert np.array_equal(y, expected)


def test_lines_that_do_not_exist_lie_at_the_first_one() -> None:
    """Masked loads where no memory is take a thousand times as long, though all of their lanes are off."""
    text = """
func @dots(%A: memref<f32x?x?>, %b: memref<f32x?>, %c: memref<f32x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    gemv.t %one, %A, %b, %zero, %c
}"""
    llvm = tw.compile(text).dots.llvm
    loads = re.findall(r"@llvm\.masked\.load\S+\(ptr align 4 (%\S+), <\d+ x i1> (%[^,]+),", llvm)
    of_whole_lines = [pointer for pointer, mask in loads if f"{mask} = shufflevector" in llvm]
    assert of_whole_lines, "whole vectors of the last columns are loaded under masks"
    chosen = dict(re.findall(r"(%\S+) = select i1 %\S+, ptr %\S+, ptr (%\S+)", llvm))
    firsts = {chosen.get(pointer, pointer) for pointer in of_whole_lines}
    assert len(firsts) == 1, "they are all found from the address of the first element"
