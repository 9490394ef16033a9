"""What all stages make of a product is compiled and launched like any kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright.languages import NotOffered
from transforms.matmul_stages.products import Case

CASE = Case(64, 37, 32, "i8", "i32")
SCHEDULE = "block=32x32x16 warp=16x16x16 vector=1 pad=0"


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_the_kernel_of_the_last_stage_is_launched_on_a_grid_of_tiles(target: str, rng: np.random.Generator) -> None:
    program = tw.compile(CASE.text, target=target, cache=False, stages=SCHEDULE)
    a, b, c = CASE.arrays(rng)
    expected = CASE.expected(a, b, c)
    with pytest.raises(ValueError, match="extent y of the grid is 1, that of the launch is 2"):
        program.f[1](a, b, c)
    program.f[1, 2](a, b, c)
    assert np.array_equal(c, expected)


def test_tiles_are_part_of_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    case = Case(256, 256, 64)
    texts = [
        tw.compile(case.text, target="nvidia:sm_80", stages=s).text("llvm") for s in ("default", "vector=4", "default")
    ]
    assert texts[0] == texts[2] != texts[1]


def test_what_a_stage_cannot_do_is_said_where_it_stands() -> None:
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(CASE.text, stages="default")
    (found,) = caught.value.diagnostics
    assert found.code == "M12"
    assert (
        "stage 2, tile_block, does not apply: the 64 iterations over %i are fewer than the tile's 128" in found.message
    )
    with pytest.raises(tw.CompileError, match="'blokc=4' is no entry of a schedule"):
        tw.compile(CASE.text, stages="blokc=4")


def test_other_languages_have_no_stages() -> None:
    with pytest.raises(NotOffered, match="stages is an option of MLIR; the text is in the tensor language"):
        tw.compile("func @f(%A: memref<f32x4>) { }", stages="default")
