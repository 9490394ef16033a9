"""Tiles that are swizzled in shared memory: no conflicts, right answers, what does not apply, mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from tilewright.diagnostics import CompileError
from tilewright.dialects import memref
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import MemrefType
from tilewright.transforms.matmul_stages import NAMES
from tilewright.transforms.matmul_stages.swizzled import conflicts, swizzle_of
from transforms.matmul_stages.mutations import Mutation, found_broken
from transforms.matmul_stages.products import At, Case, outcomes, run

TILES = "block=32x64x32 warp=32x16x32"
CASE = Case(64, 64, 96)


@pytest.mark.parametrize("row", [32, 64, 128, 256, 512, 1024])
def test_eight_rows_meet_different_banks(row: int) -> None:
    """As the definition of a swizzle says, by hand: lines of 128 bytes, of pieces of 16."""
    found = swizzle_of(row)
    pieces = [found.place(row * number) % 128 // 16 for number in range(8)]
    assert sorted(pieces) == list(range(8))
    assert conflicts(row, found) == 1
    assert conflicts(row, None) == min(row // 16, 8)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("case", "schedule"),
    [
        (CASE, TILES),
        (CASE, f"{TILES} buffers=2 order=2"),
        (Case(32, 64, 64, transposed="a"), f"{TILES} buffers=2 ahead=1"),
        (Case(32, 64, 64, "i8", "i32", transposed="b"), f"{TILES} vector=8"),
        (Case(32, 32, 64, "f32", "f32", second="f16"), "block=32x32x32 warp=16x16x16 buffers=2"),
        (Case(71, 69, 99, opened="ijk"), f"{TILES} vector=1"),
    ],
    ids=str,
)
def test_right_answers(case: Case, schedule: str, tmp_path: Path, rng: np.random.Generator) -> None:
    whole = f"{schedule} swizzle=yes"
    run(outcomes(case.text, whole)[-1], "interpreter", case, whole, tmp_path, rng)


def test_processors_take_tiles_as_they_are(tmp_path: Path, rng: np.random.Generator) -> None:
    case, schedule = Case(16, 16, 64), "block=16x16x16 warp=16x16x16 buffers=2 swizzle=yes"
    run(outcomes(case.text, schedule)[-1], "cpu", case, schedule, tmp_path, rng)


def test_rows_are_as_long_as_tiles() -> None:
    found = outcomes(CASE.text, f"{TILES} swizzle=yes")[-1]
    swizzles = re.findall(r"memref<f16x(\w+),(swizzle<\S+>),local>", str(found.module))
    assert sorted(set(swizzles)) == [("32x32", "swizzle<2,4,3>"), ("64x32", "swizzle<3,4,3>")]
    assert "6144 bytes of shared memory" in found.changed


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        (f"{TILES} swizzle=yes pad=8", "pad=8: rows that are swizzled have no padding"),
        (f"{TILES} swizzle=2", "swizzle takes yes or no, not '2'"),
        ("block=32x48x16 warp=32x48x16 swizzle=yes", "rows of %b_smem are 96 bytes, which is no power of two"),
    ],
)
def test_what_does_not_apply(schedule: str, said: str) -> None:
    with pytest.raises(CompileError, match=re.escape(said)):
        outcomes(CASE.text, schedule)


def of_buffers(at: At) -> list[memref.Alloca]:
    """The memory of the factors in the kernel."""
    assert at.matmul.made.module is not None
    return [op for op in at.matmul.made.module.walk() if isinstance(op, memref.Alloca)]


def with_swizzle(op: memref.Alloca, swizzle: Swizzle | None) -> None:
    """Another one, or none."""
    assert isinstance(op.out.type, MemrefType)
    op.out.type = structs.replace(op.out.type, swizzle=swizzle)


def one_as_it_is(at: At) -> None:
    """A buffer is not swizzled."""
    with_swizzle(of_buffers(at)[0], None)


def another_line(at: At) -> None:
    """Rows are exchanged as shorter ones would be."""
    for op in of_buffers(at):
        with_swizzle(op, Swizzle(1, 4, 3))


@pytest.mark.parametrize(
    ("mutate", "said"),
    [(one_as_it_is, "swizzle: 1 of 2 buffers are swizzled"), (another_line, "words of one bank are read at once")],
)
def test_mistakes_are_found(mutate: Mutation, said: str) -> None:
    found_broken(NAMES[-1], mutate, said, CASE, f"{TILES} swizzle=yes")
