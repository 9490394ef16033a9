"""Schedules as text."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import CompileError, Report, Source
from tilewright.transforms.matmul_stages import Schedule, parse_schedule
from transforms.matmul_stages.products import Case, outcomes, schedule_of


def test_what_is_left_out_is_as_in_the_paper() -> None:
    assert schedule_of("") == Schedule((128, 128, 64), (64, 32, 32), (16, 16, 16), 8, 8)
    assert schedule_of(" pad=16  block=64x32x32 ").block == (64, 32, 32)
    assert schedule_of("").warps == 8
    assert schedule_of("").fragments == (4, 2, 2)
    assert schedule_of(str(schedule_of("pad=0 vector=4 matrix=32x8x16"))) == schedule_of(
        "pad=0 vector=4 matrix=32x8x16"
    )


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("blok=1x1x1", "blok=1x1x1", "no entry of a schedule"),
        ("pad", "pad", "no entry of a schedule"),
        ("pad=8 pad=8", "pad=8", "given twice"),
        ("pad=-1", "pad=-1", "pad takes a number"),
        ("vector=0", "vector=0", "vector takes a number"),
        ("shared=64K", "shared=64K", "shared takes a number"),
        ("ahead=1", "ahead=1", "is not there to be read"),
        ("order=0", "order=0", "order takes a number"),
        ("block=128x128", "block=128x128", "block takes three extents"),
        ("warp=0x1x1", "warp=0x1x1", "warp takes three extents"),
        ("warp=48x32x32", "warp=48x32x32", "block=128x128x64 does not consist of whole tiles warp=48x32x32"),
        ("block=96x96x96", "block=96x96x96", "does not consist of whole tiles warp=64x32x32"),
        ("matrix=9x8x8", "matrix=9x8x8", "there are no instructions for 9x8x8"),
        ("precision=f16", "precision=f16", "precision takes tf32"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, where: str, said: str) -> None:
    report = Report()
    parse_schedule(Source("--schedule", text), report)
    (found,) = report.diagnostics
    place = found.location.primary
    assert found.code == "M14"
    assert said in found.message
    assert place is not None
    assert text[place.start : place.end] == where


def test_misspelt_keys_are_corrected() -> None:
    report = Report()
    parse_schedule(Source("--schedule", "blok=1x1x1"), report)
    assert any("block" in hint for hint in map(str, report.diagnostics[0].hints))


def test_a_block_may_have_more_shared_memory_than_every_device_has() -> None:
    case, tiles = Case(128, 256, 64), "block=128x256x64 warp=64x64x32"
    with pytest.raises(CompileError, match=r"the buffers take 52224 bytes of shared memory; blocks have 49152"):
        outcomes(case.text, tiles)
    assert "52224 bytes of shared memory" in outcomes(case.text, f"{tiles} shared=52224")[-1].changed


@pytest.mark.parametrize(
    ("case", "schedule", "said", "fitting"),
    [
        (Case(32, 32, 64), "pad=4", "begin at no multiples of 16 with pad=4", 8),
        (Case(32, 32, 64, "i8", "i32"), "pad=8", "begin at no multiples of 16 with pad=8", 16),
        (Case(32, 32, 64), "pad=24 block=32x8x32 warp=32x8x32 matrix=16x8x16", "instead of 1 with pad=24", 64),
    ],
)
def test_a_padding_that_would_be_right_is_searched(case: Case, schedule: str, said: str, fitting: int) -> None:
    """One that ends conflicts, or the largest that makes none where neither ends those of both factors."""
    with pytest.raises(CompileError) as refused:
        outcomes(case.text, f"block=32x32x32 warp=16x16x16 {schedule}" if "block" not in schedule else schedule)
    (found,) = refused.value.diagnostics
    assert said in found.message
    assert f'give in the schedule "pad={fitting}" for example' in str(found.hints)
