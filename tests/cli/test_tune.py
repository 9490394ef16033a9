"""`tilewright tune` on a device that is played: what it prints, remembers, refuses."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from cli.command import run
from machine.cuda.fake_driver import FakeDriver, Launched
from machine.cuda.played import played as played
from tilewright.remembered.record import read_record

ADD = """func @add(%x: memref<f32x?x?>, %y: memref<f32x?x?>) {
    %one = constant 1.0 : f32
    axpby %one, %x, %one, %y
}
"""
ARGUMENTS = ("--target=nvidia", "--arg=x=ones(4,4)", "--arg=y=ones(4,4)")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "add.tl"
    path.write_text(ADD)
    return path


@pytest.fixture
def timed(played: FakeDriver) -> FakeDriver:
    """A device where blocks of 256 threads take half as long as all others."""
    played.milliseconds = lambda launched: 1e-3 if launched.block[0] == 256 else 2e-3
    return played


def test_what_was_found_is_shown_and_remembered(timed: FakeDriver, kernel: Path, tmp_path: Path) -> None:
    record = tmp_path / "tuned.toml"
    done = run("tune", str(kernel), *ARGUMENTS, TILEWRIGHT_TUNED=str(record))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "add on Fake 0, x=4x4, y=4x4: 5 schedules timed",
        "  model       2.00 us  lanes threads=128 spread=yes",
        "  best        1.00 us  lanes threads=256 spread=yes",
        "  gained 2.00 [2.00, 2.00] times the speed; changed threads=128 to threads=256",
        f"remembered in {record}",
    ]
    assert [entry.schedule for entry in read_record(record)] == ["lanes threads=256 spread=yes"]
    emitted = run("compile", str(kernel), "--target=nvidia", "--emit=lanes", TILEWRIGHT_TUNED=str(record))
    assert 'schedule = "lanes threads=256 spread=yes"' in emitted.stdout
    again = run("compile", str(kernel), "--target=nvidia", "--emit=gpu", f"--tuned={record}")
    assert "lanes threads=256" in again.stdout


def test_the_file_beside_the_kernel(timed: FakeDriver, kernel: Path, tmp_path: Path) -> None:
    done = run(
        "tune",
        str(kernel),
        *ARGUMENTS,
        "--beside",
        "--verbose",
        "--trials=1",
        TILEWRIGHT_TUNED=str(tmp_path / "none.toml"),
    )
    assert f"remembered in {tmp_path / 'add.tune.toml'}" in done.stdout
    assert "  lanes threads=256 spread=yes: better, 2.00 [2.00, 2.00] times the best so far\n" in done.stdout
    assert len(read_record(tmp_path / "add.tune.toml")) == 1
    assert not (tmp_path / "none.toml").exists()


def test_where_nothing_is_faster(played: FakeDriver, kernel: Path) -> None:
    done = run("tune", str(kernel), *ARGUMENTS, "--trials=2", TILEWRIGHT_TUNED="off")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "  nothing was faster"


def test_a_wrong_answer_is_an_error_of_ours(timed: FakeDriver, kernel: Path, tmp_path: Path) -> None:
    def doing(launched: Launched) -> None:
        if launched.block[0] == 256:
            *_, y = (word for word in launched.words if word in timed.memory)
            ctypes.memset(y, 1, 4)

    timed.doing = doing
    done = run("tune", str(kernel), *ARGUMENTS, "-o", str(tmp_path / "tuned.toml"), "--trials=2")
    assert done.returncode == 3
    assert "tilewright: internal error: lanes threads=256 spread=yes wrong: " in done.stderr
    assert "nothing was faster" in done.stdout
    assert [entry.schedule for entry in read_record(tmp_path / "tuned.toml")] == ["lanes threads=128 spread=yes"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--schedule=lanes"], "--schedule: tuning chooses the schedule itself"),
        (["--checked"], "--checked: code that checks its accesses"),
        (["--units=vnni"], "--units: tuning takes those of the setting units"),
        (["--tuned=a.toml"], "--tuned: tuning begins with the model's schedule"),
        (["--beside", "-o", "a.toml"], "--beside and --output both say where"),
        (["--arg=z=1"], "kernel add takes no argument z"),
        (["--arg=x=ones(a)"], "extents"),
        (["--kernel=none"], "name one of the kernels with --kernel: add"),
        (["--trials=0"], "--trials"),
    ],
)
def test_usage(options: list[str], said: str, played: FakeDriver, kernel: Path) -> None:
    done = run("tune", str(kernel), *ARGUMENTS[:1], *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert not played.launches


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["tune", "--output={other}"], "{other} is no file of schedules: "),
        (["compile", "--tuned={other}"], "{other} is no file of schedules: "),
        (["compile", "--tuned={other}", "--schedule=threads=64"], "schedule and tuned are not for one compilation"),
    ],
)
def test_files_of_something_else(options: list[str], said: str, played: FakeDriver, kernel: Path) -> None:
    other = kernel.with_name("project.toml")
    other.write_text("[project]\n")
    verb, *rest = (option.format(other=other) for option in options)
    done = run(verb, str(kernel), *rest, *ARGUMENTS[: None if verb == "tune" else 1])
    assert done.returncode == 2
    assert said.format(other=other) in done.stderr
    assert other.read_text() == "[project]\n"


def test_standard_input_has_nothing_beside_it(played: FakeDriver) -> None:
    done = run("tune", "-", *ARGUMENTS, "--beside", text=ADD)
    assert done.returncode == 2
    assert "name a file with --output" in done.stderr


def test_other_targets_and_mistakes_in_the_kernel(kernel: Path) -> None:
    done = run("tune", str(kernel), "--target=cpu", TILEWRIGHT_TUNED="off")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "  nothing was faster"), "it has no products"
    assert "  model  " in done.stdout
    done = run("tune", str(kernel), "--target=spirv")
    assert (done.returncode, "there is no target 'spirv'" in done.stderr) == (2, True)
    done = run("tune", "-", "--target=nvidia:sm_90a", text=ADD.replace("%one, %y", "%none, %y"))
    assert done.returncode == 1
    assert "error[V6]" in done.stderr
