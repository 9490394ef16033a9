"""TLX on the command line: checked, formatted, translated, run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frontends.tlx.kernels import function, ivec, load, renamed, store, typeinfo
from frontends.tlx.test_meaning import PRODUCT
from tilewright.cli.main import cli
from tilewright.dialects.builtin import Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.languages import NotOffered
from tilewright.transforms.lower_collectives import LowerCollectives
from tilewright.transforms.lower_tlx import LowerTlx

OLD = PRODUCT.replace("ptr elementtype(float)", "i8*").replace("ptr %", "i8* %")
SWAPPED = {ivec([3, 5]): ivec([5, 3]), ivec([0, 1]): ivec([1, 0]), ivec([1, 0]): ivec([0, 1])}
XLA = re.sub("|".join(map(re.escape, SWAPPED)), lambda found: SWAPPED[found[0]], PRODUCT)
BATCHED = function(
    f"%ta = {load('%a', 'float', [10, 64, 64])}",
    f"%tb = {load('%b', 'float', [10, 64, 64])}",
    "%v = call <40960 x float> @llvm.tensor.matmul(token %ta, token %tb)",
    f"%tc = {typeinfo('<40960 x float> %v', [10, 64, 64])}",
    store("%c", "%tc", [0, 0, 0]),
)
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


def test_translate_prints_target_types(tmp_path: Path) -> None:
    """A text without tokens, that every verb reads, and that leads back to the canonical one."""
    canonical = run("translate", written(tmp_path, PRODUCT)).stdout
    found = run("translate", "--to", "target-types", written(tmp_path, PRODUCT)).stdout
    assert "token" not in found
    assert 'target("tlx.tensor", float, 2, 2, 3' in found
    path = written(tmp_path, found)
    assert run("check", path).exit_code == 0
    assert run("translate", "--to", "target-types", path).stdout == found
    assert run("translate", "--to", "text", path).stdout == run("translate", path).stdout
    assert run("fmt", path).exit_code == 0
    assert renamed(run("translate", path).stdout) == renamed(canonical)
    assert run("run", path, "--target", "interpreter", *ARGUMENTS).exit_code == 0
    assert run("translate", "--to", "bytecode", path).exit_code == 2
    assert run("translate", "--to", "target-types", "--bytecode-version", "13.1", path).exit_code == 2


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


def test_three_stages(tmp_path: Path) -> None:
    """n-d to matrices in memory, matrices to tiles, tiles to what LLVM knows."""
    path = written(tmp_path, BATCHED)
    first = run("compile", "--emit=stage1", path).stdout
    assert first == run("compile", "--emit=ir", path).stdout
    assert "tl.gemm" in first
    assert "tlx." not in first
    second = run("compile", "--emit=stage2", path).stdout
    assert "tile.mma" in second
    assert "tl." not in second
    third = run("compile", "--emit=stage3", path).stdout
    assert "define" in third
    assert "llvm.tensor" not in third


def idle(step: Pass, module: Module, context: PassContext) -> bool:
    """A pass that does nothing."""
    return False


def told(stage: str, path: str) -> str:
    """How the writing of a stage ends."""
    return str(run("compile", f"--emit={stage}", path).exception)


def test_a_stage_that_breaks_its_promise_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, BATCHED)
    with monkeypatch.context() as patch:
        patch.setattr(LowerTlx, "run", idle)
        assert "pass lower-tlx broke its promise: tlx.load is left" in told("stage1", path)
    with monkeypatch.context() as patch:
        patch.setattr(LowerCollectives, "run", idle)
        assert "pass lower-collectives broke its promise: tl.gemm is left" in told("stage2", path)
    with monkeypatch.context() as patch:
        patch.setattr("tilewright.targets.llvm.gate._LONGEST", 1)
        assert "code generation for cpu broke its promise" in told("stage3", path)
