"""Views of MLIR say the layout that follows from their source, its elements, and lie within it."""

from __future__ import annotations

import pytest

from frontends.mlir.reading import check, read

A, V = "memref<4x6xf32>", "memref<8x6xf32, strided<[12, 2], offset: 3>>"
T = "tensor<4x6xf32>"


def function(line: str) -> str:
    return f"func.func @f(%A: {A}, %V: {V}, %T: {T}, %i: index, %x: f32) {{\n  {line}\n  return\n}}\n"


BOX, STEPS = f"memref.subview %A[1, 2] [2, 4] [1, 1] : {A} to ", f"memref.subview %V[1, %i] [2, 1] [3, 1] : {V} to "
FLAT = "memref.reinterpret_cast %A to offset: [2], sizes: [5, %i], strides: [2, 1] : " + A + " to "
SPLIT = f"memref.expand_shape %V [[0, 1], [2]] output_shape [2, 4, 6] : {V} into "
RIGHT = (
    f"{BOX}memref<2x4xf32, strided<[6, 1], offset: 8>>",
    f"{BOX}memref<2x4xf32, strided<[?, 1], offset: ?>>",
    f"{STEPS}memref<2xf32, strided<[36], offset: ?>>",
    f"{STEPS}memref<2x1xf32, strided<[36, 5], offset: ?>>",  # nothing is multiplied with the 5
    f"{STEPS}memref<2xf32, strided<[36], offset: 40>>",  # it may be so
    f"{FLAT}memref<5x?xf32, strided<[2, 1], offset: 2>>",
    f"{SPLIT}memref<2x4x6xf32, strided<[48, 12, 2], offset: 3>>",
    f"memref.collapse_shape %A [[0, 1]] : {A} into memref<24xf32>",
    f"memref.cast %V : {V} to memref<?x6xf32, strided<[?, 2], offset: ?>>",
    f"memref.subview %A[4, 0] [0, 6] [1, 1] : {A} to memref<0x6xf32, strided<[6, 1], offset: 24>>",
    f"tensor.extract_slice %T[2, %i] [2, 6] [1, 1] : {T} to tensor<2x6xf32>",
)
WRONG = (
    (f"{BOX}memref<2x4xf32>", "has not the strides [6, 1] and the offset 8"),
    (f"{BOX}memref<2x4xf32, strided<[6, 1], offset: 6>>", "the offset 8 of the view"),
    (f"{BOX}memref<2x4xf64, strided<[6, 1], offset: 8>>", "has other elements than"),
    (f"{STEPS}memref<2xf32, strided<[12], offset: ?>>", "the strides [36] and the offset ?"),
    (f"{FLAT}memref<5x?xf32, strided<[2, 1]>>", "the offset 2 of the view"),
    (f"{FLAT}memref<4x?xf32, strided<[2, 1], offset: 2>>", "has not the sizes [5, ?]"),
    (f"{SPLIT}memref<2x4x6xf32, strided<[12, 48, 2], offset: 3>>", "the strides [48, 12, 2]"),
    (f"memref.collapse_shape %A [[0, 1]] : {A} into memref<24xf32, strided<[2]>>", "the strides [1]"),
    (f"memref.subview %A[3, 0] [2, 6] [1, 1] : {A} to memref<2x6xf32, strided<[6, 1], offset: 18>>", "from 3 to 4 in"),
    (f"memref.subview %A[0, 1] [4, 3] [1, 3] : {A} to memref<4x3xf32, strided<[6, 3], offset: 1>>", "in dimension 1"),
    (f"tensor.extract_slice %T[-1, %i] [2, 6] [1, 1] : {T} to tensor<2x6xf32>", "from -1 to 0 in dimension 0"),
)


@pytest.mark.parametrize("line", RIGHT)
def test_views(line: str) -> None:
    read(function(f"%v = {line}"))


@pytest.mark.parametrize(("line", "says"), WRONG)
def test_views_that_are_none(line: str, says: str) -> None:
    check("M10", function(f"«%v = {line}»"), says)


def test_casts_and_conversions_that_are_none() -> None:
    check(
        "M10", function(f"%v = memref.cast «%A» : {A} to memref<4x6xf32, strided<[1, 4]>>"), "never a memref<4x6xf32,"
    )
    check("M10", function("%v = arith.truncf «%x» : f32 to f32"), "f32 is no narrower than f32")
