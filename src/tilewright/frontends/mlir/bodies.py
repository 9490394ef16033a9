"""Bodies of named operations of linalg, which their custom form leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.diagnostics import Location
from tilewright.dialects.mlir import arith, linalg, math
from tilewright.dialects.mlir.base import MlirOperation
from tilewright.ir.core import Block, Region, Value
from tilewright.ir.mlir.types import layout_of, width_of
from tilewright.ir.types import BOOL, INDEX, ScalarType, Type

_FLOATS: Final[Mapping[str, type[MlirOperation]]] = {
    "add": arith.AddF,
    "sub": arith.SubF,
    "mul": arith.MulF,
    "div": arith.DivF,
    "max": arith.MaximumF,
    "exp": math.Exp,
}
_INTEGERS: Final[Mapping[str, type[MlirOperation]]] = {
    "add": arith.AddI,
    "sub": arith.SubI,
    "mul": arith.MulI,
    "div": arith.DivSI,
    "max": arith.MaxSI,
}


class NoBody(ValueError):
    """The elements are of types for which the operation has no body."""


class _Body:
    def __init__(self, location: Location, is_signed: bool) -> None:
        self.block = Block()
        self.location = location
        self.is_signed = is_signed

    def add(self, cls: type[MlirOperation], *operands: Value, result: Type) -> Value:
        """An operation at the end."""
        op = cls.of_parts(operands, [result])
        op.location = self.location
        self.block.append(op)
        return op.results[0]

    def converted(self, value: Value, type_: Type) -> Value:
        """A number in the type of the output."""
        if value.type == type_:
            return value
        return self.add(self._conversion(value.type, type_), value, result=type_)

    def _conversion(self, source: Type, target: Type) -> type[MlirOperation]:
        before, after = layout_of(source), layout_of(target)
        if before is not None and after is not None:
            if before.width == after.width:
                raise NoBody(f"there is no conversion from {source} to {target}")
            return arith.ExtF if before.width < after.width else arith.TruncF
        if before is not None:
            return arith.FPToSI if self.is_signed else arith.FPToUI
        if after is not None:
            return arith.SIToFP if self.is_signed else arith.UIToFP
        if INDEX in (source, target):
            return arith.IndexCast if self.is_signed else arith.IndexCastUI
        if (width_of(source) or 0) > (width_of(target) or 0):
            return arith.TruncI
        return arith.ExtSI if self.is_signed else arith.ExtUI


def body_of(cls: type[linalg.Named], elements: Sequence[Type], place: Location, casts_unsigned: bool) -> Region:
    """The body of a named operation for elements of these types, the output's last. Raises `NoBody`."""
    for type_ in elements:
        if not isinstance(type_, ScalarType) or (layout_of(type_) is None and width_of(type_) is None):
            raise NoBody(f"{cls.name} computes with integers and floats, not {type_}")
    if len(elements) < 2:
        raise NoBody(f"{cls.name} has inputs and an output")
    body = _Body(place, not casts_unsigned)
    arguments = [body.block.add_argument(t, None, place) for t in elements]
    *inputs, out = arguments
    values = [body.converted(value, out.type) for value in inputs]
    match cls.structure.body:
        case "fill":
            found = values[0]
        case "product":
            found = _sum_of_products(body, values, out)
        case name:
            known = _INTEGERS if layout_of(out.type) is None else _FLOATS
            if name not in known:
                raise NoBody(f"{cls.name} does not compute with {out.type}")
            found = body.add(known[name], *values, result=out.type)
    end = linalg.Yield([found], location=place)
    body.block.append(end)
    return Region(body.block)


def _sum_of_products(body: _Body, values: Sequence[Value], out: Value) -> Value:
    if len(values) != 2:
        raise NoBody(f"a product has two inputs, not {len(values)}")
    if out.type is BOOL:
        multiply, add = arith.AndI, arith.OrI
    elif layout_of(out.type) is None:
        multiply, add = arith.MulI, arith.AddI
    else:
        multiply, add = arith.MulF, arith.AddF
    product = body.add(multiply, *values, result=out.type)
    return body.add(add, out, product, result=out.type)
