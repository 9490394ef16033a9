"""gemm on the CPU: every size class, element type, transpose, layout, factor, and level of vector instructions."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright as tw
from effort import count
from generators.element_types import DTYPES
from targets.cpu.collective import Collective, assert_close, available_levels, literal, random_array
from tilewright.machine.native import assembly_of
from tilewright.machine.processor import FeatureSet
from tilewright.targets.cpu.machine import machine_of

GUARD = 64


def _memref(dtype: str, rows: int, columns: int, row_major: bool, dynamic: bool = False) -> str:
    shape = "?x?" if dynamic else f"{rows}x{columns}"
    strides = f",strided<{'?' if dynamic else columns},1>" if row_major else ",strided<1,?>" if dynamic else ""
    return f"memref<{dtype}x{shape}{strides}>"


def _check(
    seed: int,
    size: tuple[int, int, int],
    dtype: str,
    *,
    transposes: tuple[bool, bool] = (False, False),
    row_major: bool = False,
    factors: tuple[int, int] = (1, 0),
    level: FeatureSet = FeatureSet.HOST,
    dynamic: bool = False,
) -> Collective:
    m, n, k = size
    alpha, beta = factors
    shapes: list[tuple[int, int]] = [(k, m) if transposes[0] else (m, k), (n, k) if transposes[1] else (k, n), (m, n)]
    types = [_memref(dtype, *shape, row_major, dynamic) for shape in shapes]
    flags = f"transpose_a = {str(transposes[0]).lower()}, transpose_b = {str(transposes[1]).lower()}"
    run = Collective(
        ", ".join(f"%{name}: {type_}" for name, type_ in zip("ABC", types, strict=True)),
        f"""%al = arith.constant {{value = {literal(dtype, alpha)}}} -> {dtype}
        %be = arith.constant {{value = {literal(dtype, beta)}}} -> {dtype}
        tl.gemm %al, %A, %B, %be, %C {{{flags}}}""",
        level,
    )
    rng = np.random.default_rng(seed)
    a, b, old = (random_array(rng, dtype, shape, row_major) for shape in shapes)
    poison = 77 if dtype.startswith("i") else np.nan
    around = np.full(m * n + 2 * GUARD, 7).astype(DTYPES[dtype])
    c = around[GUARD : GUARD + m * n].reshape((m, n), order="C" if row_major else "F")
    c[...] = old if beta else np.full((m, n), poison).astype(DTYPES[dtype])
    run({"A": a, "B": b, "C": c})
    wide = np.complex128 if dtype.startswith("c") else np.float64
    left, right = (x.T if t else x for x, t in zip((a, b), transposes, strict=True))
    expected = alpha * (left.astype(wide) @ right.astype(wide)) + (beta * old.astype(wide) if beta else 0)
    assert_close(dtype, c, expected)
    assert (around[:GUARD].astype(wide) == 7).all()
    assert (around[-GUARD:].astype(wide) == 7).all()
    return run


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", available_levels())
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("size", [(16, 16, 16), (56, 9, 9), (20, 9, 9), (9, 9, 9), (35, 9, 20), (9, 35, 20)])
def test_exact_small_sizes(size: tuple[int, int, int], dtype: str, level: FeatureSet) -> None:
    _check(1, size, dtype, factors=(1, 1), level=level)
    _check(2, size, dtype, factors=(1, 0), level=level, row_major=True)


@pytest.mark.parametrize(
    ("level", "dtype", "size"),
    [
        (FeatureSet.AVX512, "f32", (35, 9, 20)),
        (FeatureSet.AVX512, "f32", (20, 9, 9)),
        (FeatureSet.AVX512, "f64", (20, 9, 9)),
        (FeatureSet.AVX512, "f64", (22, 8, 8)),
        (FeatureSet.AVX512, "f64", (16, 16, 16)),
        (FeatureSet.AVX2, "f32", (20, 9, 9)),
    ],
)
def test_blocks_of_nearly_all_registers_spill_none(level: FeatureSet, dtype: str, size: tuple[int, int, int]) -> None:
    if level not in available_levels():
        pytest.skip(f"no {level.value} here")
    assembly = assembly_of(_check(12, size, dtype, level=level).text, machine_of(level).processor)
    assert assembly.count("vbroadcasts") == size[1] * size[2], "all vectors of a column share its scalars"
    assert not re.search(r"[xyz]mm\d+, .*\(%r[sb]p\)", assembly)


@pytest.mark.covering(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("row_major", [False, True])
@pytest.mark.parametrize("transposes", [(False, False), (True, False), (False, True), (True, True)])
def test_element_types_layouts_and_transposes(dtype: str, row_major: bool, transposes: tuple[bool, bool]) -> None:
    _check(3, (19, 7, 5), dtype, transposes=transposes, row_major=row_major, factors=(2, 2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_columns_that_fill_no_vector(dtype: str) -> None:
    _check(4, (7, 5, 3), dtype, factors=(1, 0))
    _check(5, (3, 22, 2), dtype, factors=(2, 2))


@pytest.mark.parametrize("level", available_levels())
def test_random_sizes(level: FeatureSet) -> None:
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    print("seed", seed)
    rng = np.random.default_rng(seed)
    for _ in range(count("RANDOM_SMALL_PRODUCTS", 2, 20)):
        m, n, k = (int(x) for x in rng.integers(1, 41, 3))
        flags = [bool(x) for x in rng.integers(0, 2, 3)]
        dtype = str(rng.choice(list(DTYPES)))
        factors = (int(rng.integers(1, 3)), int(rng.integers(0, 3)))
        _check(
            seed, (m, n, k), dtype, transposes=(flags[0], flags[1]), row_major=flags[2], factors=factors, level=level
        )


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", available_levels())
@pytest.mark.parametrize("row_major", [False, True])
def test_large_products_pack_their_factors(row_major: bool, level: FeatureSet) -> None:
    _check(4, (130, 101, 97), "f32", row_major=row_major, factors=(1, 1), level=level)
    _check(5, (130, 101, 97), "f64", row_major=row_major, factors=(2, 0), transposes=(True, True), level=level)


@pytest.mark.parametrize("size", [(600, 40, 300), (520, 530, 260)])
def test_products_of_several_tiles(size: tuple[int, int, int]) -> None:
    _check(6, size, "f32", factors=(1, 1))
    _check(7, size, "f32", factors=(1, 0), row_major=True)


def test_a_tile_of_two_depths_sums_both() -> None:
    _check(8, (512, 512, 300), "f32", factors=(1, 1))


def test_dynamic_sizes() -> None:
    _check(9, (100, 70, 90), "f32", factors=(1, 1), dynamic=True)
    _check(10, (37, 5, 11), "f64", factors=(1, 0), dynamic=True, row_major=True)


@pytest.mark.parametrize("dtype", ["i8", "bf16"])
def test_narrow_types_accumulate_wide(dtype: str) -> None:
    _check(11, (90, 80, 100), dtype, factors=(1, 1))


def test_copies_of_factors_are_written_and_read_by_whole_vectors() -> None:
    def masked_stores(form: str, left: str) -> int:
        text = f"""func @k(%A: memref<f32x{left}>, %B: memref<f32x11x40>, %C: memref<f32x21x40>) {{
            %one = constant 1.0 : f32
            gemm.{form} %one, %A, %B, %one, %C
        }}"""
        return tw.compile(text, target="cpu", cache=False).k.llvm.count("call void @llvm.masked.store")

    # What is stored to C; a copy of A adds nothing.
    assert masked_stores("t.n", "11x21") == masked_stores("n.n", "21x11")


@pytest.mark.parametrize("size", [9, 16, 21])
def test_factors_that_are_read_once_are_not_copied(size: int) -> None:
    matrix = f"memref<f32x{size}x{size}>"
    text = f"""func @k(%A: {matrix}, %B: memref<f32x{size}x4>, %C: memref<f32x{size}x4>) {{
        %one = constant 1.0 : f32
        gemm.t.n %one, %A, %B, %one, %C
    }}"""
    assert "%buffer" not in tw.compile(text, target="cpu", cache=False).k.llvm
