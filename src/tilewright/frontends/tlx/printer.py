"""Prints kernels of TLX as canonical text, which `read_tlx` and an unmodified LLVM read.

One name, one signature, each declared with the attributes that let LLVM merge, hoist and drop calls, and nothing more.
Reading what was printed and printing it again gives the same text.
"""

from __future__ import annotations

from tilewright.dialects.builtin import Module
from tilewright.frontends.tlx.declarations import Declarations
from tilewright.frontends.tlx.function_printer import FunctionPrinter


def print_module(module: Module) -> str:
    """The text of a module that `read_tlx` gave."""
    declarations = Declarations()
    functions = [FunctionPrinter(kernel, declarations).text() for kernel in module.kernels]
    return "\n".join([*functions, declarations.text()])
