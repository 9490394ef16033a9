"""Rows that are shorter than their tiles: threads for what there is, no tests where all is known, right answers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import lane, memref
from tilewright.dialects.builtin import Module
from tilewright.dialects.lane import fragment_of
from tilewright.ir.types import F16
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms import emit

from .case import Array, Launch, poisoned
from .emulated import emulated
from .test_ragged import module_of

ROWS = 2
REDUCE = """%{0}_r = reduce %{1} dim=1 identities=[{2} : f32] : {3} -> tile<1xf32>
    (%{0}_x: tile<f32>, %{0}_y: tile<f32>) {{
  %{0}_z = {4} %{0}_x, %{0}_y : tile<f32>
  yield %{0}_z : tile<f32>
}}
%{0}_1 = reshape %{0}_r : tile<1xf32> -> tile<1x1xf32>
%{0} = broadcast %{0}_1 : tile<1x1xf32> -> {3}
"""


def centred_softmax(columns: int, element: str) -> str:
    """y = softmax(x - mean(x)) of each row, in tiles of a power of two; the mean counts what is inside alone."""
    width = 1 << (columns - 1).bit_length()
    tensor = f"tensor_view<{ROWS}x{columns}x{element}, strides=[{columns},1]>"
    view = f"partition_view<tile=(1x{width}), padding_value = neg_inf, {tensor}>"
    wide, narrow = f"tile<1x{width}xf32>", f"tile<1x{width}x{element}>"
    views = "".join(
        f"%{p}a = assume div_by<16>, %{p} : tile<ptr<{element}>>\n"
        f"%{p}t = make_tensor_view %{p}a, shape = [{ROWS}, {columns}], strides = [{columns}, 1] : {tensor}\n"
        f"%{p}v = make_partition_view %{p}t : {view}\n"
        for p in "xy"
    )
    widen, shorten = (
        (f"%v = ftof %n : {narrow} -> {wide}\n", f"%o = ftof %q : {wide} -> {narrow}\n")
        if element != "f32"
        else ("", "")
    )
    loaded, stored = ("n", "o") if element != "f32" else ("v", "q")
    return (
        f"cuda_tile.module @m {{\nentry @softmax(%x: tile<ptr<{element}>>, %y: tile<ptr<{element}>>) {{\n"
        f"%bx, %by, %bz = get_tile_block_id : tile<i32>\n%zero = constant <i32: 0> : tile<i32>\n{views}"
        f"%{loaded}, %t = load_view_tko weak %xv[%bx, %zero] : {view}, tile<i32> -> {narrow}, token\n{widen}"
        f"%place = iota : tile<{width}xi32>\n%at = reshape %place : tile<{width}xi32> -> tile<1x{width}xi32>\n"
        f"%end = constant <i32: {columns - 1}> : tile<1x{width}xi32>\n"
        f"%inside = cmpi less_than_or_equal %at, %end, signed : tile<1x{width}xi32> -> tile<1x{width}xi1>\n"
        f"%none = constant <f32: 0.0> : {wide}\n%share = constant <f32: {1 / columns:.20f}> : {wide}\n"
        f"%k = select %inside, %v, %none : tile<1x{width}xi1>, {wide}\n"
        + REDUCE.format("total", "k", "0.0", wide, "addf")
        + f"%mean = mulf %total, %share : {wide}\n%d = subf %v, %mean : {wide}\n"
        + REDUCE.format("most", "d", "0xFF800000", wide, "maxf")
        + f"%moved = subf %d, %most : {wide}\n%e = exp %moved : {wide}\n"
        + REDUCE.format("sum", "e", "0.0", wide, "addf")
        + f"%q = divf %e, %sum : {wide}\n{shorten}"
        f"%done = store_view_tko weak %{stored}, %yv[%bx, %zero] : {narrow}, {view}, tile<i32> -> token\n"
        "return\n}\n}\n"
    )


def lowered(columns: int, element: str) -> Module:
    """On lanes."""
    report = Report()
    module = read_module(Source("k.tileir", centred_softmax(columns, element)), report)
    lower_module(module, NvidiaTarget(Architecture.SM_90A), CompileOptions(2, verify_each=True), report)
    return module


def wanted(x: Array) -> Array:
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


CASES = [
    (5, "f32", 32),
    (100, "f32", 32),
    (1000, "f32", 128),
    (1000, "f16", 64),
    (2053, "f16", 96),
    (5000, "f32", 320),
    (40003, "f32", 1024),
]


@pytest.mark.parametrize(("columns", "element", "threads"), CASES)
def test_rows_shorter_than_tiles(columns: int, element: str, threads: int, rng: np.random.Generator) -> None:
    module = lowered(columns, element)
    assert (module.kernels[0].schedule or "").split()[1] == f"threads={threads}"
    dtype = np.float32 if element == "f32" else np.float16
    x = rng.normal(size=(ROWS, columns)).astype(dtype)
    x[1] = x[1] * 0 - np.inf if columns == 100 else x[1]
    with np.errstate(invalid="ignore"):
        expected = wanted(x)
    y = emulated(module).run(Launch([x, poisoned(element, x.size)], {1: x.reshape(-1)}, grid=(ROWS, 1, 1)))[1]
    assert isinstance(y, np.ndarray)
    error = 1e-5 if element == "f32" else 1e-3
    np.testing.assert_allclose(y.reshape(x.shape).astype(np.float64), expected, rtol=error, atol=error / 100)


def test_what_is_known_is_not_computed() -> None:
    """Of 5000 elements in a tile of 8192, 5 warps hold four accesses of 8 a thread; what is behind is one number."""
    module = lowered(5000, "f16")
    loads = [op for op in module.kernels[0].walk() if isinstance(op, lane.Load) and fragment_of(op.out).element is F16]
    assert {(fragment_of(op.out).size, op.width, any(op.check)) for op in loads} == {(24, 8, False), (8, 8, True)}
    text, _ = emit_llvm(module, Architecture.SM_90A)
    assert len(re.findall("call float @llvm.nvvm.ex2", text)) == 33, "one for all that is behind the row"


def test_long_rows_wait_in_shared_memory_that_is_used_again() -> None:
    """x, its exponentials and the quotients have the same bytes, one after the other; no part is in registers long."""
    kernel = lowered(65536, "f32").kernels[0]
    shared = [emit.memref_type(op.out) for op in kernel.walk() if isinstance(op, memref.Alloca)]
    assert [type_.shape for type_ in shared if type_.order == 3] == [(4, 1024, 14)]
    into = [op for op in kernel.walk() if isinstance(op, lane.Store) and emit.memref_type(op.memref).order == 3]
    assert {fragment_of(op.value).size for op in into} == {16, 8}, "56 registers each, 16 at a time"
    loads = [op for op in kernel.walk() if isinstance(op, lane.Load) and emit.memref_type(op.memref).order == 2]
    assert sum(fragment_of(op.out).size for op in loads if op.width == 4) == 64, "memory is read once"


def test_parts_of_reductions_end_with_the_row(rng: np.random.Generator) -> None:
    """What threads hold behind the row is neither the largest of negative numbers nor part of a sum."""
    count = 20003
    text = f"""builtin.module {{
      builtin.kernel {{sym_name = "shares", spread = true}} (%x: memref<f64x{count}>, %y: memref<f64x{count}>) {{
        %zero = arith.constant {{value = 0}} -> index
        %v = tile.load %x, %zero -> tile<{count}xf64>
        %m = tile.reduce %v {{kind = "max", dim = 0}} -> tile<f64>
        %m1 = tile.reshape %m -> tile<1xf64>
        %most = tile.broadcast %m1 -> tile<{count}xf64>
        %d = arith.sub %v, %most -> tile<{count}xf64>
        %s = tile.reduce %d {{kind = "add", dim = 0}} -> tile<f64>
        %s1 = tile.reshape %s -> tile<1xf64>
        %sum = tile.broadcast %s1 -> tile<{count}xf64>
        %q = arith.div %d, %sum -> tile<{count}xf64>
        tile.store %q, %y, %zero
      }}
    }}"""
    module = module_of(text)
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    x = -1 - rng.random(count)
    y = emulated(module).run(Launch([x, poisoned("f64", count)], {1: x}))[1]
    assert isinstance(y, np.ndarray)
    np.testing.assert_allclose(y, (x - x.max()) / (x - x.max()).sum(), rtol=1e-12)


@pytest.mark.parametrize("count", [1, 31, 33, 34, 63, 65])
def test_ends_of_rows_by_one_thread_more_or_less(count: int, rng: np.random.Generator) -> None:
    """The last elements are held by some threads only: what these compare with is no answer of others."""
    text = f"""builtin.module {{
      builtin.kernel {{sym_name = "largest", spread = true}} (%x: memref<i32x{count}>, %y: memref<i32>) {{
        %zero = arith.constant {{value = 0}} -> index
        %v = tile.load %x, %zero -> tile<{count}xi32>
        %m = tile.reduce %v {{kind = "max", dim = 0}} -> tile<i32>
        tile.store %m, %y
      }}
    }}"""
    module = module_of(text)
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    x = -rng.integers(1, 1000, count).astype(np.int32)
    found = emulated(module).run(Launch([x, poisoned("i32", 1).reshape(())], {1: x.max()}))[1]
    assert isinstance(found, np.ndarray)
    assert found == x.max()
