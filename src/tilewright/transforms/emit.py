"""Small helpers with which lowerings write structured control flow and index arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tilewright.dialects.arith import Add, And, Cast, Cmp, Constant, Div, Max, Min, Mul, Or, Predicate, Rem, Select, Sub
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.memref import Permute, Size
from tilewright.dialects.scf import For, If, Yield
from tilewright.dialects.tile import Splat
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX, MemrefType, ScalarType, TileType, Type, element_of, with_element

Number = bool | int | float | complex
Length = int | Value
"""An extent: a static number or an index value."""


class Loop(Struct, frozen=True):
    """A loop under construction: its operation, a builder for the body, the index and the carried values inside."""

    op: For
    body: Builder
    index: Value
    carried: list[Value]

    def finish(self, values: Sequence[Value]) -> list[Value]:
        """End the body with a yield of `values`; the results of the loop."""
        if values:
            self.body(Yield(list(values)))
        return list(self.op.results)


def open_loop(
    build: Builder,
    lower: Value,
    upper: Value,
    step: Value | None = None,
    inits: Sequence[Value] = (),
    parallel: bool = False,
) -> Loop:
    """Begin a loop of the type of its bounds."""
    region, block = new_region([lower.type, *(v.type for v in inits)])
    op = build(For(lower, upper, region, step, list(inits), result_types=[v.type for v in inits]))
    if parallel:
        op.parallel = True
    arguments = block.arguments
    return Loop(op, Builder.at_end(block, build.location), arguments[0], list(arguments[1:]))


def open_if(build: Builder, condition: Value) -> Builder:
    """Begin an if without else and results; the builder of its region."""
    region, block = new_region()
    build(If(condition, region))
    return Builder.at_end(block, build.location)


def memref_type(view: Value) -> MemrefType:
    """The type of a memref value."""
    assert isinstance(view.type, MemrefType)
    return view.type


def scalar_type(type_: Type) -> ScalarType:
    """The element type of a scalar, tile, matrix or memref type."""
    element = element_of(type_)
    assert element is not None
    return element


def extent(build: Builder, view: Value, mode: int) -> Length:
    """Extent of a mode, static if known."""
    static = memref_type(view).shape[mode]
    return static if static is not None else build(Size(view, mode)).out


def size_kept(build: Builder, view: Value, mode: int) -> Length:
    """Extent of a mode as the size of it in a subview: none is a value, for a static size of 0 would drop the mode."""
    return extent(build, view, mode) or build.index(0)


def as_value(build: Builder, length: Length) -> Value:
    """An extent as an index value."""
    return build.index(length) if isinstance(length, int) else length


def permuted(build: Builder, view: Value, transpose: bool) -> Value:
    """The transposed view if asked and the order is 2."""
    if not transpose or memref_type(view).order != 2:
        return view
    return build(Permute(view, (1, 0))).out


def constant_of(value: Value) -> Number | None:
    """The constant that a value is known to be."""
    op = value.defining_op
    return op.value if isinstance(op, Constant) else None


def integer_of(value: Value) -> int | None:
    """The integer constant that a value is known to be."""
    found = constant_of(value)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def literal(value: Number, element: ScalarType) -> Number:
    """A number as the attribute of a constant of type `element`; the conversion is exact for promotable types."""
    if element.is_complex:
        return complex(value)
    assert not isinstance(value, complex)
    return float(value) if element.is_float else int(value)


def cast(build: Builder, value: Value, element: ScalarType) -> Value:
    """Convert the elements of a scalar or tile."""
    if scalar_type(value.type) is element:
        return value
    return build(Cast(value, result_types=[with_element(value.type, element)])).out


def to_index(build: Builder, value: Value) -> Value:
    """An integer as index; constants stay constants."""
    known = integer_of(value)
    return cast(build, value, INDEX) if known is None or value.type is INDEX else build.index(known)


def shaped(build: Builder, value: Value, type_: Type) -> Value:
    """A scalar as every element of a tile type; itself for a scalar type."""
    if not isinstance(type_, TileType):
        return value
    known = constant_of(value)
    splat = TileType(type_.shape, scalar_type(value.type))
    if known is not None:
        return build.constant(known, splat)
    return build(Splat(value, result_types=[splat])).out


def add(build: Builder, a: Value, b: Value) -> Value:
    """Sum; without an operation where one operand is integer zero or both are constants of type index."""
    x, y = integer_of(a), integer_of(b)
    if x is not None and y is not None and a.type is INDEX:
        return build.index(x + y)
    if x == 0:
        return b
    return a if y == 0 else build(Add(a, b)).out


def sub(build: Builder, a: Value, b: Value) -> Value:
    """Difference, folded for index constants."""
    x, y = integer_of(a), integer_of(b)
    if x is not None and y is not None and a.type is INDEX:
        return build.index(x - y)
    return a if y == 0 else build(Sub(a, b)).out


def mul(build: Builder, a: Value, b: Value) -> Value:
    """Product, folded for index constants."""
    x, y = integer_of(a), integer_of(b)
    if x is not None and y is not None and a.type is INDEX:
        return build.index(x * y)
    if x == 1:
        return b
    return a if y == 1 else build(Mul(a, b)).out


def quotient(build: Builder, a: Value, number: int) -> Value:
    """A number that is not negative by a positive one, without the remainder."""
    return a if number == 1 else build(Div(a, build.constant(number, a.type))).out


def rem(build: Builder, a: Value, b: Value) -> Value:
    """Remainder."""
    return build(Rem(a, b)).out


def minimum(build: Builder, a: Value, b: Value) -> Value:
    """Smaller one, folded for index constants."""
    x, y = integer_of(a), integer_of(b)
    return build.index(min(x, y)) if x is not None and y is not None and a.type is INDEX else build(Min(a, b)).out


def maximum(build: Builder, a: Value, b: Value) -> Value:
    """Larger one, folded for index constants."""
    x, y = integer_of(a), integer_of(b)
    return build.index(max(x, y)) if x is not None and y is not None and a.type is INDEX else build(Max(a, b)).out


def less(build: Builder, a: Value, b: Value) -> Value:
    """Whether `a < b`, signed."""
    return build(Cmp(Predicate.LT, a, b)).out


def equals_zero(build: Builder, value: Value) -> Value:
    """Whether a scalar is zero."""
    return build(Cmp(Predicate.EQ, value, build.zero(value.type))).out


def select(build: Builder, condition: Value, on_true: Value, on_false: Value) -> Value:
    """`on_true` if the condition holds, else `on_false`."""
    return build(Select(condition, on_true, on_false)).out


def not_less(build: Builder, a: Value, b: Value) -> Value:
    """Whether `a >= b`, signed."""
    return build(Cmp(Predicate.GE, a, b)).out


def both(build: Builder, a: Value, b: Value) -> Value:
    """Whether both bools are true."""
    return build(And(a, b)).out


def either(build: Builder, a: Value, b: Value) -> Value:
    """Whether any of two bools is true."""
    return build(Or(a, b)).out


def if_else(
    build: Builder, condition: Value, then: Callable[[Builder], None], orelse: Callable[[Builder], None]
) -> None:
    """An if without results whose regions are written by the callbacks."""
    yes, yes_block = new_region()
    no, no_block = new_region()
    build(If(condition, yes, no))
    then(Builder.at_end(yes_block, build.location))
    orelse(Builder.at_end(no_block, build.location))
