"""What is wrong with a text of MLIR is said where it stands, once."""

from __future__ import annotations

import pytest

from frontends.mlir.reading import check, findings, read


def _body(line: str) -> str:
    """A function with one line, and values of some types."""
    return (
        "func.func @f(%A: memref<4x8xf32>, %B: memref<8x4xf32>, %C: memref<4x4xf32>, %v: memref<?xf32>, %i: index, "
        f"%x: f32, %n: i32, %p: i1) {{\n  {line}\n  return\n}}\n"
    )


@pytest.mark.parametrize(
    ("code", "line", "says"),
    [
        ("M11", "«gpu.wait»", "the custom form of gpu.wait is not read here"),
        ("M11", "%0 = «arith.adf» %x, %x : f32", "the custom form of arith.adf is not read here"),
        ("M1", "%0 = arith.addf %x «:» f32", "expected ','"),
        ("M1", "%0 = arith.addf %x, %x\n  «return»", "expected ':'"),
        ("M5", "%0 = arith.addf %x, «%y» : f32", "%y is not defined here"),
        ("M6", "%0 = arith.addf %x, «%n» : f32", "%n has type i32, not f32"),
        ("M2", "%0 = arith.cmpi «less», %n, %n : i32", "there is no predicate 'less'"),
        ("M10", "%0 = arith.extsi «%n» : i32 to i16", "i16 is no wider than i32"),
        ("M10", "%0 = arith.addi «%x», %x : f32", "lhs must be"),
        ("M10", "«%0 = memref.load %A[%i] : memref<4x8xf32>»", "takes 2 indices, not 1"),
        ("M6", "%0 = memref.load «%A»[%i, %i] : memref<4x4xf32>", "%A has type memref<4x8xf32>"),
        ("M10", "%0 = memref.cast «%A» : memref<4x8xf32> to memref<4x9xf32>", "is never a memref<4x9xf32>"),
        ("M10", "memref.copy «%A», %C : memref<4x8xf32> to memref<4x4xf32>", "cannot be copied to memref<4x4xf32>"),
        ("M7", "%0 = affine.apply «affine_map<(d0) -> (d0)>(%i)[%i]»", "takes 1 dimensions and 0 symbols, not 1 and 1"),
        ("M10", "«affine.store %x, %A[%i] : memref<4x8xf32>»", "takes 2 indices, not 1"),
        ("M2", "affine.for %k = «affine_map<(d0) -> (d0, 1)>(%i)» to 4 {\n  }", "says max"),
        ("M4", "affine.for %k = 0 to 4 step «9223372036854775808» {\n  }", "does not fit 64 bits"),
        ("M4", "%0 = affine.apply affine_map<(d0) -> (d0 * «9223372036854775808»)>(%i)", "does not fit 64 bits"),
        ("M10", "«affine.for %k = 0 to 4 step 0» {\n  }", "the step is positive, not 0"),
        ("M10", "%r = scf.for %k = %i to %i step %i iter_args(%s = %x) -> (f32) {\n  «}»", "hands on (); (f32) are"),
        ("M6", "scf.if «%n» {\n  }", "%n has type i32, not"),
        (
            "M10",
            "linalg.matmul ins(%A, «%A» : memref<4x8xf32>, memref<4x8xf32>) outs(%C : memref<4x4xf32>)",
            "loop 2 has 4 iterations by memref<4x8xf32>, but 8 by memref<4x8xf32>",
        ),
        ("M7", "linalg.fill ins(«%x : f32, f32») outs(%v : memref<?xf32>)", "2 types for 1 operands"),
    ],
)
def test_one_finding(code: str, line: str, says: str) -> None:
    check(code, _body(line), says)


@pytest.mark.parametrize(("place", "difference"), [("%A[%k-1, %k]", "%k - 1"), ("%A[%k, %i-1]", "%i - 1")])
def test_a_dash_in_a_name_is_no_difference(place: str, difference: str) -> None:
    (found,) = findings(_body(f"affine.for %k = 1 to 4 {{\n    %0 = affine.load {place} : memref<4x8xf32>\n  }}"))
    assert found.hints == [f"a - without spaces is part of the name: a difference is {difference}"]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("linalg.matmull", "did you mean linalg.matmul?"),
        ("linalg.conv_2d", "`tilewright explain M11` says where the operations of linalg are that are read"),
        ("shape.rank", "`mlir-opt --mlir-print-op-generic` prints"),
    ],
)
def test_operations_that_are_not_read(line: str, hint: str) -> None:
    (found,) = findings(_body(line))
    assert found.hints[0].startswith(hint)


def test_what_follows_is_not_held_against_the_text() -> None:
    check("M5", _body("%0 = arith.addf %x, «%y» : f32\n  %1 = arith.mulf %0, %0 : f32"), "not defined here")


def test_forms_of_earlier_versions() -> None:
    text = """
#map = affine_map<() -> (0)>
#map1 = affine_map<() -> (8)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%A: memref<8xf32>, %i: index, %x: f32):
    "affine.for"() ({
    ^bb0(%j: index):
      "affine.yield"() : () -> ()
    }) {lower_bound = #map, step = 1 : index, upper_bound = #map1} : () -> ()
    %0 = "memref.subview"(%A, %i) {operand_segment_sizes = dense<[1, 0, 1, 0]> : vector<4xi32>, static_offsets = [0], static_sizes = [-1], static_strides = [1]} : (memref<8xf32>, index) -> memref<?xf32>
    %1 = "arith.maxf"(%x, %x) : (f32, f32) -> f32
    "scf.parallel"(%i, %i, %i) ({
    ^bb0(%j: index):
      "scf.yield"() : () -> ()
    }) {operand_segment_sizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    "linalg.generic"(%A) ({
    ^bb0(%a: f32):
      "linalg.yield"(%x) : (f32) -> ()
    }) {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"], operand_segment_sizes = array<i32: 0, 1>} : (memref<8xf32>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<8xf32>, index, f32) -> (), sym_name = "f"} : () -> ()
}) : () -> ()
"""  # noqa: E501
    names = [op.name for op in read(text).module.walk()]
    assert "scf.reduce" in names
    assert names.count("arith.maximumf") == 1


def test_nested_modules_and_locations_behind() -> None:
    text = """
module @outer {
  module @inner attributes {a.b} {
    func.func private @g(f32 {my.attribute = 1 : i32}) -> (f32 {my.other})
    func.func @f(%x: f32 loc("here")) {
      return loc(#loc)
    } loc(#loc)
  } loc(unknown)
} loc(unknown)
#loc = loc("there":1:2)
"""
    assert [op.name for op in read(text).module.walk()].count("builtin.module") == 2
