"""Plans of products: extents, conflicts and registers of all types and orders of factors, and why there is none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilewright.ir.layouts import Owner
from tilewright.ir.types import BF16, F16, F32, F64, I8, I32, TF32, ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.schedule.products.factors import Factor
from tilewright.transforms.schedule.products.plan import Block, ProductPlan, Shape
from tilewright.transforms.schedule.products.planning import plan_product

TYPES = ((F16, F32), (BF16, F32), (TF32, F32), (F32, F32), (F64, F64), (I8, I32), (I32, I32))
ORDERS = ((False, False), (False, True), (True, False), (True, True))
BLOCK = Block(128, 160 * 1024, Architecture.SM_80)
HOPPER = Block(128, 227 * 1024, Architecture.SM_90A)


def planned(
    extents: tuple[int, int, int], types: tuple[ScalarType, ScalarType], along: tuple[bool, bool], block: Block = BLOCK
) -> ProductPlan:
    found = plan_product(Shape(*extents, types[0], types[0], types[1], *along), block)
    assert isinstance(found, ProductPlan), found
    return found


@pytest.mark.parametrize(("factor", "total"), TYPES, ids=str)
@pytest.mark.parametrize("along", ORDERS)
def test_reading_factors_has_no_conflicts(factor: ScalarType, total: ScalarType, along: tuple[bool, bool]) -> None:
    extent = 64 if total is F64 else 128
    plan = planned((extent, extent, 32), (factor, total), along)
    # words of four k that are read from four rows at once, since those of the other factor are neighbours
    odd = factor is TF32 and along[0] != along[1]
    assert [plan.lhs.conflicts(), plan.rhs.conflicts()] == [1 + (odd and along[0]), 1 + (odd and along[1])]
    assert plan.layout.shape == (extent, extent)
    assert plan.layout.count(Owner.REG) * max(total.bytes // 4, 1) <= 128


@pytest.mark.parametrize(("factor", "total"), TYPES, ids=str)
@pytest.mark.parametrize("along", ORDERS)
def test_lanes_read_what_their_sums_want(factor: ScalarType, total: ScalarType, along: tuple[bool, bool]) -> None:
    """Row and column of each sum are the coordinates of what the lane's instruction takes of the factors."""
    plan = planned((64, 64, 32), (factor, total), along)
    table = plan.layout.table()[:, :, :, 0]
    each, own = plan.instruction.accumulators.count(Owner.REG), plan.instruction.accumulators.table()[:, :, 0, 0]
    for column, row in itertools.product(range(plan.columns.repeats), range(plan.rows.repeats)):
        first = each * (row + plan.rows.repeats * column)
        for number, warp in itertools.product(range(each), range(4)):
            along_rows, along_columns = warp % plan.rows.warps, warp // plan.rows.warps
            found = table[first + number, :, warp]
            rows, columns = (found[:, 1], found[:, 0]) if plan.swapped else (found[:, 0], found[:, 1])
            assert np.array_equal(rows, _coordinates(plan.rows, row, along_rows, own[number, :, 0]))
            assert np.array_equal(columns, _coordinates(plan.columns, column, along_columns, own[number, :, 1]))


def _coordinates(factor: Factor, repeat: int, warp: int, inside: np.ndarray) -> np.ndarray:
    own = factor.outer // factor.warps
    return warp * own + factor.repeat_start(repeat) + inside * factor.outer_scale


def test_parts_cover_a_factor_once() -> None:
    for (factor, total), along in itertools.product(TYPES, ORDERS):
        plan = planned((64, 64, 32), (factor, total), along)
        for each in (plan.lhs, plan.rhs):
            elements = each.part.table()[:, :, 0, 0].reshape(-1, 2)
            held = {
                (
                    warp * (each.outer // each.warps) + each.repeat_start(repeat) + outer * each.outer_scale,
                    each.step_start(step) + deep * each.depth_scale,
                )
                for warp in range(each.warps)
                for repeat in range(each.repeats)
                for step in range(plan.steps)
                for outer, deep in elements.tolist()
            }
            assert held == set(itertools.product(range(each.outer), range(each.depth)))


def test_steps_of_many_sums_are_eight_in_a_row() -> None:
    for extents, steps in (((128, 128, 32), 8), ((64, 64, 32), 16), ((128, 128, 4), 4)):
        assert planned(extents, (F32, F32), (True, True)).steps_a_trip == steps


def test_two_blocks_share_a_multiprocessor_where_registers_allow() -> None:
    plan = planned((128, 128, 64), (F16, F32), (False, False))
    assert BLOCK.stages([plan]) == 2
    assert [Block(threads, 227 * 1024, BLOCK.architecture).stages([plan]) for threads in (128, 256)] == [3, 4]


def test_a_block_that_is_alone_has_as_many_stages_as_there_is_room_for() -> None:
    plan = planned((128, 64, 64), (F16, F32), (False, False))
    few, all_ = (Block(128, 227 * 1024, HOPPER.architecture, 132, alone) for alone in (False, True))
    assert (few.stages([plan]), all_.stages([plan]), all_.stages([plan], asked=5)) == (4, 8, 5)
    # as many as fit together with another block, which then both are there
    assert [few.resident([plan], stages * plan.stage_bytes) for stages in (4, 8)] == [264, 132]


@pytest.mark.parametrize("along", ORDERS)
@pytest.mark.parametrize("threads", [128, 256])
def test_groups_of_warps_read_factors_as_rows_of_128_bytes(along: tuple[bool, bool], threads: int) -> None:
    block = Block(threads, HOPPER.shared_bytes, HOPPER.architecture)
    plan = planned((128, threads, 64), (BF16, F32), along, block)
    assert plan.instruction.name == "wgmma.m64n128k16.f32.bf16"
    assert (plan.lhs.warps, plan.rhs.warps, plan.rhs.repeats) == (1, threads // 128, 2)
    for factor in (plan.lhs, plan.rhs):
        assert factor.swizzled
        assert factor.bytes % 1024 == 0
    assert plan.layout.shape == (128, threads)


@pytest.mark.parametrize(("extents", "swapped"), [((32, 64, 64), True), ((64, 32, 64), False)])
def test_few_rows_or_columns_are_columns_of_an_instruction(extents: tuple[int, int, int], swapped: bool) -> None:
    plan = planned(extents, (F16, F32), (False, False), HOPPER)
    assert (plan.instruction.name, plan.swapped) == ("wgmma.m64n32k16.f32.f16", swapped)


@pytest.mark.parametrize(
    ("extents", "types", "why"),
    [
        ((128, 128, 24), (F16, F32), "rows of 48 bytes"),
        ((32, 48, 64), (F16, F32), "less than 64 rows and columns"),
        ((128, 128, 64), (F32, F32), "f32 is multiplied exactly"),
    ],
)
def test_what_groups_of_warps_do_not_take(
    extents: tuple[int, int, int], types: tuple[ScalarType, ScalarType], why: str
) -> None:
    assert "wgmma" not in planned(extents, types, (False, False), HOPPER).instruction.name, why


@pytest.mark.parametrize(
    ("shape", "block", "reason"),
    [
        (Shape(56, 9, 9, F32, F32, F32, False, False), BLOCK, "56x9x9 are no whole parts of 8x4x1"),
        (Shape(256, 256, 32, F32, F32, F32, False, False), BLOCK, "512 registers of accumulators"),
        (
            Shape(64, 64, 32, F16, F16, F32, False, False),
            Block(8, 1 << 16, Architecture.SM_80),
            "8 threads are no whole",
        ),
        (Shape(64, 64, 32, F16, F16, F32, False, False), Block(128, 4096, Architecture.SM_80), "in 4,096 bytes"),
        (Shape(64, 64, 32, F32, F32, F64, False, False), BLOCK, ""),
    ],
)
def test_why_there_is_no_plan(shape: Shape, block: Block, reason: str) -> None:
    found = plan_product(shape, block)
    assert isinstance(found, ProductPlan) if not reason else reason in str(found)


def test_threads_read_one_factor_of_bytes_along_m_or_n() -> None:
    """Its rows are those of the instruction, which copies leave as they lie; groups of warps may share a slab."""
    block = Block(256, 227 * 1024, Architecture.SM_90A)
    for along in ORDERS[1:]:
        extents = (256, 128, 128) if along[1] else (128, 256, 128)
        found = planned(extents, (I8, I32), along, block)
        assert found.instruction.name == "wgmma.m64n256k32.i32.i8.turned"
        assert (found.rows.read, found.rows.turned, found.columns.turned) == (True, False, along == (True, True))
        assert (found.swapped, found.rows.warps, found.rows.slab) == (along[1], 2, 128)
    # half of a stage is no whole instruction; 192 rows would begin in the middle of a slab and end in another one
    assert not planned((64, 64, 32), (I8, I32), (False, True), HOPPER).rows.read
    assert planned((64, 384, 128), (I8, I32), (False, True), block).rows.warps == 1
