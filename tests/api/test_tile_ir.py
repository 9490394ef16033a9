"""Tile IR through the front door: text, bytes, files; what it is is seen from its content."""

from __future__ import annotations

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright.artifacts.parameters import MAX_GROUPS, KernelInfo
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builder import new_region
from tilewright.dialects.scf import If
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.frontends.tile_ir.bytecode import lowest_version, write
from tilewright.runtime.header import emit_header
from tilewright.targets import find_target

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


DEEP = pytest.mark.parametrize("text", [
    'cuda_tile.module @m {{ entry @k(%c: tile<i1>) {{\n{}assert %c, "no" : tile<i1>\n{} }} }}',
    "func @k(%c: bool, %x: memref<f32>) {{\n%o = constant 1.0 : f32\n{}store %o, %x[]\n{} }}",
])  # fmt: skip


def nested(text: str, depth: int) -> str:
    return text.format("if %c {\n" * depth, "}\n" * depth)


@DEEP
@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("checked", [False, True])
def test_regions_as_deep_as_any_that_are_read_compile(text: str, level: int, checked: bool) -> None:
    deepest = 255
    assert tw.compile(nested(text, deepest), level=level, checked=checked, cache=False)
    with pytest.raises(tw.CompileError, match="nested more than 256 deep"):
        tw.compile(nested(text, deepest + 1), cache=False)


@DEEP
def test_deep_regions_compile_from_deep_inside_a_recursion(text: str) -> None:
    def called_from_deep_inside(frames: int) -> None:
        if frames:
            called_from_deep_inside(frames - 1)
        else:
            tw.compile(nested(text, 250), level=0, cache=False)

    limit = sys.getrecursionlimit()
    called_from_deep_inside(limit - 250)
    assert sys.getrecursionlimit() == limit


def test_regions_deeper_than_any_that_are_read_are_told() -> None:
    text = "func @k(%c: bool) {\n%o = constant 1.0 : f32\n}"
    module = read_module(Source("k", text), Report())
    block = module.kernels[0].body.entry
    for _ in range(2000):
        region, inner = new_region()
        block.append(If(module.kernels[0].parameters[0], region))
        block = inner
    report = Report()
    with pytest.raises(tw.CompileError):
        compile_module(module, find_target("cpu:generic"), CompileOptions(0), report)
    assert [d.code for d in report.diagnostics] == ["T007"]


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_scalars_of_all_types(target: str) -> None:
    values = {
        "i1": np.bool_(True), "i8": np.int8(-5), "i16": np.int16(-300), "i32": np.int32(7), "i64": np.int64(2**62),
        "f16": np.float16(0.1), "bf16": ml_dtypes.bfloat16(0.1), "f32": np.float32(0.1), "tf32": np.float32(1.5),
        "f64": np.float64(0.1), "f8E4M3FN": ml_dtypes.float8_e4m3fn(-1.5), "f8E5M2": ml_dtypes.float8_e5m2(3),
        "f8E8M0FNU": ml_dtypes.float8_e8m0fnu(8), "f8E5M3FNU": np.int8(-7),
    }  # fmt: skip
    parameters = ", ".join(f"%s{n}: tile<{e}>, %p{n}: tile<ptr<{e}>>" for n, e in enumerate(values))
    stores = "\n".join(
        f"%t{n} = store_ptr_tko weak %p{n}, %s{n} : tile<ptr<{e}>>, tile<{e}> -> token" for n, e in enumerate(values)
    )
    kernel = tw.compile(f"entry @k({parameters}) {{\n{stores}\n}}", target=target, cache=False)["k"]
    outputs = [np.zeros(1, value.dtype) for value in values.values()]
    kernel[1](*(a for pair in zip(values.values(), outputs, strict=True) for a in pair))
    assert [out.tobytes() for out in outputs] == [np.asarray(value).tobytes() for value in values.values()]


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_arguments_that_do_not_fit(target: str) -> None:
    kernel = tw.compile("entry @k(%n: tile<i8>, %p: tile<ptr<f32>>) {\n}", target=target)["k"]
    for number, array, message in (
        (128, np.zeros(1, np.float32), "argument n: 128 is out of range for i8"),
        (1.0, np.zeros(1, np.float32), "argument n: an integer is wanted"),
        (1, np.zeros(1), "argument p: its dtype is float64"),
        (1, "text", "argument p: str is no array"),
    ):
        with pytest.raises(tw.LaunchError, match=message):
            kernel[1](number, array)


BLOCKS = """
entry @blocks(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %n, %m, %k = get_num_tile_blocks : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %next = addi %x, %one : tile<i32>
  %last = cmpi equal %next, %n, signed : tile<i32> -> tile<i1>
  if %last {
    %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
  }
}
"""


def test_a_grid_of_the_most_tile_blocks_and_of_one_more() -> None:
    """Tile IR has up to 2^24 - 1 tile blocks along an axis, which what is known about their numbers relies on."""
    found = np.zeros(1, np.int32)
    cpu = tw.compile(BLOCKS)
    cpu.blocks[2**24 - 1](found)
    assert found[0] == 2**24 - 2
    assert "up to 16777215 work-groups along a mode" in emit_header(cpu.artifact)
    for program in (cpu, tw.Program.from_bytes(cpu.to_bytes()), tw.compile(BLOCKS, target="interpreter")):
        for grid in (2**24, (1, 2**24), (2, 1, 2**24)):
            with pytest.raises(tw.LaunchError, match="16,777,215 work-groups along a mode"):
                program.blocks[grid](found)


def test_the_limit_of_the_grid_is_a_number() -> None:
    assert KernelInfo("k", "k", ()).max_groups is None
    for text in ("many", "-1", ""):
        with pytest.raises(ValueError, match="its limit of the grid is no number"):
            KernelInfo("k", "k", (), facts={MAX_GROUPS: text})
