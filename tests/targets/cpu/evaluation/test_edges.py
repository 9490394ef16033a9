"""Elementwise code and products of every extent around the widths of vectors, in memory that ends where they end.

With every set of features: which vectors are whole, narrower or under a mask differs between them.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from generators.element_types import DTYPES
from targets.cpu.collective import available_levels
from targets.cpu.fences import Fence
from tilewright.machine.processor import FeatureSet

GAP: Final = 3
"""Elements between the columns of a target that must stay as they are."""
CANARY: Final = 77
levels = pytest.mark.parametrize("level", available_levels(), ids=lambda f: f.value)


@dataclass(frozen=True, slots=True)
class Size:
    """Elements of a type, rows and columns."""

    dtype: str
    rows: int
    columns: int

    @property
    def name(self) -> str:
        return f"{self.dtype}_{self.rows}_{self.columns}"

    def axpby(self) -> str:
        """Target and source by columns, the target's columns apart; the source by rows; the target's elements apart."""
        one = "[2.0, 1.0]" if self.dtype[0] == "c" else "2" if self.dtype[0] == "i" else "2.0"
        source = f"memref<{self.dtype}x{self.rows}x{self.columns}>"
        target = f"memref<{self.dtype}x{self.rows}x{self.columns},strided<1,{self.rows + GAP}>>"
        apart = f"memref<{self.dtype}x{self.rows}x{self.columns},strided<2,{2 * self.rows}>>"
        return f"""func @a_{self.name}(%x: {source}, %y: {target}) {{
            %two = constant {one} : {self.dtype}
            axpby %two, %x, %two, %y
        }}
        func @t_{self.name}(%x: memref<{self.dtype}x{self.columns}x{self.rows}>, %y: {target}) {{
            %two = constant {one} : {self.dtype}
            axpby.t %two, %x, %two, %y
        }}
        func @s_{self.name}(%x: {source}, %y: {apart}) {{
            %two = constant {one} : {self.dtype}
            axpby %two, %x, %two, %y
        }}"""


SIZES: Final = [
    *(
        Size("f32", rows, columns)
        for rows, columns in ((1, 1), (3, 2), (5, 9), (7, 3), (9, 1), (15, 2), (17, 5), (33, 3))
    ),
    *(Size("f64", rows, columns) for rows, columns in ((3, 1), (5, 2), (9, 3), (11, 9))),
    *(Size("i8", rows, columns) for rows, columns in ((1, 5), (7, 2), (31, 3), (65, 2))),
    *(Size("c32", rows, columns) for rows, columns in ((1, 2), (3, 3), (5, 2), (11, 1))),
    *(Size("f16", rows, columns) for rows, columns in ((3, 2), (23, 3))),
]


@pytest.fixture
def fences() -> Generator[list[Fence]]:
    """Two pieces of memory."""
    found = [Fence(), Fence()]
    yield found
    for fence in found:
        fence.open()


def numbers(rng: np.random.Generator, dtype: str, *shape: int) -> NDArray[Any]:
    """Small integers, whose sums and products are exact in every type."""
    found = rng.integers(-4, 5, shape)
    return (found + 1j * rng.integers(-4, 5, shape) if dtype[0] == "c" else found).astype(DTYPES[dtype])


@levels
def test_elementwise(level: FeatureSet, fences: list[Fence], rng: np.random.Generator) -> None:
    program = tw.compile("\n".join(size.axpby() for size in SIZES), target=f"cpu:{level.value}", cache=False)
    for size in SIZES:
        rows, columns, dtype = size.rows, size.columns, DTYPES[size.dtype]
        for prefix, shape in (("a", (rows, columns)), ("t", (columns, rows))):
            for at_end in (True, False):
                x = fences[0].array(shape, dtype, at_end)
                # The gap lies behind the columns, or in front of them where the array begins at the fence.
                whole = fences[1].array((rows + GAP, columns), dtype, at_end)
                y = whole[GAP:] if at_end else whole[:rows]
                x[...], whole[...] = numbers(rng, size.dtype, *shape), CANARY
                y[...] = numbers(rng, size.dtype, rows, columns)
                expected = whole.astype(np.complex128)
                given = x.astype(np.complex128)
                part = expected[GAP:] if at_end else expected[:rows]
                factor = 2 + 1j if size.dtype[0] == "c" else 2
                part[...] = factor * (given if prefix == "a" else given.T) + factor * part
                program[f"{prefix}_{size.name}"][1](x, y)
                assert np.array_equal(whole.astype(np.complex128), expected), (prefix, size, at_end)

    for size in SIZES:
        rows, columns, dtype = size.rows, size.columns, DTYPES[size.dtype]
        x, whole = fences[0].array((rows, columns), dtype, True), fences[1].array((2 * rows, columns), dtype, True)
        x[...], whole[...] = numbers(rng, size.dtype, rows, columns), CANARY
        whole[::2] = numbers(rng, size.dtype, rows, columns)
        expected = whole.astype(np.complex128)
        factor = 2 + 1j if size.dtype[0] == "c" else 2
        expected[::2] = factor * x.astype(np.complex128) + factor * expected[::2]
        program[f"s_{size.name}"][1](x, whole[::2])
        assert np.array_equal(whole.astype(np.complex128), expected), size


@levels
@pytest.mark.covering(0)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_products(level: FeatureSet, dtype: str, fences: list[Fence], rng: np.random.Generator) -> None:
    """C += A B and C += A^T B; A and C each at a fence."""
    extents = [(1, 1, 1), (5, 3, 2), (9, 9, 4), (17, 2, 3), (20, 5, 7), (35, 3, 5)]
    texts = [
        f"""func @p{k}(%a: memref<{dtype}x{m}x{d}>, %b: memref<{dtype}x{d}x{n}>, %c: memref<{dtype}x{m}x{n}>) {{
            %one = constant 1.0 : {dtype}
            gemm %one, %a, %b, %one, %c
        }}
        func @q{k}(%a: memref<{dtype}x{d}x{m}>, %b: memref<{dtype}x{d}x{n}>, %c: memref<{dtype}x{m}x{n}>) {{
            %one = constant 1.0 : {dtype}
            gemm.t.n %one, %a, %b, %one, %c
        }}"""
        for k, (m, n, d) in enumerate(extents)
    ]
    program = tw.compile("\n".join(texts), target=f"cpu:{level.value}", cache=False)
    for k, (m, n, d) in enumerate(extents):
        for prefix, shape in (("p", (m, d)), ("q", (d, m))):
            for at_end in (True, False):
                a, c = fences[0].array(shape, DTYPES[dtype], at_end), fences[1].array((m, n), DTYPES[dtype], at_end)
                b = np.asfortranarray(numbers(rng, dtype, d, n))
                a[...], c[...] = numbers(rng, dtype, *shape), numbers(rng, dtype, m, n)
                expected = c + (a if prefix == "p" else a.T) @ b
                program[f"{prefix}{k}"][1](a, b, c)
                assert np.array_equal(c, expected), (prefix, (m, n, d), at_end)


@levels
@pytest.mark.parametrize("dtype", ["f32", "i8", "c64"])
def test_tiles_over_edges(level: FeatureSet, dtype: str, fences: list[Fence], rng: np.random.Generator) -> None:
    """Checked matrices that hang over any edge read zeros there and write nothing."""
    rows, columns = 8, 5
    matrix = f"coopmatrix<{dtype}x{rows}x{columns},matrix_acc>"
    program = tw.compile(
        f"""func @k(%x: memref<{dtype}x?x?>, %y: memref<{dtype}x?x?>, %i: index, %j: index)
            attributes{{subgroup_size=1,work_group_size=[1,1]}} {{
            parallel {{
                %m = cooperative_matrix_load.both_checked %x[%i,%j] : {matrix}
                cooperative_matrix_store.both_checked %m, %y[%j,%i]
            }}
        }}""",
        target=f"cpu:{level.value}",
        cache=False,
    )
    for at_end in (True, False):
        x = fences[0].array((11, 9), DTYPES[dtype], at_end)
        y = fences[1].array((10, 7), DTYPES[dtype], at_end)
        x[...] = numbers(rng, dtype, 11, 9)
        for i in (-8, -3, 0, 2, 3, 4, 10, 11):
            for j in (-5, -1, 0, 4, 5, 8, 9):
                y[...] = CANARY
                expected = y.copy()
                for row in range(rows):
                    for column in range(columns):
                        to = (j + row, i + column)
                        if 0 <= to[0] < 10 and 0 <= to[1] < 7:
                            inside = 0 <= i + row < 11 and 0 <= j + column < 9
                            expected[to] = x[i + row, j + column] if inside else 0
                program.k[1](x, y, i, j)
                assert np.array_equal(y, expected), (i, j, at_end)
