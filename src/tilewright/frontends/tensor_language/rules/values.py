"""Scalars: constants, arithmetic, casts, compares (V19, V34 to V38)."""

from __future__ import annotations

import math

from tilewright.diagnostics import Report
from tilewright.dialects import arith, memref, team
from tilewright.dialects import math as math_ops
from tilewright.dialects.families import FloatUnary
from tilewright.frontends.tensor_language.rules.facts import integer_of, name_of
from tilewright.ir.check_reports import spoken
from tilewright.ir.core import Operation
from tilewright.ir.types import BOOL, C32, I16, I32, I64, CoopMatrixType, ScalarType, element_of
from tilewright.numerics.formats import FLOAT_FORMATS
from tilewright.numerics.rounding import nearest


def constant(op: arith.Constant, report: Report) -> None:
    """The literal's kind and range."""
    element = element_of(op.out.type)
    if element is None:
        return
    value, where = op.value, op.place("value")
    kind, wanted = _kind_of(value), _kind_for(element)
    if kind != wanted:
        report.error("V19", where, f"a constant of type {element} is {wanted}, this is {kind}").hint(
            f"write {_rewritten(value, element)}"
        )
    elif isinstance(value, int) and element.is_integer:
        half = 1 << (element.bits - 1)
        if not -half <= value < half:
            finding = report.error("V19", where, f"{value} is no {element}, which holds {-half} to {half - 1}")
            wider = next((t for t in (I16, I32, I64) if -(1 << (t.bits - 1)) <= value < 1 << (t.bits - 1)), I64)
            finding.hint(f"use {wider}, or a number in the range; the bits of larger ones are written as negative")
    elif isinstance(value, float):
        _float_range(op, value, element, report)
    elif isinstance(value, complex):
        for part in (value.real, value.imag):
            _float_range(op, part, element.component, report)


def _rewritten(value: bool | int | float | complex, element: ScalarType) -> str:
    """The literal nearest to `value` that the type takes."""
    if element is BOOL:
        return "true" if value else "false"
    real = value.real if isinstance(value, complex) else value
    if element.is_integer:
        return str(int(real)) if math.isfinite(real) else "an integer"
    return str(float(real)) if element.is_float else f"[{float(real)}, 0.0]"


def _kind_of(value: bool | int | float | complex) -> str:
    match value:
        case bool():
            return "a bool"
        case int():
            return "an integer"
        case float():
            return "a float"
        case complex():
            return "a complex number"


def _kind_for(element: ScalarType) -> str:
    if element is BOOL:
        return "a bool"
    return "an integer" if element.is_integer else "a float" if element.is_float else "a complex number"


def _float_range(op: arith.Constant, value: float, element: ScalarType, report: Report) -> None:
    stored = nearest(value, FLOAT_FORMATS[element.name])
    if math.isinf(stored) and not math.isinf(value):
        report.error("V19", op.place("value"), f"{value!r} is beyond the range of {element}").hint(
            "write inf if you mean it"
        )
    elif stored == 0.0 and value != 0.0:
        report.warning("V19", op.place("value"), f"{value!r} becomes 0 in {element}").hint(
            f"write 0.0 if you mean it, or use {'c64' if op.out.type is C32 else 'f64'}"
        )


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
        ).label(op.rhs.location, "defined here").hint(f"shift {element} by 0 to {element.bits - 1}")


def cast(op: arith.Cast, report: Report) -> None:
    """No way from complex to real, none for bool, matrices keep shape and (but acc to a or b) use."""
    source, target = op.value.type, op.out.type
    a, b = element_of(source), element_of(target)
    if a is None or b is None:
        return
    if b is BOOL:
        report.error("V35", op.place("type"), f"{a} cannot be cast to bool").hint(
            "compare it with a constant 0: `not_equal` says where it is not 0"
        )
        return
    if a.is_complex and not b.is_complex:
        report.error("V35", op.place("type"), f"{a} cannot be cast to {b}").hint("take the part you want with re or im")
    if isinstance(source, CoopMatrixType) != isinstance(target, CoopMatrixType):
        report.error("V35", op.place("type"), f"{source} cannot be cast to {target}").label(
            op.value.location, "defined here"
        ).hint(
            "scalars are cast to scalars and matrices to matrices; cooperative_matrix_construct makes one of the other"
        )
    elif isinstance(source, CoopMatrixType) and isinstance(target, CoopMatrixType):
        if source.shape != target.shape:
            report.error("V35", op.place("type"), "a cast keeps the shape of a cooperative matrix").label(
                op.value.location, f"this is {source.rows}x{source.columns}"
            ).hint(f"write {CoopMatrixType(target.element, *source.shape, target.use)}")
        elif source.use is not target.use and source.use.value != "matrix_acc":
            report.error("V35", op.place("type"), "a cast changes the use of a matrix only from matrix_acc").label(
                op.value.location, f"this is a {source.use.value}"
            ).hint(f"write {CoopMatrixType(target.element, *source.shape, source.use)}")


def function(op: FloatUnary | math_ops.Exp | math_ops.Exp2, report: Report) -> None:
    """Of single numbers, although IR has them of every shape."""
    if isinstance(op.value.type, CoopMatrixType):
        report.error(
            "V34", op.place(("operand", 0)), f"{spoken(op)} is a function of numbers, not {op.value.type}"
        ).label(op.value.location, "defined here").hint("compute it component by component in cooperative_matrix_apply")


def compare(op: arith.Cmp, report: Report) -> None:
    """Numbers only, and an order only for real ones."""
    element = op.lhs.type
    if not isinstance(element, ScalarType):
        report.error("V37", op.place(("operand", 0)), f"{name_of(op.lhs)} is a {element}; numbers are compared").label(
            op.lhs.location, "defined here"
        ).hint("compare component by component in cooperative_matrix_apply")
        return
    ordered = op.predicate not in (arith.Predicate.EQ, arith.Predicate.NE)
    if element is BOOL:
        report.error("V37", op.place(("operand", 0)), "bool values are not compared").hint(
            "use xor for not_equal, and not of it for equal"
        )
    elif ordered and element.is_complex:
        report.error("V37", op.place(("operand", 0)), "complex numbers have no order").hint("compare re, im or abs")


_ONE_TYPE: tuple[type[Operation], ...] = (
    arith.Abs,
    arith.Re,
    arith.Im,
    memref.Size,
    memref.Associated,
    team.GroupId,
    team.NumGroups,
    team.NumSubgroups,
    team.SubgroupSize,
    team.SubgroupId,
    team.SubgroupLinearId,
    team.SubgroupLocalId,
)
"""Instructions whose operands leave one type for the result."""


def result_type(op: Operation, report: Report) -> None:
    """The one type that the result can have."""
    [spec] = op.definition.results.values()
    if spec.infer is None:
        return
    wanted, written = spec.infer(op), op.results[0].type
    if written != wanted:
        report.error("V34", op.place("type"), f"{spoken(op)} gives {wanted}, not {written}").hint(f"write {wanted}")


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    table: dict[type[Operation], object] = {
        arith.Constant: constant,
        arith.Div: division,
        arith.Rem: division,
        arith.Shl: shift,
        arith.Shr: shift,
        arith.Cast: cast,
        arith.Cmp: compare,
        FloatUnary: function,
        math_ops.Exp: function,
        math_ops.Exp2: function,
    }
    for cls in _ONE_TYPE:
        table[cls] = result_type
    return table
