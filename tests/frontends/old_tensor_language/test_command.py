"""`tilewright upgrade`, and old texts in the other verbs."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tilewright as tw
from tilewright.cache.key import cache_key
from tilewright.cli import rewriting
from tilewright.cli.main import cli
from tilewright.compile_options import CompileOptions
from tilewright.diagnostics import Source
from tilewright.targets import find_target

OLD = "func @f(%x: memref<f32x4>) {\n  axpby.n 2.0, %x, 0.0, %x : f32, memref<f32x4>, f32, memref<f32x4> ; twice\n}\n"
NEW = """\
func @f(%x: memref<f32x4>) {
    %two = constant 2.0 : f32
    %zero = constant 0.0 : f32
    axpby %two, %x, %zero, %x  ; twice
}
"""
WRONG = "func @f(%x: memref<i1x4>) {\n}\nfunc @g(%p: i1) {\n}\n"


def run(*arguments: str, input: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=input)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "k.tl"
    path.write_text(OLD)
    return path


def test_to_standard_output(old: Path) -> None:
    result = run("upgrade", str(old))
    assert (result.exit_code, result.stdout) == (0, NEW)
    assert run("upgrade", "-", input=OLD).stdout == NEW
    assert old.read_text() == OLD


def test_check_writes_nothing(old: Path, tmp_path: Path) -> None:
    result = run("upgrade", "--check", str(old))
    assert (result.exit_code, result.stdout) == (1, f"{old}: in the old language\n")
    new = tmp_path / "new.tl"
    new.write_text(NEW)
    assert run("upgrade", "--check", str(new)).exit_code == 0
    assert (old.read_text(), new.read_text()) == (OLD, NEW)


def test_diff_writes_nothing(old: Path) -> None:
    result = run("upgrade", "--diff", str(old))
    assert result.exit_code == 0
    assert "-  axpby.n 2.0" in result.stdout
    assert "+    axpby %two" in result.stdout
    assert old.read_text() == OLD


def test_in_place(old: Path, tmp_path: Path) -> None:
    old.chmod(0o640)
    link = tmp_path / "link.tl"
    link.symlink_to(old)
    assert run("upgrade", "--in-place", str(link)).exit_code == 0
    assert old.read_text() == NEW
    assert link.is_symlink()
    assert old.stat().st_mode & 0o777 == 0o640
    assert run("upgrade", "--in-place", str(old)).exit_code == 0
    assert old.read_text() == NEW
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.tl", "link.tl"]


def test_files_that_cannot_be_upgraded_stay(old: Path, tmp_path: Path) -> None:
    wrong, latin = tmp_path / "wrong.tl", tmp_path / "latin.tl"
    wrong.write_text(WRONG)
    latin.write_bytes(OLD.replace("twice", "gr\u00f6\u00dfer").encode("latin-1"))
    before = latin.read_bytes()
    result = run("upgrade", "--in-place", str(wrong), str(latin), str(old))
    assert result.exit_code == 1
    assert "U2" in result.stderr
    assert "not UTF-8" in result.stderr
    assert (wrong.read_text(), latin.read_bytes(), old.read_text()) == (WRONG, before, NEW)


def test_a_failing_write_leaves_the_original(old: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(source: object, target: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        rewriting.write_atomically(old, NEW)
    assert old.read_text() == OLD
    assert [p.name for p in tmp_path.iterdir()] == ["k.tl"]


def test_wrong_usage(old: Path) -> None:
    assert run("upgrade", "--check", "--diff", str(old)).exit_code == 2
    assert run("upgrade", "--in-place", "-", input=OLD).exit_code == 2
    assert run("upgrade").exit_code == 2


def test_the_language_can_be_said(tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.tl"
    quiet.write_text("func @f(%A: memref<f32x4x6>) {\n    %f = fuse %A[0,1] : memref<f32x4x6>\n}\n")
    assert "V27" in run("check", "--std=new", str(quiet)).stdout
    assert run("check", "--std=old", str(quiet)).exit_code == 0
    assert run("check", str(quiet)).exit_code == 0
    assert "memref<f32x24>" in run("upgrade", str(quiet)).stdout
    assert "memref<f32x24>" in run("upgrade", "--std=old", str(quiet)).stdout
    assert run("upgrade", "--std=new", str(quiet)).stdout == quiet.read_text()


@pytest.mark.parametrize(
    "verb",
    [
        ("check",),
        ("opt",),
        ("compile", "--emit=ir"),
        ("compile", "--emit=llvm"),
        ("compile", "--emit=artifact", "-o", "k.twa"),
        ("compile", "--emit=asm", "--target=nvidia"),
        ("run",),
        ("run", "--target=interpreter"),
        ("bench", "--repeats=1"),
    ],
    ids=" ".join,
)
def test_every_verb_reads_old_text(
    old: Path, verb: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*verb, str(old)).exit_code == 0
    assert run(*verb, "--std=old", str(old)).exit_code == 0


def test_errors_stand_in_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "k.tl"
    path.write_text(WRONG)
    result = run("check", str(path))
    assert result.exit_code == 1
    assert f"{path}:1:20: error[U2]" in result.stdout


def test_fmt_points_to_upgrade(old: Path) -> None:
    result = run("fmt", str(old))
    assert result.exit_code == 1
    assert "U10" in result.stderr
    assert "tilewright upgrade" in result.stderr
    assert old.read_text() == OLD
    assert "V2" in run("fmt", "--std=new", str(old)).stderr


def test_fmt_can_be_told(tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.tl"
    quiet.write_text("func @f() { barrier }\n")
    assert run("fmt", "--std=old", str(quiet)).exit_code == 1
    assert run("fmt", str(quiet)).exit_code == 0


def test_explain_knows_the_codes() -> None:
    for number in range(1, 13):
        assert run("explain", f"U{number}").exit_code == 0


def test_the_cache_tells_the_languages_apart() -> None:
    source, target = Source("k", OLD), find_target("cpu")
    keys = {cache_key(source, target, CompileOptions(std=std)) for std in ("auto", "old", "new")}
    assert len(keys) == 3


def test_compile_takes_the_language() -> None:
    assert [k.name for k in tw.compile(OLD, std="old")] == ["f"]
    with pytest.raises(tw.CompileError):
        tw.compile(OLD, std="new", cache=False)


def test_a_new_text_with_old_words_is_not_taken_for_upgraded(tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.tl"
    mixed.write_text(NEW.replace("}\n", "    %t = alloca -> memref<f32x4>\n}\n"))
    result = run("upgrade", str(mixed))
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{mixed}:5:10: error[U9]" in result.stderr
    assert "constant" in result.stderr
    # What the new language reads with a warning is no mixture.
    lenient = tmp_path / "lenient.tl"
    lenient.write_text(NEW.replace("}\n", "    %c = constant 1 : i32\n    %b = cmp.lt %c, %c : bool\n}\n"))
    assert run("check", "--std=new", str(lenient)).exit_code == 0
    assert run("upgrade", str(lenient)).stdout == lenient.read_text()


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    names = ["a.tl", "wrong.tl", "missing.tl", "folder", "b.tl"]
    paths = [tmp_path / name for name in names]
    for path in (paths[0], paths[4]):
        path.write_text(OLD)
    paths[1].write_text(WRONG)
    paths[3].mkdir()
    result = run("upgrade", "--in-place", *map(str, paths))
    assert result.exit_code == 2
    assert (paths[0].read_text(), paths[1].read_text(), paths[4].read_text()) == (NEW, WRONG, NEW)
    assert all(name in result.stderr for name in names[1:4])
    assert run("upgrade", "--check", str(paths[1]), str(paths[0])).exit_code == 1


def test_a_full_disk_leaves_the_original_and_does_the_others(
    old: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other.tl"
    other.write_text(OLD)
    replace = os.replace

    def fail(source: str, target: Path) -> None:
        if Path(target) == old:
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    result = run("upgrade", "--in-place", str(old), str(other))
    assert result.exit_code == 2
    assert "No space left" in result.stderr
    assert (old.read_text(), other.read_text()) == (OLD, NEW)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.tl", "other.tl"]


def test_an_interrupted_write_leaves_the_original(old: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    run("upgrade", "--in-place", str(old))
    assert old.read_text() == OLD
    assert [p.name for p in tmp_path.iterdir()] == ["k.tl"]


def test_files_that_are_not_to_be_written_stay(old: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Root may write anything, so that the mode alone would show nothing.
    def access(path: Path, mode: int) -> bool:
        return mode != os.W_OK

    monkeypatch.setattr(os, "access", access)
    result = run("upgrade", "--in-place", str(old))
    assert result.exit_code == 2
    assert "read-only" in result.stderr
    assert old.read_text() == OLD


def test_upgraded_files_have_nothing_left_to_do(old: Path) -> None:
    assert run("upgrade", "--in-place", str(old)).exit_code == 0
    for verb in (("upgrade", "--check"), ("fmt", "--check"), ("check",)):
        assert run(*verb, str(old)).exit_code == 0, verb


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "k.tl"
    path.write_bytes(b"\xef\xbb\xbf" + OLD.replace("\n", "\r\n").encode())
    assert run("check", str(path)).exit_code == 0
    assert [k.name for k in tw.compile(path, cache=False)] == ["f"]
    assert run("upgrade", "--in-place", str(path)).exit_code == 0
    # As `fmt` would leave it.
    assert path.read_bytes() == NEW.encode()
    assert run("fmt", "--check", str(path)).exit_code == 0


def test_check_and_diff_of_standard_input() -> None:
    assert run("upgrade", "--check", "-", input=OLD).stdout == "<stdin>: in the old language\n"
    assert run("upgrade", "--check", "-", input=NEW).exit_code == 0
    assert "+    axpby %two" in run("upgrade", "--diff", "-", input=OLD).stdout
    assert run("upgrade", "--diff", "-", input=NEW).stdout == ""


def test_new_files_are_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "k.tl"
    path.write_bytes(b"func @f(%x: bool)   {\r\n}")  # not even formatted
    before = (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
    assert run("upgrade", "--in-place", str(path)).exit_code == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_a_mistake_of_ours_writes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def layout(text: str) -> str:
        return "func @f(%x: memref<f32x4>) {\n}\n"

    module = importlib.import_module("tilewright.frontends.old_tensor_language.upgrade")
    monkeypatch.setattr(module, "laid_out", layout)
    result = run("upgrade", "--in-place", str(old))
    assert "another program" in str(result.exception)
    assert old.read_text() == OLD
