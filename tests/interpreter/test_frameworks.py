"""Arrays of other libraries are the interpreter's where they lie, in every type, as they are a compiled kernel's."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw

TYPES = {
    "i8": "int8",
    "i64": "int64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f64": "float64",
    "c32": "complex64",
    "c64": "complex128",
}
SMALL_FLOATS = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "f8E8M0FNU": "float8_e8m0fnu"}


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("dtype", TYPES)
def test_strided_tensors_of_torch(dtype: str, target: str) -> None:
    torch = pytest.importorskip("torch")
    memref = f"memref<{dtype}x?x?,strided<1,?>>"
    text = f"""func @copy(%x: {memref}, %y: {memref}) {{
  %z = constant 0 : index %n = size %x[0] : index %m = size %x[1] : index
  foreach (%i, %j) = (%z, %z), (%n, %m) {{ %v = load %x[%i, %j] : {dtype} store %v, %y[%i, %j] }}
}}"""
    kernel = tw.compile(text, target=target, cache=False).copy
    x = torch.arange(-30, 30).to(getattr(torch, TYPES[dtype])).view(6, 10)
    y = torch.zeros_like(x)
    kernel[1](x[1:5, :7].T, y[1:5, :7].T)
    assert torch.equal(y[1:5, :7], x[1:5, :7])
    y[1:5, :7] = 0
    assert not y.any()
    kernel[1](x[:, :0].T, y[:, :0].T)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("dtype", SMALL_FLOATS)
def test_small_floats_of_torch(dtype: str, target: str) -> None:
    torch = pytest.importorskip("torch")
    tile = f"tile<ptr<{dtype}>>"
    text = f"""cuda_tile.module @m {{ entry @copy(%p: {tile}, %q: {tile}) {{
  %x, %t = load_ptr_tko weak %p : {tile} -> tile<{dtype}>, token
  %u = store_ptr_tko weak %q, %x : {tile}, tile<{dtype}> -> token
}} }}"""
    kernel = tw.compile(text, target=target, cache=False).copy
    for byte in (0x01, 0x3C, 0x7B):
        x, y = (
            torch.full((4,), fill, dtype=torch.uint8).view(getattr(torch, SMALL_FLOATS[dtype])) for fill in (byte, 0)
        )
        kernel[1](x, y)
        assert y.view(torch.uint8).tolist() == [byte, 0, 0, 0]


def test_what_says_that_it_is_read_only_is() -> None:
    text = "func @k(%x: memref<f32x?>) { %i = constant 0 : index %v = load %x[%i] : f32 store %v, %x[%i] }"
    for data in (bytes(8), memoryview(bytearray(8)).toreadonly()):
        with pytest.raises(tw.LaunchError, match="read-only"):
            tw.compile(text, target="interpreter").k[1](memoryview(data).cast("f"))
    writable = bytearray(np.array([3, 4], np.float32).tobytes())
    tw.compile(text, target="interpreter").k[1](memoryview(writable).cast("f"))
