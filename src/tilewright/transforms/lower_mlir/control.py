"""Lowers scf: loops and branches of the shared dialect, which hand on numbers; loops hand on matrices of warps, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tilewright.dialects import scf as shared
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import scf
from tilewright.dialects.mlir.mma import MatrixType
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.types import ScalarType, Type
from tilewright.transforms.lower_mlir.context import Handler, Lowering, Number, Unsupported
from tilewright.transforms.lower_mlir.types import scalar_type

LowerBlock = Callable[[Lowering, Region], Operation]


def carried_types(op: Operation, types: Sequence[Type]) -> list[ScalarType]:
    """Types of values that loops and branches hand on. Raises `Unsupported` for memrefs and others."""
    for type_ in types:
        if not isinstance(type_, ScalarType):
            raise Unsupported(op, f"{op.name} hands on a value of type {type_}; only numbers are handed on")
    return [scalar_type(op, type_) for type_ in types]


def counted_loop(
    low: Lowering,
    bounds: tuple[Number, Number, Number],
    inits: Sequence[Value],
    emit: Callable[[Lowering, Value, Sequence[Value]], Sequence[Value]],
    index_type: ScalarType,
    *,
    parallel: bool = False,
) -> list[Value]:
    """A loop whose body `emit` makes of the index and the carried values; what it carries in the end."""
    lower, upper, step = bounds
    types = [v.type for v in inits]
    region, block = new_region([index_type, *types])
    certain = isinstance(lower, int) and isinstance(upper, int) and lower < upper
    inner = low.inside(Builder(block, location=low.b.location), certain)
    first, *rest = block.arguments
    yielded = emit(inner, first, rest)
    if types:
        inner.b(shared.Yield(list(yielded)))
    make = low.b.constant
    loop = shared.For(
        make(lower, index_type) if isinstance(lower, int) else lower,
        make(upper, index_type) if isinstance(upper, int) else upper,
        region,
        None if step == 1 else make(step, index_type) if isinstance(step, int) else step,
        list(inits),
        parallel=parallel,
        result_types=types,
    )
    return list(low.b(loop).outs)


def known_number(value: Value) -> Number:
    """A value, as a number if it is a constant."""
    op = value.defining_op
    if op is not None and op.name == "arith.constant":
        found = op.attributes["value"]
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    return value


def branch(
    low: Lowering,
    condition: Value,
    types: Sequence[Type],
    then: Callable[[Lowering], Sequence[Value]],
    orelse: Callable[[Lowering], Sequence[Value]] | None,
) -> list[Value]:
    """A branch whose regions are made of what the two arms hand on."""
    regions: list[Region] = []
    for arm in (then, orelse):
        if arm is None:
            continue
        region, block = new_region()
        inner = low.inside(Builder(block, location=low.b.location))
        found = arm(inner)
        if types:
            inner.b(shared.Yield(list(found)))
        regions.append(region)
    made = shared.If(condition, regions[0], regions[1] if len(regions) > 1 else None, result_types=list(types))
    return list(low.b(made).outs)


class _Control:
    def __init__(self, lower_block: LowerBlock) -> None:
        self.lower_block = lower_block

    def _yielded(self, low: Lowering, region: Region) -> list[Value]:
        return low.all(self.lower_block(low, region).operands)

    def loop(self, low: Lowering, op: Operation) -> None:
        """`scf.for`."""
        assert isinstance(op, scf.For)
        if "unsignedCmp" in op.attributes:
            raise Unsupported(op, "scf.for: unsigned bounds are not supported")
        carried_types(op, [v.type for v in op.initArgs if not isinstance(v.type, MatrixType)])
        arguments = op.body.entry.arguments
        index_type = scalar_type(op, op.lowerBound.type)

        def body(inner: Lowering, index: Value, carried: Sequence[Value]) -> list[Value]:
            for argument, value in zip(arguments, [index, *carried], strict=True):
                inner.bind(argument, value)
            return self._yielded(inner, op.body)

        lower, upper, step = (known_number(low.value(v)) for v in (op.lowerBound, op.upperBound, op.step))
        if isinstance(step, int) and step < 1:
            raise Unsupported(op, f"scf.for: the step is positive, not {step}", op.place(("operand", 2)))
        outs = counted_loop(low, (lower, upper, step), low.all(op.initArgs), body, index_type)
        for result, value in zip(op.outs, outs, strict=True):
            low.bind(result, value)

    def branch(self, low: Lowering, op: Operation) -> None:
        """`scf.if`."""
        assert isinstance(op, scf.If)
        types = carried_types(op, [r.type for r in op.outs])

        def orelse(inner: Lowering) -> list[Value]:
            return self._yielded(inner, op.elseRegion)

        outs = branch(
            low,
            low.value(op.condition),
            types,
            lambda inner: self._yielded(inner, op.thenRegion),
            orelse if op.elseRegion.blocks else None,
        )
        for result, value in zip(op.outs, outs, strict=True):
            low.bind(result, value)

    def parallel(self, low: Lowering, op: Operation) -> None:
        """`scf.parallel`: a nest of loops, of which those without results say that they are parallel."""
        assert isinstance(op, scf.Parallel)
        carried_types(op, [r.type for r in op.outs])
        bounds = list(zip(*map(low.all, (op.lowerBound, op.upperBound, op.step)), strict=True))
        self._nest(low, op, bounds, [], low.all(op.initVals))

    def _nest(
        self,
        low: Lowering,
        op: scf.Parallel,
        bounds: Sequence[tuple[Value, Value, Value]],
        indices: list[Value],
        carried: Sequence[Value],
    ) -> list[Value]:
        if not bounds:
            return self._combined(low, op, indices, carried)
        first, *rest = bounds
        lower, upper, step = map(known_number, first)
        outs = counted_loop(
            low,
            (lower, upper, step),
            carried,
            lambda inner, index, values: self._nest(inner, op, rest, [*indices, index], values),
            scalar_type(op, first[0].type),
            parallel=not op.outs,
        )
        if not indices:
            for result, value in zip(op.outs, outs, strict=True):
                low.bind(result, value)
        return outs

    def _combined(
        self, low: Lowering, op: scf.Parallel, indices: Sequence[Value], carried: Sequence[Value]
    ) -> list[Value]:
        for argument, index in zip(op.body.entry.arguments, indices, strict=True):
            low.bind(argument, index)
        end = self.lower_block(low, op.body)
        if not isinstance(end, scf.Reduce):
            return []
        found: list[Value] = []
        for region, value, so_far in zip(end.combiners, end.values, carried, strict=True):
            x, y = region.entry.arguments
            low.values[x], low.values[y] = so_far, low.value(value)
            found += self._yielded(low, region)
        return found

    def whiles(self, low: Lowering, op: Operation) -> None:
        """`scf.while`: the first region, and if its condition holds the second; again while it holds.

        The loop carries what either region takes.
        """
        assert isinstance(op, scf.While)
        before = carried_types(op, [v.type for v in op.inits])
        after = carried_types(op, [r.type for r in op.outs])
        start = [low.constant(_zero(t), t) for t in after]
        region, block = new_region([*before, *after])
        inner = low.inside(Builder(block, location=op.location))
        for argument, value in zip(op.before.entry.arguments, block.arguments, strict=False):
            inner.bind(argument, value)
        end = self.lower_block(inner, op.before)
        assert isinstance(end, scf.Condition)
        condition, forwarded = inner.value(end.condition), inner.all(end.values)

        def then(arm: Lowering) -> list[Value]:
            for argument, value in zip(op.after.entry.arguments, forwarded, strict=True):
                arm.values[argument] = value
            return self._yielded(arm, op.after)

        kept = list(block.arguments[: len(before)])
        again = branch(inner, condition, before, then, (lambda arm: kept) if before else None)
        inner.b(shared.Yield([condition, *again, *forwarded]))
        loop = low.b(shared.While([*low.all(op.inits), *start], region, result_types=[*before, *after]))
        for result, value in zip(op.outs, loop.outs[len(before) :], strict=True):
            low.bind(result, value)


def _zero(type_: ScalarType) -> bool | int | float:
    return 0.0 if type_.is_float else 0 if type_.is_number else False


def handlers(lower_block: LowerBlock) -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    control = _Control(lower_block)
    return {
        scf.For: control.loop,
        scf.If: control.branch,
        scf.Parallel: control.parallel,
        scf.While: control.whiles,
    }
