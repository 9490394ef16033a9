"""`tilewright translate`, and bytecode where other verbs read files."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import run_on_bytes as run
from frontends.tile_ir.bytecode.samples import build
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir.bytecode import write

TEXT = """cuda_tile.module @kernels {
  entry @scale(%x: tile<ptr<f32>>, %s: tile<f32>) {
    %p = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q = broadcast %p : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %i = iota : tile<16xi32>
    %a = offset %q, %i : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %v, %t = load_ptr_tko weak %a : tile<16xptr<f32>> -> tile<16xf32>, token
    %e = exp %v rounding<approx> : tile<16xf32>
    %u = store_ptr_tko weak %a, %e token=%t : tile<16xptr<f32>>, tile<16xf32> -> token
    return
  }
}
"""


def test_text_to_bytecode_to_text_is_a_fixpoint(tmp_path: Path) -> None:
    first = run("translate", "-", data=TEXT.encode())
    assert first.returncode == 0, first.stderr
    assert first.stdout[:12] == b"\x7fTileIR\0\x0d\x03\0\0"
    path = tmp_path / "k.tilebc"
    path.write_bytes(first.stdout)
    text = run("translate", str(path))
    assert text.returncode == 0, text.stderr
    again = run("translate", "-", "-o", str(tmp_path / "again.tilebc"), data=text.stdout)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.tilebc").read_bytes() == first.stdout
    assert run("translate", str(tmp_path / "again.tilebc")).stdout == text.stdout


def test_versions() -> None:
    newer = run("translate", "-", "--bytecode-version", "13.4", data=TEXT.encode())
    assert newer.stdout[9] == 4
    older = run("translate", "-", "--bytecode-version", "13.2", data=TEXT.encode())
    assert older.returncode == 1
    assert b"error[B10]" in older.stderr
    assert b"rounding_mode of exp needs version 13.3" in older.stderr
    assert not older.stdout
    same = run("translate", "-", "--to", "bytecode", "--bytecode-version", "13.3", data=newer.stdout)
    assert same.stdout[9] == 3
    assert run("translate", "-", "--to", "text", "--bytecode-version", "13.3", data=newer.stdout).returncode == 2


@pytest.mark.parametrize("verb", ["translate", "check"])
def test_broken_bytecode(verb: str) -> None:
    data = write(build("for"), Version.V13_2)
    assert run("check", "-", data=data).returncode == 0
    broken = run(verb, "-", data=data[:-5])
    assert broken.returncode == 1
    assert b"error[B2]" in broken.stdout + broken.stderr
    assert b"Traceback" not in broken.stderr
