"""lower-to-lanes: tiles become the registers of a thread, and the kernel what one thread does.

before:  %v = tile.load %x, %i -> tile<1024xf32, #layout<reg (4, 0, 1) (2, 0, 512); lane (32, 0, 4); warp (4, 0, 128)>>
after:   team.spmd {
           %lane = team.subgroup_local_id ..                   %at = arith.add %i, %thread
           %v = lane.load %x, %at {registers = [[4, 0, 1], [2, 0, 512]], width = 4} -> fragment<8xf32>
         }
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import gpu, gpu_products, gpu_stores, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.tile_combine import ReduceBy
from tilewright.ir.core import Block, Operation, Region
from tilewright.ir.operation_table import OperationTable
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import emit
from tilewright.transforms.schedule.known import check_layouts, has_tile, runs_lanes, teams_of
from tilewright.transforms.schedule.lower_accesses import ACCESSES, ONCE
from tilewright.transforms.schedule.lower_products import ASKED, PRODUCTS, PUBLISHED
from tilewright.transforms.schedule.lower_values import VALUES
from tilewright.transforms.schedule.lowering import Lower, Lowering, copy
from tilewright.transforms.schedule.strips import End, Strip, lower_strip, strips
from tilewright.transforms.schedule.threads import Threads
from tilewright.transforms.schedule.totals import Total, combining


class LowerToLanes(Pass, frozen=True):
    """Lower the kernels whose tiles have layouts."""

    name: ClassVar[str] = "lower-to-lanes"

    def run(self, module: Module, context: PassContext) -> bool:
        kernels = [kernel for kernel in module.kernels if runs_lanes(kernel)]
        for kernel in kernels:
            check_layouts(kernel, context.report)
        context.report.raise_if_errors()
        for kernel in kernels:
            _lower_kernel(kernel)
        return bool(kernels)


def _lower_kernel(kernel: Kernel) -> None:
    old = list(kernel.body.entry)
    body = Block()
    mark = Builder.at_end(body).index(0).defining_op
    assert mark is not None
    shared = Block()
    threads = Threads(Builder(body, mark, kernel.location), teams_of(kernel))
    lowering = Lowering(threads, Builder.at_end(shared, kernel.location), _block)
    for parameter in kernel.parameters:
        lowering.values[parameter] = parameter
    lowering.block(old, Builder.at_end(body, kernel.location))
    mark.erase()
    for op in reversed(old):
        op.drop_all()
        op.detach()
    build = Builder.at_end(kernel.body.entry, kernel.location)
    for op in shared:
        op.detach()
        build(op)
    build(team.Spmd(Region(body)))


def _block(low: Lowering, ops: list[Operation], build: Builder) -> None:
    """Lower operations to the end of a block."""
    found = strips(ops, low.threads.teams.threads, _has_one_line)
    later = {op: strip for strip in found for op in (*strip.ops, *strip.ends)}
    low.in_strips.update(later)
    for op in ops:
        build.location = op.location
        if op in later:
            if op is later[op].last:
                _strip(low, build, later[op])
            low.spills.done.add(op)
            continue
        for value in op.operands:
            waiting = low.spills.of.get(value)
            if waiting is not None:
                low.values[value] = waiting.load(build, range(waiting.type.size))
        lower = _LOWERINGS.find(type(op)) if has_tile(op) or isinstance(op, _OWN) else None
        (lower or copy)(low, build, op)
        low.spills.done.add(op)


def _has_one_line(op: tile.Reduce | ReduceBy) -> bool:
    """Whether a reduction may be done some registers at a time, in any order."""
    found = combining(op)
    return found is not None and found.reduction.has_one_line()


def _strip(low: Lowering, build: Builder, strip: Strip) -> None:
    """What is computed some registers at a time."""
    ends: dict[Operation, End] = {}
    total: Total | None = None
    for op in strip.ends:
        if isinstance(op, gpu.Spill):
            waiting = low.spilled(op, strip.ops)
            ends[op] = lambda at, part, value, waiting=waiting: waiting.store(at, value, part.registers)
        elif isinstance(op, tile.Reduce | ReduceBy):
            total = Total.of(build, low.threads, op)
            ends[op] = total.more
    lower_strip(build, low.threads, strip, low.new, low.registers, ends)
    if total is not None:
        out = strip.last.results[0]
        found = total.across(build, low.shared, bool(low.in_loop))
        low.put(out, emit.cast(build, found, emit.scalar_type(out.type)))


def _spmd(low: Lowering, build: Builder, op: team.Spmd) -> None:
    """What each work-item runs for itself already is what one thread does."""
    for inner in op.body.entry:
        build(inner.clone(low.values))


_OWN: Final = (*ONCE, *ASKED, *PUBLISHED, gpu_products.CopyAsync, gpu_stores.AwaitStores, team.Spmd)
"""What has no tile and still is not what each thread does: done by one for all, dealt to them, or theirs already."""

_LOWERINGS: Final[OperationTable[Lower]] = OperationTable({**VALUES, **ACCESSES, **PRODUCTS, team.Spmd: _spmd})
