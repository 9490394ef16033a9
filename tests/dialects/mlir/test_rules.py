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


LINALG = (
    "%A: memref<4x8xf32>, %B: memref<8x4xf32>, %C: memref<4x4xf32>, %v: memref<4xf32>, %h: memref<8x4xf16>, %x: f32"
)
A, B, C, V, H = (f"memref<{t}>" for t in ("4x8xf32", "8x4xf32", "4x4xf32", "4xf32", "8x4xf16"))
TERMS = [f"affine_map<(m, n, k) -> {results}>" for results in ("(m, k)", "(k, n)", "(m, n)")]
ADD = "{ arith.addf }"


def contract(*maps: str, b: str = "%B") -> str:
    """The whole operation is marked unless `b` is."""
    line = f"linalg.contract indexing_maps = [{', '.join(maps)}] ins(%A, {b} : {A}, {B}) outs(%C : {C})"
    return line if "«" in b else f"«{line}»"


def placed(name: str, mark: int, ending: str, ins: str = f"%A : {A}", outs: str = f"%v : {V}") -> str:
    """An operation with operands, of which the one with this number is marked; the whole one for -1."""
    values = [ins.partition(" : "), outs.partition(" : ")]
    if mark >= 0:
        name_of, colon, type_ = values[mark]
        values[mark] = (f"«{name_of}»", colon, type_)
    said = [f"{word}({''.join(value)})" for word, value in zip(("ins", "outs"), values, strict=True)]
    line = f"linalg.{name} {' '.join(said)}{ending}"
    return line if mark >= 0 else f"«{line}»"


@pytest.mark.parametrize(
    ("code", "line", "says"),
    [
        ("M10", placed("transpose", -1, " permutation = [1, 1]", outs=f"%B : {B}"), "[1, 1] has a dimension twice"),
        ("M10", placed("transpose", -1, " permutation = [1, 2]", outs=f"%B : {B}"), f"{A} has no dimension 2"),
        ("M10", placed("transpose", -1, " permutation = [1]", outs=f"%B : {B}"), "[1] has 1 dimensions; "),
        ("M10", placed("transpose", 1, " permutation = [1, 0]", outs=f"%A : {A}"), "loop 0 has 4 iterations"),
        (
            "M8",
            placed("transpose", -1, " permutation = [1, 0]", outs=f"%h : {H}"),
            "of the same elements, not of f32, f16",
        ),
        ("M10", placed("broadcast", -1, " dimensions = [2]", f"%v : {V}", f"%C : {C}"), f"{C} has no dimension 2"),
        (
            "M10",
            placed("broadcast", -1, " dimensions = [0, 0]", f"%v : {V}", f"%C : {C}"),
            "[0, 0] has a dimension twice",
        ),
        (
            "M10",
            placed("broadcast", -1, " dimensions = []", f"%v : {V}", f"%C : {C}"),
            f"with 0 dimensions more is no {C}",
        ),
        ("M10", placed("broadcast", 1, " dimensions = [0]", f"%v : {V}", f"%A : {A}"), "loop 1 has 8 iterations"),
        (
            "M10",
            placed("broadcast", 0, " dimensions = []", "%x : f32", "%x : f32"),
            "takes memrefs and tensors, not f32",
        ),
        ("M10", placed(f"reduce {ADD}", 1, " dimensions = [0]"), "loop 1 has 4 iterations by memref<4xf32>, but 8"),
        ("M10", placed(f"reduce {ADD}", -1, " dimensions = [2]"), f"{A} has no dimension 2"),
        ("M10", placed(f"reduce {ADD}", -1, " dimensions = [1, 1]"), "dimensions = [1, 1] has a dimension twice"),
        ("M10", placed(f"reduce {ADD}", -1, " dimensions = [1, 0]"), "dimensions = [1, 0] are not in order"),
        (
            "M10",
            placed(f"reduce {ADD}", 1, " dimensions = []"),
            "(d0, d1) -> (d0, d1)> has 2 results for memref<4xf32>",
        ),
        ("M10", placed("map { math.exp }", 0, ""), "(d0) -> (d0)> has 1 results for memref<4x8xf32>"),
        (
            "M11",
            "linalg.map { «arith.adf» } ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)",
            "arith.adf is not known here",
        ),
        ("M7", "linalg.map { «arith.addf» } ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)", "one number of 1"),
        ("M7", "linalg.map { «func.return» } ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)", "one number of 1"),
        ("M8", placed("exp", -1, "", f"%h : {H}", f"%B : {B}"), "linalg.exp makes f32 of f32, not of f16"),
        (
            "M8",
            placed("exp", -1, "", f"%B, %B : {B}, {B}", f"%B : {B}"),
            "linalg.exp takes 1 inputs and an output, not 2",
        ),
        ("M8", placed("div_unsigned", -1, "", f"%B, %B : {B}, {B}", f"%B : {B}"), "does not compute with f32"),
        (
            "M2",
            f"linalg.elementwise kind=«#linalg.elementwise_kind<max>» ins(%v : {V}) outs(%v : {V})",
            "there is no such kind; there are exp, log",
        ),
        ("M10", contract(*TERMS[:2]), "takes two factors, an output, and a map for each of them"),
        (
            "M10",
            contract(TERMS[0], TERMS[1].replace("(k, n)>", "(k, k + n)>"), TERMS[2], b="«%B»"),
            "no choice of different loops",
        ),
        ("M10", contract(TERMS[0], TERMS[1], TERMS[0]), "loop 1 is none of two of the three operands"),
        ("M10", contract(TERMS[2], TERMS[2], TERMS[2]).replace("m, n, k)", "m, n)"), "nothing is summed"),
    ],
)
def test_operations_of_linalg(code: str, line: str, says: str) -> None:
    check(code, f"func.func @f({LINALG}) {{\n  {line}\n  return\n}}\n", says)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f'«"linalg.map"(%v, %v)» ({{}}) : ({V}, {V}) -> ()', "the body takes the elements (f32, f32)"),
        (
            f"""«"linalg.elementwise"(%v, %v) <{{kind = 3 : i32, operandSegmentSizes = array<i32: 1, 1>}}>» ({{
    ^bb0(%a: f32, %b: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }}) : ({V}, {V}) -> ()""",
            "there is no kind 3 : i32; there are exp",
        ),
        (
            f"""«"linalg.reduce"(%v, %v, %v) <{{dimensions = array<i64: 0>}}>» ({{
    ^bb0(%a: f32, %b: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }}) : ({V}, {V}, {V}) -> ()""",
            "takes as many inputs as outputs, and one at least, not 2 inputs and 1 outputs",
        ),
        (
            f"""«"linalg.map"(%v, %v) <{{}}>» ({{
    ^bb0(%a: f32, %b: f32, %c: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }}) : ({V}, {V}) -> ()""",
            "the body takes the elements (f32, f32)",
        ),
    ],
)
def test_generic_forms_of_operations_of_linalg(line: str, says: str) -> None:
    check("M10", f"func.func @f({LINALG}) {{\n  {line}\n  return\n}}\n", says)


def test_results_have_the_types_of_the_outputs_that_are_tensors() -> None:
    text = """func.func @f(%x: f32, %t: tensor<4xf32>) -> tensor<5xf32> {
  «%r = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<5xf32>»
  return %r : tensor<5xf32>
}
"""
    check("M10", text, "the types of the results are (tensor<5xf32>), wanted are (tensor<4xf32>)")


LARGE, SMALL = "memref<2x3x8xf32>", "memref<6x8xf32>"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"memref.collapse_shape %a [[0], [1, 2]] : {LARGE} into {SMALL}", "grouped as [[0], [1, 2]] is no"),
        (f"memref.collapse_shape %a [[0, 2], [1]] : {LARGE} into {SMALL}", "the groups are not the dimensions of"),
        (f"memref.collapse_shape %a [[0, 1, 2], []] : {LARGE} into {SMALL}", "the groups are not the dimensions of"),
        (f"memref.collapse_shape %a [] : {LARGE} into memref<f32>", "the groups are not the dimensions of"),
        (f"memref.collapse_shape %a [[0, 1], [2]] : {LARGE} into memref<?x8xf32>", "is no memref<?x8xf32>"),
        (f"memref.collapse_shape %a [[0, 1], [2]] : {LARGE} into memref<6x8xi32>", "has other elements than"),
        (f"memref.collapse_shape %a [[0, 1], [2]] : {LARGE} into tensor<6x8xf32>", "is of another dialect"),
        (
            f"memref.expand_shape %b [[0, 1], [2]] output_shape [3, 2, 8] : {SMALL} into {LARGE}",
            "the output shape is not",
        ),
        (
            f"memref.expand_shape %b [[0, 1], [2]] output_shape [%i, 3, 8] : {SMALL} into {LARGE}",
            "the output shape is not",
        ),
    ],
)
def test_regroupings(line: str, says: str) -> None:
    check("M10", f"func.func @f(%a: {LARGE}, %b: {SMALL}, %i: index) {{\n  «%r = {line}»\n  return\n}}\n", says)
