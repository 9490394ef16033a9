"""The IR's own text round-trips; generic MLIR is accepted by mlir-opt where that is installed."""

from __future__ import annotations

import pytest

from ir.mlir import tool
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.scf import Yield
from tilewright.ir.mlir.own_dialects import print_mlir
from tilewright.ir.parser import parse_ir
from tilewright.ir.printer import print_op
from tilewright.ir.verifier import verify

# ruff: noqa: E501 - the printed IR has one operation a line, however long
PROGRAM = """\
builtin.module {
  builtin.kernel {sym_name = "k", parameter_attributes = [{}, {"a b" = [1, 2.5, none, (0.0, -1.0)]}]} (%alpha: f32, %A: memref<f32x16x?>) {
    %c = arith.constant {value = -1.5} -> f32
    %z = arith.constant {value = 0} -> index
    %n = memref.size %A {mode = 1} -> index
    %huge = arith.constant {value = inf} -> f64
    %least = arith.constant {value = -inf} -> f64
    %less = arith.cmp %z, %n {predicate = "lt"} -> bool
    %x = scf.if %less -> f32 {
      scf.yield %alpha
    } {
      %y = arith.add %alpha, %c -> f32
      scf.yield %y
    }
    %out = scf.for %z, %n, %x {operand_segments = [1, 1, 0, 1], unroll = 4} -> f32 (%i: index, %acc: f32) {
      %e = memref.load %A, %z, %i -> f32
      %s = arith.add %acc, %e -> f32
      scf.yield %s
    }
    %t = tile.splat %out -> tile<16x16xf32>
    tile.store %t, %A, %z, %z {check = [false, true]}
  }
}"""


def read(text: str) -> tuple[object, Report]:
    report = Report()
    return parse_ir(Source("test.twir", text), report, operation_classes()), report


def test_print_and_parse_are_inverse() -> None:
    report = Report()
    module = parse_ir(Source("test.twir", PROGRAM), report, operation_classes())
    assert module is not None, report.diagnostics
    assert print_op(module) == PROGRAM
    assert verify(module, report), report.diagnostics


def test_results_behind_an_operation_without_operands_are_none_of_its() -> None:
    """Nothing but the equals sign tells these from operands."""
    text = "builtin.module {\n  team.barrier\n  %c = arith.constant {value = 1} -> index\n}"
    module, report = read(text)
    assert module is not None, report.diagnostics


def test_values_of_one_name_are_told_apart() -> None:
    region, block = new_region()
    build = Builder(block)
    values = [build.int32(k) for k in range(3)]
    for value in values:
        value.name = "x"
    build(Yield(values))
    text = print_op(Module(region))
    assert "scf.yield %x, %x_0, %x_1" in text
    again, report = read(text)
    assert str(again) == text, report.diagnostics


def test_blocks_and_successors_round_trip_in_shape() -> None:
    text = """\
builtin.module {
  scf.yield [^bb1]
^bb1 (%a: f32):
  scf.yield %a
}"""
    report = Report()
    module = parse_ir(Source("t", text), report, operation_classes())
    assert module is not None, report.diagnostics
    again = print_op(module)
    second = parse_ir(Source("t", again), report, operation_classes())
    assert second is not None
    assert print_op(second) == again


@pytest.mark.parametrize(
    ("text", "code", "excerpt"),
    [
        ("builtin.module { %a = arith.sum -> f32 }", "IR010", "arith.sum"),
        ("builtin.module { scf.yield %a }", "IR005", "%a"),
        ("builtin.module { %a = arith.constant {value = 1} -> f31 }", "IR010", "f31"),
        ("builtin.module { %a = arith.constant {value = 1} }", "IR010", "}"),
        ("builtin.module { ! }", "IR010", "!"),
        ("builtin.module {", "IR010", ""),
        ('builtin.module { %a = arith.cmp {predicate = "lo"} -> bool }', "IR010", "}"),
    ],
)
def test_errors_point_at_the_offending_token(text: str, code: str, excerpt: str) -> None:
    module, report = read(text)
    assert module is None
    [found] = report.diagnostics
    assert found.code == code
    place = found.location.primary
    assert place is not None
    assert text[place.start : place.end] == excerpt


def test_deep_nesting_is_refused() -> None:
    module, report = read("builtin.module {" * 1000)
    assert module is None
    assert report.diagnostics[0].code == "L003"


@tool.needed
def test_generic_mlir_is_accepted_by_mlir_opt() -> None:
    module = parse_ir(Source("test.twir", PROGRAM), Report(), operation_classes())
    assert module is not None
    assert tool.reprinted(print_mlir(module), "--verify-each").startswith('"builtin.module"')


SUBVIEW = """\
builtin.module {
  builtin.kernel {sym_name = "k"} (%A: memref<f32x8x8>, %i: index) {
    %s = memref.subview %A, %i {static_offsets = [1, none], static_sizes = [2, 2], operand_segments = [1, 1, 0]} -> \
memref<f32x2x2,strided<1,8>>
  }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (", operand_segments = [1, 1, 0]", "", "operand_segments is missing"),
        ("[1, 1, 0]", "[1]", "operand_segments is (1,)"),
        ("[1, 1, 0]", "[5, 1, 0]", "operand_segments is (5, 1, 0)"),
        ("[1, 1, 0]", "[1, 2, -1]", "operand_segments is (1, 2, -1)"),
        ("[1, 1, 0]", "[0, 1, 1]", "operand_segments is (0, 1, 1)"),
        ("[1, 1, 0]", "3", "operand_segments is 3"),
        ("[1, 1, 0]", '["x", 1, 1]', "operand_segments is ('x', 1, 1)"),
        ("static_sizes = [2, 2]", "static_sizes = [2]", "static_sizes is [2], with 0 sizes given"),
        ("static_sizes = [2, 2]", "static_sizes = [2, 0]", "static_sizes is [2, 0], and the result has 2 modes"),
        ("[1, none]", "[none, none]", "static_offsets is [None, None], with 1 offsets given"),
    ],
)
def test_operands_that_no_segment_has_are_found_by_the_verifier(old: str, new: str, said: str) -> None:
    assert old in SUBVIEW
    report = Report()
    module = parse_ir(Source("k.ir", SUBVIEW.replace(old, new)), report, operation_classes())
    if module is not None:
        verify(module, report)
    assert any(said in str(found) for found in report.diagnostics), [str(d) for d in report.diagnostics]
