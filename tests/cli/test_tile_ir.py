"""Every verb on Tile IR, as text and as bytecode."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from frontends.tile_ir.marked import parsed
from tilewright.cli.main import cli
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir.bytecode import lowest_version, write

TEXT = """cuda_tile.module @m {
  entry @twice(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
    %i = iota : tile<16xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n2 = broadcast %n1 : tile<1xi32> -> tile<16xi32>
    %m = cmpi less_than %i, %n2, signed : tile<16xi32> -> tile<16xi1>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x2 = broadcast %x1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %xs = offset %x2, %i : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %y2 = broadcast %y1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %ys = offset %y2, %i : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %v, %t = load_ptr_tko weak %xs, %m : tile<16xptr<f32>>, tile<16xi1> -> tile<16xf32>, token
    %w = addf %v, %v : tile<16xf32>
    %u = store_ptr_tko weak %ys, %w, %m : tile<16xptr<f32>>, tile<16xf32>, tile<16xi1> -> token
    return
  }
}
"""


@pytest.fixture
def bytecode(tmp_path: Path) -> Path:
    module = parsed(TEXT)
    path = tmp_path / "k.tileirbc"
    path.write_bytes(write(module, lowest_version(module)))
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "k.tileir"
    path.write_text(TEXT)
    return path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


@pytest.mark.parametrize("options", [(), ("--target", "interpreter"), ("--checked",)])
def test_bytecode_runs_with_arrays_for_pointers(
    bytecode: Path, tmp_path: Path, options: tuple[str, ...], rng: np.random.Generator
) -> None:
    x = rng.standard_normal((2, 5), np.float32)
    np.save(tmp_path / "x.npy", x)
    given = [f"--arg=arg0={tmp_path / 'x.npy'}", "--arg=arg1=zeros(10)", "--arg=arg2=10"]
    result = invoke("run", str(bytecode), *given, f"--save=arg1={tmp_path / 'y.npy'}", *options)
    assert result.exit_code == 0, result.output
    assert np.array_equal(np.load(tmp_path / "y.npy"), 2 * x.ravel())
    shown = invoke("run", str(bytecode), *given, *options)
    assert shown.output.startswith("%arg1 =\n[")
    assert "%arg0" not in shown.output


def test_text_runs_on_random_arrays(text: Path, tmp_path: Path) -> None:
    given = ["--arg=x=random(4,4)", "--arg=y=zeros(4,4)", "--arg=n=16", "--target=interpreter"]
    saved = [f"--save={name}={tmp_path / name}.npy" for name in "xy"]
    result = invoke("run", str(text), *given, *saved)
    assert result.exit_code == 0, result.output
    x, y = (np.load(tmp_path / f"{name}.npy") for name in "xy")
    assert np.any(x)
    assert np.array_equal(y, 2 * x)


def test_checked_runs_find_what_is_out_of_bounds(bytecode: Path) -> None:
    result = invoke("run", str(bytecode), "--checked", "--arg=arg0=ones(8)", "--arg=arg1=zeros(16)", "--arg=arg2=9")
    assert result.exit_code != 0
    assert "R010" in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--arg=n=3"], "takes no argument n; it takes arg0, arg1, arg2"),
        ([], "--arg arg0=random(..): say the extents"),
        (["--arg=arg0=random()"], "--arg arg0=random(..): say the extents"),
        (["--arg=arg0=random(4,)"], "extents are integers with commas between them"),
        (["--arg=arg0=nowhere.npy"], "No such file"),
        (["--arg=arg0=4"], "write random(..), zeros(..), ones(..) with extents, or a .npy file"),
        (["--grid=1,2,3,4"], "one to three extents"),
        (["--save=z=z.npy"], "takes no argument z, only arg0, arg1, arg2"),
        (["--save=arg0"], "write NAME=FILE.npy"),
    ],
)
def test_arguments_that_do_not_fit(bytecode: Path, arguments: list[str], message: str) -> None:
    result = invoke("run", str(bytecode), "--target=interpreter", *arguments)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("verb", ["fmt", "upgrade"])
def test_bytecode_has_no_text_to_format(bytecode: Path, verb: str) -> None:
    before = bytecode.read_bytes()
    result = invoke(verb, str(bytecode))
    assert result.exit_code == 2 if verb == "upgrade" else result.exit_code != 0
    assert "this is Tile IR bytecode; `tilewright translate" in result.output
    assert bytecode.read_bytes() == before


def test_bytecode_is_compiled_as_the_text_is(bytecode: Path, text: Path) -> None:
    assert invoke("check", str(bytecode), str(text)).exit_code == 0
    for verb in (["compile", "--emit=ir"], ["opt"]):
        stages = [invoke(*verb, str(path)) for path in (bytecode, text)]
        assert all(stage.exit_code == 0 for stage in stages)
        operations = [[line.split("=")[-1].split()[:1] for line in stage.output.splitlines()] for stage in stages]
        assert operations[0] == operations[1]
    assert "define" in invoke("compile", "--emit=llvm", str(bytecode)).output


def test_bench(bytecode: Path) -> None:
    given = ["--arg=arg0=ones(16)", "--arg=arg1=zeros(16)", "--arg=arg2=9", "--repeats=2", "--target=interpreter"]
    assert invoke("bench", str(bytecode), *given).output.startswith("twice: median ")


def test_places_in_bytecode_are_bytes(bytecode: Path) -> None:
    data = bytecode.read_bytes()
    bytecode.write_bytes(data[:-6])
    shown = {form: invoke("check", f"--format={form}", str(bytecode)) for form in ("text", "json", "sarif", "github")}
    assert all(result.exit_code == 1 for result in shown.values())
    [found] = json.loads(shown["json"].output)
    byte = found["range"]["byte"]
    assert 0 <= byte <= len(data)
    assert shown["text"].output.startswith(f"{bytecode}: byte {byte} (0x{byte:x}): error[{found['code']}]: ")
    assert f"[{found['code']}] byte {byte} (0x{byte:x}): " in shown["github"].output
    [result] = json.loads(shown["sarif"].output)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["byteOffset"] == byte


def test_rules_are_reported_at_bytes(tmp_path: Path) -> None:
    module = parsed("entry @k(%a: tile<f32>) {\n  %b = exp %a : tile<f32>\n  return\n}")
    data = bytearray(write(module, Version.V13_3))
    # rounding full (5) becomes zero (1), which exp does not have
    at = data.index(bytes([0x17, 0x01, 0x05]))
    data[at + 2] = 1
    path = tmp_path / "k.tileirbc"
    path.write_bytes(bytes(data))
    result = invoke("check", str(path))
    assert result.output.startswith(f"{path}: byte {at} (0x{at:x}): error[C12]: exp: rounding zero is not one of")
