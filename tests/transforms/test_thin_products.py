"""Products of open extents that launches make thin: results are those of whole numbers for any extents."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.ir.types import F32, F64, I8, I32, MemrefType
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.policy import CpuTilePolicy
from tilewright.targets.cpu.units.choice import choose
from tilewright.targets.cpu.units.unit import Factor
from tilewright.targets.cpu.units.vector import VectorUnit

_LENGTHS = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 64, 70, 129)
_DRAWS = 40


def _text(types: tuple[str, str, str], transposed: str) -> str:
    a, b, c = (f"memref<{type_}x?x?>" for type_ in types)
    point = ".0" if types[2][0] == "f" else ""
    return f"""
func @product(%A: {a}, %B: {b}, %C: {c}) {{
  %alpha = constant 2{point} : {types[0]}
  %beta = constant 3{point} : {types[2]}
  gemm.{transposed} %alpha, %A, %B, %beta, %C
}}
"""


_BY_ROWS = """
func.func @product(%A: memref<?x?xf64, strided<[?, 1]>>, %B: memref<?x?xf64, strided<[?, 1]>>,
                   %C: memref<?x?xf64, strided<[?, 1]>>) {
  linalg.matmul ins(%A, %B : memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, 1]>>)
                outs(%C : memref<?x?xf64, strided<[?, 1]>>)
  return
}
"""


def _within(rng: np.random.Generator, rows: int, columns: int, dtype: str, is_by_rows: bool) -> np.ndarray:
    """A matrix of small whole numbers that is part of a larger one, of which everything is a number."""
    whole = rng.integers(-4, 5, (columns + 2, rows + 3)).astype(dtype)
    part = whole[1 : 1 + columns, 1 : 1 + rows].T
    return part if not is_by_rows else _within(rng, columns, rows, dtype, False).T


@pytest.mark.parametrize(
    ("types", "transposed", "dtypes"),
    [
        (("f32", "f32", "f32"), "n.n", ("f4", "f4", "f4")),
        (("f64", "f64", "f64"), "t.n", ("f8", "f8", "f8")),
        (("i8", "i8", "i32"), "n.t", ("i1", "i1", "i4")),
        (("f32", "f32", "f32"), "t.t", ("f4", "f4", "f4")),
        (None, "n.n", ("f8", "f8", "f8")),
    ],
)
def test_any_extents(types: tuple[str, str, str] | None, transposed: str, dtypes: tuple[str, str, str]) -> None:
    """Sums of whole numbers are exact in any order, and nothing around the result is written; rows too (MLIR)."""
    rng = np.random.default_rng()
    product = tw.compile(_BY_ROWS if types is None else _text(types, transposed), target="cpu").product
    alpha, beta = (1, 1) if types is None else (2, 3)
    for _ in range(_DRAWS):
        m, n, k = (int(length) for length in rng.choice(_LENGTHS, 3))
        left, right = ((k, m) if transposed[0] == "t" else (m, k)), ((n, k) if transposed[2] == "t" else (k, n))
        a, b, c = (
            _within(rng, *shape, dtype, types is None)
            for shape, dtype in zip((left, right, (m, n)), dtypes, strict=True)
        )
        around = c.base
        assert around is not None
        x, y = (a.T if transposed[0] == "t" else a), (b.T if transposed[2] == "t" else b)
        expected = around.copy()
        result = beta * c.astype("i8") + alpha * (x.astype("i8") @ y.astype("i8"))
        expected[1:-1, 1:-2] = result if types is None else result.T
        product[1](a, b, c)
        np.testing.assert_array_equal(around, expected, err_msg=f"{m} x {n} x {k}")


def test_which_extents_are_thin() -> None:
    """Vectors that have to be gathered pay for few terms; units pack from shorter extents on; constants have tiles."""
    policy = CpuTilePolicy(machine_of())
    plain, by_rows = (MemrefType(F32, (None, None), strides) for strides in ((1, None), (None, 1)))
    tiles = policy.thin_tiles(plain, plain, plain)
    assert tiles is not None
    assert (tiles.below, tiles.dots, tiles.run) == ((16, 16, 16), (0,), 0)
    turned = policy.thin_tiles(by_rows, plain, plain)
    assert turned is not None
    assert (turned.below, turned.dots) == ((0, 0, 8), (0, 1))
    assert policy.thin_tiles(MemrefType(F32, (None, 3), (1, None)), MemrefType(F32, (3, None), (1, 3)), plain) is None
    constant = MemrefType(F32, (64, 64), (1, 64))
    assert policy.thin_tiles(constant, constant, constant) is None
    doubles = MemrefType(F64, (None, None), (1, None))
    of_doubles = policy.thin_tiles(doubles, doubles, doubles)
    assert of_doubles is not None
    assert of_doubles.below == (16, 16, 16)
    bytes_, sums = (MemrefType(element, (None, None), (1, None)) for element in (I8, I32))
    of_bytes = policy.thin_tiles(bytes_, bytes_, sums)
    assert of_bytes is not None
    is_by_vectors = isinstance(choose(policy.machine, Factor(I8), Factor(I8), I32, (512, 512, 512)).unit, VectorUnit)
    assert of_bytes.below == ((16, 16, 16) if is_by_vectors else (8, 8, 8))
