"""Tiles by their numbers: the loops around a tile as one loop, of which each block takes every n-th iteration."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import scf
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.transforms import emit
from tilewright.transforms.spread_collectives.clusters import Clusters, bound_tiles
from tilewright.transforms.spread_collectives.sharing import Item, SharedMemory, Shares, loop_over_terms
from tilewright.transforms.spread_collectives.tasks import Level, Task, computed_before, inside, step_of
from tilewright.transforms.spread_collectives.tile_orders import TileOrder, divided
from tilewright.transforms.steps import STEP


class Blocks(Struct, frozen=True):
    """Which block this is, how many share the work-group; rows of tiles that products take together.

    With `memory` for it, blocks share the terms of products that are left behind whole waves.
    """

    part: Value
    count: Value
    band: int
    clusters: Clusters | None = None
    memory: SharedMemory | None = None


def write_task(build: Builder, task: Task, blocks: Blocks) -> None:
    """Write a task for several blocks, each of which does its share; in front of it what its bounds are computed of."""
    counts = [_trips(build, loop, task.levels) for loop in task.loops]
    shares: Shares | None = None
    item: Item | None = None
    clusters = blocks.clusters if task.multiplies else None
    goes_beyond = clusters is not None and clusters.goes_beyond(counts)
    if clusters is not None:
        counts = clusters.counts(build, counts)
        part, count, band = clusters.numbered(build, blocks.count, blocks.band)
        blocks = Blocks(part, count, band, memory=blocks.memory)
    total = build.index(1)
    for count in counts:
        total = emit.mul(build, total, count)
    for condition in task.conditions:
        holds = computed_before(build, condition, task.levels)
        total = emit.select(build, holds, total, build.index(0))
    known = emit.integer_of(total)
    if known == 0:
        return
    if known == 1:
        is_first = build(Cmp(Predicate.EQ, blocks.part, build.index(0))).out
        inner = emit.open_if(build, is_first)
        numbers = [inner.index(0) for _ in counts]
    else:
        shares = _shares(build, task, blocks, total)
        order = TileOrder.of(build, counts, blocks.band if task.multiplies else 0)
        bounds = (blocks.part, total, blocks.count)
        loop = emit.open_loop(build, *(bounds if shares is None else shares.bounds(build)), parallel=True)
        step = next((op.attributes[STEP] for op in (*task.levels, *task.body) if STEP in op.attributes), None)
        if step is not None:
            loop.op.attributes[STEP] = step
        inner, number = loop.body, loop.index
        if shares is not None:
            item = shares.item(inner, number)
            number = item.tile
        numbers = order.tile(inner, number)
    if clusters is not None:
        numbers = clusters.tiles(inner, numbers)
    variables = dict(zip(task.loops, numbers, strict=True))
    mapping: dict[Value, Value] = {}
    needed = _needed(task)
    for level in task.levels:
        if isinstance(level, scf.For):
            mapping[level.index] = _position(inner, level, variables[level], mapping)
        _copy(inner, inside(level), mapping, needed)
    if not task.levels:
        _copy(inner, _between(task.body), mapping, needed)
    if goes_beyond:
        bound_tiles(inner.block)
    if shares is not None and item is not None:
        shares.divide(item, mapping[_terms_of(task).outs[0]])


def _terms_of(task: Task) -> scf.For:
    """The loop over the terms of a task that blocks share."""
    loop = loop_over_terms(task)
    assert isinstance(loop, scf.For), "spread-collectives has asked"
    return loop


def _shares(build: Builder, task: Task, blocks: Blocks, total: Value) -> Shares | None:
    """What a block has of so many tiles, if terms are shared."""
    if blocks.memory is None or not task.multiplies:
        return None
    loop = _terms_of(task)
    terms, trips = computed_before(build, loop.upper, task.levels), _trips(build, loop, task.levels)
    return Shares.of(build, (blocks.part, blocks.count, blocks.memory), total, (terms, trips, step_of(loop)))


def _trips(build: Builder, loop: scf.For, levels: Sequence[Level]) -> Value:
    """The iterations of a loop, in front of all levels."""
    lower, upper = (computed_before(build, bound, levels) for bound in (loop.lower, loop.upper))
    step = step_of(loop)
    first, end = emit.integer_of(lower), emit.integer_of(upper)
    if first is not None and end is not None:
        return build.index(len(range(first, end, step)))
    distance = emit.maximum(build, emit.sub(build, upper, lower), build.index(0))
    return divided(build, emit.add(build, distance, build.index(step - 1)), build.index(step))


def _position(build: Builder, loop: scf.For, number: Value, mapping: dict[Value, Value]) -> Value:
    """The loop variable in an iteration; the bounds have been copied, if they stand inside of other loops."""
    step = build.index(step_of(loop))
    return emit.add(build, mapping.get(loop.lower, loop.lower), emit.mul(build, number, step))


def _between(body: Sequence[Operation]) -> list[Operation]:
    """The operations of a body in a block with those that stand between them."""
    found: list[Operation] = []
    op: Operation | None = body[0]
    while op is not None:
        found.append(op)
        if op is body[-1]:
            break
        op = op.next
    return found


def _needed(task: Task) -> set[Operation]:
    """The body, and what it needs and does nothing to memory itself."""
    found = set(task.body)
    waiting = list(task.body)
    while waiting:
        for inner in waiting.pop().walk():
            sources = {operand.defining_op for operand in inner.operands} - {None} - found
            found.update(op for op in sources if op is not None)
            waiting += [op for op in sources if op is not None]
    return found


def _copy(build: Builder, ops: Sequence[Operation], mapping: dict[Value, Value], needed: set[Operation]) -> None:
    """Copy what a task needs of the operations of a block."""
    for op in ops:
        if op in needed:
            build(op.clone(mapping))
