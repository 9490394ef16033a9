"""Loads and stores of distributed tiles: runs of adjacent elements, in one piece where memory allows.

A run is one access if its elements lie behind each other, all of them inside, and the first is aligned. What of that is
not known (`transforms.facts`) is tested where it happens; otherwise each element is an access of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.llvm.types import Kind
from tilewright.targets.nvidia.buffers import Coordinates, coordinates
from tilewright.targets.nvidia.context import KernelContext, is_tile
from tilewright.targets.nvidia.distributed import Distribution
from tilewright.targets.nvidia.elements import Elements, guarded, guarded_all, tile_type
from tilewright.targets.nvidia.elementwise import COMPUTED
from tilewright.targets.nvidia.memory import (
    VECTOR_BYTES,
    address,
    in_bounds,
    load_element,
    load_elements,
    store_element,
    store_elements,
)
from tilewright.targets.nvidia.values import HeldTile, Operand, View
from tilewright.transforms.facts import alignment, stride_divisor

_MOST_UNROLLED: Final = 8
"""Elements of a thread up to which runs are written out one after the other."""

Access = tile.Load | tile.Store


class _Run:
    """A run of a memref that an operation accesses; `where` are the coordinates of its elements in the tile."""

    def __init__(self, ctx: KernelContext, op: Access, found: Distribution, where: Sequence[Coordinates]) -> None:
        self._ctx = ctx
        self._op = op
        self._found = found
        self.view: View = ctx.view(op.memref)
        self._starts = [ctx.scalar(index) for index in op.indices]
        self._where = where
        self._first = self._indices(0)
        self._base = address(ctx, self.view, self._first)

    def _indices(self, number: int) -> list[Value]:
        return [self._ctx.b.add(start, at) for start, at in zip(self._starts, self._where[number], strict=True)]

    def whole(self) -> Value | None:
        """Whether it can be one access; None if it never can."""
        b, found, element = self._ctx.b, self._found, self.view.element
        if found.width == 1 or element.kind in (Kind.BOOL, Kind.COMPLEX):
            return None
        stride = self.view.strides[0]
        if stride.integer not in (None, 1):
            return None
        condition = self._ctx.flag(True) if stride.integer == 1 else b.icmp("eq", stride, i64(1))
        if self._proven() % self.aligned:
            low = b.and_(b.cast("ptrtoint", self._base, "i64"), i64(self.aligned - 1))
            condition = b.and_(condition, b.icmp("eq", low, i64(0)))
        condition = b.and_(condition, in_bounds(self._ctx, self.view, self._first, self._op.check))
        if any(self._op.check[:1]):
            last = b.add(self._first[0], i64(found.width - 1))
            condition = b.and_(condition, b.icmp("ult", last, self.view.sizes[0]))
        return condition

    @property
    def aligned(self) -> int:
        """Bytes that the first address of one access is a multiple of."""
        return min(self._found.width * self.view.element.bytes, VECTOR_BYTES)

    def _proven(self) -> int:
        """Bytes that divide the addresses of all runs."""
        bytes_, shape = self.view.element.bytes, self._found.shape
        steps = [stride_divisor(self._op.memref, k) * bytes_ for k in range(1, len(shape)) if shape[k] > 1]
        return math.gcd(alignment(self._op.memref, self._op.indices), self._found.width * bytes_, *steps)

    @property
    def base(self) -> Value:
        """The address of the first element."""
        return self._base

    def elements(self) -> Iterator[tuple[Value, Callable[[], Value]]]:
        """For each element by itself whether it is accessed, and how to compute where it lies."""
        for number in range(self._found.width):
            indices = self._indices(number)
            inside = in_bounds(self._ctx, self.view, indices, self._op.check)
            yield inside, lambda at=indices: address(self._ctx, self.view, at)


def load_run(ctx: KernelContext, op: tile.Load, found: Distribution, where: Sequence[Coordinates]) -> list[Operand]:
    """The run of a loaded tile whose elements have these coordinates."""
    run = _Run(ctx, op, found, where)
    element = run.view.element

    def together() -> list[Operand]:
        return load_elements(ctx, element, run.base, found.width)

    def one_by_one() -> list[Operand]:
        return [
            guarded(
                ctx,
                inside,
                lambda place=place: load_element(ctx, element, place()),
                lambda: ctx.arith.constant(element.name, 0),
            )
            for inside, place in run.elements()
        ]

    whole = run.whole()
    return one_by_one() if whole is None else guarded_all(ctx, whole, together, one_by_one)


def store_run(
    ctx: KernelContext, op: tile.Store, found: Distribution, where: Sequence[Coordinates], values: Sequence[Operand]
) -> None:
    """Store a run of a tile."""
    run = _Run(ctx, op, found, where)
    element = run.view.element

    def together() -> None:
        store_elements(ctx, element, values, run.base)

    def one_by_one() -> None:
        for (inside, place), value in zip(run.elements(), values, strict=True):
            with ctx.b.if_then(inside):
                store_element(ctx, element, value, place())

    whole = run.whole()
    if whole is None:
        one_by_one()
    elif whole.text == "true":
        together()
    else:
        with ctx.b.if_else(whole, likely=True) as branch:
            with branch.then():
                together()
            with branch.otherwise():
                one_by_one()


# Runs of a thread


def _positions(ctx: KernelContext, found: Distribution, number: Value) -> list[Coordinates]:
    """Coordinates of the elements of the run that begins at a column-major number."""
    first = coordinates(ctx, found.shape, number)
    if not first:
        return [()]
    return [(ctx.b.add(first[0], i64(k)), *first[1:]) for k in range(found.width)]


def _number(ctx: KernelContext, found: Distribution, run: int) -> Value:
    """The element at which a run of this thread begins."""
    first = ctx.b.mul(ctx.thread, i64(found.width))
    return ctx.b.add(first, i64(run * found.threads * found.width))


def _is_there(ctx: KernelContext, found: Distribution, run: int, number: Value) -> Value:
    """Whether the tile has that run of this thread."""
    complete = (run + 1) * found.threads * found.width <= found.size
    return ctx.flag(True) if complete else ctx.b.icmp("ult", number, i64(found.size))


def hold(ctx: KernelContext, op: tile.Load) -> None:
    """Load a tile into registers; runs that there are not hold zeros."""
    found = ctx.distributions.of_shape[tile_type(op.out).shape]
    element = ctx.view(op.memref).element
    runs: list[tuple[Operand, ...]] = []
    for run in range(found.rounds):
        number = _number(ctx, found, run)
        loaded = guarded_all(
            ctx,
            _is_there(ctx, found, run, number),
            lambda at=number: load_run(ctx, op, found, _positions(ctx, found, at)),
            lambda: [ctx.arith.constant(element.name, 0)] * found.width,
        )
        runs.append(tuple(loaded))
    ctx.bind(op.out, HeldTile(tile_type(op.out), tuple(runs)))


def store_runs(ctx: KernelContext, op: tile.Store) -> None:
    """Compute and store a tile, each thread its runs."""
    found = ctx.distributions.of_shape[tile_type(op.value).shape]
    loads = tuple(dict.fromkeys(loads_of(ctx, op.value)))
    held = any(isinstance(ctx.values.get(load), HeldTile) for load in loads)
    with ctx.per_work_item():
        if held or found.rounds * found.width <= _MOST_UNROLLED:
            for run in range(found.rounds):
                number = _number(ctx, found, run)
                with ctx.b.if_then(_is_there(ctx, found, run, number)):
                    _store_run(ctx, op, found, number, loads, run)
            return
        start, step = _number(ctx, found, 0), found.threads * found.width
        unroll = ctx.not_unrolled()
        with ctx.b.loop(start, i64(found.size), step, loop_metadata=unroll, hint="element") as loop:
            _store_run(ctx, op, found, loop.index, loads, None)


def _store_run(
    ctx: KernelContext, op: tile.Store, found: Distribution, number: Value, loads: Sequence[core.Value], run: int | None
) -> None:
    where = _positions(ctx, found, number)
    elements = Elements(ctx)
    for load in loads:
        elements.tell(load, where, _loaded(ctx, load, found, where, run))
    values = [elements.at(op.value, at) for at in where]
    store_run(ctx, op, found, where, values)


def _loaded(
    ctx: KernelContext, load: core.Value, found: Distribution, where: Sequence[Coordinates], run: int | None
) -> Sequence[Operand]:
    """The elements of a loaded tile: those that are held, or from memory."""
    known = ctx.values.get(load)
    if isinstance(known, HeldTile):
        assert run is not None, "held tiles are stored run by run"
        return known.runs[run]
    op = load.defining_op
    assert isinstance(op, tile.Load)
    return load_run(ctx, op, found, where)


def sources_of(ctx: KernelContext, value: core.Value) -> Iterator[core.Value]:
    """The tiles, each once, of which an element is computed from those at the same coordinates; itself first."""
    seen: set[core.Value] = set()
    work = [value]
    while work:
        found = work.pop()
        if found in seen or not is_tile(found):
            continue
        seen.add(found)
        yield found
        op = found.defining_op
        if isinstance(op, COMPUTED) and found in ctx.deferred:
            work += reversed(op.operands)


def loads_of(ctx: KernelContext, value: core.Value) -> Iterator[core.Value]:
    """Those of them that are loaded and have no buffer."""
    for found in sources_of(ctx, value):
        if isinstance(found.defining_op, tile.Load) and (found in ctx.deferred or found in ctx.distributions.held):
            yield found
