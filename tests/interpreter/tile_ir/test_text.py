"""Tile IR text in the interpreter, by way of `tilewright.compile`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.interpreter.tile_ir.memory import PAGE

Array = NDArray[Any]


def program(body: str, parameters: str, checked: bool = True, items: str = "") -> tw.Program:
    text = f"cuda_tile.module @m {{\n{items}\nentry @k({parameters}) {{\n{body}\n}}\n}}\n"
    return tw.compile(text, target="interpreter", checked=checked)


MATRIX = "tensor_view<?x?xf32, strides=[?,1]>"
MATMUL = f"""
  %a = make_tensor_view %pa, shape = [%m, %k], strides = [%k, 1] : tile<i32> -> {MATRIX}
  %b = make_tensor_view %pb, shape = [%k, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %c = make_tensor_view %pc, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %va = make_partition_view %a : partition_view<tile=(128x64), padding_value = zero, {MATRIX}>
  %vb = make_partition_view %b : partition_view<tile=(64x128), padding_value = zero, {MATRIX}>
  %vc = make_partition_view %c : partition_view<tile=(128x128), {MATRIX}>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %rows, %steps = get_index_space_shape %va : partition_view<tile=(128x64), padding_value = zero, {MATRIX}> -> tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %none = constant <f32: 0.0> : tile<128x128xf32>
  %sum = for %i in (%zero to %steps, step %one) : tile<i32>
      iter_values(%acc = %none) -> (tile<128x128xf32>) {{
    %ta, %t0 = load_view_tko weak %va[%x, %i] : partition_view<tile=(128x64), padding_value = zero, {MATRIX}>,
        tile<i32> -> tile<128x64xf32>, token
    %tb, %t1 = load_view_tko weak %vb[%i, %y] : partition_view<tile=(64x128), padding_value = zero, {MATRIX}>,
        tile<i32> -> tile<64x128xf32>, token
    %next = mmaf %ta, %tb, %acc : tile<128x64xf32>, tile<64x128xf32>, tile<128x128xf32>
    continue %next : tile<128x128xf32>
  }}
  %t = store_view_tko weak %sum, %vc[%x, %y] : tile<128x128xf32>, partition_view<tile=(128x128), {MATRIX}>,
      tile<i32> -> token
"""


def test_matmul_with_edges(rng: np.random.Generator) -> None:
    m, n, k = (int(v) for v in rng.integers(100, 300, 3))
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    c = np.full((m, n), np.nan, np.float32)
    pointers = ", ".join(f"%p{x}: tile<ptr<f32>>" for x in "abc")
    sizes = ", ".join(f"%{x}: tile<i32>" for x in "mnk")
    kernel = program(MATMUL, f"{pointers}, {sizes}").k
    kernel[-(-m // 128), -(-n // 128)](a, b, c, m, n, k)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    assert np.linalg.norm(c - wanted) < 1e-6 * np.linalg.norm(wanted), (m, n, k)


VIEW = "tensor_view<8xi32, strides=[1]>"
PARTS = f"partition_view<tile=(4), {VIEW}>"


def two_stores(second: str, token: str = "") -> str:
    return f"""
  %t = make_tensor_view %p, shape = [8], strides = [1] : {VIEW}
  %v = make_partition_view %t : {PARTS}
  %0 = constant <i32: 0> : tile<i32>
  %1 = constant <i32: 1> : tile<i32>
  %a = constant <i32: 3> : tile<4xi32>
  %first = store_view_tko weak %a, %v[%0] : tile<4xi32>, {PARTS}, tile<i32> -> token
  %later = store_view_tko weak %a, %v[%{second}] {token} : tile<4xi32>, {PARTS}, tile<i32> -> token
"""


def test_tokens_order_accesses() -> None:
    out = np.zeros(8, np.int32)
    program(two_stores("1"), "%p: tile<ptr<i32>>").k[1](out)
    program(two_stores("0", "token=%first"), "%p: tile<ptr<i32>>").k[1](out)
    program(two_stores("0"), "%p: tile<ptr<i32>>", checked=False).k[1](out)
    with pytest.raises(tw.CompileError, match="no token path orders them") as caught:
        program(two_stores("0"), "%p: tile<ptr<i32>>").k[1](out)
    assert len(caught.value.diagnostics[0].labels) == 1
    with pytest.raises(tw.CompileError, match="race"):
        program(two_stores("1"), "%p: tile<ptr<i32>>").k[2](out)


@pytest.mark.parametrize("checked", [False, True])
def test_out_of_bounds_is_located(checked: bool) -> None:
    out = np.zeros(6, np.int32)
    with pytest.raises(tw.CompileError, match=r"writes 4 bytes at offset 24 of %p, which has 24") as caught:
        program(two_stores("1"), "%p: tile<ptr<i32>>", checked).k[1](out)
    assert "string" in str(caught.value.diagnostics[0].location)


def test_index_outside_of_the_index_space() -> None:
    body = two_stores("1").replace("constant <i32: 1>", "constant <i32: 2>")
    out = np.zeros(8, np.int32)
    program(body, "%p: tile<ptr<i32>>", checked=False).k[1](out)
    np.testing.assert_array_equal(out, [3, 3, 3, 3, 0, 0, 0, 0])
    with pytest.raises(tw.CompileError, match="index 2 along dimension 0"):
        program(body, "%p: tile<ptr<i32>>").k[1](out)


def test_strided_view_with_map_and_padding(rng: np.random.Generator) -> None:
    tensor = "tensor_view<5x7xf32, strides=[7,1]>"
    view = f"strided_view<tile=(4x8), traversal_strides=[3,2], padding_value = neg_inf, {tensor}, dim_map=[1, 0]>"
    out_tensor = "tensor_view<4x8xf32, strides=[8,1]>"
    out_view = f"partition_view<tile=(4x8), {out_tensor}>"
    body = f"""
  %t = make_tensor_view %p, shape = [5, 7], strides = [7, 1] : {tensor}
  %v = make_strided_view %t : {view}
  %i = constant <i32: 1> : tile<i32>
  %j = constant <i32: 0> : tile<i32>
  %x, %r = load_view_tko weak %v[%i, %j] : {view}, tile<i32> -> tile<4x8xf32>, token
  %o = make_tensor_view %q, shape = [4, 8], strides = [8, 1] : {out_tensor}
  %w = make_partition_view %o : {out_view}
  %z = store_view_tko weak %x, %w[%j, %j] : tile<4x8xf32>, {out_view}, tile<i32> -> token
"""
    data = rng.standard_normal((5, 7)).astype(np.float32)
    out = np.zeros((4, 8), np.float32)
    program(body, "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>").k[1](data, out)
    wanted = np.full((4, 8), -np.inf, np.float32)
    wanted[:4, :5] = data.T[3:7]
    np.testing.assert_array_equal(out, wanted)


def test_gather_view(rng: np.random.Generator) -> None:
    tensor = "tensor_view<9x6xi16, strides=[6,1]>"
    view = f"gather_scatter_view<tile=(4x4), padding_value = zero, {tensor}, sparse_dim=0>"
    out_tensor = "tensor_view<4x4xi16, strides=[4,1]>"
    out_view = f"partition_view<tile=(4x4), {out_tensor}>"
    body = f"""
  %t = make_tensor_view %p, shape = [9, 6], strides = [6, 1] : {tensor}
  %v = make_gather_scatter_view %t : {view}
  %rows = constant <i32: [7, 0, 9, 3]> : tile<4xi32>
  %from = constant <i32: 3> : tile<i32>
  %x, %r = load_view_tko weak %v[%rows, %from] : {view}, tile<4xi32>, tile<i32> -> tile<4x4xi16>, token
  %o = make_tensor_view %q, shape = [4, 4], strides = [4, 1] : {out_tensor}
  %w = make_partition_view %o : {out_view}
  %j = constant <i32: 0> : tile<i32>
  %z = store_view_tko weak %x, %w[%j, %j] : tile<4x4xi16>, {out_view}, tile<i32> -> token
"""
    data = rng.integers(-99, 99, (9, 6)).astype(np.int16)
    out = np.full((4, 4), -1, np.int16)
    program(body, "%p: tile<ptr<i16>>, %q: tile<ptr<i16>>").k[1](data, out)
    wanted = np.zeros((4, 4), np.int16)
    for row, source in enumerate((7, 0, None, 3)):
        if source is not None:
            wanted[row, :3] = data[source, 3:6]
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize(
    ("mode", "element", "dtype"),
    [("add", "i32", np.int32), ("max", "i64", np.int64), ("umin", "i32", np.int32), ("addf", "f32", np.float32)],
)
def test_atomics_count_every_element(mode: str, element: str, dtype: Any, rng: np.random.Generator) -> None:
    body = f"""
  %i = iota : tile<64xi32>
  %three = constant <i32: 3> : tile<64xi32>
  %slot = remi %i, %three signed : tile<64xi32>
  %p1 = reshape %p : tile<ptr<{element}>> -> tile<1xptr<{element}>>
  %pb = broadcast %p1 : tile<1xptr<{element}>> -> tile<64xptr<{element}>>
  %at = offset %pb, %slot : tile<64xptr<{element}>>, tile<64xi32> -> tile<64xptr<{element}>>
  %q1 = reshape %q : tile<ptr<{element}>> -> tile<1xptr<{element}>>
  %qb = broadcast %q1 : tile<1xptr<{element}>> -> tile<64xptr<{element}>>
  %from = offset %qb, %i : tile<64xptr<{element}>>, tile<64xi32> -> tile<64xptr<{element}>>
  %x, %t = load_ptr_tko weak %from : tile<64xptr<{element}>> -> tile<64x{element}>, token
  %old, %u = atomic_rmw_tko relaxed device %at, {mode}, %x : tile<64xptr<{element}>>, tile<64x{element}>
      -> tile<64x{element}>, token
"""
    values = rng.integers(-50, 50, 64).astype(dtype)
    out = np.full(3, 5, dtype)
    program(body, f"%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>").k[2](out, values)
    compute = {"add": np.add, "addf": np.add, "max": np.maximum, "umin": np.minimum}[mode]
    wanted = np.full(3, 5, dtype)
    view: Any = np.uint32 if mode == "umin" else dtype
    for index in range(128):
        slot = index % 64 % 3
        wanted[slot] = compute(wanted.view(view)[slot], values.view(view)[index % 64]).astype(view).view(dtype)
    np.testing.assert_array_equal(out, wanted)


def test_globals_pointers_as_integers_and_masks() -> None:
    items = "global constant @table <i32: [10, 20, 30, 40]> : tile<4xi32>\nglobal @count <i32: [0]> : tile<1xi32>"
    body = """
  %g = get_global @table : tile<ptr<i32>>
  %n = ptr_to_int %g : tile<ptr<i32>> -> tile<i64>
  %eight = constant <i64: 8> : tile<i64>
  %m = addi %n, %eight : tile<i64>
  %h = int_to_ptr %m : tile<i64> -> tile<ptr<i32>>
  %x, %t = load_ptr_tko weak %h : tile<ptr<i32>> -> tile<i32>, token
  %c = get_global @count : tile<ptr<i32>>
  %y, %u = load_ptr_tko weak %c : tile<ptr<i32>> -> tile<i32>, token
  %z = addi %x, %y : tile<i32>
  %v = store_ptr_tko weak %c, %z token=%u : tile<ptr<i32>>, tile<i32> -> token
  %w = store_ptr_tko weak %p, %z : tile<ptr<i32>>, tile<i32> -> token
  %null = constant <i64: 0> : tile<i64>
  %nowhere = int_to_ptr %null : tile<i64> -> tile<ptr<i32>>
  %no = constant <i1: false> : tile<i1>
  %s = store_ptr_tko weak %nowhere, %z, %no : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
"""
    out = np.zeros(1, np.int32)
    kernels = program(body, "%p: tile<ptr<i32>>", items=items)
    kernels.k[1](out)
    assert out[0] == 30
    kernels.k[1](out)
    assert out[0] == 60
    wrong = body.replace("get_global @count", "get_global @table")
    with pytest.raises(tw.CompileError, match="read-only"):
        program(wrong, "%p: tile<ptr<i32>>", items=items).k[1](out)


def test_allocations_end_with_their_block() -> None:
    body = """
  %a = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>
  %x = constant <f32: 2.5> : tile<f32>
  %t = store_ptr_tko weak %a, %x : tile<ptr<f32>>, tile<f32> -> token
  %y, %u = load_ptr_tko weak %a token=%t : tile<ptr<f32>> -> tile<f32>, token
  %v = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token
"""
    out = np.zeros(1, np.float32)
    program(body, "%p: tile<ptr<f32>>").k[1](out)
    assert out[0] == 2.5
    with pytest.raises(tw.CompileError, match="nothing has written"):
        program(body.replace("%t = store_ptr_tko weak %a", "%t = store_ptr_tko weak %p"), "%p: tile<ptr<f32>>").k[1](
            out
        )


def test_arguments_that_overlap() -> None:
    """A store through one argument is seen through the other."""
    body = """
  %x = constant <i32: 9> : tile<i32>
  %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
  %y, %u = load_ptr_tko weak %q token=%t : tile<ptr<i32>> -> tile<i32>, token
  %one = constant <i32: 1> : tile<i32>
  %at = offset %q, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %v = store_ptr_tko weak %at, %y : tile<ptr<i32>>, tile<i32> -> token
"""
    data = np.zeros(4, np.int32)
    program(body, "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>").k[1](data[1:], data[1:3])
    np.testing.assert_array_equal(data, [0, 9, 9, 0])


@pytest.mark.parametrize(("index", "exists"), [(0, True), (1, True), (2, False), (3, False)])
def test_slices_that_do_not_exist_are_undefined(index: int, exists: bool) -> None:
    body = """
  %i = iota : tile<8xi32>
  %x = extract %i[%k] : tile<8xi32> -> tile<4xi32>
  %f = iota : tile<4xi32>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %pb = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %at = offset %pb, %f : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %t = store_ptr_tko weak %at, %x : tile<4xptr<i32>>, tile<4xi32> -> token
"""
    out = np.zeros(4, np.int32)
    kernel = program(body, "%p: tile<ptr<i32>>, %k: tile<i32>").k
    if exists:
        kernel[1](out, index)
        np.testing.assert_array_equal(out, np.arange(4) + 4 * index)
    else:
        with pytest.raises(tw.CompileError, match=f"slice {index} along dimension 0, which has 2"):
            kernel[1](out, index)


@pytest.mark.parametrize(("size", "kept"), [(16, True), (12, False), (8, True)])
def test_promises_that_tiles_lie_inside_are_looked_at(size: int, kept: bool) -> None:
    tensor = "tensor_view<?xi32, strides=[1]>"
    view = f"partition_view<tile=(8), {tensor}>"
    body = f"""
  %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {tensor}
  %v = make_partition_view %t : {view}
  %x, %r = load_view_tko weak %v[%k] inbounds = [true] : {view}, tile<i32> -> tile<8xi32>, token
"""
    kernel = program(body, "%p: tile<ptr<i32>>, %n: tile<i32>, %k: tile<i32>").k
    arguments = np.zeros(size, np.int32), size, (size - 1) // 8
    if kept:
        kernel[1](*arguments)
    else:
        with pytest.raises(tw.CompileError, match="inbounds is promised for dimension 0"):
            kernel[1](*arguments)


@pytest.mark.parametrize(("offset", "inside"), [(0, True), (1, False), (2, False), (-1, False)])
def test_elements_that_end_behind_an_array_are_outside(offset: int, inside: bool) -> None:
    """Six bytes, which hold one element of four, at the beginning of a page: nothing lies in front of the first one."""
    body = """
  %q = ptr_to_ptr %p : tile<ptr<i8>> -> tile<ptr<i32>>
  %at = offset %q, %k : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %x, %t = load_ptr_tko weak %at : tile<ptr<i32>> -> tile<i32>, token
"""
    memory = np.zeros(2 * PAGE, np.int8)
    start = -memory.ctypes.data % PAGE
    kernel = program(body, "%p: tile<ptr<i8>>, %k: tile<i32>").k
    if inside:
        kernel[1](memory[start : start + 6], offset)
    else:
        with pytest.raises(tw.CompileError, match=f"reads 4 bytes at offset {4 * offset} of %p, which has 6"):
            kernel[1](memory[start : start + 6], offset)
