"""NVIDIA's disassembler and compiler take what we write, where somebody has installed them.

They are found as `tileirdisasm` and `tileiras` on PATH or in the folder $TILEWRIGHT_TILEIRAS. The compiler needs the
wheels of nvcc, nvvm and nvjitlink beside its own; without them it says no more than that it failed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from frontends.tile_ir.bytecode.samples import SAMPLES, build
from frontends.tile_ir.bytecode.test_debug import with_places
from tilewright.diagnostics import Report, Source
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.frontends.tile_ir.bytecode import lowest_version, write


def tool(name: str) -> str | None:
    """Where it is, if anywhere."""
    return shutil.which(name, path=os.environ.get("TILEWRIGHT_TILEIRAS")) or shutil.which(name)


TOOL, COMPILER = tool("tileirdisasm"), tool("tileiras")
EXAMPLES = sorted((Path(__file__).parents[4] / "examples").glob("*.tileir"))
pytestmark = pytest.mark.skipif(TOOL is None, reason="NVIDIA's tools are not installed")


def disassembled(data: bytes, folder: Path, *options: str) -> str:
    """What the tool prints; it decodes and verifies."""
    assert TOOL is not None
    path = folder / "module.tilebc"
    path.write_bytes(data)
    done = subprocess.run([TOOL, *options, str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("version", list(Version))
@pytest.mark.parametrize("name", SAMPLES)
def test_accepted(name: str, version: Version, tmp_path: Path) -> None:
    module = build(name)
    if version < lowest_version(module):
        pytest.skip("newer")
    text = disassembled(write(module, version), tmp_path)
    entry = module.entries[0]
    # Terminators that mean nothing are not printed; `pow` has another name.
    for op in entry.walk():
        mnemonic = op.name.removeprefix("cuda_tile.")
        if mnemonic not in ("yield", "continue", "return", "pow", "entry"):
            assert mnemonic in text


def test_places(tmp_path: Path) -> None:
    text = disassembled(write(with_places("for")), tmp_path, "-g")
    for word in ("di_subprogram", "di_lexical_block", "callsite", "linkageName", "k.py"):
        assert word in text


@pytest.mark.skipif(COMPILER is None, reason="NVIDIA's compiler is not installed")
@pytest.mark.parametrize("version", [Version.V13_1, Version.V13_3])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_compiled(example: Path, version: Version, tmp_path: Path) -> None:
    assert COMPILER is not None
    module = read_tile_ir(Source(example.name, example.read_text()), Report())
    path, out = tmp_path / "module.tilebc", tmp_path / "module.cubin"
    path.write_bytes(write(module, version))
    command = [COMPILER, str(path), "-o", str(out), "--gpu-name", "sm_90", "-O0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes()[:4] == b"\x7fELF"
