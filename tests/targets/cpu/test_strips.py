"""Collectives on tensors longer than a strip: whole strips, shorter ones, what is left; transposes in squares."""

from __future__ import annotations

import random
import re
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.ir.types import F32, memref
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.policy import CpuTilePolicy

DTYPES: Final = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "i16": np.dtype(np.int16)}
LENGTHS: Final = [1, 31, 128, 4095, 4096 + 33, 8192 + 128 + 7, 16384 + 1000]
Array = NDArray[Any]


def _random(rng: np.random.Generator, dtype: str, *shape: int) -> Array:
    """Small integers, so that sums are exact in any order."""
    return np.asfortranarray(rng.integers(-3, 4, shape).astype(DTYPES[dtype]))


def _spelt(dtype: str, array: Array, dynamic: bool) -> str:
    return f"memref<{dtype}x" + "x".join("?" if dynamic else str(n) for n in array.shape) + ">"


def _run(dtype: str, instruction: str, source: Array, target: Array, dynamic: bool) -> None:
    one = "1" if dtype.startswith("i") else "1.0"
    text = f"""func @k(%A: {_spelt(dtype, source, dynamic)}, %B: {_spelt(dtype, target, dynamic)}) {{
        %one = constant {one} : {dtype}
        {instruction}
    }}"""
    tw.compile(text, target="cpu", cache=False).k[1](source, target)


@pytest.fixture(params=[False, True], ids=["static", "dynamic"])
def dynamic(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", [0, 1])
def test_cumsum_of_long_matrices(dtype: str, mode: int, dynamic: bool) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng, length = np.random.default_rng(seed), random.Random(seed).choice(LENGTHS)
    shape = (length, 5) if mode else (length % 97 + 1, 67)
    source, target = _random(rng, dtype, *shape), _random(rng, dtype, *shape)
    expected = target + np.cumsum(source, mode, dtype=DTYPES[dtype])
    _run(dtype, f"cumsum %one, %A, {mode}, %one, %B", source, target, dynamic)
    assert np.array_equal(target, expected), f"seed {seed}, {shape}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_cumsum_of_a_long_vector(dtype: str, dynamic: bool) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng, length = np.random.default_rng(seed), random.Random(seed).choice(LENGTHS)
    source, target = _random(rng, dtype, length), _random(rng, dtype, length)
    expected = target + np.cumsum(source, dtype=DTYPES[dtype])
    _run(dtype, "cumsum %one, %A, 0, %one, %B", source, target, dynamic)
    assert np.array_equal(target, expected), f"seed {seed}, {length}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_long_columns(dtype: str, dynamic: bool) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng, length = np.random.default_rng(seed), random.Random(seed).choice(LENGTHS)
    source, target = _random(rng, dtype, length, 7), _random(rng, dtype, length)
    expected = target + source.sum(1, dtype=DTYPES[dtype])
    _run(dtype, "sum.n %one, %A, %one, %B", source, target, dynamic)
    assert np.array_equal(target, expected), f"seed {seed}, {length}"


@pytest.mark.covering(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 300), (300, 3), (5, 70), (16, 16), (70, 133), (257, 64), (33, 31)], ids=str)
def test_transposed_axpby(dtype: str, shape: tuple[int, int], dynamic: bool) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = np.random.default_rng(seed)
    source, target = _random(rng, dtype, *shape), _random(rng, dtype, *shape[::-1])
    expected = target + source.T
    _run(dtype, "axpby.t %one, %A, %one, %B", source, target, dynamic)
    assert np.array_equal(target, expected), f"seed {seed}"


def test_transposes_of_open_extents_end_in_squares_that_test_nothing() -> None:
    """Those that do move element by element."""
    call = "axpby.t %one, %A, %one, %B"
    text = f"func @k(%A: memref<f32x?x?>, %B: memref<f32x?x?>) {{ %one = constant 1.0 : f32 {call} }}"
    assert "check" not in tw.compile(text, target="cpu").k.ir("tile")
    assert "check" in tw.compile(text.replace("axpby.t", "axpby"), target="cpu").k.ir("tile")


def test_parts_of_strips_are_no_longer_than_what_there_is() -> None:
    """Sums in memory are set to zero, added to and stored as far as the result goes."""
    text = """func @k(%A: memref<f32x?x?>, %B: memref<f32x?>) {
        %one = constant 1.0 : f32
        sum.n %one, %A, %one, %B
    }"""
    code = tw.compile(text, target="cpu", cache=False).artifact.texts["llvm"]
    assert len(re.findall(r"@llvm\.smin\.i64\(i64 2048, ", code)) == 3


def test_sums_of_strided_vectors_are_carried_in_a_vector() -> None:
    text = """func @k(%A: memref<f32x?,strided<?>>, %B: memref<f32>) {
        %one = constant 1.0 : f32
        %zero = constant 0.0 : f32
        sum %one, %A, %zero, %B
    }"""
    program = tw.compile(text, target="cpu", cache=False)
    source = _random(np.random.default_rng(7), "f32", 1003)[::3]
    target = np.full((), np.nan, np.float32)
    program.k[1](source, target)
    assert target == source.sum()
    assert re.search(r"phi <\d+ x float>", program.artifact.texts["llvm"])


@pytest.mark.parametrize(
    ("rows", "shared", "columns"), [(4096, False, 1), (4096, True, 4), (24, False, 4), (None, False, 4)]
)
def test_long_columns_go_one_by_one(rows: int | None, shared: bool, columns: int) -> None:
    """Unless they read the same."""
    found = CpuTilePolicy(machine_of()).elementwise_tile(memref(F32, (rows, None)), shared)
    assert found == (8 * machine_of().lanes(4), columns)
