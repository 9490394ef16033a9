"""Tiles that hang over the end of a tensor write nothing beyond it."""

from __future__ import annotations

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
