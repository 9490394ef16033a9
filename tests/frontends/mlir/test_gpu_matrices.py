"""Matrices of a warp: both forms of their text, rules, and products against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from ir.mlir import tool
from targets.nvidia.launching import program_of_text
from tilewright.diagnostics import CompileError, Report, Source
from tilewright.frontends.mlir import read_mlir_file
from tilewright.ir.mlir.printer import print_generic

PROGRAM = """\
func.func @f(%A: memref<20x24xf16>, %B: memref<32x40xf16>, %C: memref<16x48xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = gpu.subgroup_mma_load_matrix %A[%c2, %c8] {leadDimension = 24 : index} : memref<20x24xf16> -> \
!gpu.mma_matrix<16x16xf16, "AOp">
  %b = gpu.subgroup_mma_load_matrix %B[%c8, %c2] {leadDimension = 40 : index, transpose} : memref<32x40xf16> -> \
!gpu.mma_matrix<16x16xf16, "BOp">
  %c = gpu.subgroup_mma_load_matrix %C[%c0, %c8] {leadDimension = 48 : index} : memref<16x48xf32> -> \
!gpu.mma_matrix<16x16xf32, "COp">
  %r = affine.for %k = 0 to 3 iter_args(%s = %c) -> (!gpu.mma_matrix<16x16xf32, "COp">) {
    %t = gpu.subgroup_mma_compute %a, %b, %s : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> \
!gpu.mma_matrix<16x16xf32, "COp">
    affine.yield %t : !gpu.mma_matrix<16x16xf32, "COp">
  }
  gpu.barrier
  gpu.subgroup_mma_store_matrix %r, %C[%c0, %c2] {leadDimension = 48 : index, transpose} : \
!gpu.mma_matrix<16x16xf32, "COp">, memref<16x48xf32>
  return
}
"""


def generic(text: str) -> str:
    report = Report()
    file = read_mlir_file(Source("f.mlir", text), report)
    report.raise_if_errors()
    assert file is not None
    return print_generic(file)


def test_both_forms_are_one_program() -> None:
    once = generic(PROGRAM)
    assert '"gpu.subgroup_mma_compute"(%a, %b, %s)' in once
    assert generic(once) == once


@tool.needed
def test_the_stock_tool_reads_both_forms_alike() -> None:
    assert tool.reprinted(PROGRAM) == tool.reprinted(generic(PROGRAM))


OF_SCF = (
    PROGRAM.replace("affine.for %k = 0 to 3", "scf.for %k = %c0 to %c3 step %c1")
    .replace("affine.yield", "scf.yield")
    .replace("  %c2 =", "  %c1 = arith.constant 1 : index\n  %c3 = arith.constant 3 : index\n  %c2 =")
)


@pytest.mark.parametrize("text", [PROGRAM, OF_SCF], ids=["affine", "scf"])
@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_products_against_numpy(target: str, text: str, rng: np.random.Generator, tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(text)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((20, 24), (32, 40)))
    c = rng.integers(-3, 4, (16, 48)).astype(np.float32)
    expected = c.copy()
    product = a[2:18, 8:24].astype(np.float32) @ b[8:24, 2:18].astype(np.float32).T
    expected[:, 2:18] = (c[:, 8:24] + 3 * product).T
    tw.compile(path, target=target, cache=False).f[1](a, b, c)
    assert np.array_equal(c, expected)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("20x24xf16", "20x24xf32", "holds no elements of"),
        ("%B[%c8, %c2]", "%B[%c8]", "takes 2 indices, not 1"),
        ("{leadDimension = 40 : index, transpose}", "{leadDimension = -1 : index}", "positive, not -1"),
        ("{leadDimension = 40 : index, transpose}", "{leadDimension = 41 : index}", "are not 41 elements apart"),
        (
            'compute %a, %b, %s : !gpu.mma_matrix<16x16xf16, "AOp">',
            'compute %b, %b, %s : !gpu.mma_matrix<16x16xf16, "BOp">',
            "takes an AOp, a BOp and a COp",
        ),
    ],
)
def test_rules(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in PROGRAM
    path = tmp_path / "f.mlir"
    path.write_text(PROGRAM.replace(old, new))
    with pytest.raises(CompileError) as error:
        tw.compile(path, target="interpreter", cache=False)
    assert any(said in str(d) for d in error.value.diagnostics)


SHARED = """\
memref.global "private" @tile : memref<4x6xf32, 3>
memref.global "private" @row : memref<6xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 64 : i64}
memref.global "private" @other : memref<4x6xf32>
func.func @f(%A: memref<8x6xf32>, %B: memref<8x6xf32>) {
  affine.for %h = 0 to 8 step 4 {
    affine.for %i = 0 to 4 {
      %t = memref.get_global @tile : memref<4x6xf32, 3>
      %r = memref.get_global @row : memref<6xf32, #gpu.address_space<workgroup>>
      affine.for %j = 0 to 6 {
        %a = affine.load %A[%h + %i, %j] : memref<8x6xf32>
        affine.store %a, %r[%j] : memref<6xf32, #gpu.address_space<workgroup>>
      }
      affine.for %j = 0 to 6 {
        %a = affine.load %r[5 - %j] : memref<6xf32, #gpu.address_space<workgroup>>
        affine.store %a, %t[3 - %i, %j] : memref<4x6xf32, 3>
      }
    }
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 6 {
        %t = memref.get_global @tile : memref<4x6xf32, 3>
        %a = affine.load %t[%i, %j] : memref<4x6xf32, 3>
        affine.store %a, %B[%h + %i, %j] : memref<8x6xf32>
      }
    }
  }
  return
}
"""


@pytest.mark.parametrize("target", ["interpreter", "cpu", "emulated"])
def test_shared_memory_of_a_name(target: str, rng: np.random.Generator) -> None:
    """As the stages of Katel, Khandelwal and Bondhugula have it: one memory for all uses of a global."""
    program = program_of_text(SHARED) if target == "emulated" else tw.compile(SHARED, target=target, cache=False)
    a, b = rng.random((2, 8, 6)).astype(np.float32)
    program.f[1](a, b)
    assert np.array_equal(b, a.reshape(2, 4, 6)[:, ::-1, ::-1].reshape(8, 6))


@pytest.mark.parametrize("name", ["other", "none"])
def test_memory_that_nobody_has(name: str) -> None:
    text = SHARED.replace("get_global @tile : memref<4x6xf32, 3>", f"get_global @{name} : memref<4x6xf32>")
    text = text.replace("%t[3 - %i, %j] : memref<4x6xf32, 3>", "%t[3 - %i, %j] : memref<4x6xf32>")
    text = text.replace("%t[%i, %j] : memref<4x6xf32, 3>", "%t[%i, %j] : memref<4x6xf32>")
    with pytest.raises(CompileError, match=f"no global @{name} with known contents, or of a work-group"):
        tw.compile(text, target="interpreter", cache=False)


SCALED = """\
func.func @f(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %alpha: f32) {
  %c0 = arith.constant 0 : index
  %a = gpu.subgroup_mma_load_matrix %A[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf32> -> \
!gpu.mma_matrix<16x16xf32, "COp">
  %s = gpu.subgroup_mma_constant_matrix %alpha : !gpu.mma_matrix<16x16xf32, "COp">
  %p = gpu.subgroup_mma_elementwise mulf %a, %s : (!gpu.mma_matrix<16x16xf32, "COp">, \
!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  %n = gpu.subgroup_mma_elementwise negatef %p : (!gpu.mma_matrix<16x16xf32, "COp">) -> \
!gpu.mma_matrix<16x16xf32, "COp">
  gpu.subgroup_mma_store_matrix %n, %B[%c0, %c0] {leadDimension = 16 : index} : \
!gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
  return
}
"""


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_arithmetic_on_elements(target: str, rng: np.random.Generator, tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(generic(SCALED))
    a, b = rng.integers(-3, 4, (2, 16, 16)).astype(np.float32)
    tw.compile(path, target=target, cache=False).f[1](a, b, 2.5)
    assert np.array_equal(b, a * -2.5)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mulf", "remf", "there is no arithmetic 'remf'"),
        ("mulf", "muli", "muli does not compute with f32"),
        ("mulf", "negatef", "negatef takes 1 matrices of the result's type"),
        ("%alpha : f32", "%alpha : i32", "%alpha has type i32, not f32"),
    ],
)
def test_rules_of_arithmetic(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(SCALED.replace(old, new).replace("%alpha: f32", "%alpha: i32" if "alpha" in old else "%alpha: f32"))
    with pytest.raises(CompileError) as error:
        tw.compile(path, target="interpreter", cache=False)
    assert any(said in str(d) for d in error.value.diagnostics)


OWN = PROGRAM.replace("gpu.subgroup", "tilewright.subgroup").replace("!gpu.", "!tilewright.").replace("xf16", "xbf16")


def test_matrices_of_other_elements_are_read_in_both_forms() -> None:
    once = generic(OWN)
    assert '"tilewright.subgroup_mma_compute"(%a, %b, %s)' in once
    assert '!tilewright.mma_matrix<16x16xbf16, "AOp">' in once
    assert generic(once) == once


@tool.needed
def test_the_stock_tool_reads_matrices_of_other_elements() -> None:
    assert '"tilewright.subgroup_mma_compute"' in tool.reprinted(generic(OWN))


def test_matrices_of_one_dialect_are_none_of_another() -> None:
    with pytest.raises(CompileError) as error:
        tw.compile(PROGRAM.replace("gpu.subgroup_mma_compute", "tilewright.subgroup_mma_compute"), cache=False)
    assert "takes and gives matrices of tilewright, not !gpu.mma_matrix" in str(error.value)
