"""Tile IR through the front door: text, bytes, files; what it is is seen from its content."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright.compiler import read_tile_ir
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir.bytecode import lowest_version, write

SAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.tileir"


def bytecode() -> bytes:
    module = read_tile_ir(Source(str(SAMPLE), SAMPLE.read_text()), Report())
    return write(module, lowest_version(module))


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_bytes_compile_as_text_does(target: str, tmp_path: Path, rng: np.random.Generator) -> None:
    data = bytecode()
    path = tmp_path / "named_as_you_like.txt"
    path.write_bytes(data)
    a, b = rng.standard_normal((2, 1500), np.float32)
    for kernel in (data, bytearray(data), memoryview(data), path, str(path), SAMPLE.read_bytes(), SAMPLE.read_text()):
        program = tw.compile(kernel, target=target)
        c = np.full_like(a, np.nan)
        program.vector_add[2](a, b, c, len(a))
        assert np.array_equal(c, a + b)


def test_the_source_of_bytecode_is_its_text() -> None:
    for target in ("cpu", "interpreter"):
        text = tw.compile(bytecode(), target=target).text("source")
        assert text.startswith("cuda_tile.module @kernels {\n  entry @vector_add(")
        assert tw.compile(text, target=target).text("source") == text


def test_what_is_wrong_in_bytes_has_a_place() -> None:
    data = bytecode()
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(data[:-4])
    [found] = caught.value.diagnostics
    assert found.code == "B2"
    assert "byte" in str(caught.value)
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(b"\xff\xfe\0\0")
    assert caught.value.diagnostics


@pytest.mark.parametrize("text", [
    'cuda_tile.module @m {{ entry @k(%c: tile<i1>) {{\n{}assert %c, "no" : tile<i1>\n{} }} }}',
    "func @k(%c: bool, %x: memref<f32>) {{\n%o = constant 1.0 : f32\n{}store %o, %x[]\n{} }}",
])  # fmt: skip
def test_regions_that_are_too_deep_for_the_stack_are_told(text: str) -> None:
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(text.format("if %c {\n" * 250, "}\n" * 250), level=0, cache=False)
    assert [d.code for d in caught.value.diagnostics] == ["T007"]
