"""Products that no instruction fits: each thread adds up the accumulators that it holds, from factors in shared memory.

before:  %r = tile.mma %a, %b, %c -> tile<20x9xf32, ..>           (%a is a tile<20x7xf32, ..>, %b a tile<7x9xf32, ..>)
after:   lane.store %a, %s ..    lane.store %b, %t ..    team.barrier
         %r = scf.for %k .. (%sum = %c) { %x = lane.load %s[.., %k]  %y = lane.load %t[%k, ..]  yield %sum + %x * %y }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tilewright.dialects import lane, team, tile
from tilewright.dialects.arith import Add, Fma, Mul
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout
from tilewright.ir.types import AddressSpace, FragmentType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.schedule.conversions import edges, write
from tilewright.transforms.schedule.moves import in_memory_order
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.reshapes import Held
from tilewright.transforms.schedule.shared_buffers import access_width
from tilewright.transforms.schedule.threads import Threads, register_steps

NumberedBuffers = Callable[[MemrefType, int], tuple[Value, bool]]
"""The shared memory of a type, of which there are several, and whether others have used it."""

_SUM_DIMS: Final = (0, 1)
"""The dimension of the accumulators that the left and the right factor share; the other dimension of each is k."""


def plain_product(
    build: Builder,
    threads: Threads,
    op: tile.Mma,
    values: tuple[Value, Value, Value],
    held: Callable[[Value], Held],
    buffer: NumberedBuffers,
) -> Value:
    """The fragment of the accumulators; `values` are what factors and accumulator became."""
    factors = [(held(factor), value) for factor, value in zip((op.lhs, op.rhs), values, strict=False)]
    memories = _staged(build, threads, factors, buffer)
    element = fragment_of(values[2]).element
    wide = element.accumulator if element.is_float else element
    depth = factors[0][0][0][1]
    loop = emit.open_loop(
        build, build.index(0), build.index(depth), build.index(1), [emit.cast(build, values[2], wide)]
    )
    loop.op.unroll = False
    body, (accumulators,) = loop.body, loop.carried
    x, y = (
        emit.cast(body, _line(body, threads, held(op.out)[1], memories[dim], dim, loop.index), wide)
        for dim in _SUM_DIMS
    )
    accumulators = (
        body(Add(accumulators, body(Mul(x, y)).out)).out if wide.is_integer else body(Fma(x, y, accumulators)).out
    )
    return emit.cast(build, loop.finish([accumulators])[0], element)


def _staged(
    build: Builder, threads: Threads, factors: Sequence[tuple[Held, Value]], buffer: NumberedBuffers
) -> list[Value]:
    """Shared memory that holds factors, neighbours along what they share with the accumulators."""
    memories: list[Value] = []
    waits = False
    for dim, ((shape, _), value) in zip(_SUM_DIMS, factors, strict=True):
        strides = (1, shape[0]) if dim == 0 else (shape[1], 1)
        memory, used = buffer(MemrefType(fragment_of(value).element, shape, strides, AddressSpace.LOCAL), dim)
        memories.append(memory)
        waits |= used
    if waits:
        build(team.Barrier(fence_local=True))
    for ((_, layout), value), memory in zip(factors, memories, strict=True):
        write(build, threads, value, layout, memory)
    build(team.Barrier(fence_local=True))
    return memories


def _line(build: Builder, threads: Threads, layout: Layout, memory: Value, dim: int, k: Value) -> Value:
    """For each register of the accumulators its element of a factor's line of that k; what is beyond the factor is
    0."""
    type_ = emit.memref_type(memory)
    steps = tuple(step for step in register_steps(in_memory_order(layout, type_)) if step[1] == dim)
    at = [k, k]
    at[dim] = threads.coordinate(layout, dim)
    numbers = {found[dim]: number for number, found in enumerate(lane.offsets(steps, 2))}
    outside = edges(layout, type_)
    check = tuple(mode == dim and outside[mode] for mode in range(2)) if outside and outside[dim] else ()
    out = FragmentType(len(numbers), type_.element)
    # a line of one element has no neighbours
    width = access_width(layout, type_) if type_.strides.index(1) == dim else 1
    found = build(lane.Load(memory, at, steps, check, width, result_types=[out])).out
    first = layout.first_thread()[:, dim]
    return picked(build, [found], [numbers[int(place)] for place in first])
