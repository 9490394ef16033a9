"""Tile IR where kernels are read: the command line and the compiler; and that nobody loads it who does not need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from frontends.tile_ir.samples import BODIES, module
from tilewright.cli.main import cli
from tilewright.compiler import read_module
from tilewright.diagnostics import CompileError, Report, Source


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.tileir"
    path.write_text("// a kernel\n" + module(BODIES["floats"]))
    return path


def test_check_finds_what_is_wrong(file: Path) -> None:
    assert CliRunner().invoke(cli, ["check", str(file)]).exit_code == 0
    file.write_text(file.read_text().replace("= ceil", "= ceiling"))
    result = CliRunner().invoke(cli, ["check", str(file)])
    assert result.exit_code == 1
    assert "error[C2]: there is no operation 'ceiling'" in result.output
    assert "did you mean ceil?" in result.output


def test_fmt_formats_in_place_once(file: Path) -> None:
    before = file.read_text()
    assert CliRunner().invoke(cli, ["fmt", "--check", str(file)]).exit_code == 1
    assert CliRunner().invoke(cli, ["fmt", str(file)]).exit_code == 0
    after = file.read_text()
    assert after != before
    assert after.startswith("// a kernel\ncuda_tile.module @m {\n")
    assert CliRunner().invoke(cli, ["fmt", "--check", str(file)]).exit_code == 0
    assert file.read_text() == after


def test_fmt_leaves_a_broken_text_alone(file: Path) -> None:
    file.write_text("entry @k( {\n")
    assert CliRunner().invoke(cli, ["fmt", str(file)]).exit_code == 1
    assert file.read_text() == "entry @k( {\n"


def test_the_compiler_reads_it() -> None:
    with pytest.raises(CompileError) as caught:
        read_module(Source("a.tileir", "entry @k() {\n  %a = ceil %b : tile<f32>\n}\n"), Report())
    assert [d.code for d in caught.value.diagnostics] == ["C6"]


def test_importing_tilewright_does_not_load_the_dialect() -> None:
    code = "import sys, tilewright; print([m for m in sys.modules if 'cuda_tile' in m or 'tile_ir' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
