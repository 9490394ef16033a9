"""Arithmetic on scalars, tiles and cooperative matrices; the semantics of language reference 1.7 and 1.9.

Integers are signless and wrap; what cares about the sign is signed. Nothing traps: `x / 0 = 0`, `x rem 0 = x`,
`MIN / -1 = MIN`, shift amounts count modulo the width. Floats are IEEE, round to nearest even, never contracted.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from tilewright.dialects.families import BitwiseBinary, IntegerBinary, NumberBinary, RealBinary, zero_divisor
from tilewright.ir.definition import COMMUTATIVE, PURE, Operation, Value, attribute, operand, result
from tilewright.ir.evaluation import on_numbers
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import (
    BOOL,
    SHAPED,
    SHAPED_BOOL_OR_INTEGER,
    SHAPED_BOOLEAN,
    SHAPED_COMPLEX,
    SHAPED_FLOAT_OR_COMPLEX,
    SHAPED_NUMBER,
    Type,
    element_of,
    with_element,
)
from tilewright.numerics import conversions, floats, integers, numbers
from tilewright.numerics.formats import I1, FloatFormat
from tilewright.numerics.integers import Relation
from tilewright.numerics.overloads import where


def component_type(op: Operation) -> Type:
    """The operand's type with the component of its (possibly complex) element."""
    type_ = op.operands[0].type
    element = element_of(type_)
    return type_ if element is None else with_element(type_, element.component)


def boolean_type(op: Operation) -> Type:
    """bool in the shape of the first operand."""
    return with_element(op.operands[0].type, BOOL)


class Constant(Operation, name="arith.constant", traits=(PURE,), code="V19"):
    """A constant; for a tile or cooperative matrix every element has the value.

    `value` is a bool, int, float or complex as the element type demands; integers are in the signed range.
    """

    value: bool | int | float | complex = attribute(object)
    out: Value = result(SHAPED)


class Add(NumberBinary, name="arith.add", traits=(PURE, COMMUTATIVE), code="V34"):
    """Sum."""

    evaluate = on_numbers(numbers.add)


class Sub(NumberBinary, name="arith.sub", traits=(PURE,), code="V34"):
    """Difference."""

    evaluate = on_numbers(numbers.subtract)


class Mul(NumberBinary, name="arith.mul", traits=(PURE, COMMUTATIVE), code="V34"):
    """Product; of complex numbers by the textbook formula."""

    evaluate = on_numbers(numbers.multiply)


class Div(NumberBinary, name="arith.div", traits=(PURE,), code="V34"):
    """Quotient; integers truncate towards zero, 0 for a zero divisor; complex ones are scaled against overflow."""

    evaluate = on_numbers(numbers.divide)
    fault = zero_divisor


class Rem(RealBinary, name="arith.rem", traits=(PURE,), code="V34"):
    """Remainder with the sign of the dividend; the dividend for an integer divisor of zero; fmod for floats."""

    evaluate = on_numbers(numbers.remainder)
    fault = zero_divisor


class Max(RealBinary, name="arith.max", traits=(PURE, COMMUTATIVE), code="V34"):
    """Maximum; a number wins over NaN."""

    evaluate = on_numbers(numbers.maximum)


class Min(RealBinary, name="arith.min", traits=(PURE, COMMUTATIVE), code="V34"):
    """Minimum; a number wins over NaN."""

    evaluate = on_numbers(numbers.minimum)


class Shl(IntegerBinary, name="arith.shl", traits=(PURE,), code="V34"):
    """Shift left by `rhs` modulo the width."""

    evaluate = on_numbers(integers.shift_left)


class Shr(IntegerBinary, name="arith.shr", traits=(PURE,), code="V34"):
    """Arithmetic shift right by `rhs` modulo the width."""

    evaluate = on_numbers(integers.shift_right)


class And(BitwiseBinary, name="arith.and", traits=(PURE, COMMUTATIVE), code="V34"):
    """Bitwise and; logical on bool."""

    evaluate = on_numbers(integers.bitwise_and)


class Or(BitwiseBinary, name="arith.or", traits=(PURE, COMMUTATIVE), code="V34"):
    """Bitwise or; logical on bool."""

    evaluate = on_numbers(integers.bitwise_or)


class Xor(BitwiseBinary, name="arith.xor", traits=(PURE, COMMUTATIVE), code="V34"):
    """Bitwise exclusive or; logical on bool."""

    evaluate = on_numbers(integers.bitwise_xor)


class Abs(Elementwise, name="arith.abs", traits=(PURE,), code="V34"):
    """Absolute value; of a complex number a real one, without undue overflow; `abs(MIN) = MIN`."""

    value: Value = operand(SHAPED_NUMBER)
    out: Value = result(infer=component_type)

    evaluate = on_numbers(numbers.absolute)


class Neg(Elementwise, name="arith.neg", traits=(PURE,), code="V34"):
    """Negation; `neg(MIN) = MIN`."""

    value: Value = operand(SHAPED_NUMBER, var="T")
    out: Value = result(var="T")

    evaluate = on_numbers(numbers.negate)


class Not(Elementwise, name="arith.not", traits=(PURE,), code="V34"):
    """Bitwise complement; logical on bool."""

    value: Value = operand(SHAPED_BOOL_OR_INTEGER, var="T")
    out: Value = result(var="T")

    evaluate = on_numbers(integers.complement)


class Conj(Elementwise, name="arith.conj", traits=(PURE,), code="V34"):
    """Complex conjugate."""

    value: Value = operand(SHAPED_COMPLEX, var="T")
    out: Value = result(var="T")

    evaluate = on_numbers(numbers.conjugate)


class Re(Elementwise, name="arith.re", traits=(PURE,), code="V34"):
    """Real part."""

    value: Value = operand(SHAPED_COMPLEX)
    out: Value = result(infer=component_type)

    evaluate = on_numbers(numbers.real_part)


class Im(Elementwise, name="arith.im", traits=(PURE,), code="V34"):
    """Imaginary part."""

    value: Value = operand(SHAPED_COMPLEX)
    out: Value = result(infer=component_type)

    evaluate = on_numbers(numbers.imaginary_part)


class Predicate(Enum):
    """Comparisons; ordered, but `ne` is true on NaN."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GE = "ge"
    LT = "lt"
    LE = "le"

    @property
    def relation(self) -> Relation:
        """What is compared."""
        return Relation(self.value)


class Cmp(Elementwise, name="arith.cmp", traits=(PURE,), code="V37"):
    """Compares; complex numbers only for equality (equal: both parts, not equal: any)."""

    predicate: Predicate = attribute(Predicate)
    lhs: Value = operand(SHAPED, var="T")
    rhs: Value = operand(SHAPED, var="T")
    out: Value = result(SHAPED_BOOLEAN, infer=boolean_type)

    def evaluate(self, lhs: Any, rhs: Any) -> Any:
        return numbers.compare(self.lhs.type.format, self.predicate.relation, lhs, rhs)


class Cast(Elementwise, name="arith.cast", traits=(PURE,), code="V35"):
    """Converts between number types.

    Integers truncate or sign-extend; to float rounds to nearest even; float to integer truncates, saturates, NaN gives
    0; to bool says whether it is not 0; real to complex has imaginary part 0; complex to real is forbidden.
    """

    value: Value = operand(SHAPED_NUMBER)
    out: Value = result(SHAPED)

    def evaluate(self, value: Any) -> Any:
        source, target = self.value.type.format, self.out.type.format
        if target is I1 and source is not I1:
            return floats.nonzero(source, value) if isinstance(source, FloatFormat) else value != 0
        return conversions.convert(source, target, value)


class Select(Elementwise, name="arith.select", traits=(PURE,)):
    """`on_true` where the condition holds, else `on_false`; a scalar condition chooses whole tiles."""

    condition: Value = operand(SHAPED_BOOLEAN)
    on_true: Value = operand(SHAPED, var="T")
    on_false: Value = operand(SHAPED, var="T")
    out: Value = result(var="T")

    def evaluate(self, condition: Any, on_true: Any, on_false: Any) -> Any:
        return where(condition, on_true, on_false)


class Fma(Elementwise, name="arith.fma", traits=(PURE,)):
    """`a * b + c` with one rounding."""

    a: Value = operand(SHAPED_FLOAT_OR_COMPLEX, var="T")
    b: Value = operand(SHAPED_FLOAT_OR_COMPLEX, var="T")
    c: Value = operand(SHAPED_FLOAT_OR_COMPLEX, var="T")
    out: Value = result(var="T")

    evaluate = on_numbers(numbers.multiply_add)
