"""CUDA Tile IR as bytecode: `read` and `write`, driven by the declarations of the dialect."""

from __future__ import annotations

from tilewright.frontends.tile_ir.bytecode.form import MAGIC
from tilewright.frontends.tile_ir.bytecode.reader import read
from tilewright.frontends.tile_ir.bytecode.requirements import lowest_version
from tilewright.frontends.tile_ir.bytecode.writer import write


def is_bytecode(data: bytes) -> bool:
    """Whether some bytes begin like a file of Tile IR."""
    return data.startswith(MAGIC)


__all__ = ["is_bytecode", "lowest_version", "read", "write"]
