"""The examples of the page on tuning run, on a device that is played."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec
import pytest

import tilewright as tw
from cli.command import run
from machine.cuda.fake_driver import FakeDriver
from machine.cuda.played import played as played
from tilewright.remembered.record import read_record

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guide" / "tuning.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_from_python(
    played: FakeDriver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = blocks("python")
    with tw.config(tuned=str(tmp_path / "tuned.toml")):
        exec(compile(example.replace("4096", "8"), "tuning.md", "exec"), {})
    assert "# tuned on Fake 0 for x=8x1024, y=8x1024, rows=8: nothing was faster" in capsys.readouterr().out


def test_from_the_shell(played: FakeDriver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    _, *arguments = shlex.split(blocks("sh")[0].replace("4096", "8"))
    done = run(*arguments, TILEWRIGHT_TUNED=str(tmp_path / "tuned.toml"))
    assert (done.returncode, done.stderr) == (0, "")


def test_the_record(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    (example,) = blocks("toml")
    path.write_text(example)
    (entry,) = read_record(path)
    assert set(msgspec.structs.asdict(entry)) == set(re.findall(r"^(\w+) =", example, re.MULTILINE))
