"""The verbs of the command line take MLIR."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tilewright.cli.main import cli

TEXT = """func.func @add(%A: memref<2x3xf32>, %B: memref<?x?xf32>) {
  linalg.add ins(%A, %A : memref<2x3xf32>, memref<2x3xf32>) outs(%B : memref<?x?xf32>)
  return
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "k.mlir"
    path.write_text(TEXT)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_check_names_the_place(file: Path) -> None:
    assert run("check", file).exit_code == 0
    file.write_text(TEXT.replace("linalg.add ins", "linalg.ad ins"))
    result = run("check", file)
    assert result.exit_code == 1
    assert "k.mlir:2:3: error[M11]" in result.output
    assert "did you mean linalg.add?" in result.output


def test_run_takes_and_saves_arrays_as_they_lie(file: Path, tmp_path: Path, rng: np.random.Generator) -> None:
    given = rng.standard_normal((2, 3)).astype(np.float32)
    np.save(tmp_path / "a.npy", given)
    out = tmp_path / "b.npy"
    result = run("run", file, "--arg", f"A={tmp_path / 'a.npy'}", "--arg", "B=zeros(2,3)", "--save", f"B={out}")
    assert result.exit_code == 0, result.output
    assert np.array_equal(np.load(out), given + given)


def test_opt_and_compile(file: Path, tmp_path: Path) -> None:
    result = run("opt", file, "--passes", "canonicalize")
    assert result.exit_code == 0, result.output
    assert "tl.foreach" in result.output
    result = run("compile", file, "-o", tmp_path / "k.tw")
    assert result.exit_code == 0, result.output


def test_translate_prints_the_generic_form(file: Path) -> None:
    result = run("translate", file)
    assert result.exit_code == 0, result.output
    assert '"linalg.add"(%A, %A, %B)' in result.output
    assert "loc(" not in result.output
    file.write_text(result.output)
    assert run("translate", file).output == result.output
    file.write_text(TEXT.replace("  return", '  return loc("here")'))
    assert '() -> () loc("here")' in run("translate", file).output
    assert "loc(" not in run("translate", file, "--no-locations").output
    refused = run("translate", file, "--to", "bytecode")
    assert refused.exit_code == 2
    assert "MLIR is written as text, not as bytecode" in refused.output


def test_fmt_prints_custom_forms(file: Path) -> None:
    """What the stock tool printed stays, in the generic form too."""
    printed = Path(__file__).parents[1] / "frontends" / "mlir" / "printed"
    pretty = (printed / "matmul.pretty.mlir").read_text().removesuffix("\n")
    file.write_text(pretty.replace("  return", "\n\n        return"))
    assert run("fmt", "--check", file).exit_code == 1
    assert run("fmt", file).exit_code == 0
    assert file.read_text() == pretty
    assert run("fmt", "--check", file).exit_code == 0
    file.write_text((printed / "matmul.generic.mlir").read_text())
    assert run("fmt", file).exit_code == 0
    assert "    linalg.matmul ins(%arg0, %arg1 :" in file.read_text()
    file.write_text("// lost\n" + pretty)
    result = run("fmt", file)
    assert result.exit_code == 1
    assert "this comment would be lost" in result.output
    assert file.read_text() == "// lost\n" + pretty


def test_translate_loses_nothing_of_a_file(tmp_path: Path) -> None:
    """Aliases, used or not, and what stands behind the module."""
    text = """#map = affine_map<(d0) -> (d0)>
#unused = affine_map<(d0) -> (d0 + 1)>
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "func.return"() : () -> ()
  }) {kept = #map, tuned = dense_resource<blob> : tensor<1xi32>} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000"
    }
  }
#-}
"""
    file = tmp_path / "resources.mlir"
    file.write_text(text)
    assert run("translate", file).output == text
    assert run("opt", file).exit_code == 0
    assert run("opt", file, "--print-ir-after-all").exit_code == 0


def test_opt_prints_aliases_of_a_file_that_no_pass_has_lowered(tmp_path: Path) -> None:
    file = tmp_path / "aliases.mlir"
    file.write_text("!vector = memref<4xf32>\nfunc.func @f(%x: !vector) {\n  return\n}\n")
    for option in ("--verify-each", "--emit-mlir"):
        found = run("opt", file, "--passes", "none", option)
        assert found.exit_code == 0
        assert "!vector = memref<4xf32>" in found.output
