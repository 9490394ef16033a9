"""Structured control flow: branches and loops, uniform or divergent under a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.dialects import scf
from tilewright.ir import core
from tilewright.ir.types import ScalarType, TileType
from tilewright.targets.cpu.context import KernelContext, OpLowering, TileCarrier
from tilewright.targets.cpu.lowered import Lowered, Scalar
from tilewright.targets.cpu.spmd.scalars import select_scalar
from tilewright.targets.llvm.emitter import Complex, Value, boolean, constant, i64, vector, zero
from tilewright.targets.llvm.trips import trip_count
from tilewright.targets.llvm.types import ELEMENTS, Kind


class _Port(Struct, frozen=True):
    """How one result or carried value travels through phis: as scalar(s), vector(s), or by the tile's carrier."""

    value: core.Value
    varying: bool
    carrier: TileCarrier | None

    @property
    def is_complex(self) -> bool:
        type_ = self.value.type
        return isinstance(type_, ScalarType) and type_.is_complex

    def parts(self, ctx: KernelContext, lowered: Lowered) -> list[Value]:
        """LLVM values that hold `lowered`."""
        if self.carrier is not None:
            assert not isinstance(lowered, Scalar)
            return self.carrier.enter(ctx, lowered)  # type: ignore[arg-type]
        assert isinstance(lowered, Scalar)
        operand = ctx.widen(lowered) if self.varying else lowered.operand
        return [operand.re, operand.im] if isinstance(operand, Complex) else [operand]

    def next_parts(self, ctx: KernelContext, lowered: Lowered, inside: Sequence[Value]) -> list[Value]:
        """LLVM values of the next iteration of a loop."""
        if self.carrier is not None:
            return self.carrier.leave(ctx, lowered, inside)  # type: ignore[arg-type]
        return self.parts(ctx, lowered)

    def rebuild(self, parts: Sequence[Value]) -> Lowered:
        """The inverse of `parts`."""
        if self.carrier is not None:
            return self.carrier.inside(parts)
        return Scalar(Complex(parts[0], parts[1]) if self.is_complex else parts[0], self.varying)

    def absent(self, ctx: KernelContext) -> list[Value]:
        """Values where the side that computes them is skipped."""
        assert self.carrier is None
        assert isinstance(self.value.type, ScalarType)
        element = ELEMENTS[self.value.type.name]
        nothing = zero(vector(element.llvm, ctx.lanes if self.varying else 1))
        return [nothing, nothing] if element.kind is Kind.COMPLEX else [nothing]


def _ports(ctx: KernelContext, values: Sequence[core.Value]) -> list[_Port]:
    return [
        _Port(
            v,
            v in ctx.varying and ctx.lanes > 1,
            ctx.tiles.carrier(ctx, v) if isinstance(v.type, TileType) else None,
        )
        for v in values
    ]


def _split(ports: Sequence[_Port], parts: Sequence[Value], counts: Sequence[int]) -> list[Lowered]:
    found: list[Lowered] = []
    start = 0
    for port, count in zip(ports, counts, strict=True):
        found.append(port.rebuild(parts[start : start + count]))
        start += count
    return found


def _yield(ctx: KernelContext, op: core.Operation) -> None:
    """The operation that owns the region reads the yielded values."""


def _if(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, scf.If)
    condition = ctx.scalar(op.condition)
    if condition.varying and ctx.lanes > 1:
        _divergent_if(ctx, op, condition.value)
    else:
        _uniform_if(ctx, op, condition.value)


def _uniform_if(ctx: KernelContext, op: scf.If, condition: Value) -> None:
    ports = _ports(ctx, op.outs)
    counts: list[int] = []
    with ctx.b.if_else(condition) as branch:
        for arm, region in ((branch.then, op.then), (branch.otherwise, op.orelse)):
            if region is None:
                continue
            with arm():
                ctx.lower_block(region.entry)
                groups = [
                    p.parts(ctx, ctx.values[v]) for p, v in zip(ports, scf.yielded(region)[: len(ports)], strict=True)
                ]
                counts = [len(g) for g in groups]
                branch.yield_(*(v for g in groups for v in g))
    for value, lowered in zip(op.outs, _split(ports, branch.results, counts), strict=True):
        ctx.bind(value, lowered)


def _divergent_if(ctx: KernelContext, op: scf.If, condition: Value) -> None:
    ports = _ports(ctx, op.outs)
    then_mask = condition if ctx.mask is None else ctx.b.and_(ctx.mask, condition)
    inverse = ctx.b.not_(condition)
    else_mask = inverse if ctx.mask is None else ctx.b.and_(ctx.mask, inverse)
    on_true = _arm(ctx, op.then, ports, then_mask)
    on_false = _arm(ctx, op.orelse, ports, else_mask) if op.orelse is not None else on_true
    for value, x, y in zip(op.outs, on_true, on_false, strict=True):
        if isinstance(x, Scalar) and isinstance(y, Scalar):
            ctx.bind(value, select_scalar(ctx, condition, x, y))
        else:
            ctx.bind(value, x)


def _arm(ctx: KernelContext, region: core.Region, ports: Sequence[_Port], mask: Value) -> list[Lowered]:
    """One side of a divergent branch, skipped if no lane takes it."""
    counts: list[int] = []
    with ctx.b.if_else(ctx.any_active(mask)) as branch:
        with branch.then(), ctx.masked(mask):
            ctx.lower_block(region.entry)
            groups = [
                p.parts(ctx, ctx.values[v]) for p, v in zip(ports, scf.yielded(region)[: len(ports)], strict=True)
            ]
            counts = [len(g) for g in groups]
            branch.yield_(*(v for g in groups for v in g))
        with branch.otherwise():
            branch.yield_(*(v for p in ports for v in p.absent(ctx)))
    return _split(ports, branch.results, counts)


def _for(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, scf.For)
    bounds = [ctx.scalar(b) for b in (op.lower, op.upper, *([op.step] if op.step is not None else []))]
    if any(b.varying for b in bounds) and ctx.lanes > 1:
        _divergent_for(ctx, op, bounds)
    elif not (op.parallel and ctx.lanes == 1 and ctx.tiles.parallel_loop(ctx, op)):
        _uniform_for(ctx, op, bounds)


def _uniform_for(ctx: KernelContext, op: scf.For, bounds: Sequence[Scalar]) -> None:
    b = ctx.b
    ltype = bounds[0].value.type
    lower, upper = (b.resize(s.value, "i64") for s in bounds[:2])
    step = b.resize(bounds[2].value, "i64") if len(bounds) > 2 else i64(1)
    ports = _ports(ctx, op.carried)
    groups = [p.parts(ctx, ctx.values[v]) for p, v in zip(ports, op.inits, strict=True)]
    counts = [len(g) for g in groups]
    parts = [v for g in groups for v in g]
    plain = step.integer is not None and step.integer > 0 and (step.integer == 1 or _no_overflow(upper, step))
    trips = upper if plain else trip_count(b, lower, upper, step)
    with b.loop(lower if plain else i64(0), trips, step.integer if plain and step.integer else 1, parts) as loop:
        index = loop.index if plain else b.add(lower, b.mul(loop.index, step))
        ctx.bind(op.index, Scalar(b.resize(index, ltype)))
        inside = _chunks(loop.carried, counts)
        for argument, port, chunk in zip(op.carried, ports, inside, strict=True):
            ctx.bind(argument, port.rebuild(chunk))
        ctx.lower_block(op.body.entry)
        yields = scf.yielded(op.body)
        following = [p.next_parts(ctx, ctx.values[v], chunk) for p, v, chunk in zip(ports, yields, inside, strict=True)]
        ctx.tiles.prefetch(ctx, op)
        if parts:
            loop.yield_(*(v for g in following for v in g))
    for value, lowered in zip(op.outs, _split(ports, loop.results, counts), strict=True):
        ctx.bind(value, lowered)


def _no_overflow(upper: Value, step: Value) -> bool:
    last, by = upper.integer, step.integer
    return last is not None and by is not None and last + by < 1 << 62


def _chunks(values: Sequence[Value], counts: Sequence[int]) -> list[Sequence[Value]]:
    found: list[Sequence[Value]] = []
    start = 0
    for count in counts:
        found.append(values[start : start + count])
        start += count
    return found


def _divergent_for(ctx: KernelContext, op: scf.For, bounds: Sequence[Scalar]) -> None:
    """All lanes count together; a lane is active while the counter is below its own trip count."""
    b = ctx.b
    ltype = vector("i64", ctx.lanes)
    narrow = ctx.wide(bounds[0]).type
    lower, upper = (b.resize(ctx.wide(s), ltype) for s in bounds[:2])
    step = b.resize(ctx.wide(bounds[2]), ltype) if len(bounds) > 2 else constant(ltype, 1)
    trips = trip_count(b, lower, upper, step)
    if ctx.mask is not None:
        trips = b.select(ctx.mask, trips, zero(ltype))
    ports = _ports(ctx, op.carried)
    groups = [p.parts(ctx, ctx.values[v]) for p, v in zip(ports, op.inits, strict=True)]
    counts = [len(g) for g in groups]
    parts = [v for g in groups for v in g]
    most = b.reduce("smax", trips)
    with b.loop(i64(0), most, 1, parts) as loop:
        counter = b.splat(loop.index, ctx.lanes)
        active = b.icmp("slt", counter, trips)
        ctx.bind(op.index, Scalar(b.resize(b.add(lower, b.mul(counter, step)), narrow), True))
        inside = _chunks(loop.carried, counts)
        for argument, port, chunk in zip(op.carried, ports, inside, strict=True):
            ctx.bind(argument, port.rebuild(chunk))
        with ctx.masked(active):
            ctx.lower_block(op.body.entry)
            following = [
                p.next_parts(ctx, ctx.values[v], chunk)
                for p, v, chunk in zip(ports, scf.yielded(op.body), inside, strict=True)
            ]
        kept = [
            new if port.carrier is not None else b.select(active, new, old)
            for port, news, olds in zip(ports, following, inside, strict=True)
            for new, old in zip(news, olds, strict=True)
        ]
        if parts:
            loop.yield_(*kept)
    for value, lowered in zip(op.outs, _split(ports, loop.results, counts), strict=True):
        ctx.bind(value, lowered)


def _while(ctx: KernelContext, op: core.Operation) -> None:
    """Tested at the bottom. Outside of SPMD regions conditions are uniform."""
    assert isinstance(op, scf.While)
    assert ctx.lanes == 1, "loops without a count are not written in SPMD regions"
    b = ctx.b
    ports = _ports(ctx, op.carried)
    groups = [p.parts(ctx, ctx.values[v]) for p, v in zip(ports, op.inits, strict=True)]
    counts = [len(g) for g in groups]
    parts = [v for g in groups for v in g]
    with b.while_loop([boolean(True), *parts]) as loop:
        b.leave_unless(loop, loop.carried[0])
        inside = _chunks(loop.carried[1:], counts)
        for argument, port, chunk in zip(op.carried, ports, inside, strict=True):
            ctx.bind(argument, port.rebuild(chunk))
        ctx.lower_block(op.body.entry)
        again, *yields = scf.yielded(op.body)
        following = [p.next_parts(ctx, ctx.values[v], chunk) for p, v, chunk in zip(ports, yields, inside, strict=True)]
        loop.yield_(ctx.scalar(again).value, *(v for g in following for v in g))
    for value, lowered in zip(op.outs, _split(ports, loop.results[1:], counts), strict=True):
        ctx.bind(value, lowered)


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {scf.If: _if, scf.For: _for, scf.While: _while, scf.Yield: _yield}
