"""Patterns on arithmetic that are exact for every operand, bit for bit; floats only where IEEE allows it."""

from __future__ import annotations

from tilewright.dialects import gpu_clusters, memref, scf, team
from tilewright.dialects.arith import (
    Add,
    And,
    Cast,
    Cmp,
    Constant,
    Div,
    Max,
    Min,
    Mul,
    Neg,
    Not,
    Or,
    Predicate,
    Rem,
    Select,
    Shl,
    Shr,
    Sub,
    Xor,
)
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import COMMUTATIVE
from tilewright.ir.evaluation import integer_format
from tilewright.ir.rewriter import Rewriter, pattern
from tilewright.ir.types import BOOL, INDEX
from tilewright.numerics.integers import wrap
from tilewright.transforms.emit import constant_of, literal, scalar_type
from tilewright.transforms.facts import divides

Binary = Add | Sub | Mul | Div | Rem | Max | Min | Shl | Shr | And | Or | Xor
_BINARY = (Add, Sub, Mul, Div, Rem, Max, Min, Shl, Shr, And, Or, Xor)


def _integral(op: Operation) -> bool:
    element = scalar_type(op.operands[0].type)
    return element is BOOL or element.is_integer


@pattern(Add, Mul, Max, Min, And, Or, Xor)
def constant_to_the_right(op: Binary, rewriter: Rewriter) -> bool:
    """`c + x` -> `x + c`."""
    assert COMMUTATIVE in op.definition.traits
    if constant_of(op.lhs) is None or constant_of(op.rhs) is not None:
        return False
    left, right = op.lhs, op.rhs
    op.set_operand(0, right)
    op.set_operand(1, left)
    rewriter.changed(op)
    return True


@pattern(*_BINARY)
def right_identity(op: Binary, rewriter: Rewriter) -> bool:
    """`x + 0`, `x * 1`, `x << 0`, `x & -1`, .. -> `x`; for floats only `x * 1` and `x / 1`."""
    known = constant_of(op.rhs)
    if known is None:
        return False
    minus_one = True if scalar_type(op.out.type) is BOOL else -1
    match op:
        case Mul() | Div():
            # Complex products with 1 turn infinities into NaN, so they stay.
            same = known == 1 and not scalar_type(op.out.type).is_complex
        case Add() | Sub() | Shl() | Shr() | Or() | Xor():
            same = known == 0 and _integral(op)
        case And():
            same = known == minus_one
        case _:
            same = False
    if same:
        rewriter.replace(op, [op.lhs])
    return same


@pattern(Mul, And, Rem)
def absorbing(op: Mul | And | Rem, rewriter: Rewriter) -> bool:
    """`x * 0`, `x & 0`, `x rem 1` -> 0 on integers."""
    known = constant_of(op.rhs)
    if known is None or not _integral(op) or known != (1 if isinstance(op, Rem) else 0):
        return False
    _constant(op, 0, rewriter)
    return True


@pattern(Sub, Xor, Max, Min, And, Or)
def equal_operands(op: Sub | Xor | Max | Min | And | Or, rewriter: Rewriter) -> bool:
    """`x - x` -> 0 on integers, `max(x, x)` -> `x`."""
    if op.lhs is not op.rhs:
        return False
    if isinstance(op, Sub | Xor):
        if not _integral(op):
            return False
        _constant(op, 0, rewriter)
    else:
        rewriter.replace(op, [op.lhs])
    return True


def _constant(op: Operation, value: int, rewriter: Rewriter) -> None:
    element = scalar_type(op.results[0].type)
    number = bool(value) if element is BOOL else literal(value, element)
    rewriter.replace(op, [rewriter.insert(Constant(number, result_types=[op.results[0].type])).out])


@pattern(Add, Sub)
def add_constants(op: Add | Sub, rewriter: Rewriter) -> bool:
    """`(x + a) + b` -> `x + (a + b)` on integers, which wrap; likewise with minus."""
    outer = _signed(op)
    inner_op = op.lhs.defining_op
    if outer is None or not isinstance(inner_op, Add | Sub):
        return False
    inner = _signed(inner_op)
    if inner is None:
        return False
    total = wrap(outer + inner, integer_format(op).bits)
    constant = rewriter.insert(Constant(total, result_types=[op.out.type])).out
    rewriter.replace(op, [rewriter.insert(Add(inner_op.lhs, constant)).out])
    return True


def _signed(op: Add | Sub) -> int | None:
    known = constant_of(op.rhs)
    if not isinstance(known, int) or not scalar_type(op.out.type).is_integer:
        return None
    return -known if isinstance(op, Sub) else known


@pattern(Add)
def add_of_difference(op: Add, rewriter: Rewriter) -> bool:
    """`(a - b) + b` -> `a` on integers."""
    for difference, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        inner = difference.defining_op
        if isinstance(inner, Sub) and inner.rhs is other and _integral(op):
            rewriter.replace(op, [inner.lhs])
            return True
    return False


@pattern(Sub)
def difference_of_sum(op: Sub, rewriter: Rewriter) -> bool:
    """`(a + b) - b` -> `a`, `a - (a - b)` -> `b` on integers."""
    if not _integral(op):
        return False
    left, right = op.lhs.defining_op, op.rhs.defining_op
    if isinstance(left, Add) and op.rhs in (left.lhs, left.rhs):
        rewriter.replace(op, [left.lhs if left.rhs is op.rhs else left.rhs])
        return True
    if isinstance(right, Sub) and right.lhs is op.lhs:
        rewriter.replace(op, [right.rhs])
        return True
    return False


@pattern(Rem)
def exact_multiple(op: Rem, rewriter: Rewriter) -> bool:
    """`x rem c` -> 0 where x is known to be a multiple of c."""
    known = constant_of(op.rhs)
    if not isinstance(known, int) or known == 0 or op.out.type is not INDEX or not divides(abs(known), op.lhs):
        return False
    _constant(op, 0, rewriter)
    return True


@pattern(Max)
def maximum_with_zero(op: Max, rewriter: Rewriter) -> bool:
    """`max(x, 0)` -> `x` where x is an extent or another value known not to be negative."""
    if constant_of(op.rhs) != 0 or op.out.type is not INDEX or not not_negative(op.lhs):
        return False
    rewriter.replace(op, [op.lhs])
    return True


def not_negative(value: Value) -> bool:
    """Whether an integer is certainly at least 0."""
    op = value.defining_op
    known = constant_of(value)
    if isinstance(known, int):
        return known >= 0
    match op:
        case memref.Size() | team.GroupId() | team.NumGroups() | team.SubgroupId() | team.SubgroupLocalId():
            return True
        case team.SubgroupLinearId() | team.NumSubgroups() | team.SubgroupSize() | team.Part() | team.NumParts():
            return True
        case gpu_clusters.ClusterId() | gpu_clusters.ClusterRank():
            return True
        case Cast():
            wide = scalar_type(op.out.type).bits >= scalar_type(op.value.type).bits
            return scalar_type(op.value.type).is_integer and wide and not_negative(op.value)
        case Min() | Max():
            first, second = not_negative(op.lhs), not_negative(op.rhs)
            return (first and second) if isinstance(op, Min) else (first or second)
        case Rem():
            return not_negative(op.lhs)
        case None:
            loop = value.block.parent_op if isinstance(value, BlockArgument) else None
            return isinstance(loop, scf.For) and value is loop.index and not_negative(loop.lower)
        case _:
            return False


_REFLEXIVE = {Predicate.EQ, Predicate.GE, Predicate.LE}
_NEGATED = {
    Predicate.EQ: Predicate.NE,
    Predicate.NE: Predicate.EQ,
    Predicate.LT: Predicate.GE,
    Predicate.GE: Predicate.LT,
    Predicate.GT: Predicate.LE,
    Predicate.LE: Predicate.GT,
}


@pattern(Cmp)
def compare_with_itself(op: Cmp, rewriter: Rewriter) -> bool:
    """`x <= x` -> true on integers."""
    if op.lhs is not op.rhs or not _integral(op):
        return False
    value = op.predicate in _REFLEXIVE
    rewriter.replace(op, [rewriter.insert(Constant(value, result_types=[op.out.type])).out])
    return True


@pattern(Not, Neg)
def twice(op: Not | Neg, rewriter: Rewriter) -> bool:
    """`not not x`, `- - x` -> `x`; `not (a < b)` -> `a >= b` on integers."""
    inner = op.value.defining_op
    if inner is not None and type(inner) is type(op):
        rewriter.replace(op, [inner.operands[0]])
        return True
    if isinstance(op, Not) and isinstance(inner, Cmp) and _integral(inner):
        rewriter.replace(op, [rewriter.insert(Cmp(_NEGATED[inner.predicate], inner.lhs, inner.rhs)).out])
        return True
    return False


@pattern(Select)
def known_choice(op: Select, rewriter: Rewriter) -> bool:
    """`select(true, a, b)` -> `a`, `select(c, a, a)` -> `a`."""
    known = constant_of(op.condition)
    if known is None and op.on_true is not op.on_false:
        return False
    rewriter.replace(op, [op.on_true if known or known is None else op.on_false])
    return True


@pattern(Cast)
def cast_of_cast(op: Cast, rewriter: Rewriter) -> bool:
    """A cast to the same type goes; two integer casts become one where the first loses nothing."""
    if op.value.type == op.out.type:
        rewriter.replace(op, [op.value])
        return True
    inner = op.value.defining_op
    if not isinstance(inner, Cast):
        return False
    source, middle, target = (scalar_type(v.type) for v in (inner.value, op.value, op.out))
    exact = source.is_integer and middle.is_integer and target.is_integer and middle.bits >= source.bits
    if not exact:
        return False
    rewriter.replace(op, [rewriter.insert(Cast(inner.value, result_types=[op.out.type])).out])
    return True


ARITHMETIC = (
    constant_to_the_right,
    right_identity,
    absorbing,
    equal_operands,
    add_constants,
    add_of_difference,
    difference_of_sum,
    exact_multiple,
    maximum_with_zero,
    compare_with_itself,
    twice,
    known_choice,
    cast_of_cast,
)
