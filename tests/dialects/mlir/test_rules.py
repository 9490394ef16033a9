"""Rules of MLIR's dialects beyond one operand: what several of them, regions and numbers have to agree on."""

from __future__ import annotations

import pytest

from frontends.mlir.reading import check, read

PARAMETERS = "%A: memref<4x8xf32>, %B: memref<8x4xf32>, %C: memref<4x4xf32>, %i: index, %n: i32, %x: f32"
PAIR = "affine_map<(d0, d1) -> (d0, d1)>"
ROWS = "affine_map<(d0, d1) -> (d0)>"


def function(line: str) -> str:
    return f"func.func @f({PARAMETERS}) {{\n  {line}\n  return\n}}\n"


def generic(maps: str, operands: str = "%A, %A : memref<4x8xf32>, memref<4x8xf32>") -> str:
    return (
        f'linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} ins({operands}) '
        "outs(%C : memref<4x4xf32>) {\n  ^bb0(%a: f32, %b: f32, %c: f32):\n    linalg.yield %a : f32\n  }"
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "linalg.matmul ins(%C, «%B» : memref<4x4xf32>, memref<8x4xf32>) outs(%C : memref<4x4xf32>)",
            "loop 2 has 8 iterations by memref<8x4xf32>, but 4 by memref<4x4xf32>",
        ),
        (
            generic(f"{PAIR}, {ROWS}, {PAIR}", "%C, «%C» : memref<4x4xf32>, memref<4x4xf32>"),
            "has 1 results for memref<4x4xf32>",
        ),
        (
            "«"
            + generic(f"{PAIR}, {PAIR}, {PAIR}", "%C, %C : memref<4x4xf32>, memref<4x4xf32>")
            .replace('"parallel"]', '"r]duction"]')
            .replace("outs(%C : memref<4x4xf32>)", "outs(%C : memref<4x4xf32>)»"),
            "no loops that are 'r]duction'",
        ),
        ('%p = "arith.cmpi"(%n, %n) <{predicate = 10 : i64}> : (i32, i32) -> i1', "there is no predicate 10"),
        ('%p = "arith.cmpf"(%x, %x) <{predicate = 16 : i64}> : (f32, f32) -> i1', "there is no predicate 16"),
    ],
)
def test_one_finding(line: str, says: str) -> None:
    check("M10", function(line if "«" in line else f"«{line}»"), says)


@pytest.mark.parametrize(
    ("number", "says"),
    [(12, "reduction 12 is andi, which does not combine f32"), (42, "there is no reduction 42, only 0 to 14")],
)
def test_reductions_combine_their_type(number: int, says: str) -> None:
    """LLVM 22 numbers them in another way: sums as before, products by 12."""
    one = "dense<1> : tensor<1xi32>, {}BoundsMap = affine_map<() -> (1)>"
    line = f"""«%r = "affine.parallel"() <{{
      lowerBoundsGroups = {one.format("lower")}, reductions = [{number}], steps = [1],
      upperBoundsGroups = {one.format("upper")}}}>» ({{
    ^bb0(%j: index):
      "affine.yield"(%x) : (f32) -> ()
    }}) : () -> f32"""
    check("M10", function(line), says)


def test_every_loop_is_bounded_by_an_operand() -> None:
    line = (
        f'«linalg.generic {{indexing_maps = [{ROWS}], iterator_types = ["parallel", "reduction"]}} '
        "outs(%v : memref<4xf32>)» {\n  ^bb0(%c: f32):\n    linalg.yield %c : f32\n  }"
    )
    text = function(line).replace("%x: f32)", "%x: f32, %v: memref<4xf32>)")
    check("M10", text, "no operand says how many iterations loop 1 has")


def test_each_value_of_a_parallel_loop_is_reduced_in_its_own_type() -> None:
    text = function("""%r, %s = scf.parallel (%j) = (%i) to (%i) step (%i) init (%x, %n) -> (f32, i32) {
    scf.reduce(%x, %n : f32, i32) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      scf.reduce.return %0 : f32
    }, {
    ^bb0(%a: i32, %b: i32):
      %0 = arith.addi %a, %b : i32
      scf.reduce.return %0 : i32
    }
  }""")
    assert [op.name for op in read(text).module.walk()].count("scf.reduce.return") == 2


def test_loops_of_earlier_versions_carry_values() -> None:
    text = """
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: f32, %n: index):
    %r = "affine.for"(%n, %x) ({
    ^bb0(%j: index, %s: f32):
      "affine.yield"(%s) : (f32) -> ()
    }) {lower_bound = affine_map<() -> (0)>, step = 1 : index, upper_bound = affine_map<(d0) -> (d0)>}
      : (index, f32) -> f32
    "func.return"() : () -> ()
  }) {function_type = (f32, index) -> (), sym_name = "f"} : () -> ()
}) : () -> ()
"""
    assert "affine.for" in [op.name for op in read(text).module.walk()]
