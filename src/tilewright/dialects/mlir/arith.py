"""MLIR's arith: integers without a sign of their own, floats with flags for optimisers."""

from __future__ import annotations

from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import (
    BOOLEAN_TYPE,
    FLOAT_LIKE,
    INTEGER_LIKE,
    NUMBER_LIKE,
    MlirOperation,
    boolean_type,
    fail,
    integer_of,
)
from tilewright.ir.attributes import Attribute, AttributeValue
from tilewright.ir.definition import (
    COMMUTATIVE,
    PURE,
    Value,
    attribute,
    operand,
    optional_attribute,
    result,
)
from tilewright.ir.mlir.attributes import FloatAttribute, IntegerAttribute
from tilewright.ir.mlir.types import layout_of, width_of
from tilewright.ir.types import ANY, BOOL, INDEX, ScalarType

_INTEGERS = "$lhs , $rhs <attributes> : @lhs"
_WRAPPING = "$lhs , $rhs <overflow> <attributes> : @lhs"
_FLOATS = "$lhs , $rhs <fastmath> <attributes> : @lhs"


class IntegerBinary(MlirOperation):
    """Of two integers or indices of one type."""

    lhs: Value = operand(INTEGER_LIKE, var="T")
    rhs: Value = operand(INTEGER_LIKE, var="T")
    out: Value = result(var="T")


class FloatBinary(MlirOperation):
    """Of two floats of one type; `fastmath` says what an optimiser may assume."""

    lhs: Value = operand(FLOAT_LIKE, var="T")
    rhs: Value = operand(FLOAT_LIKE, var="T")
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(var="T")


class Constant(MlirOperation, name="arith.constant", traits=(PURE,), assembly="<constant>"):
    """A number; its attribute has its type."""

    value: Attribute = attribute(object)
    out: Value = result(ANY)

    def verify(self, report: Report) -> None:
        value = self.value
        type_ = value.type if isinstance(value, IntegerAttribute | FloatAttribute) else BOOL
        known = isinstance(value, bool | IntegerAttribute | FloatAttribute)
        if known and type_ != self.result.type:
            fail(self, report, f"the value is of type {type_}, the result of type {self.result.type}")


class AddI(IntegerBinary, name="arith.addi", traits=(PURE, COMMUTATIVE), assembly=_WRAPPING):
    """Sum, modulo the width."""

    overflowFlags: Attribute = optional_attribute(AttributeValue, default=None)


class SubI(IntegerBinary, name="arith.subi", traits=(PURE,), assembly=_WRAPPING):
    """Difference, modulo the width."""

    overflowFlags: Attribute = optional_attribute(AttributeValue, default=None)


class MulI(IntegerBinary, name="arith.muli", traits=(PURE, COMMUTATIVE), assembly=_WRAPPING):
    """Product, modulo the width."""

    overflowFlags: Attribute = optional_attribute(AttributeValue, default=None)


class ShLI(IntegerBinary, name="arith.shli", traits=(PURE,), assembly=_WRAPPING):
    """Shift to the left; amounts as large as the width are undefined."""

    overflowFlags: Attribute = optional_attribute(AttributeValue, default=None)


class DivSI(IntegerBinary, name="arith.divsi", traits=(PURE,), assembly=_INTEGERS):
    """Signed quotient, towards zero."""


class DivUI(IntegerBinary, name="arith.divui", traits=(PURE,), assembly=_INTEGERS):
    """Unsigned quotient."""


class CeilDivSI(IntegerBinary, name="arith.ceildivsi", traits=(PURE,), assembly=_INTEGERS):
    """Signed quotient, rounded up."""


class CeilDivUI(IntegerBinary, name="arith.ceildivui", traits=(PURE,), assembly=_INTEGERS):
    """Unsigned quotient, rounded up."""


class FloorDivSI(IntegerBinary, name="arith.floordivsi", traits=(PURE,), assembly=_INTEGERS):
    """Signed quotient, rounded down."""


class RemSI(IntegerBinary, name="arith.remsi", traits=(PURE,), assembly=_INTEGERS):
    """Signed remainder, with the sign of the dividend."""


class RemUI(IntegerBinary, name="arith.remui", traits=(PURE,), assembly=_INTEGERS):
    """Unsigned remainder."""


class AndI(IntegerBinary, name="arith.andi", traits=(PURE, COMMUTATIVE), assembly=_INTEGERS):
    """Bitwise and."""


class OrI(IntegerBinary, name="arith.ori", traits=(PURE, COMMUTATIVE), assembly=_INTEGERS):
    """Bitwise or."""


class XOrI(IntegerBinary, name="arith.xori", traits=(PURE, COMMUTATIVE), assembly=_INTEGERS):
    """Bitwise exclusive or."""


class ShRSI(IntegerBinary, name="arith.shrsi", traits=(PURE,), assembly=_INTEGERS):
    """Arithmetic shift to the right."""


class ShRUI(IntegerBinary, name="arith.shrui", traits=(PURE,), assembly=_INTEGERS):
    """Logical shift to the right."""


class MaxSI(IntegerBinary, name="arith.maxsi", traits=(PURE, COMMUTATIVE), assembly=_INTEGERS):
    """Signed maximum."""


class MaxUI(IntegerBinary, name="arith.maxui", traits=(PURE, COMMUTATIVE), assembly=_INTEGERS):
    """Unsigned maximum."""


class MinSI(IntegerBinary, name="arith.minsi", traits=(PURE, COMMUTATIVE), assembly=_INTEGERS):
    """Signed minimum."""


class MinUI(IntegerBinary, name="arith.minui", traits=(PURE, COMMUTATIVE), assembly=_INTEGERS):
    """Unsigned minimum."""


class AddF(FloatBinary, name="arith.addf", traits=(PURE, COMMUTATIVE), assembly=_FLOATS):
    """Sum."""


class SubF(FloatBinary, name="arith.subf", traits=(PURE,), assembly=_FLOATS):
    """Difference."""


class MulF(FloatBinary, name="arith.mulf", traits=(PURE, COMMUTATIVE), assembly=_FLOATS):
    """Product."""


class DivF(FloatBinary, name="arith.divf", traits=(PURE,), assembly=_FLOATS):
    """Quotient."""


class RemF(FloatBinary, name="arith.remf", traits=(PURE,), assembly=_FLOATS):
    """Remainder, with the sign of the dividend."""


class MaximumF(FloatBinary, name="arith.maximumf", traits=(PURE, COMMUTATIVE), assembly=_FLOATS):
    """Maximum; NaN if either is, +0 above -0."""


class MinimumF(FloatBinary, name="arith.minimumf", traits=(PURE, COMMUTATIVE), assembly=_FLOATS):
    """Minimum; NaN if either is, -0 below +0."""


class MaxNumF(FloatBinary, name="arith.maxnumf", traits=(PURE, COMMUTATIVE), assembly=_FLOATS):
    """Maximum; a number wins over NaN."""


class MinNumF(FloatBinary, name="arith.minnumf", traits=(PURE, COMMUTATIVE), assembly=_FLOATS):
    """Minimum; a number wins over NaN."""


class NegF(MlirOperation, name="arith.negf", traits=(PURE,), assembly="$operand <fastmath> <attributes> : @operand"):
    """The number with its sign changed."""

    operand: Value = operand(FLOAT_LIKE, var="T")
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(var="T")


INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_NAMES_OF_FLOATS: Final = "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true"
FLOAT_PREDICATES: Final = tuple(_NAMES_OF_FLOATS.split(" "))
"""In the order of their numbers."""


class CmpI(MlirOperation, name="arith.cmpi", traits=(PURE,), assembly="<predicate> , $lhs , $rhs <attributes> : @lhs"):
    """Compares integers; `predicate` is the number of the relation among `INTEGER_PREDICATES`."""

    lhs: Value = operand(INTEGER_LIKE, var="T")
    rhs: Value = operand(INTEGER_LIKE, var="T")
    predicate: Attribute = attribute(IntegerAttribute)
    out: Value = result(BOOLEAN_TYPE, infer=boolean_type)

    @property
    def relation(self) -> str:
        """The relation by its name."""
        return INTEGER_PREDICATES[integer_of(self.predicate)]

    def verify(self, report: Report) -> None:
        if not 0 <= integer_of(self.predicate) < len(INTEGER_PREDICATES):
            fail(self, report, f"there is no predicate {integer_of(self.predicate)}")


class CmpF(
    MlirOperation,
    name="arith.cmpf",
    traits=(PURE,),
    assembly="<predicate> , $lhs , $rhs <fastmath> <attributes> : @lhs",
):
    """Compares floats; `predicate` is the number of the relation among `FLOAT_PREDICATES`: o is ordered, u is not."""

    lhs: Value = operand(FLOAT_LIKE, var="T")
    rhs: Value = operand(FLOAT_LIKE, var="T")
    predicate: Attribute = attribute(IntegerAttribute)
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(BOOLEAN_TYPE, infer=boolean_type)

    @property
    def relation(self) -> str:
        """The relation by its name."""
        return FLOAT_PREDICATES[integer_of(self.predicate)]

    def verify(self, report: Report) -> None:
        if not 0 <= integer_of(self.predicate) < len(FLOAT_PREDICATES):
            fail(self, report, f"there is no predicate {integer_of(self.predicate)}")


class Select(MlirOperation, name="arith.select", traits=(PURE,), assembly="<select>"):
    """`true_value` where the condition holds, else `false_value`."""

    condition: Value = operand(BOOLEAN_TYPE)
    true_value: Value = operand(var="T")
    false_value: Value = operand(var="T")
    out: Value = result(var="T")


class Conversion(MlirOperation):
    """From one type to another; which ones, `verify` says."""

    def _wider(self, report: Report, grows: bool) -> None:
        source, target = self.operands[0].type, self.results[0].type
        before, after = _width(source), _width(target)
        if INDEX in (source, target):
            fail(self, report, f"index has no width: use arith.index_cast from {source} to {target}", 0)
        elif before is not None and after is not None and (before >= after if grows else before <= after):
            fail(self, report, f"{target} is no {'wider' if grows else 'narrower'} than {source}", 0)


def _width(type_: object) -> int | None:
    if not isinstance(type_, ScalarType):
        return None
    layout = layout_of(type_)
    return width_of(type_) if layout is None else layout.width


class ExtF(Conversion, name="arith.extf", traits=(PURE,), assembly="$in_ <fastmath> <attributes> : @in_ to @out"):
    """The same number in a wider float."""

    in_: Value = operand(FLOAT_LIKE)
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(FLOAT_LIKE)

    def verify(self, report: Report) -> None:
        self._wider(report, True)


class TruncF(Conversion, name="arith.truncf", traits=(PURE,), assembly="$in_ <fastmath> <attributes> : @in_ to @out"):
    """The nearest number of a narrower float, ties to even."""

    in_: Value = operand(FLOAT_LIKE)
    fastmath: Attribute = optional_attribute(AttributeValue, default=None)
    roundingmode: Attribute = optional_attribute(object, default=None)
    out: Value = result(FLOAT_LIKE)

    def verify(self, report: Report) -> None:
        self._wider(report, False)


class ExtSI(Conversion, name="arith.extsi", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """Extended by the sign."""

    in_: Value = operand(INTEGER_LIKE)
    out: Value = result(INTEGER_LIKE)

    def verify(self, report: Report) -> None:
        self._wider(report, True)


class ExtUI(Conversion, name="arith.extui", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """Extended by zeros."""

    in_: Value = operand(INTEGER_LIKE)
    out: Value = result(INTEGER_LIKE)

    def verify(self, report: Report) -> None:
        self._wider(report, True)


class TruncI(Conversion, name="arith.trunci", traits=(PURE,), assembly="$in_ <overflow> <attributes> : @in_ to @out"):
    """The lowest bits."""

    in_: Value = operand(INTEGER_LIKE)
    overflowFlags: Attribute = optional_attribute(AttributeValue, default=None)
    out: Value = result(INTEGER_LIKE)

    def verify(self, report: Report) -> None:
        self._wider(report, False)


class SIToFP(Conversion, name="arith.sitofp", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """A signed integer as a float."""

    in_: Value = operand(INTEGER_LIKE)
    out: Value = result(FLOAT_LIKE)


class UIToFP(Conversion, name="arith.uitofp", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """An unsigned integer as a float."""

    in_: Value = operand(INTEGER_LIKE)
    out: Value = result(FLOAT_LIKE)


class FPToSI(Conversion, name="arith.fptosi", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """Towards zero, to a signed integer."""

    in_: Value = operand(FLOAT_LIKE)
    out: Value = result(INTEGER_LIKE)


class FPToUI(Conversion, name="arith.fptoui", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """Towards zero, to an unsigned integer."""

    in_: Value = operand(FLOAT_LIKE)
    out: Value = result(INTEGER_LIKE)


class IndexCast(Conversion, name="arith.index_cast", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """Between index and integers, signed."""

    in_: Value = operand(INTEGER_LIKE)
    out: Value = result(INTEGER_LIKE)


class IndexCastUI(Conversion, name="arith.index_castui", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """Between index and integers, unsigned."""

    in_: Value = operand(INTEGER_LIKE)
    out: Value = result(INTEGER_LIKE)


class Bitcast(Conversion, name="arith.bitcast", traits=(PURE,), assembly="$in_ <attributes> : @in_ to @out"):
    """The same bits as another type of equal width."""

    in_: Value = operand(NUMBER_LIKE)
    out: Value = result(NUMBER_LIKE)
