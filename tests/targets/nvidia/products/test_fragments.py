"""Sums that somebody wants: loops, branches, other tiles, subgroups."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from targets.nvidia.case import Case, Launch, faults, kernel, poisoned, random_array
from targets.nvidia.emulated import emulated
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TOTALS
from tilewright.compiler import CompileOptions, lower_module
from tilewright.diagnostics import Report
from tilewright.ir.types import ALL_SCALARS
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.schedule.products.plan import Block, ProductPlan, Shape
from tilewright.transforms.schedule.products.planning import plan_product

START = """%z = arith.constant {value = 0} -> index
%a = tile.load %A, %z, %z -> tile<32x16xf32>
%b = tile.load %B, %z, %z -> tile<16x32xf32>
%zero = arith.constant {value = 0.0} -> tile<32x32xf32>
"""
PRODUCT = START + "%c = tile.mma %a, %b, %zero -> tile<32x32xf32>\n"
LOOP = (
    START
    + """%one = arith.constant {value = 1} -> index
%three = arith.constant {value = 3} -> index
%half = arith.constant {value = 0.5} -> f32
%halves = tile.splat %half -> tile<32x32xf32>
"""
)


def check(body: str, expected: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """Run on 64 work-items, by a unit."""
    m, n = expected.shape
    case = Case(
        "sums", kernel(f"%A: memref<f32x32x16>, %B: memref<f32x16x32>, %C: memref<f32x{m}x{n}>", body), lambda _: launch
    )
    launch = Launch([a, b, poisoned("f32", m, n)], {2: expected})
    module = case.module()
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(verify_each=True), Report())
    assert "product=32x32x16:fma.f32" in (module.kernels[0].schedule or "")
    for found in (interpreted(module, launch), emulated(module).run(launch)):
        assert not faults(launch, found)


@pytest.fixture
def factors(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return random_array(rng, "f32", 32, 16, small=True), random_array(rng, "f32", 16, 32, small=True)


def test_arithmetic_and_stores_want_no_exchange(factors: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = factors
    body = """%d = arith.add %c, %c -> tile<32x32xf32>
        tile.store %d, %C, %z, %z"""
    check(PRODUCT + body, 2 * (a @ b), a, b)


def test_a_loop_carries_sums_that_arithmetic_changes(factors: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = factors
    body = """%sum = scf.for %z, %three, %one, %zero {operand_segments = [1, 1, 1, 1]}
            -> tile<32x32xf32> (%i: index, %t: tile<32x32xf32>) {
          %less = arith.mul %t, %halves -> tile<32x32xf32>
          %next = tile.mma %a, %b, %less -> tile<32x32xf32>
          scf.yield %next
        }
        tile.store %sum, %C, %z, %z"""
    check(LOOP + body, 1.75 * (a @ b), a, b)


def test_columns_and_transposes_of_sums_go_through_memory(factors: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = factors
    body = """%r = tile.permute %c {order = [1, 0]} -> tile<32x32xf32>
        tile.store %r, %C, %z, %z"""
    check(PRODUCT + body, (a @ b).T, a, b)
    body = """%r = tile.reduce %c {kind = "add", dim = 0} -> tile<32xf32>
        %row = tile.reshape %r -> tile<1x32xf32>
        tile.store %row, %C, %z, %z"""
    check(PRODUCT + body, (a @ b).sum(axis=0, keepdims=True), a, b)


def test_a_product_of_products(factors: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = factors
    body = """%d = tile.mma %c, %c, %c -> tile<32x32xf32>
        tile.store %d, %C, %z, %z"""
    check(PRODUCT + body, (a @ b) @ (a @ b) + a @ b, a, b)


def test_branches_give_sums_through_memory(factors: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = factors
    body = """%yes = arith.constant {value = true} -> bool
        %d = scf.if %yes -> tile<32x32xf32> {
          %c = tile.mma %a, %b, %zero -> tile<32x32xf32>
          scf.yield %c
        } {
          scf.yield %zero
        }
        tile.store %d, %C, %z, %z"""
    check(START + body, a @ b, a, b)


def test_subgroups_read_sums_of_the_work_group(factors: tuple[np.ndarray, np.ndarray]) -> None:
    """Each of two subgroups stores all of them."""
    a, b = factors
    body = """team.spmd {
          %sg = team.subgroup_linear_id -> i32
          %number = arith.cast %sg -> index
          %width = arith.constant {value = 32} -> index
          %at = arith.mul %number, %width -> index
          tile.store %c, %C, %z, %at
        }"""
    check(PRODUCT + body, np.asfortranarray(np.tile(a @ b, 2)), a, b)


@pytest.mark.parametrize(
    ("element", "shape"), [("f64", (64, 32, 16)), ("f16", (64, 64, 32)), ("f32", (64, 64, 8)), ("i8", (64, 32, 64))]
)
@pytest.mark.parametrize("along", [(False, False), (True, True)])
def test_layouts_of_parts_are_what_is_read(element: str, shape: tuple[int, int, int], along: tuple[bool, bool]) -> None:
    """Of each warp the repeats and steps that its readers find, lane by lane."""
    type_, total = (ALL_SCALARS[name] for name in (element, TOTALS[element]))
    plan = plan_product(Shape(*shape, type_, type_, total, *along), Block(128, 1 << 16, Architecture.SM_80))
    assert isinstance(plan, ProductPlan)
    warps, others = (plan.lhs.warps, plan.rhs.warps), (plan.rhs.warps, plan.lhs.warps)
    for side, factor in enumerate((plan.lhs, plan.rhs)):
        first = factor is plan.rows
        table = factor.layout_of_parts(factor.depth, side, others[side], first).table()[..., 0, :]
        part, scales = factor.part.table()[:, :, 0, 0], (factor.outer_scale, factor.depth_scale)
        weight = 1 if first else warps[1 - side]
        for warp in range(4):
            own = warp // weight % factor.warps * factor.repeats * factor.part.shape[0]
            places = itertools.product(range(plan.steps), range(factor.repeats))
            starts = [(factor.repeat_start(repeat), factor.step_start(step)) for step, repeat in places]
            wanted = np.concatenate([part * scales + (own + outer, deep) for outer, deep in starts])
            assert np.array_equal(table[:, :, warp], wanted if side == 0 else wanted[..., ::-1])
