"""`compile --emit` on the way to a GPU: every level is written, and what is IR is read again and goes on from there."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright as tw
from cli.command import run, run_on_bytes
from tilewright.targets.nvidia.ptx import find_assembler

TARGET = "nvidia:sm_90a"
ROWS = """func @rows(%x: memref<f32x64x?>, %y: memref<f32x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    sum.t %one, %x, %zero, %y
    axpby %one, %x, %one, %x
}
"""


def emitted(stage: str, *options: str, file: str = "-") -> str:
    done = run("compile", file, f"--emit={stage}", f"--target={TARGET}", *options, text=ROWS)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("emit") / "rows.tw"
    found.write_text(ROWS)
    return found


@pytest.fixture(scope="module")
def texts(path: Path) -> dict[str, str]:
    return {stage: emitted(stage, file=str(path)) for stage in ("tile", "gpu", "lanes", "llvm", "ptx")}


def test_each_stage_is_what_it_says(texts: dict[str, str]) -> None:
    assert "tile.load" in texts["tile"]
    assert "#layout" not in texts["tile"]
    assert "#layout<reg" in texts["gpu"]
    assert "fragment" not in texts["gpu"]
    assert "lane.load" in texts["lanes"]
    assert "tile.load" not in texts["lanes"]
    assert 'target triple = "nvptx64-nvidia-cuda"' in texts["llvm"]
    assert ".target sm_90a" in texts["ptx"]


@pytest.mark.parametrize("stage", ["tile", "gpu", "lanes"])
def test_what_is_printed_is_read_again_and_verified(stage: str, texts: dict[str, str]) -> None:
    done = run("opt", "-", "--passes=none", f"--target={TARGET}", text=texts[stage])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == texts[stage]


def test_lanes_have_memory_where_the_tensor_language_has_none() -> None:
    """What a pass has lowered is held to no rules of the language."""
    text = """builtin.module {
  builtin.kernel {sym_name = "k", subgroup_size = 32, work_group_size = [32, 1]} (%A: memref<f32x64>) {
    team.spmd {
      %0 = memref.alloca -> memref<f32x64,local>
      lane.synchronize
    }
  }
}
"""
    done = run("opt", "-", "--passes=none", text=text)
    assert (done.returncode, done.stdout) == (0, text), done.stderr


def test_each_stage_goes_on_to_the_next(texts: dict[str, str]) -> None:
    passes = {("tile", "gpu"): "choose-schedule,recompute-tiles,assign-layouts", ("gpu", "lanes"): "lower-to-lanes"}
    for (before, after), names in passes.items():
        done = run("opt", "-", f"--passes={names}", f"--target={TARGET}", "--verify-each", text=texts[before])
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == texts[after]


@pytest.mark.parametrize(
    ("stage", "was", "becomes", "said"),
    [
        ("gpu", "reg (2, 0, 1)", "reg (4, 0, 1)", "dimension 0"),
        ("lanes", "width = 2", "width = 3", "3 registers in a row do not lie behind each other"),
        ("lanes", 'schedule = "lanes threads=128 ', 'schedule = "lanes treads=128 ', "has no schedule: 'treads=128'"),
    ],
)
def test_what_is_damaged_is_refused(stage: str, was: str, becomes: str, said: str, texts: dict[str, str]) -> None:
    assert was in texts[stage]
    done = run("opt", "-", "--passes=none", f"--target={TARGET}", text=texts[stage].replace(was, becomes, 1))
    assert done.returncode == 1
    assert said in done.stderr


def test_programs_have_the_same_stages(path: Path, texts: dict[str, str]) -> None:
    program = tw.compile(path, target=TARGET, cache=False)
    assert program.stages == ("source", "tile", "gpu", "lanes", "llvm", "ptx", "asm")
    assert all(program.rows.ir(stage).rstrip("\n") == text.rstrip("\n") for stage, text in texts.items())
    again = tw.Program.from_bytes(program.to_bytes())
    assert again.stages == ("lanes", "llvm", "ptx", "asm")
    with pytest.raises(KeyError, match="there is no stage 'gpu'; there are lanes, llvm, ptx, asm"):
        again.rows.ir("gpu")


def test_the_schedule_is_an_option() -> None:
    assert 'schedule = "lanes threads=256 spread=yes"' in emitted("lanes", "--schedule=lanes threads=256")
    done = run("compile", "-", f"--target={TARGET}", "--schedule=lanes thread=4", text=ROWS)
    assert done.returncode == 1
    assert "schedule:1:7: error[T009]: 'thread=4' is no entry of a schedule" in done.stderr
    done = run("compile", "-", "--schedule=lanes", text=ROWS)
    assert done.returncode == 1
    assert "lanes says more than the CPU lets choose" in done.stderr


@pytest.mark.parametrize("stage", ["gpu", "lanes", "ptx", "cubin"])
def test_other_targets_have_other_stages(stage: str) -> None:
    done = run("compile", "-", f"--emit={stage}", text=ROWS)
    assert done.returncode == 2
    assert f"code for the target cpu has no stage {stage}; it has tile, llvm, asm" in done.stderr


def test_machine_code_is_assembled(tmp_path: Path) -> None:
    """Where ptxas is; elsewhere it is said what is missing, and that nothing else needs it."""
    done = run_on_bytes("compile", "-", "--emit=cubin", f"--target={TARGET}", data=ROWS.encode())
    if find_assembler() is not None:
        assert (done.returncode, done.stdout[:4]) == (0, b"\x7fELF")
    missing = run_on_bytes("compile", "-", "--emit=cubin", f"--target={TARGET}", data=ROWS.encode(), PATH=str(tmp_path))
    assert missing.returncode == 2
    assert missing.stdout == b""
    assert b"ptxas, NVIDIA's assembler, is not on PATH: it comes with the CUDA toolkit" in missing.stderr


@pytest.mark.parametrize("stage", ["ir", "asm", "gpu"])
def test_a_stage_or_what_is_told_of_it(stage: str) -> None:
    """One of both went unsaid."""
    done = run("compile", "-", f"--target={TARGET}", "--explain", f"--emit={stage}", text=ROWS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--explain writes no stage of a kernel: ask for it or for --emit" in done.stderr
