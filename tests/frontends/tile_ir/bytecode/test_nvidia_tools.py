"""NVIDIA's disassembler takes what we write, where somebody has installed it.

It is found as `tileirdisasm` on PATH or in the folder $TILEWRIGHT_TILEIRAS.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from frontends.tile_ir.bytecode.samples import SAMPLES, build
from frontends.tile_ir.bytecode.test_debug import with_places
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir.bytecode import lowest_version, write

TOOL = shutil.which("tileirdisasm", path=os.environ.get("TILEWRIGHT_TILEIRAS")) or shutil.which("tileirdisasm")
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
