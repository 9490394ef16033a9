"""Rings of places in shared memory, and fragments that are read ahead: right answers, mistakes that are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.diagnostics import CompileError
from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu, mma, nvgpu
from tilewright.dialects.mlir.mma import LoadMatrix
from tilewright.ir.core import Operation
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import I32
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages import NAMES, STAGES
from tilewright.transforms.matmul_stages.copies import is_shared
from tilewright.transforms.matmul_stages.matmul import NotApplicable
from tilewright.transforms.matmul_stages.nests import applied, form_of, inside
from transforms.matmul_stages.mutations import Mutation, found_broken
from transforms.matmul_stages.products import At, Case, behind, outcomes, run

TILES = "block=32x32x32 warp=32x16x32"
SMALL = "block=32x32x32 warp=16x16x16"
RING = f"{TILES} buffers=3"
AHEAD = f"{RING} ahead=1"
CASE = Case(64, 32, 160)
LONG = Case(32, 32, 1024)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("case", "schedule"),
    [
        (Case(64, 64, 128), f"{TILES} buffers=2"),
        (CASE, RING),
        (CASE, AHEAD),
        (CASE, f"{TILES} buffers=2 ahead=2"),
        (Case(32, 32, 32), f"{TILES} buffers=4 ahead=1"),
        (Case(32, 32, 64), f"{TILES} buffers=4"),
        (Case(64, 32, 96, "f16", "f16", transposed="b"), f"{TILES} buffers=4 ahead=1"),
        (Case(64, 32, 96, "bf16", transposed="a"), RING),
        (Case(64, 32, 96, "f32", "f32", second="f16"), f"{SMALL} buffers=3 ahead=1"),
        (Case(71, 45, 99, opened="ijk"), f"{SMALL} vector=1 buffers=3 ahead=1"),
        (Case(71, 30, 96, opened="i"), "block=32x16x32 warp=16x16x16 vector=2 buffers=4 ahead=1"),
        (Case(71, 32, 31, opened="k"), f"{SMALL} vector=1 buffers=2"),
        (Case(128, 96, 64), f"{AHEAD} order=3 swizzle=yes"),
    ],
    ids=str,
)
def test_right_answers(case: Case, schedule: str, tmp_path: Path, rng: np.random.Generator) -> None:
    run(outcomes(case.text, schedule)[-1], "interpreter", case, schedule, tmp_path, rng)


def test_processors_copy_at_once(tmp_path: Path, rng: np.random.Generator) -> None:
    case, schedule = Case(16, 16, 64), "block=16x16x16 warp=16x16x16 buffers=3 ahead=1"
    run(outcomes(case.text, schedule)[-1], "cpu", case, schedule, tmp_path, rng)


def test_a_step_has_one_barrier_and_as_many_times_the_memory() -> None:
    one, ring, ahead = (outcomes(CASE.text, schedule)[-1] for schedule in (TILES, RING, AHEAD))
    texts = [str(each.module) for each in (one, ring, ahead)]
    assert [text.count("team.barrier") for text in texts] == [4, 2, 2]
    assert [text.count("gpu.await_copies") for text in texts] == [0, 3, 3]
    assert "5120 bytes of shared memory" in one.changed
    assert "15360 bytes of shared memory" in ring.changed


def test_rows_that_no_device_copies_are_stored_by_threads() -> None:
    text = str(outcomes(CASE.text, f"{AHEAD} vector=1")[-1].module)
    assert "copy_async" not in text
    assert "await_copies" not in text


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        (f"{TILES} buffers=2 ahead=3", "a step has 2 slices along k, fewer than ahead=3"),
        (f"{TILES} ahead=1", "ahead=1: with one place in memory the tile of the next step is not there to be read"),
        (f"{TILES} buffers=8 pad=128", "bytes of shared memory; blocks have"),
    ],
)
def test_what_does_not_apply(schedule: str, said: str) -> None:
    with pytest.raises(CompileError, match=said):
        outcomes(CASE.text, schedule)


@pytest.mark.parametrize("where", ["k", "last"])
def test_buffers_that_are_read_beside_the_steps_are_refused(where: str) -> None:
    """A fragment that is read in front of the steps, or behind the loop and in front of the last one."""
    at = behind(NAMES[-2], CASE, RING)
    read = fragments(at.unit)[0]
    copy = read.clone()
    assert isinstance(copy, LoadMatrix)
    build = Builder.before_op(at.matmul.loop(where, ""))
    zero = applied(build, Linear())
    copy.operands = [read.memref, zero, zero]
    build(copy)
    with pytest.raises(NotApplicable, match="is accessed beside the steps along k, which have their places") as refused:
        STAGES[-1].apply(at.matmul)
    assert refused.value.hint == 'leave "buffers" out'


def fragments(root: Operation) -> list[LoadMatrix]:
    """Reads of factors."""
    return [op for op in root.walk() if isinstance(op, LoadMatrix) and is_shared(op.memref)]


def copies(root: Operation) -> list[nvgpu.DeviceAsyncCopy]:
    """Those that go on by themselves."""
    return [op for op in root.walk() if isinstance(op, nvgpu.DeviceAsyncCopy)]


def waits(root: Operation) -> list[nvgpu.DeviceAsyncWait]:
    """Those for copies."""
    return [op for op in root.walk() if isinstance(op, nvgpu.DeviceAsyncWait)]


def moved(op: Operation, operand: int, by: int) -> None:
    """An index is another one."""
    form = form_of(op.operands[operand]).plus(Linear(by))
    op.set_operand(operand, applied(Builder.before_op(op), form))


def reads_another_place(at: At) -> None:
    """A fragment is read of the tile of another step."""
    moved(fragments(at.matmul.loop("k", ""))[0], 1, 32)


def reads_another_slice(at: At) -> None:
    """A fragment is one further along k."""
    read = next(op for op in fragments(at.matmul.loop("k", "")) if op.matrix.role == "AOp")
    moved(read, 2, 16)


def copies_over_what_is_read(at: At) -> None:
    """Copies go to the place that the step reads."""
    values = [op.out for op in inside(at.matmul.loop("k", "")) if isinstance(op, affine.Apply)]
    free, read = ([value for value in values if value.name == name] for name in ("free_place", "place"))
    free[0].replace_all_uses_with(read[0])


def copies_another_tile(at: At) -> None:
    """What is copied is a step further along k."""
    copy = next(op for op in copies(at.matmul.loop("k", "")) if op.src is at.matmul.b.memref)
    moved(copy, 4, 32)


def copies_less(at: At) -> None:
    """A part of a tile is not copied."""
    copy = copies(at.matmul.loop("k", ""))[0]
    group = next(iter(copy.asyncToken.uses))
    group.operands = [value for value in group.operands if value is not copy.asyncToken]
    copy.erase()


def the_first_tile_elsewhere(at: At) -> None:
    """The first step finds nothing."""
    moved(copies(at.unit)[0], 1, 32)


def no_wait(at: At) -> None:
    """A step does not wait."""
    waits(at.matmul.loop("k", ""))[0].erase()


def waits_for_less(at: At) -> None:
    """A step leaves one group more on its way."""
    waits(at.matmul.loop("k", ""))[0].attributes["numGroups"] = IntegerAttribute(2, I32)


def leaves_copies(at: At) -> None:
    """The last wait is forgotten."""
    waits(at.unit)[-1].erase()


def no_group(at: At) -> None:
    """Copies of a step are awaited with those of the next one."""
    (group,) = (op for op in inside(at.matmul.loop("k", "")) if isinstance(op, nvgpu.DeviceAsyncCreateGroup))
    group.erase()


def no_barrier(at: At) -> None:
    """A step writes what others may still read."""
    next(op for op in inside(at.matmul.loop("k", "")) if isinstance(op, gpu.Barrier)).erase()


def the_last_step_reads_the_one_before(at: At) -> None:
    """The step behind the loop reads another place."""
    moved(fragments(at.unit)[-1], 1, -32)


def a_slice_is_added_twice(at: At) -> None:
    """The second slice of a step is the first one again."""
    products = [op for op in inside(at.matmul.loop("k", "")) if isinstance(op, mma.Compute)]
    half = len(products) // 2
    for first, second in zip(products[:half], products[half:], strict=True):
        second.operands = [first.opA, first.opB, second.opC]


def another_column(at: At) -> None:
    """A product is added to the accumulator of other columns."""
    k = at.matmul.loop("k", "")
    moved(next(op for op in fragments(k) if op.matrix.role == "BOp"), 2, 16)


@pytest.mark.covering(1)
@pytest.mark.parametrize("schedule", [RING, AHEAD], ids=["in time", "ahead"])
@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (reads_another_place, "ring: "),
        (reads_another_slice, "is multiplied by slice"),
        (copies_over_what_is_read, "is written before all have read it"),
        (copies_another_tile, "is read before a tile is there"),
        (copies_less, "is read before a tile is there"),
        (the_first_tile_elsewhere, "is read before a tile is there"),
        (no_wait, "is read before a tile is there"),
        (waits_for_less, "is read before a tile is there"),
        (leaves_copies, "copies are on their way when all is done"),
        (no_group, "is read before a tile is there"),
        (no_barrier, "is "),
        (the_last_step_reads_the_one_before, "is multiplied by slice"),
        (a_slice_is_added_twice, "slice 0 of A is multiplied by slice 0 of B where slice 1 is to be added"),
        (another_column, "are added to those of"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_mistakes_are_found(schedule: str, mutate: Mutation, said: str) -> None:
    found_broken(NAMES[-1], mutate, said, CASE, schedule)


@pytest.mark.parametrize("mutate", [waits_for_less, the_last_step_reads_the_one_before])
def test_mistakes_in_many_steps_are_found(mutate: Mutation) -> None:
    found_broken(NAMES[-1], mutate, "ring: ", LONG, AHEAD)
