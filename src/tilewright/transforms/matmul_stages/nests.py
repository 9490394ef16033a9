"""Affine loops and their variables, and subscripts as sums of these variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import affine, arith, gpu, memref, mma, vector
from tilewright.dialects.mlir.base import integer_of, shape_of
from tilewright.ir.affine import (
    AffineBinary,
    AffineConstant,
    AffineExpression,
    AffineMap,
    AffineOperator,
    AffineSymbol,
    Dimension,
    add,
    divide,
    multiply,
)
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import INDEX
from tilewright.transforms.index_ranges import Linear

Element = affine.Load | affine.Store | memref.Load | memref.Store
Row = vector.Load | vector.Store
Access = Element | Row | mma.LoadMatrix | mma.StoreMatrix


# Subscripts


def sum_of(expression: AffineExpression, dimensions: Sequence[Linear], symbols: Sequence[Linear]) -> Linear | None:
    """What an expression makes of sums; None if that is no sum."""
    match expression:
        case Dimension(position):
            return dimensions[position]
        case AffineSymbol(position):
            return symbols[position]
        case AffineConstant(value):
            return Linear(value)
        case AffineBinary(operator, lhs, rhs):
            left, right = sum_of(lhs, dimensions, symbols), sum_of(rhs, dimensions, symbols)
            return None if left is None or right is None else _combined(operator, left, right)
        case _:
            return None


def _combined(operator: AffineOperator, left: Linear, right: Linear) -> Linear | None:
    """A sum, a multiple, or a quotient or remainder of numbers; None for anything else."""
    match operator:
        case AffineOperator.ADD:
            return left.plus(right)
        case AffineOperator.MULTIPLY if not right.terms:
            return Linear().plus(left, right.constant)
        case AffineOperator.MULTIPLY if not left.terms:
            return Linear().plus(right, left.constant)
        case AffineOperator.FLOORDIV | AffineOperator.CEILDIV | AffineOperator.MOD if (
            not left.terms and not right.terms and right.constant > 0
        ):
            number = divide(operator, AffineConstant(left.constant), AffineConstant(right.constant))
            assert isinstance(number, AffineConstant)
            return Linear(number.value)
        case _:
            return None


def sums_of(map_: AffineMap, operands: Sequence[Value]) -> tuple[Linear, ...] | None:
    """The results of a map of values; None if one of them is no sum."""
    inputs = [form_of(value) for value in operands]
    found = [sum_of(e, inputs[: map_.dimensions], inputs[map_.dimensions :]) for e in map_.results]
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(found) else None


def form_of(value: Value) -> Linear:
    """An index as a sum of loop variables and of what else no map computes as a sum."""
    op = value.defining_op
    if isinstance(op, affine.AffineValue):
        found = sums_of(op.map, op.values) or ()
        if len(found) == 1:
            return found[0]
        if found and not any(form.terms for form in found):
            choose = min if isinstance(op, affine.Min) else max
            return Linear(choose(form.constant for form in found))
    if op is not None and op.name == "arith.constant" and value.type is INDEX:
        return Linear(integer_of(op.attributes["value"]))
    return Linear(0, ((value, 1),))


def subscripts(op: Access) -> tuple[Linear, ...] | None:
    """Where an access begins; None if that is not known as sums."""
    if isinstance(op, affine.Load | affine.Store):
        return sums_of(op.map, op.indices)
    return tuple(map(form_of, op.indices))


def box(op: Access) -> tuple[int, ...]:
    """How many elements of each dimension an access touches."""
    return (1,) * len(shape_of(op.memref)) if isinstance(op, Element) else op.box


def map_of(forms: Sequence[Linear]) -> tuple[AffineMap, list[Value]]:
    """A map with these results, and its operands."""
    values = list(dict.fromkeys(value for form in forms for value in form.values))
    results: list[AffineExpression] = []
    for form in forms:
        total: AffineExpression = AffineConstant(0)
        for value, factor in form.terms:
            total = add(total, multiply(Dimension(values.index(value)), AffineConstant(factor)))
        results.append(add(total, AffineConstant(form.constant)))
    return AffineMap(len(values), 0, tuple(results)), values


def replaced(form: Linear, parts: Mapping[Value, Linear]) -> Linear:
    """A sum with other sums in place of some variables."""
    found = Linear(form.constant)
    for value, factor in form.terms:
        found = found.plus(parts.get(value, Linear(0, ((value, 1),))), factor)
    return found


Key = tuple[int, frozenset[tuple[Value, int]]]


def key_of(form: Linear) -> Key:
    """The same for sums that are equal, in whatever order their terms stand."""
    return form.constant, frozenset(form.terms)


def move_access(op: affine.Load | affine.Store | affine.Apply, forms: Sequence[Linear]) -> None:
    """Let an operation have other subscripts."""
    map_, values = map_of(forms)
    op.attributes["map"] = map_
    count = len(op.values if isinstance(op, affine.Apply) else op.indices)
    op.operands = [*op.operands[: len(op.operands) - count], *values]


def applied(build: Builder, form: Linear) -> Value:
    """A sum as a value; that which it is the sum of, if it is that alone."""
    if form.constant == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
        return form.terms[0][0]
    map_, values = map_of([form])
    return build(affine.Apply(values, map_)).out


def constant(build: Builder, number: int) -> Value:
    """An index that is a number."""
    return build(arith.Constant(IntegerAttribute(number, INDEX), result_types=[INDEX])).out


def index_value(
    build: Builder,
    expression: AffineExpression,
    values: Sequence[Value],
    name: str | None,
    symbols: Sequence[Value] = (),
) -> Value:
    """What an expression makes of indices, its dimensions, and of what does not change in the function, its symbols."""
    map_ = AffineMap(len(values), len(symbols), (expression,))
    found = build(affine.Apply([*values, *symbols], map_)).out
    found.name = name
    return found


# Loops


def variable(loop: affine.For) -> Value:
    """The variable that a loop counts."""
    return loop.body.entry.arguments[0]


def name_of(loop: affine.For) -> str:
    """The name of a loop's variable."""
    return variable(loop).name or "?"


class Axis(Struct, frozen=True):
    """A variable that counts: that of a loop, one of a parallel loop's, or where a launch runs.

    `limits` are the lower and the upper bound; None if there are several or they are no sums.
    """

    op: Operation
    variable: Value
    limits: tuple[Linear, Linear] | None
    step: int = 1

    @property
    def name(self) -> str:
        """The name of the variable."""
        return self.variable.name or "?"

    @property
    def numbers(self) -> range | None:
        """What the variable is one after the other, counted from the lower bound; None if that is not known."""
        extent = None if self.limits is None else self.limits[1].plus(self.limits[0], -1)
        return range(0, extent.constant, self.step) if extent is not None and not extent.terms else None

    @property
    def first(self) -> int | None:
        """Where it begins, if that is a number."""
        return None if self.limits is None or self.limits[0].terms else self.limits[0].constant


def axes_of(op: Operation) -> list[Axis]:
    """The variables that an operation counts for its body, outermost first."""
    match op:
        case affine.For():
            return [Axis(op, variable(op), bounds(op), op.stride)]
        case affine.Parallel():
            return [
                Axis(op, argument, _limits(lower, op.lower_operands, upper, op.upper_operands), step)
                for argument, (lower, upper, step) in zip(op.body.entry.arguments, op.bounds(), strict=True)
            ]
        case gpu.Launch():
            places = zip((*op.ids(0), *op.ids(1)), (*op.grid, *op.block_size), strict=True)
            return [Axis(op, argument, (Linear(), form_of(extent))) for argument, extent in places]
        case _:
            return []


def axes_around(op: Operation) -> list[Axis]:
    """The variables that count around an operation, outermost first."""
    return [axis for outer in reversed(list(op.ancestors())) for axis in axes_of(outer)]


def loops_around(op: Operation) -> list[affine.For]:
    """The loops that an operation is in, outermost first."""
    return [outer for outer in reversed(list(op.ancestors())) if isinstance(outer, affine.For)]


def bounds(loop: affine.For) -> tuple[Linear, Linear] | None:
    """Lower and upper bound; None if there are several or they are no sums."""
    return _limits(loop.lowerBoundMap, loop.lowerBoundOperands, loop.upperBoundMap, loop.upperBoundOperands)


def _limits(
    lower: AffineMap, lows: Sequence[Value], upper: AffineMap, highs: Sequence[Value]
) -> tuple[Linear, Linear] | None:
    low, high = sums_of(lower, lows), sums_of(upper, highs)
    return None if low is None or high is None or len(low) != 1 or len(high) != 1 else (low[0], high[0])


def numbers(loop: affine.For) -> range | None:
    """What the variable is one after the other, counted from the lower bound; None if that is not known."""
    return axes_of(loop)[0].numbers


def make_loop(name: str | None, lower: Linear, upper: Linear, step: int, inits: Sequence[Value] = ()) -> affine.For:
    """A loop with a body that is empty, even without a terminator."""
    body, block = new_region([INDEX, *(v.type for v in inits)])
    block.arguments[0].name = name
    low, lows = map_of([lower])
    high, highs = map_of([upper])
    step_ = IntegerAttribute(step, INDEX)
    return affine.For(lows, highs, list(inits), low, high, step_, body, result_types=[v.type for v in inits])


def move_bounds(loop: affine.For, lower: Linear, upper: Linear) -> None:
    """Let a loop count from and to other numbers."""
    low, lows = map_of([lower])
    high, highs = map_of([upper])
    inits = list(loop.inits)
    loop.operands = [*lows, *highs, *inits]
    loop.attributes["operand_segments"] = (len(lows), len(highs), len(inits))
    loop.attributes["lowerBoundMap"], loop.attributes["upperBoundMap"] = low, high


def nested(build: Builder, loops: Sequence[affine.For]) -> Builder:
    """Put loops into each other, the first outermost; gives where the innermost one's body goes."""
    for loop in loops:
        build(loop)
        inner = Builder(loop.body.entry, location=loop.location)
        end = inner(affine.Yield([]))
        build = Builder(loop.body.entry, end, loop.location)
    return build


def inside(loop: affine.For) -> Iterator[Operation]:
    """The operations of an iteration but the terminator."""
    return (op for op in loop.body.entry if not isinstance(op, affine.Yield))


def move_into(block: Block, ops: Sequence[Operation]) -> None:
    """Put operations in front of the terminator of a block."""
    end = block.last
    for op in ops:
        op.detach()
        block.insert(op, end)


def stands_before(first: Operation, second: Operation) -> bool:
    """Whether an operation stands in front of another one of its block."""
    op = first.next
    while op is not None and op is not second:
        op = op.next
    return op is second


def perfect_nest(outermost: affine.For) -> list[affine.For]:
    """A loop, the one that is all its body, and so on."""
    found = [outermost]
    while True:
        body = list(inside(found[-1]))
        if len(body) != 1 or not isinstance(body[0], affine.For):
            return found
        found.append(body[0])
