"""Modules of the shared dialects as generic MLIR: read back to the same module, also by way of mlir-opt."""

from __future__ import annotations

from pathlib import Path

import pytest

from ir.mlir import tool
from ir.test_text import PROGRAM
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.frontends.tensor_language import parse
from tilewright.ir.core import Operation
from tilewright.ir.mlir.own_dialects import print_mlir, read_mlir
from tilewright.ir.parser import parse_ir
from tilewright.ir.printer import print_op
from tilewright.ir.verifier import verify

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.tl"))


def program() -> Operation:
    module = parse_ir(Source("test.twir", PROGRAM), Report(), operation_classes())
    assert module is not None
    return module


def back(text: str) -> Operation:
    report = Report()
    module = read_mlir(Source("test.mlir", text), report, operation_classes())
    assert module is not None
    assert verify(module, report), [str(d) for d in report.diagnostics]
    return module


def plain(module: Operation) -> str:
    """The text of a module without names, attributes in the order of theirs."""
    for op in module.walk():
        op.attributes = dict(sorted(op.attributes.items()))
        arguments = (a for region in op.regions for block in region.blocks for a in block.arguments)
        for value in (*op.results, *arguments):
            value.name = None
    return print_op(module)


def problems(old: str, new: str) -> list[str]:
    """Codes of what is reported where one text of the printed program is replaced."""
    text = print_mlir(program())
    assert old in text
    report = Report()
    module = read_mlir(Source("test.mlir", text.replace(old, new)), report, operation_classes())
    if module is not None and not report.errors:
        verify(module, report)
    return [d.code for d in report.diagnostics]


def test_the_module_is_read_back() -> None:
    assert plain(back(print_mlir(program()))) == plain(program())
    assert print_mlir(back(print_mlir(program()))) == print_mlir(program())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_are_read_back(path: Path) -> None:
    module = parse(Source(str(path), path.read_text()), Report())
    assert plain(back(print_mlir(module))) == plain(module)


@tool.needed
def test_the_module_is_read_back_from_the_tool() -> None:
    assert plain(back(tool.reprinted(print_mlir(program())))) == plain(program())


def test_declarations_apply() -> None:
    assert problems("array<i32: 1, 1, 0, 1>", "array<i32: 1, 1, 1, 1>") == ["M7"]
    assert problems("array<i32: 1, 1, 0, 1>", "array<i32: 0, 2, 0, 1>") == ["M7"]
    assert problems("mode = 1 : i64", 'mode = "one"') == ["V29"]
    assert problems('predicate = "lt"', 'predicate = "below"') == ["V37"]
    assert problems('!tw.type<"memref<f32x16x?>">', '!tw.type<"memref<f33x16x?>">')[0] == "M8"
    assert problems("}, {\n", "}, {\n}, {\n")[0] == "M7"


def test_kernels_see_nothing_from_outside() -> None:
    outside = '  %outside = "tw.arith.constant"() <{value = 1.5 : f64}> : () -> f32\n'
    text = print_mlir(program()).replace('  "tw.builtin.kernel"', outside + '  "tw.builtin.kernel"')
    report = Report()
    text = text.replace('"tw.scf.yield"(%alpha)', '"tw.scf.yield"(%outside)')
    read_mlir(Source("test.mlir", text), report, operation_classes())
    assert [d.code for d in report.diagnostics] == ["M5"]
