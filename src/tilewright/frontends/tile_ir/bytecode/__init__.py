"""CUDA Tile IR as bytecode: `read` and `write`, driven by the declarations of the dialect."""

from __future__ import annotations

from tilewright.frontends.recognise import is_bytecode
from tilewright.frontends.tile_ir.bytecode.reader import read, read_file
from tilewright.frontends.tile_ir.bytecode.writer import write
from tilewright.frontends.tile_ir.versions import lowest_version

__all__ = ["is_bytecode", "lowest_version", "read", "read_file", "write"]
