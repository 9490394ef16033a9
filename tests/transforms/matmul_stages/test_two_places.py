"""Buffers of two places and the order of blocks: right answers, mistakes that are found, what does not apply."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.diagnostics import CompileError
from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, gpu, vector
from tilewright.dialects.mlir.mma import LoadMatrix
from tilewright.ir.core import Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages import NAMES
from tilewright.transforms.matmul_stages.copies import is_shared
from tilewright.transforms.matmul_stages.index_values import column
from tilewright.transforms.matmul_stages.nests import applied, form_of, inside
from transforms.matmul_stages.mutations import Mutation, barriers, found_broken
from transforms.matmul_stages.products import At, Case, behind, outcomes, run

TILES = "block=32x32x32 warp=32x16x32"
TWO = f"{TILES} buffers=2"
CASE = Case(64, 32, 96)


@pytest.mark.parametrize(
    ("case", "schedule"),
    [
        (Case(64, 64, 128), TWO),
        (CASE, TWO),
        (Case(32, 32, 32), TWO),
        (Case(64, 32, 96, transposed="b"), TWO),
        (Case(71, 45, 99, opened="ijk"), "block=32x32x32 warp=16x16x16 vector=1 buffers=2"),
        (Case(96, 160, 32), f"{TILES} order=3"),
        (Case(128, 96, 64), f"{TWO} order=3"),
    ],
    ids=str,
)
def test_right_answers(case: Case, schedule: str, tmp_path: Path, rng: np.random.Generator) -> None:
    run(outcomes(case.text, schedule)[-1], "interpreter", case, schedule, tmp_path, rng)


def test_a_step_has_one_barrier_and_twice_the_memory() -> None:
    one, two = (outcomes(CASE.text, schedule)[-1] for schedule in (TILES, TWO))
    assert one.module is not None
    assert two.module is not None
    assert [str(each.module).count("team.barrier") for each in (one, two)] == [4, 3]
    assert "5120 bytes of shared memory" in one.changed
    assert "10240 bytes of shared memory" in two.changed


def test_blocks_take_the_tiles_of_a_panel() -> None:
    at = behind(NAMES[-1], Case(128, 96, 32), f"{TILES} order=2")
    launch = at.matmul.nest("")
    assert isinstance(launch, gpu.Launch)
    x, y = launch.ids(0)[:2]
    known: dict[Value, list[int]] = {x: [0, 1, 2] * 4, y: [number // 3 for number in range(12)]}
    rows, columns = (column(at.matmul.made.variables[f"{name}_of_blocks"], known, 12) for name in ("row", "column"))
    assert list(rows) == [0, 1] * 3 + [2, 3] * 3
    assert list(columns) == [0, 0, 1, 1, 2, 2] * 2


def test_the_order_of_blocks_that_a_launch_counts_is_refused() -> None:
    with pytest.raises(CompileError, match="only a launch knows how many blocks there are"):
        outcomes(Case(71, 45, 99, opened="i").text, "block=32x32x32 warp=16x16x16 vector=1 order=2")


def accesses(root: Operation, kind: type[LoadMatrix | vector.Store]) -> list[LoadMatrix | vector.Store]:
    """Those of shared memory."""
    return [op for op in root.walk() if isinstance(op, kind) and is_shared(op.memref)]


def shifted(op: Operation) -> None:
    """Rows are those of the other place, or of none."""
    row = len(op.operands) - 2
    moved = form_of(op.operands[row]).plus(Linear(32))
    op.set_operand(row, applied(Builder.before_op(op), moved))


def reads_what_is_written(at: At) -> None:
    """A product of the loop reads the place of the next step."""
    shifted(accesses(at.matmul.loop("k", ""), LoadMatrix)[0])


def writes_what_is_read(at: At) -> None:
    """A copy goes to the place that the step reads."""
    shifted(accesses(at.matmul.loop("k", ""), vector.Store)[0])


def first_tile_in_the_other_place(at: At) -> None:
    """The first step finds nothing."""
    shifted(accesses(at.unit, vector.Store)[0])


def last_step_reads_the_one_before(at: At) -> None:
    """The step behind the loop reads the place that was not written last."""
    shifted(accesses(at.matmul.loop("last", ""), LoadMatrix)[0])


def a_barrier_more(at: At) -> None:
    """Threads wait once more."""
    Builder.before_op(at.matmul.loop("kk", ""))(gpu.Barrier())


def no_barrier(at: At) -> None:
    """A step writes what others may still read."""
    next(op for op in barriers(at) if op in list(inside(at.matmul.loop("k", "")))).erase()


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (reads_what_is_written, "two places: %a_smem is accessed in places [1, "),
        (writes_what_is_read, "is accessed in places [2, 1, 2, 1] step by step, not [1, 0, 1, 0]"),
        (first_tile_in_the_other_place, "is accessed in places [1, 1, 1, 1] step by step, not [0, 0, 0, 0]"),
        (last_step_reads_the_one_before, "is accessed in places [1, 1, 1, 1] step by step, not [0, 0, 0, 0]"),
        (a_barrier_more, "a step has not one barrier, at its head"),
        (no_barrier, "a step has not one barrier, at its head"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_what_is_in_the_wrong_place_is_found(mutate: Mutation, said: str) -> None:
    found_broken(NAMES[-1], mutate, said, CASE, TWO)


def test_tiles_that_two_blocks_have_are_found() -> None:
    def same_column(at: At) -> None:
        op = at.matmul.made.variables["column_of_blocks"].defining_op
        assert isinstance(op, affine.Apply)
        op.set_operand(1, op.operands[0])

    found_broken(
        NAMES[-1], same_column, "blocks do not share the tiles of a panel", Case(64, 64, 32), f"{TILES} order=2"
    )
