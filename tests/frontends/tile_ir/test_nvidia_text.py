"""What NVIDIA's disassembler prints of our bytecode reads back as the same module, where the tool is installed.

It is found as `tileirdisasm` on PATH or in the folder $TILEWRIGHT_TILEIRAS.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from frontends.tile_ir.bytecode.samples import SAMPLES, build
from frontends.tile_ir.samples import BODIES, module
from frontends.tile_ir.test_round_trip import read
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir import print_module
from tilewright.frontends.tile_ir.bytecode import lowest_version, write

EXAMPLES = Path(__file__).parents[3] / "examples"

TOOL = shutil.which("tileirdisasm", path=os.environ.get("TILEWRIGHT_TILEIRAS")) or shutil.which("tileirdisasm")
SCOPED = """
#f = #cuda_tile.di_file<"k.py" in "src">
#u = #cuda_tile.di_compile_unit<file = #f>
#s = #cuda_tile.di_subprogram<file = #f, line = 4, name = "k", linkageName = "k", compileUnit = #u, scopeLine = 4>
#l = #cuda_tile.di_loc<loc("k.py":5:6) in #s>
#m = #cuda_tile.di_loc<loc("k.py":7:8) in #s>
entry @k(%a: tile<f32>) {
  %b = absf %a : tile<f32> loc(#m)
  %c = negf %b : tile<f32> loc(callsite(#l at #m))
  return loc(#l)
} loc(#l)
"""


def nameless(found: TileModule, debug: bool = False) -> str:
    """The text without what NVIDIA's tool does not print: names, the version, the producer."""
    for name in ("version", "producer"):
        found.attributes.pop(name, None)
    for op in found.walk():
        for result in op.results:
            result.name = None
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.name = None
    found.sym_name = "kernels"
    return print_module(found, debug=debug)


def disassembled(found: TileModule, version: Version, folder: Path, *options: str) -> str:
    path = folder / "kernel.tilebc"
    path.write_bytes(write(found, version))
    assert TOOL is not None
    return subprocess.run([TOOL, *options, str(path)], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(TOOL is None, reason="NVIDIA's tools are not installed")
@pytest.mark.parametrize("name", BODIES)
def test_nvidias_text_is_the_same_module(name: str, tmp_path: Path) -> None:
    ours = read(module(BODIES[name].replace('    print "hello"\n', "")))
    version = Version.V13_4 if name == "later" else Version.V13_3
    theirs = read(disassembled(ours, version, tmp_path))
    assert nameless(theirs) == nameless(ours)


@pytest.mark.skipif(TOOL is None, reason="NVIDIA's tools are not installed")
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.tileir")), ids=lambda path: path.stem)
def test_examples(path: Path, tmp_path: Path) -> None:
    ours = read(path.read_text())
    theirs = read(disassembled(ours, lowest_version(ours), tmp_path))
    assert nameless(theirs) == nameless(ours)


@pytest.mark.skipif(TOOL is None, reason="NVIDIA's tools are not installed")
@pytest.mark.parametrize("name", SAMPLES)
def test_every_operation(name: str, tmp_path: Path) -> None:
    ours = build(name)
    if name == "printing":
        pytest.skip("print_tko without a result gets one when it is read")
    theirs = read(disassembled(ours, lowest_version(ours), tmp_path))
    assert nameless(theirs) == nameless(ours)


@pytest.mark.skipif(TOOL is None, reason="NVIDIA's tools are not installed")
def test_nvidias_debug_information_is_the_same(tmp_path: Path) -> None:
    ours = read(SCOPED)
    theirs = read(disassembled(ours, Version.V13_3, tmp_path, "-g"))
    assert nameless(theirs, debug=True) == nameless(ours, debug=True)
