"""Loops over neighbouring elements run on tiles, with the same answers; others stay."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from effort import Ran, count, falls_short
from generators.element_types import DTYPES
from tilewright.interpreter import interpret
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.loops_on_tiles import LoopsOnTiles
from transforms.loops_on_tiles.drawn_loops import DrawnLoop
from transforms.support import kernel, names, run

LOOPS = count("RANDOM_LOOPS_ON_TILES", 60, 5000)
PASS = LoopsOnTiles(GenericTilePolicy(run=16), fewest=1)
NOALIAS = "parameter_attributes = [{}, {}, {noalias = true}, {noalias = true}, {}"
FOR = "{operand_segments = [1, 1, 0, 0]} (%j: index)"
SUM = "{operand_segments = [1, 1, 0, 1]} -> f32 (%j: index, %a: f32)"


def attributes(static: bool) -> str:
    return NOALIAS + ("]" if static else ", {}, {}]") + ", subgroup_size = 16, work_group_size = [16, 1]"


def test_drawn_loops(rng: np.random.Generator, ran: Ran) -> None:
    taken = 0
    for _ in range(LOOPS):
        loop = DrawnLoop(rng, str(rng.choice(["f32", "f64", "i8", "i32"])), bool(rng.random() < 0.5))
        module = kernel(loop.parameters, loop.text(), attributes(loop.static))
        after = run(module, PASS)
        taken += bool(names(module)["tile.load"] + names(module)["tile.store"])
        arrays = loop.arrays()
        want, s = [a.copy(order="K") for a in arrays], DTYPES[loop.element].type(rng.integers(-2, 3))
        loop.compute(want, s)
        bounds = () if loop.static else (np.int64(loop.first), np.int64(loop.first + loop.length))
        interpret(module.kernels[0], [*arrays, s, *bounds], (1, 1, 1))
        for got, wanted in zip(arrays, want, strict=True):
            np.testing.assert_array_equal(got, wanted, err_msg=after)
    # not those of no iterations, and of what is the same in all
    assert not falls_short(taken, LOOPS, 0.7)
    ran(LOOPS, "loops on tiles")


def test_loops_of_few_iterations_fold_an_element_at_a_time() -> None:
    """Putting a tile together takes longer than they do. What is known at a launch only has both."""
    step = LoopsOnTiles(GenericTilePolicy(run=16), fewest=32)
    add = "%v = memref.load %x_, %j, %one -> f32 %n = arith.add %a, %v -> f32 scf.yield %n"
    for length, taken in ((31, False), (32, True)):
        module = kernel(PARAMETERS, loop_of(SUM, add).replace("40", str(length)), attributes(static=True))
        run(module, step)
        assert bool(names(module)["tile.load"]) is taken
    copy = "%v = memref.load %x_, %j, %one -> f32 memref.store %v, %z_, %j, %one"
    module = kernel(PARAMETERS, loop_of(FOR, copy).replace("40", "31"), attributes(static=True))
    run(module, step)
    assert names(module)["tile.load"]
    bounded = loop_of(SUM, add).replace("%n_ = arith.constant {value = 40} -> index", "")
    for length in (31, 32):
        module = kernel(PARAMETERS + ", %n_: index", bounded, attributes(static=True).replace("{}]", "{}, {}]", 1))
        run(module, step)
        assert names(module)["scf.if"]
        assert names(module)["memref.load"] == 1
        x, m = np.ones((40, 2), np.float32, order="F"), np.zeros(2, np.float32)
        interpret(module.kernels[0], [x, m.copy(), x.copy(order="F"), m, np.float32(0), np.int64(length)], (1, 1, 1))
        assert m[1] == length


STAY = {
    "what one iteration stores another one reads": (
        FOR,
        "%k = arith.add %j, %one -> index %v = memref.load %z_, %j, %one -> f32 memref.store %v, %z_, %k, %one",
    ),
    "the last one counts": (FOR, "%v = memref.load %x_, %j, %one -> f32 memref.store %v, %m_, %one"),
    "elements are apart": (FOR, "%v = memref.load %x_, %one, %j -> f32 memref.store %v, %z_, %one, %j"),
    "every second element": (
        FOR,
        "%k = arith.add %j, %j -> index %v = memref.load %x_, %k, %one -> f32 memref.store %v, %z_, %j, %one",
    ),
    "memory may be shared": (FOR, "%v = memref.load %x_, %j, %one -> f32 memref.store %v, %y_, %j"),
    "the variable is a value": (FOR, "%v = arith.cast %j -> f32 memref.store %v, %z_, %j, %one"),
    "sums so far are stored": (
        SUM,
        """%v = memref.load %x_, %j, %one -> f32 %n = arith.add %a, %v -> f32 memref.store %n, %z_, %j, %one
        scf.yield %n""",
    ),
    "sums so far are used": (
        SUM,
        """%v = memref.load %x_, %j, %one -> f32 %w = arith.max %a, %v -> f32 %n = arith.add %a, %w -> f32
        scf.yield %n""",
    ),
    "a difference of what is carried": (
        SUM,
        "%v = memref.load %x_, %j, %one -> f32 %n = arith.sub %v, %a -> f32 scf.yield %n",
    ),
}


def loop_of(head: str, body: str, step: str = "") -> str:
    """A loop from 0 to the number of rows, and what it carries stored."""
    carries = head is SUM
    first = "%f = " if carries else ""
    last = "memref.store %f, %m_, %one" if carries else ""
    return f"""%zero = arith.constant {{value = 0}} -> index %one = arith.constant {{value = 1}} -> index
    %n_ = arith.constant {{value = 40}} -> index
    {first}scf.for %zero, %n_{step}{", %s" if carries else ""} {head} {{ {body} }} {last}"""


PARAMETERS = "%x_: memref<f32x?x?>, %y_: memref<f32x?>, %z_: memref<f32x?x?>, %m_: memref<f32x?>, %s: f32"


@pytest.mark.parametrize("name", STAY)
def test_others_stay(name: str) -> None:
    module = kernel(PARAMETERS, loop_of(*STAY[name]), attributes(static=True))
    run(module, PASS)
    assert not names(module)["tile.load"] + names(module)["tile.store"]


def test_sums_of_floats_may_keep_their_order() -> None:
    load = "%v = memref.load %x_, %j, %one -> f32"
    for operation, taken in {"add": False, "mul": False, "max": True, "maximum": True}.items():
        text = loop_of(SUM, f"{load} %n = arith.{operation} %a, %v -> f32 scf.yield %n")
        module = kernel(PARAMETERS, text, attributes(static=True))
        run(module, PASS.keeping_order())
        assert bool(names(module)["tile.load"]) is taken, operation


def test_a_sum_of_nothing_keeps_the_sign_of_zero() -> None:
    text = loop_of(SUM, "%v = memref.load %x_, %j, %one -> f32 %n = arith.add %a, %v -> f32 scf.yield %n")
    module = kernel(PARAMETERS, text, attributes(static=True))
    run(module, PASS)
    x, m = np.full((40, 2), -0.0, np.float32, order="F"), np.zeros(2, np.float32)
    interpret(module.kernels[0], [x, m.copy(), x.copy(order="F"), m, np.float32(-0.0)], (1, 1, 1))
    assert np.signbit(m[1])


def test_a_loop_without_iterations_touches_no_memory() -> None:
    """As of a matrix without columns, whose sums are nowhere."""
    body = """%v = memref.load %x_, %j, %zero -> f32 %old = memref.load %m_, %far -> f32
    %n = arith.add %old, %v -> f32 memref.store %n, %m_, %far"""
    loop = f"%zero = arith.constant {{value = 0}} -> index scf.for %zero, %count {FOR} {{ {body} }}"
    module = kernel(
        "%x_: memref<f32x?x?>, %m_: memref<f32x?>, %far: index, %count: index",
        loop,
        "parameter_attributes = [{}, {noalias = true}, {}, {}], subgroup_size = 16, work_group_size = [16, 1]",
    )
    assert "tile.load" in run(module, PASS)
    x, m = np.zeros((1, 1), np.float32), np.zeros(1, np.float32)
    interpret(module.kernels[0], [x, m, np.int64(9), np.int64(0)], (1, 1, 1))


SOFTMAX = """
func.func @rows(%A: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (%m) {
    %max = affine.for %j = 0 to %n iter_args(%a = %least) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %y = arith.maximumf %a, %x : f32
      affine.yield %y : f32
    }
    %sum = affine.for %j = 0 to %n iter_args(%a = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %d = arith.subf %x, %max : f32
      %e = math.exp %d : f32
      affine.store %e, %C[%i, %j] : memref<?x?xf32>
      %y = arith.addf %a, %e : f32
      affine.yield %y : f32
    }
    affine.for %j = 0 to %n {
      %x = affine.load %C[%i, %j] : memref<?x?xf32>
      %q = arith.divf %x, %sum : f32
      affine.store %q, %C[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
func.func @dot(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<f32>) {
  linalg.dot ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%c : memref<f32>)
  return
}
func.func @largest(%A: memref<?x?xf32>, %v: memref<?xf32>) {
  linalg.reduce { arith.maximumf } ins(%A : memref<?x?xf32>) outs(%v : memref<?xf32>) dimensions = [1]
  return
}
"""


def test_what_is_compiled_for_the_cpu_runs_on_tiles(rng: np.random.Generator) -> None:
    program = tw.compile(SOFTMAX)
    a = rng.standard_normal((5, 333), np.float32)
    result, largest, dot = np.empty_like(a), np.full(5, -np.inf, np.float32), np.ones((), np.float32)
    program.rows[1](a, result)
    wide = np.exp(a.astype(np.float64) - a.max(axis=1, keepdims=True))
    np.testing.assert_allclose(result, wide / wide.sum(axis=1, keepdims=True), rtol=1e-5)
    program.largest[1](a, largest)
    np.testing.assert_array_equal(largest, a.max(axis=1))
    program.dot[1](a[0], a[1], dot)
    np.testing.assert_allclose(dot, 1 + a[0].astype(np.float64) @ a[1], rtol=1e-4)
    few = a[:, :31].copy()
    program.rows[1](few, result[:, :31].copy())
    program.largest[1](few, largest)
    np.testing.assert_array_equal(largest, a.max(axis=1))
    short = np.full(5, -np.inf, np.float32)
    program.largest[1](few, short)
    np.testing.assert_array_equal(short, few.max(axis=1))


ROWS = """
func @k(%A: memref<f32x?x?>, %v: memref<f32x?>) {
    %0 = constant 0 : index
    %n = size %A[OUTER] : index
    %m = size %A[INNER] : index
    %least = constant -inf : f32
    foreach (%i)=(%0),(%n) {
        %s = for %j=%0,%m init(%a=%least) -> (f32) { %x = load %A[PLACE] : f32 %b = max %a, %x : f32 yield (%b) }
        store %s, %v[%i]
    }
}
"""


@pytest.mark.parametrize("axis", [0, 1])
def test_points_loop_on_tiles(rng: np.random.Generator, axis: int) -> None:
    """Along rows where points are far apart, in strips of points that are neighbours otherwise."""
    place = "%i,%j" if axis else "%j,%i"
    program = tw.compile(ROWS.replace("OUTER", str(1 - axis)).replace("INNER", str(axis)).replace("PLACE", place))
    a = np.asfortranarray(rng.standard_normal((100, 70), np.float32))
    found = np.zeros(a.shape[1 - axis], np.float32)
    program.k[1](a, found)
    np.testing.assert_array_equal(found, a.max(axis=axis))
    assert "tile.load" in program.k.ir("tile")
    assert "team.spmd" in program.k.ir("tile"), "for short loops, or few points"
    program.k[1](a[: 31 if axis == 0 else 100, : 31 if axis else 70], found)
    few = a[:31].max(axis=0) if axis == 0 else a[:, :31].max(axis=1)
    np.testing.assert_array_equal(found, few)


@pytest.mark.parametrize(("length", "is_long"), [(31, False), (32, True)])
def test_short_loops_stay_in_lanes(length: int, is_long: bool) -> None:
    text = ROWS.replace("memref<f32x?x?>", f"memref<f32x{length}x?>").replace("OUTER", "1").replace("INNER", "0")
    program = tw.compile(text.replace("PLACE", "%j,%i"))
    assert ("team.spmd" in program.k.ir("tile")) is not is_long


def test_short_loops_that_fold_nothing_stay_in_lanes() -> None:
    text = """
func @squares(%A: memref<f32xLENGTHx?>) {
    %0 = constant 0 : index
    %m = constant LENGTH : index
    %n = size %A[1] : index
    foreach (%i)=(%0),(%n) { for %j=%0,%m { %x = load %A[%j,%i] : f32 %y = mul %x, %x : f32 store %y, %A[%j,%i] } }
}"""
    for length, in_lanes in ((31, True), (32, False)):
        program = tw.compile(text.replace("LENGTH", str(length)))
        assert ("team.spmd" in program.squares.ir("tile")) is in_lanes
        a = np.full((length, 3), 3, np.float32, order="F")
        program.squares[1](a)
        assert (a == 9).all()


def test_points_with_loops_of_their_own_lengths(rng: np.random.Generator) -> None:
    program = tw.compile(
        ROWS.replace("OUTER", "1")
        .replace("INNER", "0")
        .replace("PLACE", "%j,%i")
        .replace("for %j=%0,%m", "for %j=%0,%i")
    )
    a = np.asfortranarray(rng.standard_normal((70, 70), np.float32))
    found = np.zeros(70, np.float32)
    program.k[1](a, found)
    np.testing.assert_array_equal(found, [a[:i, i].max(initial=-np.inf) for i in range(70)])
