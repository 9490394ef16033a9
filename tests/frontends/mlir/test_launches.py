"""Functions of MLIR are launched like kernels, with row-major arrays; what does not fit is refused beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw

MATMUL = """
func.func @matmul(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  return
}
func.func @fixed(%A: memref<4x6xf32>, %v: memref<6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<6xf32>) outs(%A : memref<4x6xf32>) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
  }
  return
}
func.func @turned(%A: memref<4x6xf32, strided<[1, 5], offset: 3>>, %B: memref<4x6xf32>) {
  memref.copy %A, %B : memref<4x6xf32, strided<[1, 5], offset: 3>> to memref<4x6xf32>
  return
}
"""


@pytest.fixture(params=["interpreter", "cpu"])
def program(request: pytest.FixtureRequest) -> tw.Program:
    return tw.compile(MATMUL, target=request.param)


def arrays(*shapes: tuple[int, ...]) -> list[Any]:
    return [np.arange(np.prod(s), dtype=np.float32).reshape(s) % 7 for s in shapes]


def test_row_major_arrays_as_they_are(program: tw.Program) -> None:
    a, b, c = arrays((3, 5), (5, 2), (3, 2))
    expected = c + a @ b
    program.matmul[1](a, b, c)
    assert np.array_equal(c, expected)


def test_rows_may_lie_apart(program: tw.Program) -> None:
    a, b, room = arrays((3, 9), (5, 2), (3, 8))
    expected = room[:, 1:3] + a[:, 2:7] @ b
    program.matmul[1](a[:, 2:7], b, room[:, 1:3])
    assert np.array_equal(room[:, 1:3], expected)


def test_other_layouts_are_those_of_the_type(program: tw.Program) -> None:
    room = np.arange(30, dtype=np.float32).reshape(6, 5)
    [out] = arrays((4, 6))
    program.turned[1](room.T[:4], out)
    assert np.array_equal(out, room.T[:4])


def test_empty_arrays(program: tw.Program) -> None:
    a, b, c = arrays((0, 5), (5, 2), (0, 2))
    program.matmul[1](a, b, c)
    a, b, c = arrays((3, 0), (0, 2), (3, 2))
    before = c.copy()
    program.matmul[1](a, b, c)
    assert np.array_equal(c, before)


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (((3, 5), (4, 2), (3, 2)), "dimension 1 of %A is 5, dimension 0 of %B is 4"),
        (((3, 5), (5, 2), (4, 2)), "dimension 0 of %A is 3, dimension 0 of %C is 4"),
        (((3, 5), (5, 2), (3, 1)), "dimension 1 of %B is 2, dimension 1 of %C is 1"),
    ],
)
def test_extents_that_differ(program: tw.Program, shapes: tuple[tuple[int, ...], ...], says: str) -> None:
    a, b, c = arrays(*shapes)
    before = c.copy()
    with pytest.raises(tw.LaunchError) as caught:
        program.matmul[1](a, b, c)
    assert says in str(caught.value)
    assert np.array_equal(c, before)


def test_an_output_that_overlaps(program: tw.Program) -> None:
    a, b = arrays((4, 4), (4, 4))
    with pytest.raises(tw.LaunchError, match=r"argument C: .* overlaps argument A"):
        program.matmul[1](a, b, a)


def test_wrong_shapes_are_told_as_the_array_has_them(program: tw.Program) -> None:
    a, v = arrays((4, 7), (6,))
    with pytest.raises(tw.LaunchError, match=r"its extent 1 is 7 \(shape \(4, 7\)\), 6 is wanted"):
        program.fixed[1](a, v)
    with pytest.raises(tw.LaunchError, match=r"memref<4x6xf32, strided<\[6, 1\]>>; pass numpy.ascontiguousarray"):
        program.fixed[1](np.asfortranarray(arrays((4, 6))[0]), v)


def test_one_work_group(program: tw.Program) -> None:
    a, v = arrays((4, 6), (6,))
    with pytest.raises(tw.LaunchError):
        program.fixed[2](a, v)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_empty_memrefs(target: str) -> None:
    """None of their elements overlap, whatever strides a row-major array without elements has."""
    text = """func.func @f(%A: memref<3x0xf32>, %B: memref<0x2xf32>, %C: memref<3x2xf32>) {
      linalg.matmul ins(%A, %B : memref<3x0xf32>, memref<0x2xf32>) outs(%C : memref<3x2xf32>)
      return
    }"""
    a, b, c = arrays((3, 0), (0, 2), (3, 2))
    before = c.copy()
    tw.compile(text, target=target).f[1](a, b, c)
    assert np.array_equal(c, before)
