"""The text emitter: build an LLVM module as text, one line an instruction, for `llvmlite.binding.parse_assembly`.

    module = Module(triple)
    function = module.function("axpy", "void", [("ptr", "x"), ("ptr", "y"), ("i64", "n")])
    b = Builder(function)
    x, y, n = function.arguments
    with b.loop(i64(0), n) as loop:
        element = b.load("float", b.gep("float", x, loop.index))
        b.store(element, b.gep("float", y, loop.index))
    b.ret()
    text = str(module)

Text, because it costs a fraction of a builder's time, needs no wrapper for a new instruction, and is at once the dump
and the cache key. This module gathers the names that users of the emitter need.
"""

from __future__ import annotations

from tilewright.targets.llvm.control import Branch, ControlFlow, Loop
from tilewright.targets.llvm.module import Block, Callee, Function, Module, Parameter, Phi
from tilewright.targets.llvm.types import lanes_of, llvm_type, scalar_of, vector
from tilewright.targets.llvm.values import Complex, Value, boolean, constant, i32, i64, lane_constants, poison, zero


class Builder(ControlFlow):
    """All instructions and structured forms, positioned at the end of a block (`position` moves it)."""

    __slots__ = ()


__all__ = [
    "Block",
    "Branch",
    "Builder",
    "Callee",
    "Complex",
    "Function",
    "Loop",
    "Module",
    "Parameter",
    "Phi",
    "Value",
    "boolean",
    "constant",
    "i32",
    "i64",
    "lane_constants",
    "lanes_of",
    "llvm_type",
    "poison",
    "scalar_of",
    "vector",
    "zero",
]
