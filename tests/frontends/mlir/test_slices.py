"""Slices of tensors: boxes that are read as views, and tensors with a box changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from frontends.mlir.reading import check, read, reprinted
from ir.mlir import tool
from tilewright.dialects import memref
from tilewright.frontends.mlir import program_of
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.lower_mlir import LowerMlir

M, S = "tensor<6x8xf32>", "tensor<3x4xf32>"


def function(signature: str, *lines: str) -> str:
    return f"func.func @f{signature} {{\n" + "\n".join(lines) + "\n}"


READ = function(
    f"(%A: {M}, %i: index) -> {S}",
    f"%s = tensor.extract_slice %A[%i, 2] [3, 4] [1, 1] : {M} to {S}",
    f"%e = tensor.empty() : {S}",
    f"%r = linalg.add ins(%s, %s : {S}, {S}) outs(%e : {S}) -> {S}",
    f"return %r : {S}",
)
ROW = function(
    f"(%A: {M}, %i: index) -> tensor<8xf32>",
    f"%s = tensor.extract_slice %A[%i, 0] [1, 8] [1, 1] : {M} to tensor<8xf32>",
    "return %s : tensor<8xf32>",
)
PUT = function(
    f"(%A: {M}, %B: {S}, %i: index) -> {M}",
    f"%r = tensor.insert_slice %B into %A[%i, 1] [3, 4] [1, 1] : {S} into {M}",
    f"return %r : {M}",
)
PUT_ROW = function(
    f"(%A: {M}, %B: tensor<8xf32>) -> {M}",
    f"%r = tensor.insert_slice %B into %A[4, 0] [1, 8] [1, 1] : tensor<8xf32> into {M}",
    f"return %r : {M}",
)
CHANGED = function(
    f"(%A: {M}, %B: {S}) -> ({M}, {S})",
    f"%e = tensor.empty() : {M}",
    f"%t = linalg.add ins(%A, %A : {M}, {M}) outs(%e : {M}) -> {M}",
    f"%s = tensor.extract_slice %t[1, 2] [3, 4] [1, 1] : {M} to {S}",
    f"%u = linalg.add ins(%s, %B : {S}, {S}) outs(%s : {S}) -> {S}",
    f"%r = tensor.insert_slice %u into %t[0, 0] [3, 4] [1, 1] : {S} into {M}",
    f"return %r, %s : {M}, {S}",
)
ALONE = function(
    f"(%A: {M}) -> {S}",
    f"%e = tensor.empty() : {M}",
    f"%t = linalg.add ins(%A, %A : {M}, {M}) outs(%e : {M}) -> {M}",
    f"%s = tensor.extract_slice %t[1, 2] [3, 4] [1, 1] : {M} to {S}",
    f"%u = linalg.add ins(%s, %s : {S}, {S}) outs(%s : {S}) -> {S}",
    f"return %u : {S}",
)
TWICE = function(
    f"(%A: {M}, %B: {S}) -> ({M}, {M}, {S})",
    f"%e = tensor.empty() : {M}",
    f"%t = linalg.add ins(%A, %A : {M}, {M}) outs(%e : {M}) -> {M}",
    f"%s = tensor.extract_slice %t[1, 2] [3, 4] [1, 1] : {M} to {S}",
    f"%u = tensor.insert_slice %B into %t[1, 2] [3, 4] [1, 1] : {S} into {M}",
    f"return %u, %u, %s : {M}, {M}, {S}",
)
TEXTS = {"read": READ, "row": ROW, "put": PUT, "put_row": PUT_ROW, "changed": CHANGED, "alone": ALONE, "twice": TWICE}


def _inputs(rng: np.random.Generator) -> tuple[Any, Any]:
    return rng.integers(-9, 9, (6, 8)).astype(np.float32), rng.integers(-9, 9, (3, 4)).astype(np.float32)


def _launched(text: str, target: str, *arguments: Any) -> None:
    tw.compile(text, target=target, cache=False).f[1](*arguments)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_against_numpy(target: str, rng: np.random.Generator) -> None:
    a, b = _inputs(rng)
    kept = a.copy(), b.copy()
    part, row, whole = np.empty((3, 4), np.float32), np.empty(8, np.float32), np.empty((6, 8), np.float32)
    _launched(READ, target, a, 2, part)
    assert np.array_equal(part, 2 * a[2:5, 2:6])
    _launched(ROW, target, a, 5, row)
    assert np.array_equal(row, a[5])
    _launched(PUT, target, a, b, 3, whole)
    wanted = a.copy()
    wanted[3:6, 1:5] = b
    assert np.array_equal(whole, wanted)
    _launched(PUT_ROW, target, a, row, whole)
    wanted = a.copy()
    wanted[4] = row
    assert np.array_equal(whole, wanted)
    assert all(map(np.array_equal, (a, b), kept))


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_values_never_change(target: str, rng: np.random.Generator) -> None:
    """A slice that is changed leaves its tensor as it is, which is changed elsewhere, and both are returned."""
    a, b = _inputs(rng)
    whole, part = np.empty((6, 8), np.float32), np.empty((3, 4), np.float32)
    _launched(CHANGED, target, a, b, whole, part)
    wanted = 2 * a
    assert np.array_equal(part, wanted[1:4, 2:6])
    wanted[:3, :4] = 2 * a[1:4, 2:6] + b
    assert np.array_equal(whole, wanted)
    _launched(ALONE, target, a, part)
    assert np.array_equal(part, 4 * a[1:4, 2:6])


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_slices_leave_a_result_before_another_one_is_copied_there(target: str, rng: np.random.Generator) -> None:
    """The tensor lies where the first result will; its successor, where the second one is."""
    a, b = _inputs(rng)
    first, second, part = np.empty((6, 8), np.float32), np.empty((6, 8), np.float32), np.empty((3, 4), np.float32)
    _launched(TWICE, target, a, b, first, second, part)
    wanted = 2 * a
    assert np.array_equal(part, wanted[1:4, 2:6])
    wanted[1:4, 2:6] = b
    assert np.array_equal(first, wanted)
    assert np.array_equal(second, wanted)


def test_a_slice_of_what_nobody_needs_any_more_is_changed_in_place() -> None:
    module = program_of(read(ALONE))
    PassManager([LowerMlir()], verify_each=True).run(module, PassContext())
    assert sum(isinstance(op, memref.Alloca) for op in module.walk()) == 1


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_printed_as_they_are(name: str) -> None:
    text = reprinted(TEXTS[name])
    assert reprinted(text) == text


@tool.needed
@pytest.mark.parametrize("name", TEXTS)
def test_the_tool_reads_both_forms_alike(name: str) -> None:
    assert tool.reprinted(reprinted(TEXTS[name])) == tool.reprinted(TEXTS[name])


def test_boxes_that_are_none_are_refused() -> None:
    head = f"func.func @f(%A: {M}) {{ "
    check("M10", f"{head}«%s = tensor.extract_slice %A[0, 0] [3, 5] [1, 1] : {M} to {S}» return }}", "[3, 5]")
    with pytest.raises(tw.CompileError, match=r"tensor\.extract_slice: steps of -1 elements are not supported"):
        _launched(READ.replace("[1, 1]", "[-1, 1]"), "cpu")


TILES = function(
    "(%A: tensor<?xf32>, %i: index, %n: index) -> tensor<?xf32>",
    "%s = affine.min affine_map<(d0, d1) -> (4, d1 - d0)>(%i, %n)",
    "%part = tensor.extract_slice %A[%i] [%s] [1] : tensor<?xf32> to tensor<?xf32>",
    "%e = tensor.empty(%s) : tensor<?xf32>",
    "%d = linalg.add ins(%part, %part : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>",
    "%q = linalg.mul ins(%d, %d : tensor<?xf32>, tensor<?xf32>) outs(%part : tensor<?xf32>) -> tensor<?xf32>",
    "%z = tensor.empty(%n) : tensor<?xf32>",
    "%f = linalg.add ins(%A, %A : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>",
    "%r = tensor.insert_slice %q into %f[%i] [%s] [1] : tensor<?xf32> into tensor<?xf32>",
    "return %r : tensor<?xf32>",
)
BUFFER = function(
    "(%A: memref<?x3xf32>, %n: index)",
    "%s = affine.min affine_map<(d0) -> (d0, 16)>(%n)",
    "%t = memref.alloc(%s) : memref<?x3xf32>",
    "%u = memref.alloca(%s) : memref<?x3xf32>",
    "affine.for %i = 0 to %s { affine.for %j = 0 to 3 {",
    "  %v = affine.load %A[%i, %j] : memref<?x3xf32>",
    "  affine.store %v, %t[%i, 2 - %j] : memref<?x3xf32>",
    "} }",
    "memref.copy %t, %u : memref<?x3xf32> to memref<?x3xf32>",
    "affine.for %i = 0 to %s { affine.for %j = 0 to 3 {",
    "  %v = affine.load %u[%i, %j] : memref<?x3xf32>",
    "  affine.store %v, %A[%i, %j] : memref<?x3xf32>",
    "} }",
    "memref.dealloc %t : memref<?x3xf32>",
    "return",
)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_memory_of_extents_that_are_no_more_than_a_number(target: str, rng: np.random.Generator) -> None:
    """Tiles and the rest that they leave."""
    for n in (4, 7, 9):
        a = rng.integers(-9, 9, n).astype(np.float32)
        for i in range(0, n, 4):
            found, wanted = np.empty(n, np.float32), 2 * a
            wanted[i : i + 4] = (2 * a[i : i + 4]) ** 2
            _launched(TILES, target, a, i, n, found)
            assert np.array_equal(found, wanted)
    for n in (0, 5, 16):
        rows = rng.integers(-9, 9, (16, 3)).astype(np.float32)
        wanted = rows.copy()
        wanted[:n] = rows[:n, ::-1]
        _launched(BUFFER, target, rows, n)
        assert np.array_equal(rows, wanted)


def test_memory_that_is_not_packed_is_refused() -> None:
    strided = BUFFER.replace(
        "memref.alloca(%s) : memref<?x3xf32>", "memref.alloca(%s) : memref<?x3xf32, strided<[4, 1]>>"
    )
    strided = strided.replace("to memref<?x3xf32>\n", "to memref<?x3xf32, strided<[4, 1]>>\n")
    strided = strided.replace("%u[%i, %j] : memref<?x3xf32>", "%u[%i, %j] : memref<?x3xf32, strided<[4, 1]>>")
    with pytest.raises(tw.CompileError, match="is not packed in row-major order"):
        _launched(strided, "cpu")


STRIDED = function(
    "(%A: memref<?x?xf64>, %B: memref<6x7xf64>, %C: memref<5x7xf64>, %s: index)",
    "%a = memref.subview %A[0, 1] [5, 6] [%s, 2] : memref<?x?xf64> to memref<5x6xf64, strided<[?, 2], offset: 1>>",
    "affine.for %i = 0 to 5 { affine.for %j = 0 to 7 { affine.for %k = 0 to 6 {",
    "  %x = affine.load %a[%i, %k] : memref<5x6xf64, strided<[?, 2], offset: 1>>",
    "  %y = affine.load %B[%k, %j] : memref<6x7xf64>",
    "  %z = affine.load %C[%i, %j] : memref<5x7xf64>",
    "  %p = arith.mulf %x, %y : f64",
    "  %q = arith.addf %z, %p : f64",
    "  affine.store %q, %C[%i, %j] : memref<5x7xf64>",
    "} } }",
    "return",
)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("step", [2, "%s"])
def test_products_in_loops_over_views_with_steps(target: str, step: int | str, rng: np.random.Generator) -> None:
    """The view reaches to its last element, which is that of the memory, and no further."""
    text = STRIDED.replace("[%s, 2]", f"[{step}, 2]")
    a, b, c = rng.standard_normal((9, 12)), rng.standard_normal((6, 7)), rng.standard_normal((5, 7))
    wanted = c + a[::2, 1::2] @ b
    _launched(text, target, a, b, c, 2)
    assert np.allclose(c, wanted)


def test_a_mode_with_steps_is_no_mode_of_the_operand() -> None:
    """What looks through views for the mode itself, its places or its stride finds none."""
    module = program_of(read(STRIDED))
    PassManager([LowerMlir()], verify_each=True).run(module, PassContext())
    (view,) = [op for op in module.walk() if isinstance(op, memref.Strided)]
    assert [view.source_of(mode) for mode in range(2)] == [None, None]
    assert not view.is_contained
    assert not view.keeps_order


def test_a_box_with_steps_ends_at_its_last_element() -> None:
    """Of six columns and five rows, each the second one."""
    module = program_of(read(STRIDED.replace("[%s, 2]", "[2, 2]")))
    PassManager([LowerMlir()], verify_each=True).run(module, PassContext())
    (box,) = [op for op in module.walk() if isinstance(op, memref.Subview)]
    assert box.static_sizes == (11, 9)
