"""Generic MLIR: the text that `mlir-opt --mlir-print-op-generic` prints of any dialect, read and printed.

file = read_generic(Source("a.mlir", text), report)      reader.py; operations that nobody registered are opaque
text = print_generic(file)                               printer.py; as the tool prints it
text = print_mlir(module)                                own_dialects.py; a module of the shared dialects
module = read_mlir(source, report, operations)           and back
"""
