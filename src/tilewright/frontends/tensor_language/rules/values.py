"""Scalars: constants, arithmetic, casts, compares (V19, V34 to V38)."""

from __future__ import annotations

import math

from tilewright.diagnostics import Report
from tilewright.dialects import arith
from tilewright.dialects.semantics import dtype_of
from tilewright.frontends.tensor_language.rules.facts import integer_of, name_of
from tilewright.ir.core import Operation
from tilewright.ir.types import BOOL, CoopMatrixType, ScalarType, element_of


def constant(op: arith.Constant, report: Report) -> None:
    """The literal's kind and range."""
    element = element_of(op.out.type)
    if element is None:
        return
    value, where = op.value, op.place("value")
    kind, wanted = _kind_of(value), _kind_for(element)
    if kind != wanted:
        finding = report.error("V19", where, f"a constant of type {element} is a {wanted}, this is a {kind}")
        if kind == "integer" and wanted == "float":
            finding.hint(f"write {value}.0")
        return
    if isinstance(value, int) and element.is_integer:
        half = 1 << (element.bits - 1)
        if not -half <= value < half:
            report.error("V19", where, f"{value} is no {element}, which holds {-half} to {half - 1}")
    elif isinstance(value, float):
        _float_range(op, value, element, report)
    elif isinstance(value, complex):
        for part in (value.real, value.imag):
            _float_range(op, part, element.component, report)


def _kind_of(value: bool | int | float | complex) -> str:
    match value:
        case bool():
            return "bool"
        case int():
            return "integer"
        case float():
            return "float"
        case complex():
            return "complex number"


def _kind_for(element: ScalarType) -> str:
    if element is BOOL:
        return "bool"
    return "integer" if element.is_integer else "float" if element.is_float else "complex number"


def _float_range(op: arith.Constant, value: float, element: ScalarType, report: Report) -> None:
    import numpy as np

    with np.errstate(all="ignore"):
        stored = float(np.asarray(value).astype(dtype_of(element)))
    if math.isinf(stored) and not math.isinf(value):
        report.error("V19", op.place("value"), f"{value!r} is beyond the range of {element}").hint(
            "write inf if you mean it"
        )
    elif stored == 0.0 and value != 0.0:
        report.warning("V19", op.place("value"), f"{value!r} becomes 0 in {element}")


def division(op: arith.Div | arith.Rem, report: Report) -> None:
    """A literal zero as integer divisor is a mistake."""
    element = element_of(op.lhs.type)
    if element is not None and element.is_integer and integer_of(op.rhs) == 0:
        report.error("V36", op.place(("operand", 1)), f"{op.name.split('.')[1]} by a constant 0").label(
            op.rhs.location, "the divisor is 0"
        ).hint("a run-time divisor of 0 gives 0, and the dividend as remainder; a literal one is a mistake")


def shift(op: arith.Shl | arith.Shr, report: Report) -> None:
    """Constant amounts outside the width wrap around."""
    element, amount = element_of(op.lhs.type), integer_of(op.rhs)
    if element is not None and amount is not None and not 0 <= amount < element.bits:
        report.warning(
            "V38",
            op.place(("operand", 1)),
            f"a shift by {amount} counts modulo {element.bits}: it shifts by {amount % element.bits}",
        )


def cast(op: arith.Cast, report: Report) -> None:
    """No way from complex to real, none for bool, matrices keep shape and (but acc to a or b) use."""
    source, target = op.value.type, op.out.type
    a, b = element_of(source), element_of(target)
    if a is None or b is None:
        return
    if a.is_complex and not b.is_complex:
        report.error("V35", op.place("type"), f"{a} cannot be cast to {b}").hint("take the part you want with re or im")
    if isinstance(source, CoopMatrixType) != isinstance(target, CoopMatrixType):
        report.error("V35", op.place("type"), f"{source} cannot be cast to {target}")
    elif isinstance(source, CoopMatrixType) and isinstance(target, CoopMatrixType):
        if source.shape != target.shape:
            report.error("V35", op.place("type"), "a cast keeps the shape of a cooperative matrix")
        elif source.use is not target.use and source.use.value != "matrix_acc":
            report.error("V35", op.place("type"), "a cast changes the use of a cooperative matrix only from matrix_acc")


def compare(op: arith.Cmp, report: Report) -> None:
    """Numbers only, and an order only for real ones."""
    element = op.lhs.type
    if not isinstance(element, ScalarType):
        report.error("V37", op.place(("operand", 0)), f"{name_of(op.lhs)} is a {element}; numbers are compared")
        return
    ordered = op.predicate not in (arith.Predicate.EQ, arith.Predicate.NE)
    if element is BOOL:
        report.error("V37", op.place(("operand", 0)), "bool values are not compared").hint(
            "use xor for not_equal, and not of it for equal"
        )
    elif ordered and element.is_complex:
        report.error("V37", op.place(("operand", 0)), "complex numbers have no order").hint("compare re, im or abs")


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        arith.Constant: constant,
        arith.Div: division,
        arith.Rem: division,
        arith.Shl: shift,
        arith.Shr: shift,
        arith.Cast: cast,
        arith.Cmp: compare,
    }
