"""Products with one panel of vectors: scalars that lie line by line are used once, and read where they lie."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

import tilewright as tw
from generators.element_types import DTYPES
from targets.cpu.fences import Fence
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_source
from tilewright.diagnostics import Report, Source
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.target import CpuTarget

Array = NDArray[Any]
has_avx512 = pytest.mark.skipif(not machine_of().masks, reason="this machine has no AVX-512")


def _compiled(text: str, **caches: int) -> Artifact:
    target = CpuTarget(replace(machine_of(), **caches))
    return compile_source(Source("k", text), target, CompileOptions(), Report())


def _small(rng: np.random.Generator, array: Array) -> None:
    """Small integers, so that sums are exact in any order."""
    array[...] = rng.integers(-3, 4, array.shape)
    if np.iscomplexobj(array):
        array += 1j * rng.integers(-3, 4, array.shape)


def _run(artifact: Artifact, a: Array, b: Array, c: Array, threads: int = 1) -> None:
    bind_artifact(artifact, pool=Pool(threads))["k"].launch((1, 1, 1), (a, b, c))


def _is_in_place(artifact: Artifact) -> bool:
    return "one factor packed, one read in place" in str(artifact.kernels[0].facts)


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("l2_bytes", [1 << 20, 1 << 15], ids=["one run", "several runs"])
@pytest.mark.parametrize("dtype", ["f32", "f64", "c64"])
def test_nothing_beyond_the_lines_is_read(rng: np.random.Generator, dtype: str, l2_bytes: int, at_end: bool) -> None:
    """Whatever is left of the last lines; by one thread and three. What the result held is added."""
    one, height = ("[1.0,0.0]" if dtype == "c64" else "1.0"), 2 * machine_of().lanes(4 if dtype == "f32" else 8)
    lines = max(16, min(height, 32))
    text = f"""func @k(%A: memref<{dtype}x{lines}x300>, %B: memref<{dtype}x300x?>, %C: memref<{dtype}x{lines}x?>) {{
        %one = constant {one} : {dtype}
        gemm.n.n %one, %A, %B, %one, %C
    }}"""
    artifact = _compiled(text, l2_bytes=l2_bytes)
    fences = [Fence(100) for _ in "abc"]
    for columns, threads in ((1, 1), (9, 1), (10, 1), (71, 3)):
        a, b, c = (
            fence.array(shape, DTYPES[dtype], at_end)
            for fence, shape in zip(fences, ((lines, 300), (300, columns), (lines, columns)), strict=True)
        )
        for array in (a, b, c):
            _small(rng, array)
        wanted = c + a @ b
        _run(artifact, a, b, c, threads)
        np.testing.assert_array_equal(c, wanted, err_msg=str(columns))
    for fence in fences:
        fence.open()
    if lines <= height:
        assert _is_in_place(artifact)


@has_avx512
@pytest.mark.parametrize(("lines", "packs"), [(70, 1), (71, 2)])
def test_nothing_is_packed_where_all_lines_are_known_to_exist(rng: np.random.Generator, lines: int, packs: int) -> None:
    """In blocks of ten lines."""
    text = f"""func @k(%A: memref<f32x32x300>, %B: memref<f32x300x{lines}>, %C: memref<f32x32x{lines}>) {{
        %one = constant 1.0 : f32
        gemm.n.n %one, %A, %B, %one, %C
    }}"""
    artifact = _compiled(text, l1_bytes=48 << 10)
    assert len(set(re.findall(r"define internal void @(pack\.[^(]+)\(", artifact.texts["llvm"]))) == packs
    a, b, c = (np.empty(shape, np.float32, "F") for shape in ((32, 300), (300, lines), (32, lines)))
    for array in (a, b, c):
        _small(rng, array)
    wanted = c + a @ b
    _run(artifact, a, b, c)
    np.testing.assert_array_equal(c, wanted)


@has_avx512
@pytest.mark.parametrize("checked", ["both", "rows"])
def test_what_begins_in_front_of_its_matrix(checked: str, rng: np.random.Generator) -> None:
    """Lines, or the terms of each, are packed, since there is nothing to read. The result goes to memory of the
    work-group, which is none of the factors', so that these are not copied before."""
    text = f"""func @k(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x16x128>, %j: index, %p: index)
            attributes{{subgroup_size=1,work_group_size=[1,1]}} {{
        %z = constant 0 : index
        %one = constant 1.0 : f32
        %zero = constant 0.0 : f32
        %t = alloca : memref<f32x16x128,local>
        parallel {{
            %a = cooperative_matrix_load.both_checked %A[%z,%p] : coopmatrix<f32x16x256,matrix_a>
            %b = cooperative_matrix_load.{checked}_checked %B[%p,%j] : coopmatrix<f32x256x128,matrix_b>
            %c = constant 0.0 : coopmatrix<f32x16x128,matrix_acc>
            %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f32x16x128,matrix_acc>
            cooperative_matrix_store %d, %t[%z,%z]
        }}
        axpby.n %one, %t, %zero, %C
    }}"""
    artifact = _compiled(text)
    assert _is_in_place(artifact)
    kernel = bind_artifact(artifact, pool=Pool(1))["k"]
    fence = Fence(150)
    a, b = np.empty((16, 290), np.float32, "F"), fence.array((290, 130), np.float32, at_end=False)
    _small(rng, a)
    _small(rng, b)
    c = np.empty((16, 128), np.float32, "F")
    for j, p in ((0, 0), (0, -9), (-7, 0), (-127, -255), (3, 40)):
        if checked == "rows" and j:
            continue
        c[...] = np.nan
        kernel.launch((1, 1, 1), (a, b, c, j, p))
        terms, lines = (slice(max(at, 0), max(at + n, 0)) for at, n in ((p, 256), (j, 128)))
        found = a[:, terms] @ b[terms, lines]
        wanted = np.zeros_like(c)
        wanted[:, lines.start - j :][:, : found.shape[1]] = found
        np.testing.assert_array_equal(c, wanted, err_msg=str((j, p)))
    fence.open()


@has_avx512
def test_terms_of_several_modes_that_follow_each_other(rng: np.random.Generator) -> None:
    """Sums over a loop lie along the result's rows: as one dimension, the terms of A are neighbours."""
    text = """define void @k(ptr %a, ptr %b, ptr %out) {
  %x = call token @llvm.tensor.load(ptr elementtype(float) %a, <4 x i32> <i32 72, i32 40, i32 16, i32 16>,
    <4 x i32> <i32 0, i32 1, i32 2, i32 3>, <4 x i32> zeroinitializer, <4 x i32> zeroinitializer)
  %y = call token @llvm.tensor.load(ptr elementtype(float) %b, <4 x i32> <i32 16, i32 16, i32 16, i32 40>,
    <4 x i32> <i32 0, i32 1, i32 2, i32 3>, <4 x i32> zeroinitializer, <4 x i32> zeroinitializer)
  %c = call <1152 x float> @llvm.tensor.contract(token %x, token %y, <3 x i32> <i32 1, i32 2, i32 3>,
    <3 x i32> <i32 3, i32 1, i32 2>)
  %z = call token @llvm.tensor.typeinfo(<1152 x float> %c, <2 x i32> <i32 72, i32 16>, <2 x i32> <i32 0, i32 1>,
    <2 x i32> zeroinitializer)
  call void @llvm.tensor.store(ptr elementtype(float) %out, token %z, <2 x i32> zeroinitializer)
  ret void
}"""
    artifact = tw.compile(text, target="cpu", cache=False).k
    assert "one factor packed, one read in place" in artifact.schedule
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((72, 40, 16, 16), (16, 16, 16, 40)))
    c = np.full((72, 16), np.nan, np.float32)
    artifact(a, b, c)
    np.testing.assert_array_equal(c, np.einsum("acij,kijc->ak", a, b, optimize=True))
