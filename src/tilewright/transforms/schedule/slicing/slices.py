"""Parts of tiles, computed where they are asked for: from parts of operands, down to memory and numbers."""

from __future__ import annotations

from collections.abc import Callable

from tilewright.dialects import arith, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import AccessesBox
from tilewright.ir.types import I32, TileType
from tilewright.transforms import emit
from tilewright.transforms.schedule.slicing.boxes import Box, Shape
from tilewright.transforms.tile_values import tile_type


class Slices:
    """Emits parts of tiles; what was computed once for the same box is used again.

    `memory` says where tiles lie that are in memory, and puts others there; None for those to be computed on demand.
    """

    def __init__(self, memory: Callable[[Value], Value | None], large: Callable[[Value], bool]) -> None:
        self._memory, self._large = memory, large
        self._known: dict[tuple[Value, _Place], Value] = {}

    def of(self, build: Builder, value: Value, box: Box) -> Value:
        """The elements of a tile in a box; a scalar is its own element."""
        if not isinstance(value.type, TileType) or (box.shape == value.type.shape and not self._large(value)):
            return value
        key = (value, _place(box))
        if key not in self._known:
            self._known[key] = self._part(build, value, box)
        return self._known[key]

    def _part(self, build: Builder, value: Value, box: Box) -> Value:
        memory = self._memory(value)
        if memory is not None:
            return build(tile.Load(memory, list(box.offsets), result_types=[_cut(value, box)])).out
        op = value.defining_op
        assert op is not None, "what a region takes is in memory"
        return self.of_op(build, op, box)[0]

    def of_op(self, build: Builder, op: Operation, box: Box) -> list[Value]:
        """What an operation computes in a box of its results, or does for one of its tiles, from parts of the same."""
        match op:
            case arith.Constant():
                return [build.constant(op.value, _cut(op.out, box))]
            case tile.Splat():
                return [build(tile.Splat(op.value, result_types=[_cut(op.out, box)])).out]
            case tile.Iota():
                return [self._iota(build, op, box)]
            case tile.Broadcast() | tile.Permute() | tile.Extract():
                return [self._moved(build, op, box)]
            case _:
                return self._pointwise(build, op, box)

    def _pointwise(self, build: Builder, op: Operation, box: Box) -> list[Value]:
        """An operation whose tiles all have one shape."""
        new = op.clone()
        for number, operand in enumerate(op.operands):
            new.set_operand(number, self.of(build, operand, box))
        if isinstance(op, AccessesBox):
            first = len(op.operands) - len(box.shape)
            for mode, offset in enumerate(box.offsets):
                new.set_operand(first + mode, emit.add(build, op.operands[first + mode], offset))
        for result in new.results:
            result.type = TileType(box.shape, tile_type(result).element)
        if isinstance(new, tile.Map):
            _shift_positions(build, new, box)
        return list(build(new).results)

    def _iota(self, build: Builder, op: tile.Iota, box: Box) -> Value:
        type_ = _cut(op.out, box)
        found = build(tile.Iota(op.dim, result_types=[type_])).out
        first = emit.cast(build, box.offsets[op.dim], type_.element)
        return emit.add(build, found, emit.shaped(build, first, type_))

    def _moved(self, build: Builder, op: tile.Broadcast | tile.Permute | tile.Extract, box: Box) -> Value:
        (move,) = op.moves()
        offsets, shape = list[Value](), list[int]()
        for coordinate in move.coordinates:
            if coordinate.dim is None:
                assert coordinate.constant is not None
                offsets.append(build.index(coordinate.constant))
                shape.append(1)
            else:
                offsets.append(emit.add(build, box.offsets[coordinate.dim], build.index(coordinate.offset)))
                shape.append(box.shape[coordinate.dim])
        found = self.of(build, op.tile, Box(tuple(offsets), tuple(shape)))
        if isinstance(op, tile.Permute):
            return build(tile.Permute(found, op.order)).out
        if tile_type(found).shape == box.shape:
            return found
        return build(tile.Broadcast(found, result_types=[_cut(op.out, box)])).out


_Place = tuple[tuple[tuple[Value | None, int], ...], Shape]


def _place(box: Box) -> _Place:
    """What boxes of the same elements have in common, however their offsets were added up.

    Moves give each part that they ask for offsets of their own; where a value is used by two operations, one of which
    moves it, again and again, as many parts as there are ways through the program would be computed.
    """
    return tuple(map(_from_base, box.offsets)), box.shape


def _from_base(offset: Value) -> tuple[Value | None, int]:
    """An offset as what is not constant in it, and the rest."""
    total, base = 0, offset
    while (number := emit.integer_of(base)) is None:
        op = base.defining_op
        step = emit.integer_of(op.rhs) if isinstance(op, arith.Add) else None
        if step is None:
            return base, total
        assert isinstance(op, arith.Add)
        base, total = op.lhs, total + step
    return None, total + number


def _cut(value: Value, box: Box) -> TileType:
    return TileType(box.shape, tile_type(value).element)


def _shift_positions(build: Builder, op: tile.Map, box: Box) -> None:
    """Let the region of a map of a part see the positions in the whole."""
    entry = op.body.entry
    for argument, offset in zip(entry.arguments, box.offsets, strict=False):
        first = emit.cast(build, offset, I32)
        if argument.uses and emit.integer_of(offset) != 0:
            users = list(argument.uses)
            shifted = Builder(entry, entry.first, op.location)(arith.Add(argument, first)).out
            for user in users:
                user.replace_operand(argument, shifted)
