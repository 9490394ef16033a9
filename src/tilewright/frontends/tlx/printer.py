"""Prints kernels of TLX as canonical text, which `read_tlx` and an unmodified LLVM read.

One name, one signature, each declared with the attributes that let LLVM merge, hoist and drop calls, and nothing more.
Tensors have tokens, or their types are target types, which LLVM has from 16 on; either text reads as the same program.
Reading what was printed and printing it again gives the same text.
"""

from __future__ import annotations

from tilewright.dialects.builtin import Module
from tilewright.frontends.tlx.declarations import Declarations
from tilewright.frontends.tlx.function_printer import FunctionPrinter
from tilewright.frontends.tlx.printing import TensorForm


def print_module(module: Module, form: TensorForm = TensorForm.TOKENS) -> str:
    """The text of a module that `read_tlx` gave, whose tensors are written in that form."""
    declarations = Declarations()
    functions = [FunctionPrinter(kernel, declarations, form).text() for kernel in module.kernels]
    return "\n".join([*functions, declarations.text()])
