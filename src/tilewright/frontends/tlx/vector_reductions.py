"""Imports `llvm.vector.reduce.*`: reductions of tensors of one dimension, which a vector is.

Sums and products of floats keep their order, element by element, unless `reassoc` frees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import arith, arith_floats
from tilewright.dialects.tlx import reductions
from tilewright.dialects.tlx.memory import ToVector, TypeInfo
from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.context import FunctionImport
from tilewright.frontends.tlx.llvm import syntax
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Value
from tilewright.ir.types import BOOL, I8, ScalarType, TileType

_LONGEST: Final = 1024
"""Elements that are added in their order one by one."""
_KINDS: Final[Mapping[str, type[reductions.Reduction]]] = {
    "add": reductions.ReduceAdd,
    "mul": reductions.ReduceMul,
    "and": reductions.ReduceAnd,
    "or": reductions.ReduceOr,
    "xor": reductions.ReduceXor,
    "smax": reductions.ReduceMax,
    "smin": reductions.ReduceMin,
    "fmaximum": reductions.ReduceMax,
    "fminimum": reductions.ReduceMin,
}
_UNSIGNED: Final = {"umax": reductions.ReduceMax, "umin": reductions.ReduceMin}
_NUMBERS: Final = {"fmax": reductions.ReduceMax, "fmin": reductions.ReduceMin}
_SUMS: Final = {"fadd": (reductions.ReduceAdd, arith.Add), "fmul": (reductions.ReduceMul, arith.Mul)}
REDUCTIONS: Final = frozenset({*_KINDS, *_UNSIGNED, *_NUMBERS, *_SUMS})
"""Names behind `llvm.vector.reduce.`."""


def reduction(f: FunctionImport, name: str, i: syntax.Call) -> Value:
    """The scalar that the elements of a vector make. Raises `Broken`."""
    wanted = 2 if name in _SUMS else 1
    values = [f.value(argument.operand) for argument in i.arguments]
    vector = values[-1] if values else None
    type_ = None if vector is None else vector.type
    if vector is None or len(values) != wanted or not isinstance(type_, TileType):
        raise f.unsupported(i, f"llvm.vector.reduce.{name} of these operands is not supported")
    if type_.element.is_float is not (name[0] == "f") or any(v.type is not type_.element for v in values[:-1]):
        raise f.unsupported(i, f"llvm.vector.reduce.{name} of {type_.element} elements is not supported")
    if name in _SUMS:
        return _sum(f, name, i, values[0], vector)
    if type_.element is BOOL:
        return _of_conditions(f, name, i, vector)
    if name in _UNSIGNED:
        lowest = -1 << type_.element.bits - 1
        turned = f.b(arith.Xor(vector, f.b.constant(lowest, type_))).out
        found = _reduced(f, _UNSIGNED[name], turned)
        return f.b(arith.Xor(found, f.b.constant(lowest, type_.element))).out
    return _of_numbers(f, name, vector) if name in _NUMBERS else _reduced(f, _KINDS[name], vector)


def _reduced(f: FunctionImport, kind: type[reductions.Reduction], vector: Value) -> Value:
    type_ = vector.type
    assert isinstance(type_, TileType)
    tensor = f.b(TypeInfo(vector, result_types=[TensorType(type_.element, type_.shape, (0,), (0,))])).out
    whole: dict[str, Attribute] = {"window": (type_.size,), "strides": (1,)}
    found = f.b(kind.of_parts([tensor], [TensorType(type_.element, (1,), (0,), (0,))], whole)).results[0]
    return f.element(f.b(ToVector(found)).out, 0)


def _sum(f: FunctionImport, name: str, i: syntax.Call, start: Value, vector: Value) -> Value:
    assert isinstance(vector.type, TileType)
    kind, step = _SUMS[name]
    if {"reassoc", "fast"} & set(i.flags):
        return f.b(step(start, _reduced(f, kind, vector))).out
    count = vector.type.size
    if count > _LONGEST:
        message = f"llvm.vector.reduce.{name} of {count:,} elements in their order is not supported"
        raise f.unsupported(i, message, f"with `reassoc` the order is free; without it {_LONGEST:,} are the most")
    for index in range(count):
        start = f.b(step(start, f.element(vector, index))).out
    return start


def _of_conditions(f: FunctionImport, name: str, i: syntax.Call, vector: Value) -> Value:
    """Of `i1`, true is 1 without a sign and -1 with one; bytes of 0 and 1 are what is reduced."""
    assert isinstance(vector.type, TileType)
    found = _CONDITIONS.get(name)
    if found is None:
        raise f.unsupported(i, f"llvm.vector.reduce.{name} of i1 elements is not supported")
    row = TileType(vector.type.shape, I8)
    bytes_ = f.b(arith.Select(vector, f.b.constant(1, row), f.b.zero(row))).out
    byte = _reduced(f, found, bytes_)
    return f.b(arith.Cmp(arith.Predicate.NE, byte, f.b.zero(I8))).out


_CONDITIONS: Final[Mapping[str, type[reductions.Reduction]]] = {
    **dict.fromkeys(("and", "mul", "umin", "smax"), reductions.ReduceAnd),
    **dict.fromkeys(("or", "umax", "smin"), reductions.ReduceOr),
    **dict.fromkeys(("xor", "add"), reductions.ReduceXor),
}


def _of_numbers(f: FunctionImport, name: str, vector: Value) -> Value:
    """The extremum of the elements that are numbers, NaN if none is."""
    type_ = vector.type
    assert isinstance(type_, TileType)
    element: ScalarType = type_.element
    least = f.b.constant(float("-inf") if name == "fmax" else float("inf"), type_)
    is_nan = f.b(arith_floats.UnorderedCmp(arith.Predicate.NE, vector, vector)).out
    found = _reduced(f, _NUMBERS[name], f.b(arith.Select(is_nan, least, vector)).out)
    row = TileType(type_.shape, I8)
    all_nan = _reduced(f, reductions.ReduceAnd, f.b(arith.Select(is_nan, f.b.constant(1, row), f.b.zero(row))).out)
    none = f.b(arith.Cmp(arith.Predicate.NE, all_nan, f.b.zero(I8))).out
    return f.b(arith.Select(none, f.b.constant(float("nan"), element), found)).out
