"""CUDA Tile IR, as text and as bytecode.

module = parse(Source("a.tileir", text), report)     IR of the `cuda_tile` dialect
text = print_module(module)                          and back
"""

from tilewright.frontends.tile_ir.formatter import format_source
from tilewright.frontends.tile_ir.parser import parse
from tilewright.frontends.tile_ir.printer import print_module

__all__ = ["format_source", "parse", "print_module"]
