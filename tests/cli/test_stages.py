"""`tilewright opt --stages`: what is printed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import run
from tilewright.transforms.matmul_stages import NAMES

MATMUL = """\
func.func @f(%A: memref<64x32xf16>, %B: memref<32x32xf16>, %C: memref<64x32xf32>) {
  linalg.matmul ins(%A, %B : memref<64x32xf16>, memref<32x32xf16>) outs(%C : memref<64x32xf32>)
  return
}
"""
SCHEDULE = "block=32x32x16 warp=16x16x16 vector=4"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "matmul.mlir"
    path.write_text(MATMUL)
    return str(path)


def test_every_stage_is_printed_with_what_changed(file: str) -> None:
    done = run("opt", file, "--stages", "--schedule", SCHEDULE)
    heads = [line for line in done.stdout.splitlines() if line.startswith("// -----")]
    assert [head.split()[2:4] for head in heads] == [[str(k), f"{name}:"] for k, name in enumerate(NAMES, 1)]
    assert "tiles of 32x32x16: 2 x 1 blocks, 2 steps along k each" in heads[1]
    assert done.returncode == 0


def test_the_program_after_one_stage_can_be_read_again(file: str) -> None:
    done = run("opt", file, "--until=pad_shared", "--schedule", SCHEDULE)
    assert done.returncode == 0
    assert "memref<32x24xf16, 3>" in done.stdout
    assert "//" not in done.stdout
    assert run("check", "-", text=done.stdout).returncode == 0


def test_stages_up_to_one(file: str) -> None:
    done = run("opt", file, "--stages", "--until", "tile_warp", "--schedule", SCHEDULE)
    assert done.stdout.count("// -----") == 3


def test_what_went_before_is_printed_where_a_stage_does_not_apply(file: str) -> None:
    done = run("opt", file, "--stages", "--schedule", "block=128x32x16 warp=16x16x16")
    assert done.returncode == 1
    assert done.stdout.count("// -----") == 1
    assert "error[M12]: stage 2, tile_block, does not apply: the 64 iterations over %i" in done.stderr
    assert "matmul.mlir:2:3" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--until=pad_shraed"], "there is no stage 'pad_shraed'; did you mean pad_shared?"),
        (["--schedule", "pad=x"], "--schedule:1:1: error[M14]: pad takes a number"),
        (["--stages", "--passes", "cse"], "--passes and --stages exclude each other"),
    ],
)
def test_wrong_options(file: str, options: list[str], said: str) -> None:
    done = run("opt", file, *options)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert done.stdout == ""


def test_other_languages_have_no_stages() -> None:
    done = run("opt", "-", "--stages", text="func @k() {}\n")
    assert done.returncode == 2
    assert "<stdin>: the stages take a text of MLIR" in done.stderr


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_80"])
def test_what_the_stages_end_in_is_compiled(file: str, target: str) -> None:
    done = run("compile", file, "--stages", SCHEDULE, "--target", target)
    assert done.returncode == 0, done.stderr
    assert "f" in done.stdout
    plain = run("compile", file, "--target", target)
    assert plain.stdout != done.stdout


def test_tiles_that_do_not_fit_are_refused_before_anything_is_compiled(file: str) -> None:
    done = run("compile", file, "--stages", "default")
    assert done.returncode == 1
    assert "M12" in done.stderr
    assert "tile_block, does not apply" in done.stderr
    assert "no entry of a schedule" in run("check", file, "--stages", "blokc=4").stdout
