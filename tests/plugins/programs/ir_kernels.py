"""Kernels as IR text: read, printed, interpreted and compiled."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.compiler import CompileOptions, compile_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.parser import parse_ir
from tilewright.ir.printer import print_op
from tilewright.ir.verifier import verify
from tilewright.program import load_artifact
from tilewright.targets import find_target

Array = NDArray[Any]


def parsed(text: str, report: Report) -> Module:
    """The module, verified into the report; its text reads as the same module."""
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    verify(module, report)
    printed = print_op(module)
    again = parse_ir(Source("again.twir", printed), Report(), operation_classes())
    assert again is not None
    assert print_op(again) == printed
    return module


def kernel(parameters: str, body: str) -> str:
    """A module with the kernel `k` of one work-group of four subgroups; DIALECT is the one of the command line."""
    sizes = "subgroup_size = 4, work_group_size = [4, 1]"
    start = "%z = arith.constant {value = 0} -> index"
    body = body.replace("DIALECT", sys.argv[1])
    return f'builtin.module {{ builtin.kernel {{sym_name = "k", {sizes}}} ({parameters}) {{ {start}\n{body} }} }}'


def results(text: str, source: Array, shape: tuple[int, ...]) -> list[Array]:
    """What the kernel `k` makes of an array: in the interpreter, and on the CPU at all levels and vector widths."""
    report = Report()
    module = parsed(text, report)
    report.raise_if_errors()
    found = [np.full(shape, 77, source.dtype, order="F")]
    interpret(module.kernels[0], [source, found[0]])
    for name, level in (("cpu", 2), ("cpu", 0), ("cpu:generic", 2)):
        code = compile_module(parsed(text, Report()), find_target(name), CompileOptions(level), Report())
        out = np.full(shape, 77, source.dtype, order="F")
        load_artifact(code).k[1](source, out)
        found.append(out)
    return found
