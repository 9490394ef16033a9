"""Stages of products of views: parts of matrices, casts, memory of one dimension."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from effort import thorough
from frontends.mlir.reading import read
from ir.mlir import tool
from targets.nvidia.launching import program_of_module
from tilewright.diagnostics import CompileError
from tilewright.dialects.mlir import regroupings
from tilewright.transforms.matmul_stages.layouts import first_multiple, origin_of
from transforms.matmul_stages.products import module_of, outcomes, program_of

TILES = "block=16x16x16 warp=16x16x16 vector=1"
A = "memref<20x33xf16, strided<[40, 1], offset: 84>>"
B = "memref<33x17xf16, strided<[24, 1], offset: ?>>"
C = "memref<20x17xf32, strided<[32, 1], offset: 1>>"
PARTS = f"""\
func.func @f(%A: memref<30x40xf16>, %B: memref<40x24xf16>, %C: memref<24x32xf32>, %o: index) {{
  %a = memref.subview %A[2, 4] [20, 33] [1, 1] : memref<30x40xf16> to {A}
  %b = memref.subview %B[%o, 3] [33, 17] [1, 1] : memref<40x24xf16> to {B}
  %c = memref.subview %C[0, 1] [20, 17] [1, 1] : memref<24x32xf32> to {C}
  linalg.matmul ins(%a, %b : {A}, {B}) outs(%c : {C})
  return
}}
"""
"""Parts of larger matrices: 20 rows, 17 columns, 33 summed elements."""
ANY = "strided<[?, 1], offset: ?>"
OPEN_PARTS = f"""\
func.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %o: index,
             %m: index, %n: index, %k: index) {{
  %a = memref.subview %A[2, 4] [%m, %k] [1, 1] : memref<?x?xf16> to memref<?x?xf16, {ANY}>
  %b = memref.subview %B[%o, 3] [%k, %n] [1, 1] : memref<?x?xf16> to memref<?x?xf16, {ANY}>
  %c = memref.subview %C[%o, %o] [%m, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, {ANY}>
  linalg.matmul ins(%a, %b : memref<?x?xf16, {ANY}>, memref<?x?xf16, {ANY}>) outs(%c : memref<?x?xf32, {ANY}>)
  return
}}
"""
"""The same of any extents."""
CASTS = """\
func.func @f(%A: memref<?x?xf16>, %B: memref<1024xf16>, %C: memref<32x32xf32>) {
  %a = memref.cast %A : memref<?x?xf16> to memref<32x32xf16>
  %b = memref.reinterpret_cast %B to offset: [0], sizes: [32, 32], strides: [32, 1]
    : memref<1024xf16> to memref<32x32xf16>
  %c = memref.cast %C : memref<32x32xf32> to memref<?x32xf32>
  linalg.matmul ins(%a, %b : memref<32x32xf16>, memref<32x32xf16>) outs(%c : memref<?x32xf32>)
  return
}
"""
"""All of some memory, with more or less known of it."""


def arguments(rng: np.random.Generator, *shapes: tuple[int, ...]) -> list[NDArray[Any]]:
    """Small whole numbers, whose sums are exact; the last is C."""
    types = [np.float16] * (len(shapes) - 1) + [np.float32]
    return [rng.integers(-2, 3, shape).astype(type_) for shape, type_ in zip(shapes, types, strict=True)]


@pytest.mark.covering(0)
@pytest.mark.parametrize("text", [PARTS, OPEN_PARTS], ids=["known", "open"])
def test_parts_of_matrices(text: str, rng: np.random.Generator, tmp_path: Path) -> None:
    """Any stage, the last one and the emulated device leave the product in a part of C, and the rest as it was."""
    found = outcomes(text, TILES)
    first = 1
    sizes = () if text is PARTS else (np.int64(20), np.int64(17), np.int64(33))
    some = found if thorough() else [found[int(rng.integers(len(found) - 1))], found[-1]]
    programs = [(one.module, program_of(one, "interpreter", tmp_path)) for one in some]
    programs.append((found[-1].module, program_of_module(module_of(found[-1]))))
    for module, program in programs:
        a, b, c = arguments(rng, (30, 40), (40, 24), (24, 32))
        wanted = c.copy()
        top = 0 if text is PARTS else first
        wanted[top : top + 20, 1:18] += a[2:22, 4:37].astype(np.float32) @ b[first : first + 33, 3:20].astype(
            np.float32
        )
        program.f[1 if module is None else (1, 1)](a, b, c, np.int64(first), *sizes)
        assert np.array_equal(c, wanted)


@tool.needed
def test_the_stock_tool_accepts_every_program() -> None:
    texts = [one.text for text in (PARTS, OPEN_PARTS) for one in outcomes(text, TILES)]
    accepted = tool.reprinted_together(texts)
    for text in texts:
        accepted(text)


def test_casts(rng: np.random.Generator, tmp_path: Path) -> None:
    found = outcomes(CASTS, "block=16x16x16 warp=16x16x16 vector=8")
    for one in (found[int(rng.integers(len(found) - 1))], found[-1]):
        a, b, c = arguments(rng, (32, 32), (1024,), (32, 32))
        wanted = c + a.astype(np.float32) @ b.reshape(32, 32).astype(np.float32)
        program_of(one, "interpreter", tmp_path).f[1 if one.module is None else (2, 2)](a, b, c)
        assert np.array_equal(c, wanted), one.name


def viewed(offset: str, layout: str, result: str = "%c") -> str:
    """A product with a part of memory as A, from an offset on, and another as C."""
    a, c = f"memref<32x32xf16, {layout}>", "memref<32x32xf16, strided<[64, 1]>>"
    b = "memref<32x32xf16>"
    return (
        f"func.func @f(%A: memref<64x64xf16>, %B: {b}, %C: memref<64x64xf16>, %o: index) {{\n"
        f"  %a = memref.subview %A[{offset}] [32, 32] [1, 1] : memref<64x64xf16> to {a}\n"
        f"  %c = memref.subview %C[0, 0] [32, 32] [1, 1] : memref<64x64xf16> to {c}\n"
        f"  linalg.matmul ins(%a, %B : {a}, {b}) outs({result} : {a if result == '%a' else c})\n  return\n}}\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (viewed("1, 4", "strided<[64, 1], offset: 68>"), "%a is a view that begins at an element of other memory"),
        (viewed("0, %o", "strided<[64, 1], offset: ?>"), "whose number is not known to be a multiple of 8"),
        (
            viewed("0, 32", "strided<[64, 1], offset: 32>").replace("subview %C", "subview %A"),
            "%c and the factor %a may be views of the same memory",
        ),
        (viewed("0, 0", "strided<[64, 1]>", "%a"), "%a is a factor of the product and its result"),
        (
            viewed("0, 0", "strided<[64, 2]>").replace(
                "[1, 1] : memref<64x64xf16> to memref<32x32xf16, strided<[64, 2]",
                "[1, 2] : memref<64x64xf16> to memref<32x32xf16, strided<[64, 2]",
            ),
            "the stages take matrices in row-major order",
        ),
    ],
)
def test_views_that_stages_do_not_take_are_said_with_their_place(text: str, said: str) -> None:
    with pytest.raises(CompileError) as error:
        outcomes(text, "block=32x32x32 warp=16x16x16 vector=8")
    (found,) = error.value.diagnostics
    assert found.code == "M12"
    assert said in found.message
    assert found.location.primary is not None
    assert found.hints or "result" in found.message


SQUARE = "memref<32x32xf32>"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            f"%a = arith.select %i, %A, %C : {SQUARE}\n  %c = memref.cast %C : {SQUARE} to {SQUARE}",
            "%c and the factor %a",
        ),
        (f"%a = memref.get_global @g : {SQUARE}\n  %c = memref.get_global @g : {SQUARE}", "%c and the factor %a"),
        (f"%a = memref.get_global @g : {SQUARE}\n  %c = memref.get_global @h : {SQUARE}", ""),
    ],
)
def test_memory_that_may_be_one_is_not_taken(made: str, said: str) -> None:
    """A choice may be what it is made of, and a global has one memory however often it is asked for."""
    text = (
        f"memref.global @g : {SQUARE} = dense<1.0>\nmemref.global @h : {SQUARE} = dense<2.0>\n"
        f"func.func @f(%A: {SQUARE}, %C: {SQUARE}, %i: i1) {{\n  {made}\n"
        f"  linalg.matmul ins(%a, %A : {SQUARE}, {SQUARE}) outs(%c : {SQUARE})\n  return\n}}\n"
    )
    if not said:
        assert outcomes(text, TILES, "start")
        return
    with pytest.raises(CompileError, match=f"{said} may be views of the same memory"):
        outcomes(text, TILES, "start")


def test_rows_of_parts_are_copied_in_vectors_where_they_begin_at_multiples() -> None:
    found = outcomes(viewed("%o, 8", "strided<[64, 1], offset: ?>"), "block=32x32x32 warp=16x16x16 vector=8")
    assert "rows of 8 elements" in found[12].changed


def test_split_and_joined_dimensions_begin_where_the_memory_does() -> None:
    text = """func.func @f(%A: memref<64xf16>) {
  %a = memref.subview %A[4] [48] [1] : memref<64xf16> to memref<48xf16, strided<[1], offset: 4>>
  %b = memref.expand_shape %a [[0, 1]] output_shape [6, 8]
      : memref<48xf16, strided<[1], offset: 4>> into memref<6x8xf16, strided<[8, 1], offset: 4>>
  return
}
"""
    [split] = [op for op in read(text).module.walk() if isinstance(op, regroupings.Regrouping)]
    assert first_multiple(split.out) == 4
    assert origin_of(split.out).name == "A"
