"""Text of MLIR, in the generic form or in the custom forms of its own dialects, read, verified and printed."""

from tilewright.frontends.mlir.formatter import format_source
from tilewright.frontends.mlir.reading import program_of, read_mlir_file, unit_of

__all__ = ["format_source", "program_of", "read_mlir_file", "unit_of"]
