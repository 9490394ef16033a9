"""Generic MLIR: the text that `mlir-opt --mlir-print-op-generic` prints of any dialect, read and printed."""
