"""The way of a kernel to lanes: what its values became, and what lowerings of operations share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilewright.dialects import gpu, memref, scf
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.types import FragmentType, MemrefType, TileType, Type
from tilewright.transforms import emit
from tilewright.transforms.schedule.positions import Positions
from tilewright.transforms.schedule.ragged import filled, inside, neutral
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.spills import Spilled, Spills
from tilewright.transforms.schedule.threads import Threads, copies
from tilewright.transforms.tile_values import layout_of


def shape_of(value: Value) -> tuple[int, ...]:
    """The extents of a tile, of which its layout may cover more."""
    assert isinstance(value.type, TileType)
    return value.type.shape


def lowered_type(type_: Type) -> Type:
    """Of what one thread has in the place of a value."""
    if not isinstance(type_, TileType):
        return type_
    assert type_.layout is not None
    return FragmentType(type_.layout.count(Owner.REG), type_.element)


class Lowering:
    """The way of one kernel: `values` are what each value became, `shared` where allocations are made; what is computed
    some registers at a time is `in_strips`."""

    def __init__(self, threads: Threads, shared: Builder, descend: Descend) -> None:
        self.threads = threads
        self.shared = shared
        self._descend = descend
        self.values: dict[Value, Value] = {}
        self.in_loop = 0
        self._buffers: dict[tuple[MemrefType, int], Value] = {}
        self.positions: dict[Value, Positions] = {}
        self.spills = Spills()
        self.in_strips: set[Operation] = set()

    def block(self, ops: list[Operation], build: Builder) -> None:
        """Lower operations to the end of a block."""
        self._descend(self, ops, build)

    def new(self, value: Value) -> Value:
        """What a value became."""
        return self.values[value]

    def put(self, value: Value, became: Value) -> None:
        """Say what a value became."""
        self.values[value] = became
        became.name = became.name or value.name

    def buffer(self, type_: MemrefType, number: int = 0) -> tuple[Value, bool]:
        """Shared memory of a type, of which there are several, and whether anybody may have read it before."""
        key = (type_, number)
        used = key in self._buffers
        if not used:
            self._buffers[key] = self.shared(memref.Alloca(result_types=[type_])).out
        return self._buffers[key], used or bool(self.in_loop)

    def registers(self, build: Builder, value: Value, numbers: Sequence[int]) -> Value:
        """Some of what a tile became."""
        waiting = self.spills.of.get(value)
        return picked(build, [self.new(value)], numbers) if waiting is None else waiting.load(build, numbers)

    def spilled(self, op: gpu.Spill, using: Sequence[Operation]) -> Spilled:
        """Where a tile waits, in memory that `using` may read before it is written."""
        type_ = lowered_type(op.out.type)
        assert isinstance(type_, FragmentType)
        return self.spills.begin(op, type_, self.threads, self.shared, using)

    def counted(self, build: Builder, tile: Value, dim: int, value: Value, combine: type[Operation]) -> Value:
        """What became of a tile, with registers beyond it along `dim` that change no combination."""
        layout, shape = layout_of(tile), shape_of(tile)
        if layout.shape[dim] == shape[dim]:
            return value
        number = neutral(combine, emit.scalar_type(value.type))
        assert number is not None, "choose-schedule has asked"
        return filled(build, self.threads, value, layout, shape, dim, number)

    def inside(self, build: Builder, tile: Value) -> Value | None:
        """For each register whether it holds an element of a tile; None if all do."""
        shape = shape_of(tile)
        return inside(build, self.threads, layout_of(tile), shape, range(len(shape)))

    def once(self, build: Builder, layout: Layout) -> Builder:
        """Where one of the threads that hold copies writes for all of them."""
        condition = self.threads.is_first(copies(layout))
        return build if condition is None else emit.open_if(build, condition)


Descend = Callable[[Lowering, list[Operation], Builder], None]
"""Lowers the operations of a block."""
Lower = Callable[[Lowering, Builder, Any], None]
"""Lowers an operation."""


def copy(low: Lowering, build: Builder, op: Operation) -> None:
    """The same operation on what its operands became, with its regions; an elementwise one on fragments."""
    new = type(op).of_parts(
        [low.new(value) for value in op.operands],
        [lowered_type(value.type) for value in op.results],
        dict(op.attributes),
    )
    new.places = op.places
    build(new)
    loop = isinstance(op, scf.For | scf.While)
    low.in_loop += loop
    for region in op.regions:
        block = Block()
        for argument in region.entry.arguments:
            low.put(argument, block.add_argument(lowered_type(argument.type), argument.name, argument.location))
        new.add_region(Region(block))
        low.block(list(region.entry), Builder.at_end(block))
    low.in_loop -= loop
    for value, became in zip(op.results, new.results, strict=True):
        low.put(value, became)
