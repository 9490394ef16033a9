"""Bodies of named operations of linalg, which their custom form leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.diagnostics import Location
from tilewright.dialects.mlir import arith, linalg, math
from tilewright.dialects.mlir.base import MlirOperation
from tilewright.dialects.mlir.linalg_dimensions import Moved
from tilewright.dialects.mlir.linalg_elements import KINDS
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.mlir.attributes import FloatAttribute
from tilewright.ir.mlir.float_text import pattern_of_double
from tilewright.ir.mlir.types import layout_of, width_of
from tilewright.ir.types import BOOL, INDEX, ScalarType, Type

_Operations = Mapping[str, type[MlirOperation]]

_FLOATS: Final[_Operations] = {
    "exp": math.Exp,
    "log": math.Log,
    "abs": math.AbsF,
    "ceil": math.Ceil,
    "floor": math.Floor,
    "negf": arith.NegF,
    "reciprocal": arith.DivF,
    "round": math.Round,
    "sqrt": math.Sqrt,
    "rsqrt": math.Rsqrt,
    "square": arith.MulF,
    "tanh": math.Tanh,
    "erf": math.Erf,
    "add": arith.AddF,
    "sub": arith.SubF,
    "mul": arith.MulF,
    "div": arith.DivF,
    "max_signed": arith.MaximumF,
    "min_signed": arith.MinimumF,
    "max_unsigned": arith.MaximumF,
    "min_unsigned": arith.MinimumF,
    "powf": math.PowF,
    "select": arith.Select,
}
_INTEGERS: Final[_Operations] = {
    "add": arith.AddI,
    "sub": arith.SubI,
    "mul": arith.MulI,
    "div": arith.DivSI,
    "div_unsigned": arith.DivUI,
    "max_signed": arith.MaxSI,
    "min_signed": arith.MinSI,
    "max_unsigned": arith.MaxUI,
    "min_unsigned": arith.MinUI,
    "select": arith.Select,
}
_TRUTHS: Final[_Operations] = {**_INTEGERS, "add": arith.OrI, "mul": arith.AndI}
"""Of i1, for which there is no difference."""


class NoBody(ValueError):
    """The elements are of types for which the operation has no body."""


class _Body:
    def __init__(self, location: Location, is_signed: bool) -> None:
        self.block = Block()
        self.location = location
        self.is_signed = is_signed

    def add(self, cls: type[MlirOperation], *operands: Value, result: Type, **attributes: Attribute) -> Value:
        """An operation at the end."""
        op = cls.of_parts(operands, [result], attributes)
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


def body_of(name: str, does: str, elements: Sequence[Type], place: Location, casts_unsigned: bool) -> Region:
    """The body of a named operation for elements of these types, the output's last. Raises `NoBody`.

    `does` is what `linalg.Named.meaning` says: `product` and `convert` take inputs of other types than the output's.
    """
    for type_ in elements:
        if not isinstance(type_, ScalarType) or (layout_of(type_) is None and width_of(type_) is None):
            raise NoBody(f"{name} computes with integers and floats, not {type_}")
    if len(elements) < 2:
        raise NoBody(f"{name} has inputs and an output")
    body = _Body(place, not casts_unsigned)
    *inputs, out = [body.block.add_argument(t, None, place) for t in elements]
    if does == "product":
        found = _sum_of_products(body, [body.converted(value, out.type) for value in inputs], out)
    elif does == "convert":
        found = body.converted(inputs[0], out.type)
    else:
        found = _computed(body, name, does, inputs, out.type)
    end = linalg.Yield([found], location=place)
    body.block.append(end)
    return Region(body.block)


def is_implied(op: linalg.Structured) -> bool:
    """Whether a custom form that leaves the body out, if that of the operation does, stands for this one."""
    elements = [linalg.element_of(v.type) for v in (*op.inputs, *op.outputs)]
    if isinstance(op, linalg.Named):
        does, casts = op.meaning(op.attributes), "cast_unsigned" in str(op.cast)
    elif isinstance(op, Moved):
        does, casts = "convert", False
    else:
        return True
    try:
        wanted = body_of(op.name, does, elements, op.location, casts)
    except NoBody:
        return False
    return _are_alike(wanted.entry, op.body.entry)


def _are_alike(one: Block, other: Block) -> bool:
    """Whether blocks compute the same from their arguments, operation by operation."""
    same: dict[Value, Value] = dict(zip(one.arguments, other.arguments, strict=True))
    first, second = list(one), list(other)
    if len(first) != len(second):
        return False
    for mine, theirs in zip(first, second, strict=True):
        operands = [same[value] for value in mine.operands]
        if type(mine) is not type(theirs) or operands != list(theirs.operands) or _said(mine) != _said(theirs):
            return False
        same.update(zip(mine.results, theirs.results, strict=True))
    return True


def _said(op: Operation) -> dict[str, Attribute]:
    """Attributes without flags that say nothing."""
    said = {name: value for name, value in op.attributes.items() if value is not None}
    return {name: value for name, value in said.items() if not str(value).endswith("<none>")}


def _computed(body: _Body, name: str, does: str, inputs: Sequence[Value], type_: Type) -> Value:
    """What is done with inputs that are of the output's type."""
    if len(inputs) != KINDS[does]:
        raise NoBody(f"{name} takes {KINDS[does]} inputs and an output, not {len(inputs)} inputs")
    known = _FLOATS if layout_of(type_) is not None else _TRUTHS if type_ is BOOL else _INTEGERS
    if does not in known or (does == "sub" and type_ is BOOL):
        raise NoBody(f"{name} does not compute with {type_}")
    wanted = [BOOL if does == "select" and k == 0 else type_ for k in range(len(inputs))]
    wrong = next((v.type for v, t in zip(inputs, wanted, strict=True) if v.type != t), None)
    if wrong is not None:
        raise NoBody(f"{name} makes {type_} of {', '.join(map(str, wanted))}, not of {wrong}")
    values = list(inputs)
    if does == "square":
        values *= 2
    elif does == "reciprocal":
        values = [_one(body, type_), *values]
    return body.add(known[does], *values, result=type_)


def _one(body: _Body, type_: Type) -> Value:
    layout = layout_of(type_)
    assert layout is not None
    return body.add(arith.Constant, result=type_, value=FloatAttribute(pattern_of_double(1.0, layout), type_))


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
