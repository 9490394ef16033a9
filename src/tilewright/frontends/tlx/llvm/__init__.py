"""LLVM text as a syntax tree: any functions, nothing of what they are for.

module = read_module(Source("k.ll", text), report, CODES)     syntax.Module; what could not be read is in `report`
check_structure(module, report, CODES)                         names, types, dominance
"""
