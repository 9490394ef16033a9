"""Text of MLIR, in the generic form or in the custom forms of its own dialects, read, verified and printed."""

from tilewright.frontends.mlir.formatter import format_source
from tilewright.frontends.mlir.reading import file_of, program_of, read_mlir_file

__all__ = ["file_of", "format_source", "program_of", "read_mlir_file"]
