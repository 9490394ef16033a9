"""Atomic accesses: one for each element, by one of the threads that hold it; all of them go on with what it got."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects import lane, memref, team, tile
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.scf import If, Yield
from tilewright.ir.core import Operation, Value
from tilewright.ir.layouts import Layout
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.schedule.conversions import Buffers, read, write
from tilewright.transforms.schedule.fragments import splat
from tilewright.transforms.schedule.ragged import ragged_dims
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.shared_buffers import shared_buffer
from tilewright.transforms.schedule.threads import Threads, copies, register_steps

Atomic = tile.AtomicLoad | tile.AtomicStore | tile.AtomicRmw
ScalarAtomic = memref.AtomicLoad | memref.AtomicStore | memref.AtomicRmw
Held = tuple[tuple[int, ...], Layout]
"""A shape, and who holds its elements."""


def of_registers(
    build: Builder, threads: Threads, op: Atomic, held: Held, new: Callable[[Value], Value]
) -> Value | None:
    """An access of each register that holds an element, and what they got; `new` says what values became."""
    view, (shape, layout), found = new(op.memref), held, list[Value]()
    ragged = ragged_dims(layout, shape)
    for register, offset in enumerate(lane.offsets(register_steps(layout), len(shape))):
        place = [emit.add(build, threads.coordinate(layout, k), build.index(step)) for k, step in enumerate(offset)]
        at = [emit.add(build, new(index), step) for index, step in zip(op.indices, place, strict=True)]
        tests = [(Predicate.LT, place[dim], build.index(shape[dim])) for dim in ragged]
        for mode, checked in enumerate(op.check):
            if checked:
                size = emit.as_value(build, emit.extent(build, view, mode))
                tests += [(Predicate.GE, at[mode], build.index(0)), (Predicate.LT, at[mode], size)]
        found += guarded(build, tests, lambda here, at=at, r=register: _access(here, op, view, at, r, new))
    return picked(build, [splat(build, value, 1) for value in found], range(len(found))) if found else None


def guarded(
    build: Builder, tests: Sequence[tuple[Predicate, Value, Value]], access: Callable[[Builder], list[Value]]
) -> list[Value]:
    """What an access gives if all tests hold, else 0."""
    inside: Value | None = None
    for test in tests:
        holds = build(Cmp(*test)).out
        inside = holds if inside is None else emit.both(build, inside, holds)
    if inside is None:
        return access(build)
    regions = [new_region() for _ in range(2)]
    here, otherwise = (Builder.at_end(block, build.location) for _, block in regions)
    found = access(here)
    here(Yield(found))
    otherwise(Yield([otherwise.zero(value.type) for value in found]))
    return list(build(If(inside, *(r for r, _ in regions), result_types=[value.type for value in found])).results)


def _access(
    build: Builder, op: Atomic, view: Value, at: list[Value], register: int, new: Callable[[Value], Value]
) -> list[Value]:
    match op:
        case tile.AtomicLoad():
            return [build(memref.AtomicLoad(view, at, op.scope, op.semantics)).out]
        case tile.AtomicStore():
            build(memref.AtomicStore(_item(build, new(op.value), register), view, at, op.scope, op.semantics))
            return []
        case tile.AtomicRmw():
            value = _item(build, new(op.value), register)
            return [build(memref.AtomicRmw(value, view, at, op.kind, op.scope, op.semantics)).out]


def _item(build: Builder, value: Value, register: int) -> Value:
    return build(lane.Item(value, register)).out


def for_all_holders(
    build: Builder, threads: Threads, layout: Layout, buffer: Buffers, act: Callable[[Builder], Value | None]
) -> Value:
    """A fragment that one of the threads that hold copies gets; the others have it through shared memory."""
    first = threads.is_first(copies(layout))
    if first is None:
        return _result(act(build))
    regions = [new_region() for _ in range(2)]
    here, otherwise = (Builder.at_end(block, build.location) for _, block in regions)
    value = _result(act(here))
    here(Yield([value]))
    otherwise(Yield([otherwise.zero(value.type)]))
    (found,) = build(If(first, *(region for region, _ in regions), result_types=[value.type])).results
    memory, used = buffer(shared_buffer(fragment_of(found).element, (layout,)).type)
    if used:
        build(team.Barrier(fence_local=True))
    write(build, threads, found, layout, memory)
    build(team.Barrier(fence_local=True))
    return read(build, threads, layout, memory)


def _result(found: Value | None) -> Value:
    assert found is not None, "an access with a result gives one"
    return found


def by_one_thread(build: Builder, threads: Threads, buffer: Buffers, op: Operation, is_used: bool) -> Value | None:
    """Let one thread act for the work-group; what it gets, if that is used, for all of them."""
    if not is_used:
        emit.open_if(build, threads.is_elected())(op)
        return None
    (value,) = op.results
    memory, used = buffer(MemrefType(emit.scalar_type(value.type), (), (), AddressSpace.LOCAL))
    if used:
        build(team.Barrier(fence_local=True))
    here = emit.open_if(build, threads.is_elected())
    here(op)
    here(memref.Store(value, memory, []))
    build(team.Barrier(fence_local=True))
    return build(memref.Load(memory, [])).out
