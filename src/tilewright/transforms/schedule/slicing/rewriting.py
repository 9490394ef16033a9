"""The large tiles of one kernel become memory and loops over parts, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilewright.dialects import scf, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.carried_values import Control, release, without
from tilewright.transforms.schedule.known import is_any_move, teams_of
from tilewright.transforms.schedule.same_bits import divides, parts
from tilewright.transforms.schedule.share_tiles import taken_tiles
from tilewright.transforms.schedule.slicing import carried
from tilewright.transforms.schedule.slicing.boxes import Box, Shape, Values, block_of, each_box, part_of, whole
from tilewright.transforms.schedule.slicing.combining import Parts
from tilewright.transforms.schedule.slicing.memory import Memory, reserve, viewed
from tilewright.transforms.schedule.slicing.moves import moved
from tilewright.transforms.schedule.slicing.on_demand import OnDemand
from tilewright.transforms.schedule.spreading import registers_of
from tilewright.transforms.tile_values import tile_type

Producer = Callable[[Builder, Box], Values]
"""Emits what an operation computes in a box of its results, or does with one of its tiles."""

_TOGETHER: Final = 4
"""Parts of which the registers are those that a tile may take: several are there at a time."""
_SUMS_TOGETHER: Final = 2
"""Of products, which read their factors again for each part."""


class Rewriting:
    """The way of one kernel, whose threads hold `most` registers of a tile."""

    def __init__(self, kernel: Kernel, most: int) -> None:
        self._kernel, self._most, self._teams = kernel, most, teams_of(kernel)
        self._registers = max(most // _TOGETHER, 1)
        self._memory = Memory(self._large, self._part)
        self._on_demand = OnDemand(self._large, lambda value: self._memory.find(value) is not None)
        self._parts = Parts(self._teams, self._registers, self._memory.slices)
        self._gone: list[Operation] = []
        self._carrying: list[tuple[Control, list[int]]] = []

    def run(self) -> bool:
        """Rewrite the kernel; whether there was anything to rewrite."""
        self._block(self._kernel.body.entry)
        for op, numbers in self._carrying:
            release(op, numbers)
        for op in reversed(self._gone):
            op.erase()
        for op, numbers in reversed(self._carrying):
            without(op, numbers)
        return bool(self._gone or self._carrying)

    def _large(self, value: Value) -> bool:
        return isinstance(value.type, TileType) and registers_of(value.type.shape, self._teams) > self._most

    def _part(self, value: Value) -> Shape:
        """What of a tile is there at a time."""
        shape = tile_type(value).shape
        return part_of(shape, self._teams, self._registers) if self._large(value) else shape

    def _block(self, block: Block) -> None:
        for op in list(block):
            if isinstance(op, team.Spmd):
                self._share(op)
            elif isinstance(op, scf.For | scf.While | scf.If):
                self._control(op)
            elif is_any_move(op) or (
                not isinstance(op, scf.Yield) and any(map(self._large, (*op.operands, *op.results)))
            ):
                self._gone.append(op)
                if not (op.results and self._large(op.results[0]) and self._on_demand.takes(op)):
                    self._operation(op, Builder.before_op(op))

    def _share(self, region: team.Spmd) -> None:
        """Let work-items read what they use of large tiles from memory."""
        inside = region.body.entry
        for value in filter(self._large, taken_tiles(region)):
            place = self._memory.put(Builder.before_op(region), value)
            build = Builder(inside, inside.first, region.location)
            users = [user for user in region.walk() if value in user.operands]
            zeros = [build.index(0) for _ in tile_type(value).shape]
            found = build(tile.Load(place, zeros, result_types=[value.type])).out
            for user in users:
                user.replace_operand(value, found)

    def _control(self, op: Control) -> None:
        numbers = [number for number, out in enumerate(op.outs) if self._large(out)]
        carried.begin(self._memory, op, numbers)
        for region in op.regions:
            self._block(region.entry)
        if numbers:
            carried.finish(self._memory, op, numbers)
            self._carrying.append((op, numbers))

    def _operation(self, op: Operation, build: Builder) -> None:
        """Write what an operation does or computes in its place."""
        match op:
            case tile.Reshape():
                self._reshaped(op, build)
            case tile.Cat():
                self._side_by_side(op, build)
            case tile.Scan() | ScanBy():
                self._scanned(op, build)
            case MovesElements() if not isinstance(op, tile.Broadcast | tile.Extract | tile.Permute):
                places = [self._memory.put(build, value) for value in op.operands]
                self._produced(op, build, lambda here, box: [moved(here, op, places, box)])
            case tile.Reinterpret():
                self._reinterpreted(op, build)
            case tile.Reduce() | ReduceBy():
                self._produced(op, build, lambda here, box: self._parts.reduced(here, op, box))
            case tile.Mma():
                part = block_of(tile_type(op.out).shape, self._teams, max(self._most // _SUMS_TOGETHER, 1))
                self._produced(op, build, lambda here, box: self._parts.multiplied(here, op, box), part)
            case _:
                self._produced(op, build, lambda here, box: self._memory.slices().of_op(here, op, box))

    def _reshaped(self, op: tile.Reshape, build: Builder) -> None:
        """A view of the same memory, from which a small tile is read: layouts of its shape may cover less beyond it."""
        type_ = tile_type(op.out)
        place = viewed(build, self._memory.put(build, op.tile), type_.shape)
        if self._large(op.out):
            self._memory.lies(op.out, place)
            return
        zeros = [build.index(0) for _ in type_.shape]
        op.out.replace_all_uses_with(build(tile.Load(place, zeros, result_types=[type_])).out)

    def _produced(self, op: Operation, build: Builder, produce: Producer, part: Shape | None = None) -> None:
        """Part by part, into memory; at once what gives small tiles."""
        values = op.results or [value for value in op.operands if isinstance(value.type, TileType)]
        shape = tile_type(values[0]).shape
        if not self._large(values[0]):
            for result, value in zip(op.results, produce(build, whole(build, shape)), strict=True):
                result.replace_all_uses_with(value)
            return
        places = [reserve(build, tile_type(result)) if result.uses else None for result in op.results]

        def body(here: Builder, box: Box) -> None:
            for place, value in zip(places, produce(here, box), strict=True):
                if place is not None:
                    here(tile.Store(value, place, list(box.offsets)))

        each_box(build, shape, part or self._part(values[0]), body)
        self._note_memory(op, places)

    def _note_memory(self, op: Operation, places: list[Value | None]) -> None:
        for result, place in zip(op.results, places, strict=True):
            if place is not None:
                self._memory.lies(result, place)

    def _scanned(self, op: tile.Scan | ScanBy, build: Builder) -> None:
        places: list[Value | None] = [reserve(build, tile_type(result)) for result in op.results]
        shape = tile_type(op.results[0]).shape
        others = [dim for dim in range(len(shape)) if dim != op.dim]
        lines = part_of(shape, self._teams, self._registers, others)

        def put(here: Builder, box: Box, values: Values) -> None:
            for place, value in zip(places, values, strict=True):
                assert place is not None
                here(tile.Store(value, place, list(box.offsets)))

        each_box(build, shape, lines, lambda here, box: self._parts.scanned(here, op, box, put))
        self._note_memory(op, places)

    def _side_by_side(self, op: tile.Cat, build: Builder) -> None:
        place = reserve(build, tile_type(op.out))
        for value, move in zip(op.tiles, op.moves(), strict=True):
            start = move.start

            def body(here: Builder, box: Box, value: Value = value, start: Shape = start) -> None:
                part = self._memory.slices().of(here, value, box)
                at = [emit.add(here, offset, here.index(n)) for offset, n in zip(box.offsets, start, strict=True)]
                here(tile.Store(part, place, at))

            each_box(build, move.shape, self._part(value), body)
        self._memory.lies(op.out, place)

    def _reinterpreted(self, op: tile.Reinterpret, build: Builder) -> None:
        """By parts of which the bits are those of whole elements on both sides."""
        count, place = parts(op), reserve(build, tile_type(op.out))
        narrow, wide = (op.out, op.tile) if divides(op) else (op.tile, op.out)
        step = max(self._part(narrow)[0] // count, 1)

        def body(here: Builder, box: Box) -> None:
            (offset,), (size,) = box.offsets, box.shape
            many = Box((emit.mul(here, offset, here.index(count)),), (size * count,))
            source, target = (box, many) if divides(op) else (many, box)
            part = self._memory.slices().of(here, op.tile, source)
            type_ = TileType(target.shape, tile_type(op.out).element)
            found = here(tile.Reinterpret(part, result_types=[type_])).out
            here(tile.Store(found, place, list(target.offsets)))

        each_box(build, tile_type(wide).shape, (step,), body)
        if self._large(op.out):
            self._memory.lies(op.out, place)
        else:
            found = build(tile.Load(place, [build.index(0)], result_types=[op.out.type])).out
            op.out.replace_all_uses_with(found)
