"""Reading Tile IR, text or bytecode, and verifying it."""

from __future__ import annotations

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.dialects.builder import new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.frontends.tile_ir.parser import parse
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.verifier import verify


def read_tile_ir(source: Source | Binary, report: Report, limits: Limits = DEFAULT_LIMITS) -> TileModule:
    """The valid compilation unit in a text or in bytecode; warnings stay in `report`. Raises `CompileError`.

    `limits` are those of texts.
    """
    if isinstance(source, Binary):
        from tilewright.frontends.tile_ir.bytecode import read_file

        module = read_file(source, report)
    else:
        module = parse(source, report, limits)
    report.raise_if_errors()
    assert module is not None, "what cannot be read is reported"
    verify(module, report)
    report.raise_if_errors()
    return module


def program_of(unit: TileModule) -> Module:
    """A program that consists of one compilation unit, which has no place in any other."""
    body, block = new_region()
    block.append(unit)
    return Module(body, location=unit.location)
