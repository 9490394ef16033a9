"""`tilewright opt --stages` prints for the example of the paper what is kept in `golden`."""

from __future__ import annotations

from pathlib import Path

from cli.command import run
from transforms.matmul_stages.golden import KEPT, PAPER, golden


def test_the_example_of_the_paper() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in sorted(KEPT.glob("*.mlir"))}
    found = golden()
    changed = [name for name in found if kept.get(name) != found[name]]
    assert list(kept) == list(found)
    assert not changed, "if that is meant: python -m transforms.matmul_stages.golden in tests/"


def test_the_command_prints_them(tmp_path: Path) -> None:
    path = tmp_path / "matmul.mlir"
    path.write_text(PAPER.text)
    done = run("opt", str(path), "--stages")
    assert done.returncode == 0, done.stderr
    kept = [path.read_text(encoding="utf-8") for path in sorted(KEPT.glob("*.mlir"))]
    assert done.stdout.rstrip("\n") == "\n".join(kept).rstrip("\n")
