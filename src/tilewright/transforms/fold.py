"""Constant folding: the value of an operation whose operands are constants, exactly as language reference 1.7 says.

Integers and bools are computed here; other elements by `dialects.semantics`, their meaning on NumPy values. A
constant tile has one value everywhere, so elementwise operations fold on tiles as on scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects import arith
from tilewright.dialects import arith_integers as integers
from tilewright.dialects.arith import Predicate
from tilewright.dialects.elementwise import FLOATS, INTEGERS, LANGUAGE
from tilewright.ir.core import Operation
from tilewright.ir.types import BOOL, ScalarType
from tilewright.transforms.emit import Number, constant_of, scalar_type

FOLDABLE: tuple[type[Operation], ...] = (*LANGUAGE, *INTEGERS, *FLOATS)
_DIVISIONS = (
    arith.Div,
    arith.Rem,
    integers.UDiv,
    integers.URem,
    integers.UCeilDiv,
    integers.CeilDiv,
    integers.FloorDiv,
)


def fold(op: Operation) -> Number | None:
    """The constant that `op` computes, or None. Integer division by zero is left alone: it is an error to report."""
    if type(op) not in FOLDABLE or not op.operands:
        return None
    values: list[Number] = []
    for operand in op.operands:
        known = constant_of(operand)
        if known is None:
            return None
        values.append(known)
    return compute(op, values)


def compute(op: Operation, values: Sequence[Number]) -> Number | None:
    """What `op` would compute for these operands, as `fold`."""
    if type(op) not in FOLDABLE:
        return None
    source, result = scalar_type(op.operands[0].type), scalar_type(op.results[0].type)
    if isinstance(op, _DIVISIONS) and source.is_integer and values[1] == 0:
        return None
    integral = (source is BOOL or source.is_integer) and (result is BOOL or result.is_integer)
    if integral and type(op) not in INTEGERS:
        return _integer(op, [int(v) for v in values if not isinstance(v, complex)], source, result)
    return _evaluated(op, values, source, result)


def wrap(value: int, element: ScalarType) -> int:
    """The signed value of the low bits."""
    half = 1 << (element.bits - 1)
    return ((value + half) & ((1 << element.bits) - 1)) - half


def _quotient(a: int, b: int) -> int:
    magnitude = abs(a) // abs(b)
    return magnitude if (a < 0) == (b < 0) else -magnitude


_BINARY: dict[type[Operation], Callable[[int, int, int], int]] = {
    arith.Add: lambda a, b, bits: a + b,
    arith.Sub: lambda a, b, bits: a - b,
    arith.Mul: lambda a, b, bits: a * b,
    arith.Div: lambda a, b, bits: _quotient(a, b),
    arith.Rem: lambda a, b, bits: a - b * _quotient(a, b),
    arith.Max: lambda a, b, bits: max(a, b),
    arith.Min: lambda a, b, bits: min(a, b),
    arith.Shl: lambda a, b, bits: a << (b % bits),
    arith.Shr: lambda a, b, bits: a >> (b % bits),
    arith.And: lambda a, b, bits: a & b,
    arith.Or: lambda a, b, bits: a | b,
    arith.Xor: lambda a, b, bits: a ^ b,
}

_COMPARE: dict[Predicate, Callable[[int, int], bool]] = {
    Predicate.EQ: lambda a, b: a == b,
    Predicate.NE: lambda a, b: a != b,
    Predicate.GT: lambda a, b: a > b,
    Predicate.GE: lambda a, b: a >= b,
    Predicate.LT: lambda a, b: a < b,
    Predicate.LE: lambda a, b: a <= b,
}


def _integer(op: Operation, values: Sequence[int], source: ScalarType, result: ScalarType) -> Number | None:
    match op:
        case arith.Cmp():
            return _COMPARE[op.predicate](values[0], values[1])
        case arith.Not():
            return not values[0] if result is BOOL else wrap(~values[0], result)
        case arith.Neg():
            return wrap(-values[0], result)
        case arith.Abs():
            return wrap(abs(values[0]), result)
        case arith.Cast():
            return wrap(values[0], result)
        case _:
            compute = _BINARY.get(type(op))
            if compute is None:
                return None
            value = compute(values[0], values[1], source.bits)
            return bool(value) if result is BOOL else wrap(value, result)


def _evaluated(op: Operation, values: Sequence[Number], source: ScalarType, result: ScalarType) -> Number | None:
    # Imported here: programs of integers fold without NumPy.
    import numpy as np

    from tilewright.dialects.semantics import dtype_of, evaluate, has_meaning

    # Elementary functions stay: a target's own may differ from NumPy's in the last bit.
    if not has_meaning(op) or op.name.startswith("math."):
        return None
    found = evaluate(op, *(np.asarray(v, dtype=dtype_of(source)) for v in values))
    if result is BOOL:
        return bool(found)
    if result.is_integer:
        return int(found)
    return complex(found) if result.is_complex else float(found)
