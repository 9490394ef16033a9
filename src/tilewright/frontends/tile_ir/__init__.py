"""CUDA Tile IR, as text and as bytecode.

module = read_tile_ir(source, report)                IR of the `cuda_tile` dialect, verified
module = parse(Source("a.tileir", text), report)     the same without verification
text = print_module(module)                          and back
"""

from tilewright.frontends.tile_ir.formatter import format_source
from tilewright.frontends.tile_ir.parser import parse
from tilewright.frontends.tile_ir.printer import print_module
from tilewright.frontends.tile_ir.reading import program_of, read_tile_ir

__all__ = ["format_source", "parse", "print_module", "program_of", "read_tile_ir"]
