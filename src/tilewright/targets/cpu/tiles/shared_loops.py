"""Parallel loops of collective code: their iterations are spread over the threads of the team."""

from __future__ import annotations

from tilewright.dialects import arith, scf, tile
from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.large_products.product import MANY_MULTIPLIES
from tilewright.targets.cpu.lowered import Scalar
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.outlining.outline import Outlined, free_values
from tilewright.targets.cpu.tiles.long_runs import LongRun, continued_store
from tilewright.targets.llvm.emitter import Value, boolean, i64
from tilewright.targets.llvm.trips import trip_count

# About ten microseconds of streaming, ten times what handing out costs.
_SHARED_ELEMENTS = 1 << 16
_FEWEST_TRIPS = 2
_UNKNOWN_TRIPS = 16


def may_share(loop: scf.For) -> bool:
    """Whether the loop carries nothing, computes with tiles, and holds no large product, which shares its own work."""
    if loop.inits or loop.outs:
        return False
    work = [op for op in loop.walk() if isinstance(op, tile.Load | tile.Store)]
    products = [op for op in loop.walk() if isinstance(op, tile.Mma)]
    return bool(work) and not any(_multiplies(op) >= MANY_MULTIPLIES for op in products)


def _multiplies(op: tile.Mma) -> int:
    result, left = op.out.type, op.lhs.type
    assert isinstance(result, TileType)
    assert isinstance(left, TileType)
    return result.size * left.shape[1]


def share_loop(ctx: KernelContext, machine: Machine, loop: scf.For) -> bool:
    """Emit the loop as a part of its own that the team runs where it is long; False if it is certainly short
    (a loop inside it may still be shared)."""
    b = ctx.b
    ltype = ctx.scalar(loop.lower).value.type
    lower, upper = (b.resize(ctx.scalar(v).value, "i64") for v in (loop.lower, loop.upper))
    step = i64(1) if loop.step is None else b.resize(ctx.scalar(loop.step).value, "i64")
    trips = trip_count(b, lower, upper, step)
    each = _elements(loop.body)
    if trips.integer is not None and (trips.integer < _FEWEST_TRIPS or trips.integer * each < _SHARED_ELEMENTS):
        return False
    part = Outlined(ctx, machine, "loop")
    inner = part.inner
    for value in free_values(loop, operands=False):
        inner.bind(value, part.lowered(ctx.values[value]))
    first, by = part.value(lower), part.value(step)

    def at(number: Value) -> None:
        index = inner.b.add(first, inner.b.mul(number, by))
        inner.bind(loop.index, Scalar(inner.b.resize(index, ltype)))

    def run() -> None:
        with inner.b.loop(part.begin, part.end) as running:
            at(running.index)
            inner.lower_block(loop.body.entry)

    at(part.begin)
    store = continued_store(loop)
    count = inner.b.sub(part.end, part.begin)
    whole = None if store is None else LongRun(inner, machine, loop, store, count)
    streamed = boolean(False) if whole is None else whole.condition()
    if whole is None or streamed.text == "false":
        run()
    else:
        with inner.b.if_else(streamed) as branch:
            with branch.then():
                whole.emit()
            with branch.otherwise():
                inner.past_caches = False
                run()
    part.call(trips, b.icmp("sge", trips, i64(-(-_SHARED_ELEMENTS // each))))
    return True


def _elements(region: core.Region) -> int:
    """Elements that one run of a region moves, about."""
    total = 1
    for op in region.entry:
        times = 1
        if isinstance(op, scf.For):
            times = _trips(op)
        if isinstance(op, tile.Load | tile.Store):
            type_ = op.box().data.type
            total += type_.size if isinstance(type_, TileType) else 0
        total += times * sum(_elements(inner) for inner in op.regions)
    return total


def _trips(loop: scf.For) -> int:
    bounds = [value.defining_op for value in (loop.lower, loop.upper, *([loop.step] if loop.step is not None else []))]
    numbers = [op.value for op in bounds if isinstance(op, arith.Constant) and isinstance(op.value, int)]
    if len(numbers) != len(bounds):
        return _UNKNOWN_TRIPS
    lower, upper, step = numbers if len(numbers) == 3 else (*numbers, 1)
    return max(0, -(-(upper - lower) // step)) if step > 0 else 0
