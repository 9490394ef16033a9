"""Lowers arith and math: each operation becomes one of the shared dialects, or a few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import arith, arith_floats, arith_integers, math
from tilewright.dialects.arith import Predicate
from tilewright.dialects.mlir import arith as foreign
from tilewright.dialects.mlir import math as foreign_math
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import FloatAttribute, IntegerAttribute
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import BOOL, ScalarType
from tilewright.transforms.lower_mlir.context import Handler, Lowering, Unsupported
from tilewright.transforms.lower_mlir.tensors import constant as tensor_constant
from tilewright.transforms.lower_mlir.types import STORED, scalar_type

_SAME: Final[Mapping[type[Operation], type[Operation]]] = {
    foreign.AddI: arith.Add,
    foreign.SubI: arith.Sub,
    foreign.MulI: arith.Mul,
    foreign.DivSI: arith.Div,
    foreign.DivUI: arith_integers.UDiv,
    foreign.CeilDivSI: arith_integers.CeilDiv,
    foreign.CeilDivUI: arith_integers.UCeilDiv,
    foreign.FloorDivSI: arith_integers.FloorDiv,
    foreign.RemSI: arith.Rem,
    foreign.RemUI: arith_integers.URem,
    foreign.AndI: arith.And,
    foreign.OrI: arith.Or,
    foreign.XOrI: arith.Xor,
    foreign.ShLI: arith.Shl,
    foreign.ShRSI: arith.Shr,
    foreign.ShRUI: arith_integers.UShr,
    foreign.MaxSI: arith.Max,
    foreign.MaxUI: arith_integers.UMax,
    foreign.MinSI: arith.Min,
    foreign.MinUI: arith_integers.UMin,
    foreign.AddF: arith.Add,
    foreign.SubF: arith.Sub,
    foreign.MulF: arith.Mul,
    foreign.DivF: arith.Div,
    foreign.RemF: arith.Rem,
    foreign.MaximumF: arith_floats.Maximum,
    foreign.MinimumF: arith_floats.Minimum,
    foreign.MaxNumF: arith.Max,
    foreign.MinNumF: arith.Min,
    foreign.NegF: arith.Neg,
    foreign.Select: arith.Select,
    foreign_math.AbsI: arith.Abs,
    foreign_math.AbsF: arith.Abs,
    foreign_math.Ceil: math.Ceil,
    foreign_math.Floor: math.Floor,
    foreign_math.Cos: math.Cos,
    foreign_math.Sin: math.Sin,
    foreign_math.Tan: math.Tan,
    foreign_math.Sinh: math.Sinh,
    foreign_math.Cosh: math.Cosh,
    foreign_math.Tanh: math.Tanh,
    foreign_math.Exp: math.Exp,
    foreign_math.Exp2: math.Exp2,
    foreign_math.Log: math.Log,
    foreign_math.Log2: math.Log2,
    foreign_math.Log10: math.Log10,
    foreign_math.Log1p: math.Log1p,
    foreign_math.ExpM1: math.Expm1,
    foreign_math.Sqrt: math.Sqrt,
    foreign_math.Rsqrt: math.Rsqrt,
    foreign_math.Atan2: math.Atan2,
    foreign_math.PowF: math.Pow,
    foreign_math.Fma: arith.Fma,
}
"""Those that have the same operands and the same meaning where MLIR's is defined."""

_OF_BITS: Final[Mapping[type[Operation], type[Operation]]] = {
    foreign.AddI: arith.Xor,
    foreign.SubI: arith.Xor,
    foreign.MulI: arith.And,
    foreign.MaxUI: arith.Or,
    foreign.MinUI: arith.And,
    foreign.MaxSI: arith.And,
    foreign.MinSI: arith.Or,
    foreign.AndI: arith.And,
    foreign.OrI: arith.Or,
    foreign.XOrI: arith.Xor,
    foreign.Select: arith.Select,
}
"""Those of i1, of which true is -1 where it has a sign."""


def _same(low: Lowering, op: Operation) -> None:
    type_ = scalar_type(op, op.results[0].type)
    cls = _OF_BITS.get(type(op)) if type_ is BOOL else _SAME[type(op)]
    if cls is None:
        raise Unsupported(op, f"{op.name} of i1 is not supported")
    if type_ in STORED and cls is not arith.Select:
        raise Unsupported(op, f"{op.name} of {type_} is not supported: extend its operands, and round what it makes")
    made = cls.of_parts(low.all(op.operands), [type_])
    low.bind(op.results[0], low.b(made).results[0])


def _constant(low: Lowering, op: Operation) -> None:
    assert isinstance(op, foreign.Constant)
    if isinstance(op.result.type, TensorType):
        tensor_constant(low, op)
        return
    type_, value = scalar_type(op, op.result.type), op.value
    match value:
        case bool():
            found: bool | int | float = value
        case FloatAttribute():
            found = value.value
        case IntegerAttribute():
            found = bool(value.value) if type_ is BOOL else value.value
        case _:
            raise Unsupported(op, f"arith.constant: {value} is not supported; numbers are")
    low.bind(op.result, low.constant(found, type_))


_RELATIONS: Final = {
    "eq": Predicate.EQ,
    "ne": Predicate.NE,
    "lt": Predicate.LT,
    "le": Predicate.LE,
    "gt": Predicate.GT,
    "ge": Predicate.GE,
}


def _compare_integers(low: Lowering, op: Operation) -> None:
    assert isinstance(op, foreign.CmpI)
    x, y, relation = low.value(op.lhs), low.value(op.rhs), op.relation
    type_ = scalar_type(op, op.lhs.type)
    if type_ is BOOL and relation[0] == "s":
        # true is -1 here, which is below false
        x, y = y, x
    if relation in ("eq", "ne"):
        low.bind(op.result, low.compare(_RELATIONS[relation], x, y))
    elif relation[0] == "u" or type_ is BOOL:
        low.bind(op.result, low.b(arith_integers.UCmp(_RELATIONS[relation[1:]], x, y)).out)
    else:
        low.bind(op.result, low.compare(_RELATIONS[relation[1:]], x, y))


def _compare_floats(low: Lowering, op: Operation) -> None:
    assert isinstance(op, foreign.CmpF)
    scalar_type(op, op.lhs.type)
    x, y, relation = low.value(op.lhs), low.value(op.rhs), op.relation
    match relation:
        case "true" | "false":
            found = low.truth(relation == "true")
        case "ord":
            parts = [low.b(arith_floats.OrderedCmp(Predicate.EQ, v, v)).out for v in (x, y)]
            found = low.b(arith.And(*parts)).out
        case "uno":
            parts = [low.b(arith_floats.UnorderedCmp(Predicate.NE, v, v)).out for v in (x, y)]
            found = low.b(arith.Or(*parts)).out
        case _:
            cls = arith_floats.OrderedCmp if relation[0] == "o" else arith_floats.UnorderedCmp
            found = low.b(cls(_RELATIONS[relation[1:]], x, y)).out
    low.bind(op.result, found)


# Conversions


def _signed(low: Lowering, op: Operation) -> None:
    """Integers with their sign, of which i1 has 0 and -1."""
    value, target = low.value(op.operands[0]), scalar_type(op, op.results[0].type)
    source = scalar_type(op, op.operands[0].type)
    if source is BOOL:
        minus = low.constant(-1.0 if target.is_float else -1, target)
        low.bind(op.results[0], low.b(arith.Select(value, minus, low.b.zero(target))).out)
    else:
        low.bind(op.results[0], low.cast(value, target))


def _unsigned(low: Lowering, op: Operation) -> None:
    value, target = low.value(op.operands[0]), scalar_type(op, op.results[0].type)
    scalar_type(op, op.operands[0].type)
    low.bind(op.results[0], _unsigned_cast(low, value, target))


def _unsigned_cast(low: Lowering, value: Value, target: ScalarType) -> Value:
    return value if value.type is target else low.b(arith_integers.UCast(value, result_types=[target])).out


def _truncated(low: Lowering, op: Operation) -> None:
    target = scalar_type(op, op.results[0].type)
    value = low.value(op.operands[0])
    found = _unsigned_cast(low, value, target) if target is BOOL else low.cast(value, target)
    low.bind(op.results[0], found)


def _rounded(low: Lowering, op: Operation) -> None:
    assert isinstance(op, foreign.TruncF)
    mode = op.roundingmode
    if mode is not None and not (isinstance(mode, IntegerAttribute) and mode.value == 0):
        raise Unsupported(op, f"arith.truncf: rounding {mode} is not supported; to nearest, ties to even, is")
    low.bind(op.out, low.cast(low.value(op.in_), scalar_type(op, op.out.type)))


def _bitcast(low: Lowering, op: Operation) -> None:
    source, target = scalar_type(op, op.operands[0].type), scalar_type(op, op.results[0].type)
    if source.bits != target.bits:
        raise Unsupported(op, f"arith.bitcast: {source} and {target} differ in width")
    value = low.value(op.operands[0])
    found = value if source is target else low.b(arith_integers.Bitcast(value, result_types=[target])).out
    low.bind(op.results[0], found)


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return {
        **dict.fromkeys(_SAME, _same),
        foreign.Constant: _constant,
        foreign.CmpI: _compare_integers,
        foreign.CmpF: _compare_floats,
        foreign.ExtF: _signed,
        foreign.TruncF: _rounded,
        foreign.ExtSI: _signed,
        foreign.ExtUI: _unsigned,
        foreign.TruncI: _truncated,
        foreign.SIToFP: _signed,
        foreign.UIToFP: _unsigned,
        foreign.FPToSI: _signed,
        foreign.FPToUI: _unsigned,
        foreign.IndexCast: _signed,
        foreign.IndexCastUI: _unsigned,
        foreign.Bitcast: _bitcast,
    }
