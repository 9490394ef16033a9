"""Declaring operations: what a family declares, each of its operations has."""

from __future__ import annotations

import linecache

from tilewright.diagnostics import Report
from tilewright.dialects.arith import Constant
from tilewright.ir.core import Operation as AnyOperation
from tilewright.ir.definition import Operation, Value, attribute, operand, result
from tilewright.ir.types import F32, I32, SHAPED_NUMBER


class Pair(Operation):
    """A family: it has no name, so it is no operation."""

    lhs: Value = operand(SHAPED_NUMBER, var="T")
    rhs: Value = operand(SHAPED_NUMBER, var="T")
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        report.error("IR001", self.location, "the family's rule")


class Scaled(Pair, name="test.scaled"):
    """An operation with a field of its own."""

    factor: int = attribute(int)


class Plain(Pair, name="test.plain"):
    """An operation without."""


def test_an_operation_has_the_fields_and_rules_of_its_family() -> None:
    a, b = (Constant(x, result_types=[F32]).out for x in (1.0, 2.0))
    scaled, plain = Scaled(a, b, 3), Plain(a, b)
    assert (scaled.lhs, scaled.rhs, scaled.factor, scaled.out.type) == (a, b, 3, F32)
    assert Scaled.definition.order == ["lhs", "rhs", "factor"]
    assert (plain.rhs, list(Plain.definition.attributes)) == (b, [])
    assert "definition" not in vars(Pair)
    report = Report()
    scaled.verify(report)
    assert report.has_errors


def test_constraints_of_a_family_are_checked() -> None:
    a, b = Constant(1.0, result_types=[F32]).out, Constant(1, result_types=[I32]).out
    report = Report()
    Plain.definition.check(Plain(a, b), report)
    assert report.has_errors


def test_results_have_the_type_of_the_operands_they_are_tied_to() -> None:
    a = Constant(1.0, result_types=[F32]).out
    for type_, errors in ((F32, 0), (I32, 1)):
        report = Report()
        Plain.definition.check(Plain(a, a, result_types=[type_]), report)
        assert report.errors == errors


def test_attributes_are_of_the_declared_kind() -> None:
    a = Constant(1.0, result_types=[F32]).out
    scaled = Scaled(a, a, 3)
    for factor, errors in ((3, 0), ("three", 1), (None, 1)):
        scaled.attributes["factor"] = factor
        report = Report()
        Scaled.definition.check(scaled, report)
        assert report.errors == errors
    del scaled.attributes["factor"]
    report = Report()
    Scaled.definition.check(scaled, report)
    assert report.errors == 1


class Late(Operation, name="test.late"):
    """An operation whose members nothing has used yet."""

    factor: int = attribute(int)


def test_members_are_compiled_at_first_use_which_may_be_a_write() -> None:
    assert "<tilewright test.late>" not in linecache.cache
    late = object.__new__(Late)
    AnyOperation.__init__(late)
    late.factor = 3
    assert "<tilewright test.late>" in linecache.cache
    assert (late.factor, Late(4).factor) == (3, 4)
