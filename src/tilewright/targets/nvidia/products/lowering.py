"""Products of the work-group, and loops that load factors some iterations before they multiply them.

    wait for stage i; barrier; begin to load stage i + S - 1 and multiply stage i

The barrier says two things at once: all threads have waited for their part of stage i, and all have read the stage that
is loaded next, which is that of iteration i - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from tilewright.dialects import scf, tile
from tilewright.ir import core
from tilewright.ir.types import ScalarType
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.nvidia.async_copies import commit, wait
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.elements import tile_type
from tilewright.targets.nvidia.products.choice import Ahead
from tilewright.targets.nvidia.products.fragments import registers_of, spill
from tilewright.targets.nvidia.products.multiplying import Multiplier
from tilewright.targets.nvidia.products.staging import stage
from tilewright.targets.nvidia.products.warpgroups import WarpgroupMultiplier
from tilewright.targets.nvidia.values import FragmentTile, Ready
from tilewright.transforms.schedule.products.plan import ProductPlan

STAGE_ALIGNMENT: Final = 1024
"""Of stages: what is swizzled together begins there."""


def lower_product(ctx: KernelContext, op: tile.Mma) -> None:
    """Multiply: factors that a loop has loaded ahead, or are brought to shared memory now."""
    plan = ctx.products.plans[op]
    ready = ctx.ahead.get(op)
    if ready is not None:
        found = _multiplied(ctx, op, plan, ready)
    else:
        with ctx.arena.frame():
            base = _reserve(ctx, plan.stage_bytes)
            ctx.barrier()
            _stage_both(ctx, op, plan, base)
            commit(ctx)
            wait(ctx, 0)
            _show(ctx, [plan])
            ctx.barrier()
            found = _multiplied(ctx, op, plan, Ready(base))
    ctx.bind(op.out, found if op.out in ctx.products.fragments else spill(ctx, found))


def _reserve(ctx: KernelContext, bytes_: int) -> Value:
    ctx.arena.top = -(-ctx.arena.top // STAGE_ALIGNMENT) * STAGE_ALIGNMENT
    return ctx.shared_pointer(ctx.arena.reserve(bytes_))


def _stage_both(ctx: KernelContext, op: tile.Mma, plan: ProductPlan, base: Value) -> None:
    stage(ctx, op.lhs, plan.lhs, 0, base)
    stage(ctx, op.rhs, plan.rhs, 1, ctx.b.offset(base, plan.lhs.bytes))


def _show(ctx: KernelContext, plans: Sequence[ProductPlan]) -> None:
    """Let instructions that read factors from memory by themselves see what this thread has written there."""
    if any(plan.instruction.reads_memory for plan in plans):
        ctx.b.intrinsic_void("llvm.nvvm.fence.proxy.async.shared_cta", [])


def _multiplied(ctx: KernelContext, op: tile.Mma, plan: ProductPlan, ready: Ready) -> FragmentTile:
    sums = [part for part in registers_of(ctx, op.acc, plan.layout) if isinstance(part, Value)]
    unit = WarpgroupMultiplier(ctx, plan) if plan.instruction.reads_memory else Multiplier(ctx, plan)
    found = unit.multiply(ready.base, ctx.b.offset(ready.base, plan.lhs.bytes), sums, ready.meanwhile)
    return FragmentTile(tile_type(op.out), plan.layout, tuple(found))


class Stages:
    """A loop while its factors run ahead: where its stages lie, and which of them is read and written now."""

    def __init__(self, ctx: KernelContext, op: scf.For, found: Ahead, first: tuple[Value, Value, Value]) -> None:
        self._ctx, self._op, self._found = ctx, op, found
        self._start, self._step, self._trips = first
        self._bytes = sum(ctx.products.plans[product].stage_bytes for product in found.products)
        self._base = _reserve(ctx, self._bytes * found.stages)

    def begin(self) -> list[Value]:
        """Before the loop: begin to load the first stages. It carries the offsets of the stages read and written."""
        ctx, count = self._ctx, self._found.stages
        ctx.barrier()
        for number in range(count - 1):
            self._load(i64(number), i64(number * self._bytes))
        return [i64(0), i64((count - 1) * self._bytes)]

    def iteration(self, index: Value, offsets: Sequence[Value]) -> list[Value]:
        """At the head of an iteration: its stage is there, the next is being loaded. The offsets that follow."""
        ctx, count = self._ctx, self._found.stages
        wait(ctx, count - 2)
        _show(ctx, [ctx.products.plans[product] for product in self._found.products])
        ctx.barrier()
        following = (ctx.b.add(index, i64(count - 1)), offsets[1])
        at = ctx.b.offset(self._base, offsets[0])
        for product in self._found.products:
            first = product is self._found.products[0]
            # a unit that works by itself leaves the threads time for copies
            ctx.ahead[product] = Ready(at, partial(self._load, *following)) if first else Ready(at)
            at = ctx.b.offset(at, ctx.products.plans[product].stage_bytes)
        return [self._following(offset) for offset in offsets]

    def end(self) -> None:
        """Behind the loop."""
        for product in self._found.products:
            del self._ctx.ahead[product]

    def _following(self, offset: Value) -> Value:
        b, last = self._ctx.b, (self._found.stages - 1) * self._bytes
        return b.select(b.icmp("eq", offset, i64(last)), i64(0), b.add(offset, i64(self._bytes)))

    def _load(self, number: Value, offset: Value) -> None:
        """Begin to load the stage of an iteration, if there is one of that number."""
        ctx, b = self._ctx, self._ctx.b
        results: list[core.Value] = [self._op.index, *(value for op in self._found.slices for value in op.results)]
        present = {value: ctx.values[value] for value in results if value in ctx.values}
        with b.if_then(b.icmp("slt", number, self._trips)):
            self._bind_index(number)
            for op in self._found.slices:
                ctx.lower(op)
            at = b.offset(self._base, offset)
            for product in self._found.products:
                plan = ctx.products.plans[product]
                _stage_both(ctx, product, plan, at)
                at = b.offset(at, plan.stage_bytes)
        commit(ctx)
        ctx.values.update(present)

    def _bind_index(self, number: Value) -> None:
        """The loop's index in an iteration of a number."""
        b, type_ = self._ctx.b, self._op.index.type
        assert isinstance(type_, ScalarType)
        wide = b.add(self._start, b.mul(number, self._step))
        self._ctx.bind(self._op.index, b.trunc(wide, f"i{type_.bits}"))
