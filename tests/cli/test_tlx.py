"""TLX on the command line: checked, formatted, translated, run."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner, Result

from frontends.tlx.kernels import ivec
from frontends.tlx.test_meaning import PRODUCT
from tilewright.cli.main import cli
from tilewright.languages import NotOffered

OLD = PRODUCT.replace("ptr elementtype(float)", "i8*").replace("ptr %", "i8* %")
SWAPPED = {ivec([3, 5]): ivec([5, 3]), ivec([0, 1]): ivec([1, 0]), ivec([1, 0]): ivec([0, 1])}
XLA = re.sub("|".join(map(re.escape, SWAPPED)), lambda found: SWAPPED[found[0]], PRODUCT)
ARGUMENTS = [word for spec in ("a=ones(2,5)", "b=ones(3,5)", "c=zeros(2,8)") for word in ("--arg", spec)]


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


def test_quirks_are_options_of_all_that_reads_texts(tmp_path: Path) -> None:
    path = written(tmp_path, OLD)
    assert run("check", path).exit_code == 1
    assert run("check", "--quirks", "prototype", path).exit_code == 0
    assert "elementtype(float)" in run("translate", "--quirks", "prototype", path).stdout
    for verb in (["opt"], ["compile", "--emit=ir"], ["compile", "--emit=llvm"], ["run", *ARGUMENTS]):
        assert run(*verb, path).exit_code == 1, verb
        found = run(*verb, "--quirks", "prototype", path)
        assert found.exit_code == 0, (verb, found.output)


def test_shapes_of_xla_are_an_option(tmp_path: Path) -> None:
    """B is 3x5 in memory, its logical shape 5x3: by the convention of XLA that is what the text says."""
    convention = ("--layout-convention", "xla")
    path = written(tmp_path, XLA)
    assert run("check", path).exit_code == 1
    assert run("translate", *convention, path).stdout == run("translate", written(tmp_path, PRODUCT)).stdout


def test_options_of_another_language_are_refused(tmp_path: Path) -> None:
    kernel = tmp_path / "k.tl"
    kernel.write_text("func @f() {\n}\n")
    for verb in ("opt", "compile", "run"):
        found = run(verb, "--quirks", "prototype", str(kernel))
        assert isinstance(found.exception, NotOffered), verb
        assert "quirks is an option of TLX; the text is in the tensor language" in str(found.exception)
    assert run("check", "--quirks", "prototype", str(kernel), written(tmp_path, OLD)).exit_code == 0


def test_fmt_lays_out(tmp_path: Path) -> None:
    path = written(tmp_path, PRODUCT.replace("  %", "       %"))
    assert run("fmt", path).exit_code == 0
    assert Path(path).read_text().startswith("define void @k(ptr %a, ptr %b, ptr %c) {\n  %ta = call token")
    assert run("fmt", "--check", path).exit_code == 0


def test_run_in_the_interpreter(tmp_path: Path) -> None:
    result = run("run", "--target", "interpreter", written(tmp_path, PRODUCT), *ARGUMENTS)
    assert result.exit_code == 0, result.output
    assert "5." in result.output
