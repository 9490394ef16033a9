"""What former versions of the tool call otherwise, or write in another way."""

from __future__ import annotations

import pytest

from frontends.mlir.reading import check, findings, reprinted
from tilewright.frontends.recognise import is_mlir

BLOCKS = """\
module {
  func @f(%arg0: i1, %arg1: memref<4xf32>, %arg2: f32) {
    %c0 = arith.constant 0 : index
    %0 = math.abs %arg2 : f32
    %1 = select %arg0, %0, %arg2 : f32
    cond_br %arg0, ^bb1, ^bb2(%1 : f32)
  ^bb1:
    br ^bb2(%0 : f32)
  ^bb2(%2: f32):
    linalg.fill(%2, %arg1) : f32, memref<4xf32>
    call @g(%2) : (f32) -> ()
    return
  }
  func private @g(f32)
}
"""
FORMER = """\
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: i1, %arg1: memref<4xf32>, %arg2: f32):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "math.abs"(%arg2) : (f32) -> f32
    %2 = "std.select"(%arg0, %1, %arg2) : (i1, f32, f32) -> f32
    "std.cond_br"(%arg0, %2)[^bb1, ^bb2] {operand_segment_sizes = dense<[1, 0, 1]> : vector<3xi32>} : (i1, f32) -> ()
  ^bb1:
    "std.br"(%1)[^bb2] : (f32) -> ()
  ^bb2(%3: f32):
    "linalg.fill"(%3, %arg1) ({
    ^bb0(%arg3: f32, %arg4: f32):
      "linalg.yield"(%arg3) : (f32) -> ()
    }) : (f32, memref<4xf32>) -> ()
    "std.call"(%3) {callee = @g} : (f32) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (i1, memref<4xf32>, f32) -> ()} : () -> ()
  "builtin.func"() ({
  }) {sym_name = "g", sym_visibility = "private", type = (f32) -> ()} : () -> ()
}) : () -> ()
"""


def test_functions_and_branches_of_version_14() -> None:
    """Recognised, read, and printed with the names of now, the same from both forms."""
    assert is_mlir(BLOCKS)
    assert is_mlir(FORMER)
    assert not is_mlir("func @f(%x: f32) {\n}\n"), "that is the tensor language"
    found = reprinted(BLOCKS)
    for name in ("func.func", "cf.cond_br", "cf.br", "arith.select", "math.absf", "func.call", "func.return"):
        assert f'"{name}"' in found
    assert reprinted(found) == found
    names = [line.split('"')[1] for line in found.splitlines() if '"(' in line]
    former = [line.split('"')[1] for line in reprinted(FORMER).splitlines() if '"(' in line]
    assert former == names


STANDARD = """\
// as in 2021
func @f(%A: memref<4x4xf16>, %C: memref<4x4xf32>, %n: i32) {
  %c1 = constant 1 : i32
  %zero = constant 0.0 : f32
  %q = divi_signed %n, %c1 : i32
  %s = shift_right_unsigned %q, %c1 : i32
  %i = index_cast %s : i32 to index
  affine.for %k = 0 to 4 {
    %a = affine.load %A[%k, %k] : memref<4x4xf16>
    %w = fpext %a : f16 to f32
    %c = load %C[%k, %i] : memref<4x4xf32>
    %p = mulf %w, %c : f32
    %g = cmpf ogt, %p, %zero : f32
    %m = select %g, %p, %zero : f32
    store %m, %C[%k, %i] : memref<4x4xf32>
  }
  return
}
"""


def test_operations_of_the_standard_dialect() -> None:
    """Before version 14 they were not divided among dialects, and functions need no module around them."""
    assert is_mlir(STANDARD)
    assert not is_mlir("func @f(%x: memref<f32x4>) { ; no memref<4xf32>, as linalg.matmul takes\n}\n")
    found = reprinted(STANDARD)
    for name in (
        "arith.constant",
        "arith.divsi",
        "arith.shrui",
        "arith.extf",
        "memref.load",
        "arith.cmpf",
        "memref.store",
    ):
        assert f'"{name}"' in found
    generic = found.replace('"arith.', '"std.').replace('"memref.', '"std.')
    for now, former in (("divsi", "divi_signed"), ("shrui", "shift_right_unsigned"), ("extf", "fpext")):
        generic = generic.replace(f'"std.{now}"', f'"std.{former}"')
    assert reprinted(generic) == found


TENSOR = """\
func.func @f(%%m: index) -> tensor<?x8xf32> {
  %%0 = %s : tensor<?x8xf32>
  return %%0 : tensor<?x8xf32>
}
"""


def test_tensors_without_contents() -> None:
    wanted = reprinted(TENSOR % "tensor.empty(%m)")
    assert reprinted(TENSOR % "linalg.init_tensor [%m, 8]") == wanted
    assert reprinted(TENSOR % "linalg.init_tensor [%m, 8] {}") == wanted
    check("M7", TENSOR % "«linalg.init_tensor» [%m, 9]", "the static sizes are not those of the type")
    (found,) = findings(TENSOR % "linalg.init_tensor [3, 8]")
    assert found.code == "M7"


REDUCTIONS = """\
func.func @f(%%n: index, %%a: f32) -> (f32, f32) {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%r:2 = scf.parallel (%%i) = (%%c0) to (%%n) step (%%c1) init (%%a, %%a) -> (f32, f32) {
    %%x = arith.addf %%a, %%a : f32
%s
  }
  return %%r#0, %%r#1 : f32, f32
}
"""
ONE = "{\n ^bb0(%%p: f32, %%q: f32):\n %%s = arith.%s %%p, %%q : f32\n scf.reduce.return %%s : f32\n }"
TOGETHER = f"scf.reduce(%x, %a : f32, f32) {ONE % 'addf'}, {ONE % 'maximumf'}"
APART = f"scf.reduce(%x) : f32 {ONE % 'addf'}\nscf.reduce(%a)  : f32 {ONE % 'maxf'}"


def test_each_value_of_a_parallel_loop_had_a_reduction_of_its_own() -> None:
    assert reprinted(REDUCTIONS % APART) == reprinted(REDUCTIONS % TOGETHER)
    (found, *_) = findings(REDUCTIONS % APART.partition("\nscf")[0])
    assert found.code == "M10"


@pytest.mark.parametrize(
    ("before", "now"),
    [("maxf", "maximumf"), ("minf", "minimumf")],
)
def test_reductions_of_affine_loops(before: str, now: str) -> None:
    text = """\
func.func @f(%%a: f32) -> f32 {
  %%r = affine.parallel (%%i) = (0) to (4) reduce ("%s") -> f32 {
    affine.yield %%a : f32
  }
  return %%r : f32
}
"""
    assert reprinted(text % before) == reprinted(text % now)
