"""TLX on the command line: checked, formatted, translated, run."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from frontends.tlx.test_meaning import PRODUCT
from tilewright.cli.main import cli


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def written(folder: Path, text: str) -> str:
    path = folder / "k.txt"
    path.write_text(text)
    return str(path)


def test_check_says_what_is_wrong(tmp_path: Path) -> None:
    assert run("check", written(tmp_path, PRODUCT)).exit_code == 0
    result = run("check", written(tmp_path, PRODUCT.replace("matmul", "matmull")))
    assert result.exit_code == 1
    assert "TLX102" in result.output
    assert "did you mean 'llvm.tensor.matmul'?" in result.output


def test_translate_prints_canonical_text(tmp_path: Path) -> None:
    first = run("translate", written(tmp_path, PRODUCT))
    assert first.exit_code == 0
    assert "declare <6 x float> @llvm.tensor.matmul.v6f32(token, token)" in first.stdout
    assert run("translate", written(tmp_path, first.stdout)).stdout == first.stdout


def test_quirks_are_options_of_check_and_translate(tmp_path: Path) -> None:
    path = written(tmp_path, PRODUCT.replace("ptr elementtype(float)", "i8*").replace("ptr %", "i8* %"))
    assert run("check", path).exit_code == 1
    assert run("check", "--quirks", "prototype", path).exit_code == 0
    assert "elementtype(float)" in run("translate", "--quirks", "prototype", path).stdout


def test_fmt_lays_out(tmp_path: Path) -> None:
    path = written(tmp_path, PRODUCT.replace("  %", "       %"))
    assert run("fmt", path).exit_code == 0
    assert Path(path).read_text().startswith("define void @k(ptr %a, ptr %b, ptr %c) {\n  %ta = call token")
    assert run("fmt", "--check", path).exit_code == 0


def test_run_in_the_interpreter(tmp_path: Path) -> None:
    arguments = ("a=ones(2,5)", "b=ones(3,5)", "c=zeros(2,8)")
    given = [word for argument in arguments for word in ("--arg", argument)]
    result = run("run", "--target", "interpreter", written(tmp_path, PRODUCT), *given)
    assert result.exit_code == 0, result.output
    assert "5." in result.output
