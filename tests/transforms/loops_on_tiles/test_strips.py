"""Points that are neighbours and loop over rows run in strips, with the same answers; others stay."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from effort import Ran, count, falls_short
from generators.element_types import DTYPES
from tilewright.dialects import scf, tl
from tilewright.dialects.arith import Cmp, Constant, Predicate
from tilewright.interpreter import interpret
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.loops_on_tiles import LoopsOnTiles
from transforms.loops_on_tiles.drawn_strips import DrawnStrip
from transforms.support import kernel, names, run

STRIPS = count("RANDOM_STRIPS", 60, 5000)
PASS = LoopsOnTiles(GenericTilePolicy(run=16), fewest=8)
NOALIAS = (
    "parameter_attributes = [{}, {}, {noalias = true}, {}, {noalias = true}, {}ENDS], subgroup_size = 16, "
    "work_group_size = [16, 1]"
)


def attributes(static: bool) -> str:
    return NOALIAS.replace("ENDS", "" if static else ", {}, {}")


def test_drawn_strips(rng: np.random.Generator, ran: Ran) -> None:
    taken = 0
    for _ in range(STRIPS):
        form = str(rng.choice(["foreach", "in order", "parallel"]))
        drawn = DrawnStrip(rng, str(rng.choice(["f32", "f64", "i8", "i32"])), form, bool(rng.random() < 0.5))
        module = kernel(drawn.parameters, drawn.text(), attributes(drawn.static))
        after = run(module, PASS)
        taken += bool(names(module)["tile.store"]) or (drawn.static and drawn.length < 8)
        arrays = drawn.arrays()
        want, s = [a.copy(order="K") for a in arrays], DTYPES[drawn.element].type(rng.integers(-2, 3))
        drawn.compute(want, s)
        ends = () if drawn.static else (np.int64(drawn.first + drawn.length), np.int64(drawn.rows))
        interpret(module.kernels[0], [*arrays, s, *ends], (1, 1, 1))
        for got, wanted in zip(arrays, want, strict=True):
            np.testing.assert_array_equal(got, wanted, err_msg=after)
    # not those whose loops read no neighbours in the end, or read what others store
    assert not falls_short(taken, STRIPS, 0.5)
    ran(STRIPS, "strips of points")


FOR = "{operand_segments = [1, 1, 0, 0]}"
LOADED = "%v = memref.load %x_, %i, %j -> f32 memref.store %v, %z_, %i, %j"
STAY: dict[str, tuple[str, dict[str, str]]] = {
    "few points": (LOADED, {"= 40": "= 7"}),
    "points that are far apart": (LOADED.replace("%i, %j", "%one, %i"), {}),
    "what one point stores another one reads": (LOADED.replace("%x_", "%z_").replace("%i, %j ->", "%n, %j ->"), {}),
    "memory may be shared": (LOADED.replace("%z_, %i, %j", "%y_, %i"), {}),
    "the last one counts": (LOADED.replace("%z_, %i, %j", "%m_, %one, %one"), {}),
    "the number of a point is a value": ("%v = arith.cast %i -> f32 memref.store %v, %z_, %i, %j", {}),
    "loops of points have their own lengths": (LOADED, {"%one, %rows": "%one, %i"}),
    "lengths are looked up": (LOADED, {"%one, %rows": "%one, %u"}),
    "no loop reads neighbours": ("memref.store %s, %z_, %i, %j", {}),
    "every second element": (LOADED.replace("%i, %j ->", "%d, %j ->"), {}),
    "elements that are looked up": (
        """%f = memref.load %y_, %i -> f32 %k = arith.cast %f -> index %v = memref.load %x_, %i, %k -> f32
        memref.store %v, %z_, %i, %j""",
        {},
    ),
}


@pytest.mark.parametrize("what", STAY)
def test_these_stay(what: str) -> None:
    inside, changes = STAY[what]
    text = f"""%lo = arith.constant {{value = 1}} -> index %one = arith.constant {{value = 1}} -> index
    %hi = arith.constant {{value = 40}} -> index %rows = arith.constant {{value = 5}} -> index
    scf.for %lo, %hi {FOR} (%i: index) {{
        %n = arith.add %i, %one -> index %d = arith.add %i, %i -> index
        %q = memref.load %y_, %i -> f32 %u = arith.cast %q -> index
        scf.for %one, %rows {FOR} (%j: index) {{ {inside} }}
    }}"""
    for was, becomes in changes.items():
        text = text.replace(was, becomes)
    parameters = DrawnStrip(np.random.default_rng(0), "f32", "in order", static=True).parameters
    module = kernel(parameters, text, attributes(static=True))
    run(module, PASS)
    assert not names(module)["tile.load"] + names(module)["tile.store"]


def test_what_stays_would_not_without_its_reason() -> None:
    text = (
        """%lo = arith.constant {value = 1} -> index %hi = arith.constant {value = 40} -> index
    scf.for %lo, %hi {operand_segments = [1, 1, 0, 0]} (%i: index) {
        scf.for %lo, %hi {operand_segments = [1, 1, 0, 0]} (%j: index) {"""
        + f"{LOADED} }} }}"
    )
    parameters = DrawnStrip(np.random.default_rng(0), "f32", "in order", static=True).parameters
    module = kernel(parameters, text, attributes(static=True))
    run(module, PASS)
    assert names(module)["tile.load"]


@pytest.mark.parametrize("fewest", [3, 8])
def test_few_points_that_are_left_are_lanes(fewest: int) -> None:
    """Others are a part of a strip."""
    text = f"""%lo = arith.constant {{value = 1}} -> index scf.for %lo, %hi {FOR} (%i: index) {{
        scf.for %lo, %rows {FOR} (%j: index) {{ {LOADED} }} }}"""
    parameters = DrawnStrip(np.random.default_rng(0), "f32", "in order", static=False).parameters
    module = kernel(parameters, text, attributes(static=False))
    run(module, LoopsOnTiles(GenericTilePolicy(run=16), fewest=fewest))
    (lanes,) = (op for op in module.walk() if isinstance(op, tl.Foreach))
    choice = lanes.parent_op
    assert isinstance(choice, scf.If)
    assert choice.orelse is lanes.parent_region
    compared = choice.condition.defining_op
    assert isinstance(compared, Cmp)
    least = compared.rhs.defining_op
    assert isinstance(least, Constant)
    assert (compared.predicate, least.value) == (Predicate.GE, fewest)


COLUMNS = """
func.func @sums(%A: memref<?x?xf32>, %o: memref<?xf32>) {
  linalg.reduce ins(%A: memref<?x?xf32>) outs(%o: memref<?xf32>) dimensions = [0]
    (%x: f32, %y: f32) { %s = arith.addf %x, %y : f32
      linalg.yield %s : f32 }
  return
}
func.func @largest(%A: memref<?x?xf32>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %columns = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %columns {
    %m = affine.for %j = 0 to %rows iter_args(%a = %least) -> (f32) {
      %x = affine.load %A[%j, %i] : memref<?x?xf32>
      %n = arith.maximumf %a, %x : f32
      affine.yield %n : f32
    }
    affine.store %m, %o[%i] : memref<?xf32>
  }
  return
}
"""


def test_columns(rng: np.random.Generator) -> None:
    """Whole strips, a part of one and lanes on the CPU, and what lies behind the results stays."""
    program = tw.compile(COLUMNS)
    for columns in (5, 31, 32, 40, 64, 100, 2047, 2048, 2049, 2100, 5000):
        a, guarded = rng.integers(-9, 9, (13, columns)).astype(np.float32), np.full(columns + 64, 7, np.float32)
        program.sums[1](a, guarded[:columns])
        np.testing.assert_array_equal(guarded[:columns], 7 + a.sum(axis=0))
        program.largest[1](a, guarded[:columns])
        np.testing.assert_array_equal(guarded[:columns], a.max(axis=0))
        assert (guarded[columns:] == 7).all()
