"""Tiles whose elements are neighbours across the vectors: transposed in registers, whatever their type and size.

They lie at the end of readable memory.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import cycle
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from effort import count
from targets.cpu.fences import Fence

SHAPES: Final = [(3, 5), (4, 4), (5, 40), (16, 16), (17, 18), (31, 9), (8, 64), (64, 64), (65, 130)]
DTYPES: Final = {"i8": "i1", "i16": "i2", "f16": "f2", "f32": "f4", "i64": "i8", "f64": "f8", "c32": "c8", "c64": "c16"}
LEVELS: Final = ("cpu", "cpu:avx2", "cpu:generic")


@pytest.fixture
def fence() -> Generator[Fence]:
    """Memory with an end."""
    found = Fence(40)
    yield found
    found.open()


def _numbers(rng: np.random.Generator, dtype: str, *shape: int) -> NDArray[Any]:
    """Bytes that differ from their neighbours; complex numbers with two different parts."""
    whole = rng.integers(-100, 100, shape)
    if dtype.startswith("c"):
        whole = whole + 1j * rng.integers(-100, 100, shape)
    return np.asfortranarray(whole.astype(DTYPES[dtype]))


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_transposed_matrices(dtype: str, level: str, fence: Fence, rng: np.random.Generator) -> None:
    unit = {"i": "1", "f": "1.0", "c": "[1.0, 0.0]"}[dtype[0]]
    drawn: list[int] = rng.permutation(len(SHAPES))[: count("RANDOM_TRANSPOSES", 4, len(SHAPES))].tolist()
    shapes = [SHAPES[number] for number in drawn]
    text = "".join(
        f"func @k{m}x{n}(%A: memref<{dtype}x{m}x{n}{strides}>, %B: memref<{dtype}x{n}x{m}>) {{\n"
        f"  %one = constant {unit} : {dtype}\n  axpby.t %one, %A, %one, %B\n}}\n"
        for (m, n), strides in zip(shapes, cycle(("", ",strided<1,?>")), strict=False)
    )
    program = tw.compile(text, target=level, cache=False)
    for m, n in shapes:
        source, target = fence.array((m, n), DTYPES[dtype], at_end=True), _numbers(rng, dtype, n, m)
        source[...] = _numbers(rng, dtype, m, n)

        with np.errstate(over="ignore"):
            expected = target + source.T

        program[f"k{m}x{n}"][1](source, target)
        assert np.array_equal(target, expected), (m, n)


def _permuting(element: str, shape: tuple[int, int], box: tuple[int, int] = (16, 32)) -> str:
    (m, n), (rows, columns) = shape, box
    view = "tensor_view<{0}x{1}x{2}, strides=[{1},1]>"
    part = "partition_view<tile=({0}x{1}), {2}>"
    x, y = view.format(m, n, element), view.format(n, m, element)
    across, along = part.format(rows, columns, x), part.format(columns, rows, y)
    return f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{element}>>, %y: tile<ptr<{element}>>) {{
    %i, %j, %z = get_tile_block_id : tile<i32>
    %v = make_tensor_view %x, shape = [{m}, {n}], strides = [{n}, 1] : {x}
    %w = make_tensor_view %y, shape = [{n}, {m}], strides = [{m}, 1] : {y}
    %p = make_partition_view %v : {across}
    %q = make_partition_view %w : {along}
    %t, %d = load_view_tko weak %p[%i, %j] : {across}, tile<i32> -> tile<{rows}x{columns}x{element}>, token
    %u = permute %t [1, 0] : tile<{rows}x{columns}x{element}> -> tile<{columns}x{rows}x{element}>
    %e = store_view_tko weak %u, %q[%j, %i] : tile<{columns}x{rows}x{element}>, {along}, tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.covering(2)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("element", "dtype"), [("i8", "i1"), ("f32", "f4"), ("f64", "f8"), ("i1", "?")])
@pytest.mark.parametrize("shape", [(64, 64), (70, 45)], ids=str)
def test_permuted_tiles_of_views(
    element: str, dtype: str, shape: tuple[int, int], level: str, fence: Fence, rng: np.random.Generator
) -> None:
    """Edges too: there elements are tested one by one."""
    x = fence.array(shape[::-1], dtype, at_end=True).T
    x[...] = rng.integers(0, 2 if dtype == "?" else 100, shape).astype(dtype)
    y = np.zeros((shape[1] + 1, shape[0]), dtype)
    tw.compile(_permuting(element, shape), target=level, cache=False).k[-(-shape[0] // 16), -(-shape[1] // 32)](x, y)
    assert np.array_equal(y[:-1], x.T)
    assert not y[-1].any()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("element", "dtype"), [("f32", "f4"), ("f64", "f8")])
@pytest.mark.parametrize("shape", [(2, 4), (4, 2), (4, 4), (8, 2), (2, 8), (8, 8), (16, 16)], ids=str)
def test_tiles_are_transposed_in_place(
    shape: tuple[int, int], element: str, dtype: str, level: str, rng: np.random.Generator
) -> None:
    """Everything is read before anything is written, even if the code has several squares."""
    memory = rng.standard_normal(shape[0] * shape[1]).astype(dtype)
    expected = memory.reshape(shape).T.copy()
    kernel = tw.compile(_permuting(element, shape, shape), target=level, cache=False).k
    kernel[1, 1](memory.reshape(shape), memory.reshape(shape[::-1]))
    assert np.array_equal(memory.reshape(shape[::-1]), expected)
