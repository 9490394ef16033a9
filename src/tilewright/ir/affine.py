"""Affine expressions, maps and sets, as MLIR has them: `affine_map<(d0, d1)[s0] -> (d0 + s0, d1 * 2)>`.

Expressions are built by `add`, `multiply`, `negate` and `divide`, which fold constants and put them on the right.
`str()` spells an expression as MLIR does.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct

from tilewright.ir.attributes import AttributeValue


class AffineOperator(Enum):
    """Operators; the value is the spelling."""

    ADD = "+"
    MULTIPLY = "*"
    MOD = "mod"
    FLOORDIV = "floordiv"
    CEILDIV = "ceildiv"


class AffineExpression:
    """Base of expressions."""

    __slots__ = ()

    @property
    def is_symbolic(self) -> bool:
        """Whether it has symbols and constants only."""
        return True

    def __str__(self) -> str:
        return _spell(self, tight=False)


class Dimension(AffineExpression, Struct, frozen=True):
    """A dimension of the map, such as a loop's index."""

    position: int

    @property
    def is_symbolic(self) -> bool:
        return False

    __str__ = AffineExpression.__str__


class AffineSymbol(AffineExpression, Struct, frozen=True):
    """A symbol: a number that does not change while the map is used."""

    position: int

    __str__ = AffineExpression.__str__


class AffineConstant(AffineExpression, Struct, frozen=True):
    """A number."""

    value: int

    __str__ = AffineExpression.__str__


class AffineBinary(AffineExpression, Struct, frozen=True):
    """An operator and its operands; `symbolic` is known when it is built."""

    operator: AffineOperator
    lhs: AffineExpression
    rhs: AffineExpression
    symbolic: bool

    @property
    def is_symbolic(self) -> bool:
        return self.symbolic

    __str__ = AffineExpression.__str__


_MINUS_ONE: Final = AffineConstant(-1)
_HALF: Final = 1 << 63


class NotAffine(ValueError):
    """The operands make no affine expression."""


def _constant(value: int) -> AffineConstant:
    """A number of 64 bits, around which index arithmetic wraps."""
    return AffineConstant((value + _HALF) % (2 * _HALF) - _HALF)


def _binary(operator: AffineOperator, lhs: AffineExpression, rhs: AffineExpression) -> AffineBinary:
    return AffineBinary(operator, lhs, rhs, lhs.is_symbolic and rhs.is_symbolic)


def add(lhs: AffineExpression, rhs: AffineExpression) -> AffineExpression:
    """The sum, its constant last."""
    if isinstance(lhs, AffineConstant) and isinstance(rhs, AffineConstant):
        return _constant(lhs.value + rhs.value)
    if isinstance(lhs, AffineConstant) or (lhs.is_symbolic and not rhs.is_symbolic):
        return add(rhs, lhs)
    tail = _constant_tail(lhs, AffineOperator.ADD)
    if isinstance(rhs, AffineConstant):
        if rhs.value == 0:
            return lhs
        if tail is not None:
            return add(tail.lhs, add(tail.rhs, rhs))
    elif tail is not None:
        return add(add(tail.lhs, rhs), tail.rhs)
    return _binary(AffineOperator.ADD, lhs, rhs)


def multiply(lhs: AffineExpression, rhs: AffineExpression) -> AffineExpression:
    """The product. Raises `NotAffine` if both operands have dimensions."""
    if not lhs.is_symbolic and not rhs.is_symbolic:
        raise NotAffine("one operand of a product has no dimensions in an affine expression")
    if isinstance(lhs, AffineConstant) and isinstance(rhs, AffineConstant):
        return _constant(lhs.value * rhs.value)
    if not rhs.is_symbolic or isinstance(lhs, AffineConstant):
        return multiply(rhs, lhs)
    tail = _constant_tail(lhs, AffineOperator.MULTIPLY)
    if isinstance(rhs, AffineConstant):
        if rhs.value == 1:
            return lhs
        if rhs.value == 0:
            return rhs
        if tail is not None:
            return multiply(tail.lhs, multiply(tail.rhs, rhs))
    elif tail is not None:
        return multiply(multiply(tail.lhs, rhs), tail.rhs)
    return _binary(AffineOperator.MULTIPLY, lhs, rhs)


def negate(operand: AffineExpression) -> AffineExpression:
    """The expression times -1."""
    return multiply(operand, _MINUS_ONE)


def divide(operator: AffineOperator, lhs: AffineExpression, rhs: AffineExpression) -> AffineExpression:
    """MOD, FLOORDIV or CEILDIV. Raises `NotAffine` for divisors that have dimensions or are no positive constant."""
    if not rhs.is_symbolic:
        raise NotAffine(f"the right operand of {operator.value} has no dimensions in an affine expression")
    if isinstance(rhs, AffineConstant):
        if rhs.value < 1:
            raise NotAffine(f"the right operand of {operator.value} is positive in an affine expression")
        if isinstance(lhs, AffineConstant):
            return AffineConstant(_divided(operator, lhs.value, rhs.value))
        if rhs.value == 1:
            return AffineConstant(0) if operator is AffineOperator.MOD else lhs
        whole = _whole_tail(lhs, rhs.value)
        if whole is not None:
            rest, times = whole
            found = divide(operator, rest, rhs)
            return found if operator is AffineOperator.MOD else add(found, AffineConstant(times))
    return _binary(operator, lhs, rhs)


def _whole_tail(expression: AffineExpression, divisor: int) -> tuple[AffineExpression, int] | None:
    """An expression without the multiple of a divisor that is added to it, and how many times that is."""
    tail = _constant_tail(expression, AffineOperator.ADD)
    if tail is None:
        return None
    assert isinstance(tail.rhs, AffineConstant)
    return None if tail.rhs.value % divisor else (tail.lhs, tail.rhs.value // divisor)


def _divided(operator: AffineOperator, value: int, divisor: int) -> int:
    match operator:
        case AffineOperator.MOD:
            return value % divisor
        case AffineOperator.CEILDIV:
            return -(-value // divisor)
        case _:
            return value // divisor


def _constant_tail(expression: AffineExpression, operator: AffineOperator) -> AffineBinary | None:
    """The expression, if it is one of this operator whose right operand is a constant."""
    if not isinstance(expression, AffineBinary) or expression.operator is not operator:
        return None
    return expression if isinstance(expression.rhs, AffineConstant) else None


def _spell(expression: AffineExpression, *, tight: bool) -> str:
    """The text; in parentheses where an operator that binds `tight` stands around a sum or product."""
    match expression:
        case Dimension(position):
            return f"d{position}"
        case AffineSymbol(position):
            return f"s{position}"
        case AffineConstant(value):
            return str(value)
        case AffineBinary(AffineOperator.ADD, lhs, rhs):
            text = _spell(lhs, tight=False) + _addend(rhs)
        case AffineBinary(AffineOperator.MULTIPLY, lhs, AffineConstant(-1)):
            text = "-" + _spell(lhs, tight=True)
        case AffineBinary(operator, lhs, rhs):
            text = f"{_spell(lhs, tight=True)} {operator.value} {_spell(rhs, tight=True)}"
        case _:
            raise AssertionError(f"not an affine expression: {expression!r}")
    return f"({text})" if tight else text


def _addend(rhs: AffineExpression) -> str:
    """`+ x`, or `- x` where the right operand is negative."""
    match rhs:
        case AffineConstant(value) if value < 0:
            return f" - {-value}"
        case AffineBinary(AffineOperator.MULTIPLY, inner, AffineConstant(-1)):
            is_sum = isinstance(inner, AffineBinary) and inner.operator is AffineOperator.ADD
            return f" - {_spell(inner, tight=is_sum)}"
        case AffineBinary(AffineOperator.MULTIPLY, inner, AffineConstant(value)) if value < -1:
            return f" - {_spell(inner, tight=True)} * {-value}"
        case _:
            return f" + {_spell(rhs, tight=False)}"


def _header(dimensions: int, symbols: int) -> str:
    text = "(" + ", ".join(f"d{i}" for i in range(dimensions)) + ")"
    return text + ("[" + ", ".join(f"s{i}" for i in range(symbols)) + "]" if symbols else "")


class AffineMap(AttributeValue, Struct, frozen=True):
    """From dimensions and symbols to a list of numbers."""

    dimensions: int
    symbols: int
    results: tuple[AffineExpression, ...]

    @property
    def is_identity(self) -> bool:
        """Whether the results are the dimensions in their order."""
        return not self.symbols and self.results == tuple(Dimension(i) for i in range(self.dimensions))

    def __str__(self) -> str:
        results = ", ".join(map(str, self.results))
        return f"affine_map<{_header(self.dimensions, self.symbols)} -> ({results})>"


class AffineConstraint(Struct, frozen=True):
    """`expression == 0` if it is an equality, else `expression >= 0`."""

    expression: AffineExpression
    is_equality: bool

    def __str__(self) -> str:
        return f"{self.expression} {'==' if self.is_equality else '>='} 0"


class IntegerSet(AttributeValue, Struct, frozen=True):
    """The integers that fulfil all constraints."""

    dimensions: int
    symbols: int
    constraints: tuple[AffineConstraint, ...]

    def __str__(self) -> str:
        constraints = ", ".join(map(str, self.constraints))
        return f"affine_set<{_header(self.dimensions, self.symbols)} : ({constraints})>"
