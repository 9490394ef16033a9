"""`tilewright fmt` on files: links are written through, one bad file does not stop the others."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from tilewright.cli.main import cli

LOOSE = "func @f( %x:f32 ,%y : memref<f32x4> ) {\n}\n"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["fmt", *arguments])


def test_a_link_is_written_through(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file, link, again = folder / "k.tl", tmp_path / "link.tl", tmp_path / "again.tl"
    file.write_text(LOOSE)
    file.chmod(0o640)
    link.symlink_to(Path("elsewhere") / "k.tl")
    again.symlink_to(link)
    assert run(str(again)).exit_code == 0
    formatted = file.read_text()
    assert formatted != LOOSE
    assert run("--check", str(file)).exit_code == 0
    assert link.is_symlink()
    assert again.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.tl", "elsewhere", "link.tl"]
    assert [p.name for p in folder.iterdir()] == ["k.tl"]


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    file, dangling, wrong = tmp_path / "k.tl", tmp_path / "dangling.tl", tmp_path / "wrong.tl"
    file.write_text(LOOSE)
    dangling.symlink_to(tmp_path / "nothing.tl")
    wrong.write_text("func @f(")
    result = run(str(dangling), str(wrong), str(file))
    assert result.exit_code == 2
    assert "dangling.tl" in result.stderr
    assert wrong.read_text() == "func @f("
    assert file.read_text() != LOOSE
    assert dangling.is_symlink()
    assert not dangling.exists()


def test_differences_are_shown_and_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "k.tl"
    file.write_text(LOOSE)
    shown = run("--diff", str(file))
    assert shown.exit_code == 1
    assert f"-{LOOSE.splitlines()[0]}" in shown.stdout.splitlines()
    assert "+func @f(%x: f32, %y: memref<f32x4>) {" in shown.stdout.splitlines()
    assert file.read_text() == LOOSE
    assert run(str(file)).exit_code == 0
    again = run("--diff", str(file))
    assert (again.exit_code, again.stdout) == (0, "")
