"""Large gemm through the whole compiler: packed factors, runs of terms, edges, conversions, threads of the team."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

import tilewright as tw
from generators.element_types import DTYPES
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_source
from tilewright.diagnostics import Report, Source
from tilewright.program import load_artifact
from tilewright.targets.cpu import generation
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.target import CpuTarget

TYPES = [
    *[(name,) * 3 for name in ("i32", "bf16", "f32", "f64", "c32", "c64")],
    ("i8", "i8", "i32"),
    ("bf16", "bf16", "f32"),
    ("f16", "f16", "f32"),
    ("f32", "f32", "f64"),
    ("c32", "c32", "c64"),
]
SIZES = [1, 5, 16, 33, 64, 73, 100, 129, 200, 257, 300]
Array = NDArray[np.generic]


def _random(rng: np.random.Generator, dtype: str, shape: tuple[int, int]) -> Array:
    """Small integers, so that sums are exact in any order."""
    values = rng.integers(-3, 4, shape) + (1j * rng.integers(-3, 4, shape) if dtype[0] == "c" else 0)
    return np.asfortranarray(values.astype(DTYPES[dtype]))


def _plain(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    return rng.integers(-3, 4, shape).astype(np.float32, order="F")


def _literal(dtype: str, number: int) -> str:
    return {"i": f"{number}", "c": f"[{number}.0,0.0]"}.get(dtype[0], f"{number}.0")


def _check(
    types: tuple[str, str, str],
    size: tuple[int, int, int],
    transposes: str = "nn",
    beta: int = 1,
    dynamic: bool = False,
    seed: int = 1,
) -> None:
    m, n, k = size
    rng = np.random.default_rng(seed)
    a = _random(rng, types[0], (k, m) if transposes[0] == "t" else (m, k))
    b = _random(rng, types[1], (n, k) if transposes[1] == "t" else (k, n))
    c = _random(rng, types[2], (m, n))
    spelt = [
        f"memref<{dtype}x{'?x?' if dynamic else f'{x.shape[0]}x{x.shape[1]}'}>"
        for dtype, x in zip(types, (a, b, c), strict=True)
    ]
    text = f"""func @k(%A: {spelt[0]}, %B: {spelt[1]}, %C: {spelt[2]}) {{
        %a = constant {_literal(types[0], 1)} : {types[0]}
        %b = constant {_literal(types[2], beta)} : {types[2]}
        gemm.{transposes[0]}.{transposes[1]} %a, %A, %B, %b, %C
    }}"""
    wide = np.complex128 if "c" in "".join(types) else np.float64
    left, right = (x.T if t == "t" else x for x, t in zip((a, b), transposes, strict=True))
    expected = left.astype(wide) @ right.astype(wide) + beta * c.astype(wide)
    tw.compile(text, target="cpu", cache=False).k[1](a, b, c)
    rounded = expected.astype(DTYPES[types[2]]).astype(wide)
    assert np.array_equal(c.astype(wide), rounded), f"seed {seed}\n{text}"


@pytest.mark.parametrize("types", TYPES, ids="-".join)
def test_random_sizes(types: tuple[str, str, str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    draw = random.Random(seed)
    size = (draw.choice(SIZES), draw.choice(SIZES), draw.choice(SIZES))
    transposes = draw.choice("nt") + draw.choice("nt")
    _check(types, size, transposes, draw.randrange(3), draw.random() < 0.5, seed)


@pytest.mark.parametrize("dynamic", [False, True])
def test_several_runs_and_tiles(dynamic: bool) -> None:
    _check(("f32", "f32", "f32"), (1100, 90, 1200), dynamic=dynamic)
    _check(("f64", "f64", "f64"), (70, 1050, 500), "tn", 0, dynamic)


@pytest.mark.parametrize("size", [(0, 5, 7), (5, 0, 7), (5, 7, 0), (200, 300, 0), (1, 1, 1)])
def test_empty_and_one(size: tuple[int, int, int]) -> None:
    _check(("f32", "f32", "f32"), size, beta=2, dynamic=True)


def test_sums_over_a_loop_lie_so_that_the_factor_whose_terms_are_neighbours_becomes_scalars(
    rng: np.random.Generator,
) -> None:
    """To make vectors of it, it would have to be turned, and the other one is gathered in any case."""
    text = """func @k(%A: memref<f32x512x96>, %B: memref<f32x512x64,strided<2,1100>>, %C: memref<f32x96x64>)
            attributes{subgroup_size=1,work_group_size=[1,1]} {
        %z = constant 0 : index
        %e = constant 512 : index
        %s = constant 256 : index
        parallel {
            %c = constant 0.0 : coopmatrix<f32x96x64,matrix_acc>
            %r = for %i=%z, %e, %s init(%acc = %c) ->(coopmatrix<f32x96x64,matrix_acc>) {
                %a = cooperative_matrix_load.t %A[%i,%z] : coopmatrix<f32x96x256,matrix_a>
                %b = cooperative_matrix_load.n %B[%i,%z] : coopmatrix<f32x256x64,matrix_b>
                %d = cooperative_matrix_mul_add %a, %b, %acc : coopmatrix<f32x96x64,matrix_acc>
                yield (%d)
            }
            cooperative_matrix_store %r, %C[%z,%z]
        }
    }"""
    kernel = tw.compile(text, target="cpu", cache=False).k
    panels = dict(re.findall(r"@pack\.f32\.f32\.([01])\.(\d+)\.\d+\.", kernel.llvm))
    block = re.search(r"blocks of (\d+)x(\d+)", kernel.schedule)
    assert block is not None
    assert (panels["1"], panels["0"]) == block.groups(), "vectors of the columns of B"
    a, c = _plain(rng, (512, 96)), np.full((96, 64), np.nan, np.float32, order="F")
    b = _plain(rng, (1100, 64))[:1024:2]
    kernel[1](a, b, c)
    assert np.array_equal(c, a.T @ b)


def test_mixed_dynamic_complex_types_fit_the_workspace() -> None:
    _check(("c32", "c32", "c64"), (40, 30, 20), "tn", 1, True)


def test_too_large_a_workspace_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "MAX_WORKSPACE_BYTES", 1 << 20)
    with pytest.raises(tw.CompileError, match="T005"):
        _check(("f32", "f32", "f32"), (700, 800, 900))


@pytest.mark.parametrize(("l2_bytes", "packing"), [(1 << 12, "pack_scalars"), (1 << 30, "pack")])
def test_small_matrices_of_dynamic_size_are_not_padded_to_whole_tiles(l2_bytes: int, packing: str) -> None:
    """Where the second cache holds one panel of vectors, and where it holds all of them."""
    parameters = "%x: f32, %A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>"
    source = Source("k", f"func @k({parameters}) {{ gemm.n.n %x, %A, %B, %x, %C }}")
    target = CpuTarget(replace(machine_of(), l2_bytes=l2_bytes))
    llvm = compile_source(source, target, CompileOptions(), Report()).texts["llvm"]
    assert re.search(rf"define [^@]*@{packing}\.\d+\(", llvm)
    assert not re.search(r"udiv i64 \d+, \d+\n", llvm), "the panels of a factor are those that exist"


@pytest.mark.parametrize(
    ("l2_bytes", "packing"), [(10 << 14, "pack_vectors"), (1 << 20, "pack"), (1 << 12, "pack_scalars")]
)
def test_tiles_beyond_their_matrices(rng: np.random.Generator, l2_bytes: int, packing: str) -> None:
    """A work-group past the end has no rows, one beside it no columns: nothing is divided among these."""
    text = """func @k(%A: memref<f32x?x256>, %B: memref<f32x256x?>, %C: memref<f32x?x?>, %i: index, %j: index)
            attributes{subgroup_size=1,work_group_size=[1,1]} {
        %z = constant 0 : index
        parallel {
            %a = cooperative_matrix_load.rows_checked %A[%i,%z] : coopmatrix<f32x64x256,matrix_a>
            %b = cooperative_matrix_load.cols_checked %B[%z,%j] : coopmatrix<f32x256x256,matrix_b>
            %c = constant 0.0 : coopmatrix<f32x64x256,matrix_acc>
            %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f32x64x256,matrix_acc>
            cooperative_matrix_store.both_checked %d, %C[%i,%j]
        }
    }"""
    target = CpuTarget(replace(machine_of(), l2_bytes=l2_bytes))
    kernel = load_artifact(compile_source(Source("k", text), target, CompileOptions(), Report())).k
    assert re.search(rf"define [^@]*@{packing}\.\d+\(", kernel.llvm)
    a, b = (_plain(rng, shape) for shape in ((57, 256), (256, 249)))
    for i, j in ((64, 0), (128, 0), (0, 256), (64, 256), (0, 0)):
        c = np.full((57, 249), np.nan, np.float32, order="F")
        kernel[1](a, b, c, i, j)
        wanted = a @ b if i == j == 0 else np.full_like(c, np.nan)
        assert np.array_equal(c, wanted, equal_nan=True), (i, j)


@pytest.mark.parametrize("l2_bytes", [10 << 14, 1 << 20, 1 << 12])
def test_tiles_that_begin_in_front_of_their_matrices(rng: np.random.Generator, l2_bytes: int) -> None:
    """And sums that begin with a matrix which ends before the target does."""
    text = """func @k(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %D: memref<f32x?x?>, %C: memref<f32x?x?>,
            %i: index, %j: index, %p: index) attributes{subgroup_size=1,work_group_size=[1,1]} {
        parallel {
            %a = cooperative_matrix_load.both_checked %A[%i,%p] : coopmatrix<f32x64x256,matrix_a>
            %b = cooperative_matrix_load.both_checked %B[%p,%j] : coopmatrix<f32x256x256,matrix_b>
            %c = cooperative_matrix_load.both_checked %D[%i,%j] : coopmatrix<f32x64x256,matrix_acc>
            %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f32x64x256,matrix_acc>
            cooperative_matrix_store.both_checked %d, %C[%i,%j]
        }
    }"""
    target = CpuTarget(replace(machine_of(), l2_bytes=l2_bytes))
    kernel = load_artifact(compile_source(Source("k", text), target, CompileOptions(), Report())).k
    a, b, d = (_plain(rng, shape) for shape in ((70, 260), (260, 270), (33, 91)))
    for i, j, p in ((-1, 0, 0), (-37, -250, -3), (0, -5, 2), (-64, -256, 0), (3, 7, -256)):
        memory = np.full((70, 290), np.nan, np.float32, order="F")
        kernel[1](a, b, d, memory[:, 10:280], i, j, p)
        rows, terms, columns = (slice(max(at, 0), max(at + n, 0)) for at, n in ((i, 64), (p, 256), (j, 256)))
        sums = np.zeros((70, 270), np.float32)
        sums[:33, :91] = d
        wanted = np.full_like(memory, np.nan)
        product = a[rows, terms] @ b[terms, columns]
        wanted[:, 10:280][rows, columns] = product + sums[rows, columns]
        assert np.array_equal(memory, wanted, equal_nan=True), (i, j, p)
