"""CUDA Tile IR as bytecode: `read` and `write`, driven by the declarations of the dialect."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.diagnostics.binary import Binary
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.frontends.recognise import is_bytecode
from tilewright.frontends.tile_ir.bytecode.reader import read, read_file
from tilewright.frontends.tile_ir.bytecode.writer import write
from tilewright.frontends.tile_ir.versions import lowest_version
from tilewright.ir.verifier import verify


def read_verified(file: Binary, report: Report) -> TileModule:
    """The valid module in a file; warnings stay in `report`. Raises `CompileError` if it is invalid."""
    module = read_file(file, report)
    report.raise_if_errors()
    assert module is not None, "a file that cannot be read is reported"
    verify(module, report)
    report.raise_if_errors()
    return module


__all__ = ["is_bytecode", "lowest_version", "read", "read_file", "read_verified", "write"]
