"""Blocks of tiles as vectors: the recursive heart of the tile lowering.

`Evaluator.block(tile, block)` emits the code that computes a register block of a tile and returns its vectors. An
expression takes the blocks of its operands; memory is read in place. In straight-line code nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from tilewright.targets.cpu.evaluation import gathers, reductions, tables
from tilewright.targets.cpu.evaluation.crosswise import crosswise_block, is_crosswise
from tilewright.targets.cpu.expressions.blocks import Block, Piece, split_powers
from tilewright.targets.cpu.expressions.fragments import Fragments, join, pick, rearrange
from tilewright.targets.cpu.expressions.nodes import (
    Bound,
    Broadcast,
    Converted,
    Elementwise,
    Expression,
    Extract,
    Gathered,
    Iota,
    Memory,
    Permute,
    Product,
    Reduction,
    Registers,
    Reshaped,
    Reverse,
    Splat,
)
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.lanes import Lanes, load_lanes, prefix_mask, store_lanes
from tilewright.targets.cpu.small_products import microkernel
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.elementwise import compute
from tilewright.targets.llvm.emitter import Builder, Value, constant, i64, lane_constants
from tilewright.targets.llvm.types import ELEMENTS, Kind

SCALAR = (Piece(0, 1, 1),)
_FAR: Final = 1 << 62
"""From what is as far in front of a tile to its end is a number of 64 bits."""


class Evaluator:
    """Computes blocks at the position of a builder; `checked` is False where all elements are known to exist.

    `straight`: vectors of memory that lies by tables are known to lie in one run each (`tables.py`).
    """

    __slots__ = ("_known", "_masked", "_masks", "arith", "b", "checked", "machine", "steps", "straight")

    def __init__(
        self, b: Builder, arith: Arithmetic, machine: Machine, checked: bool = True, straight: bool = False
    ) -> None:
        self.b = b
        self.arith = arith
        self.machine = machine
        self.checked = checked
        self.straight = straight
        self.steps: dict[tuple[Memory, int, int, Value], tables.Steps] = {}
        self._known: dict[tuple[Expression, Block], Fragments] = {}
        self._masks: dict[object, Value] = {}
        """Parts of masks that the basic block `_masked` has computed."""
        self._masked: object = None

    @contextmanager
    def scope(self) -> Generator[None]:
        """Code that what follows is not dominated by, such as the body of a loop."""
        before, steps = dict(self._known), dict(self.steps)
        yield
        self._known, self.steps = before, steps

    def forget(self) -> None:
        """Memory has changed: compute anew."""
        self._known.clear()

    def provide(self, tile: Expression, block: Block, fragments: Fragments) -> None:
        """Take the vectors of a block, computed elsewhere, as known."""
        self._known[(tile, block)] = fragments

    def block(self, tile: Expression, block: Block) -> Fragments:
        """The vectors of a block."""
        if isinstance(tile, Memory):
            return self._load(tile, block)
        key = (tile, block)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._compute(tile, block)
        return known

    def read_once(self, tile: Expression, block: Block) -> Fragments:
        """As `block`; memory, too, is read once."""
        key = (tile, block)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.block(tile, block)
        return known

    def scalar(self, tile: Expression, position: tuple[Value, ...]) -> Operand:
        """One element."""
        across = 1 if tile.type.rank > 1 else None
        return self.block(tile, Block(position, 0, SCALAR, across))[0][0]

    def _compute(self, tile: Expression, block: Block) -> Fragments:
        match tile:
            case Memory():
                return self._load(tile, block)
            case Registers():
                return self._registers(tile, block)
            case Splat():
                row = [self.arith.splat(tile.operand, piece.lanes) for piece in block.pieces]
                return [row] * block.count
            case Elementwise():
                parts = [self.read_once(source, block) for source in tile.operands]
                dtypes = [source.type.element.name for source in tile.operands]
                pieces = range(len(block.pieces))
                return [
                    [compute(self.arith, tile.op, dtypes, [part[j][p] for part in parts]) for p in pieces]
                    for j in range(block.count)
                ]
            case Converted():
                have, want = tile.source.type.element.name, tile.type.element.name
                cast = self.arith.cast if tile.signed else self.arith.cast_unsigned
                return [[cast(x, have, want) for x in row] for row in self.block(tile.source, block)]
            case Broadcast():
                return self._broadcast(tile, block)
            case Permute():
                return self.block(tile.source, _permuted(tile, block))
            case Reshaped():
                raise AssertionError("reshaped tiles are put together in a buffer, or lie by tables")
            case Extract():
                origin = tuple(self.b.add(o, i64(k)) for o, k in zip(block.origin, tile.offsets, strict=True))
                return self.block(tile.source, replace(block, origin=origin))
            case Reverse():
                return self._reversed(tile, block)
            case Iota():
                return self._iota(tile, block)
            case Product():
                return microkernel.product_block(self, tile, block)
            case Gathered():
                return gathers.gathered_block(self, tile, block)
            case Reduction():
                return reductions.reduction_block(self, tile, block)

    # Memory

    def address(self, tile: Memory, position: tuple[Value, ...]) -> Value:
        """Address of the element at a position."""
        distance = i64(0)
        for dim, at in enumerate(position):
            distance = self.b.add(distance, tables.distance(self.b, tile, dim, at))
        return self.advance(tile, tile.pointer, distance)

    def advance(self, tile: Memory, pointer: Value, distance: Value) -> Value:
        """The address `distance` elements further on."""
        element = ELEMENTS[tile.type.element.name]
        if element.kind is Kind.COMPLEX:
            distance = self.b.add(distance, distance)
        return self.b.gep("i8" if element.kind is Kind.BOOL else element.llvm, pointer, distance)

    def _load(self, tile: Memory, block: Block) -> Fragments:
        if tile.tables:
            return tables.load_block(self, tile, block)
        base = self.address(tile, block.origin)
        if is_crosswise(tile, block.vector, block.across) and not (self.checked and tile.checked):
            return crosswise_block(self, tile, block, base)
        return [
            [
                load_lanes(self.b, self.lanes(tile, block, base, j, piece), self.mask(tile, block, j, piece))
                for piece in block.pieces
            ]
            for j in range(block.count)
        ]

    def lanes(self, tile: Memory, block: Block, base: Value, j: int, piece: Piece) -> Lanes:
        """Where one vector of a block lies."""
        b = self.b
        along = tile.strides[block.vector] if tile.strides else i64(1)
        distance = b.mul(along, i64(piece.offset))
        if block.across is not None:
            distance = b.add(distance, b.mul(tile.strides[block.across], i64(j)))
        gathered = self.machine.gathers(tile.type.element.component.bytes, piece.lanes)
        pointer = self.advance(tile, base, distance)
        line = self._line(tile, block, j) if self.checked and tile.checked else None
        if line is not None:
            # of lines that do not exist nothing is accessed; processors take a microsecond to find out that this is no
            # fault where no memory is (Zen 4: 0.2 s for a dot product of 2^20 elements, as one line of four)
            pointer = b.select(line, pointer, tile.pointer)
        return Lanes(tile.type.element.name, pointer, along, piece.lanes, gathered)

    def mask(self, tile: Memory, block: Block, j: int, piece: Piece, writes: bool = False) -> Value | None:
        """The lanes of a vector that exist; None if all do, or if reading the others is harmless."""
        dynamic = self._bounds_mask(tile, block, j, piece) if self.checked and tile.checked else None
        if not piece.partial:
            return dynamic
        if dynamic is None and not writes and self._readable(tile, block, j, piece):
            return None
        static = prefix_mask(piece.active, piece.lanes)
        return static if dynamic is None else self.b.and_(dynamic, static)

    def _readable(self, tile: Memory, block: Block, j: int, piece: Piece) -> bool:
        """Whether the lanes behind the active ones are certain to lie in the same memory."""
        if _is_padded(tile, block, piece):
            return True
        end = static_distance(tile, block, j, piece)
        unit = tile.strides[block.vector].integer == 1
        return unit and end is not None and tile.span is not None and end + piece.lanes <= tile.span

    def _bounds_mask(self, tile: Memory, block: Block, j: int, piece: Piece) -> Value | None:
        bound, line = tile.bounds[block.vector], self._line(tile, block, j)
        along = None
        if bound is not None:
            along = self._inside(block.origin[block.vector], piece.offset, piece.lanes, bound)
        if line is None:
            return along
        everywhere = self._once((line, piece.lanes), lambda: self.b.splat(line, piece.lanes))
        return everywhere if along is None else self.b.and_(along, everywhere)

    def _line(self, tile: Memory, block: Block, j: int) -> Value | None:
        """Whether the line of a vector exists; None if all do."""
        line = None
        for dim, (at, bound) in enumerate(zip(block.origin, tile.bounds, strict=True)):
            if bound is not None and dim != block.vector:
                inside = self._inside(at, j if dim == block.across else 0, 1, bound)
                line = inside if line is None else self.b.and_(line, inside)
        return line

    def _inside(self, at: Value, offset: int, lanes: int, bound: Bound) -> Value:
        """Which of some positions behind one, or whether a single one, is within a bound."""

        def emit() -> Value:
            b, first = self.b, self.b.add(at, i64(offset))
            if lanes == 1:
                ends = b.icmp("slt", first, bound.high)
                return b.and_(b.icmp("sge", first, bound.low), ends) if bound.begins else ends
            high = self._lanes_before(bound.high, first, lanes)
            places = b.step(high.type)
            ends = b.icmp("ult", places, high)
            if not bound.begins:
                return ends
            return b.and_(b.icmp("uge", places, self._lanes_before(bound.low, first, lanes)), ends)

        return self._once((at, offset, lanes, bound.low, bound.high), emit)

    def _lanes_before(self, end: Value, first: Value, lanes: int) -> Value:
        """How many lanes from a position on lie before another one, in each lane of a vector that fills a register.

        Positions themselves would take four registers of 16 lanes. The end may be any number: no difference wraps.
        """
        b = self.b
        count = b.smin(b.smax(b.sub(b.smax(end, i64(-_FAR)), first), i64(0)), i64(lanes))
        return b.splat(b.resize(count, f"i{max(8, min(64, self.machine.vector_bytes * 8 // lanes))}"), lanes)

    def _once(self, key: object, emit: Callable[[], Value]) -> Value:
        """What depends on the key alone, from an earlier instruction of this basic block if there is one."""
        if self._masked is not self.b.block:
            self._masked = self.b.block
            self._masks.clear()
        known = self._masks.get(key)
        if known is None:
            known = self._masks[key] = emit()
        return known

    def store(
        self, tile: Memory, block: Block, fragments: Fragments, masks: bool = False, streamed: bool = False
    ) -> None:
        """Store a block. All of its vectors were computed before, so that it may overwrite what they came from.

        `masks`: lanes outside may be masked off, except in the last column; `streamed`: whole vectors go past the
        caches, and lie at multiples of their size.
        """
        if tile.tables:
            tables.store_block(self, tile, block, fragments)
            return
        checked = self.checked and tile.checked
        base = self.address(tile, block.origin)
        for j in range(block.count):
            for piece, operand in zip(block.pieces, fragments[j], strict=True):
                at = replace(self.lanes(tile, block, base, j, piece), streamed=streamed)
                if checked:
                    store_lanes(self.b, operand, at, self.mask(tile, block, j, piece, writes=True))
                elif _is_padded(tile, block, piece):
                    store_lanes(self.b, operand, at)
                elif masks and piece.partial and not _is_last(tile, block, j):
                    store_lanes(self.b, operand, at, prefix_mask(piece.active, piece.lanes))
                else:
                    self._store_prefix(tile, operand, at, piece.active)

    def _store_prefix(self, tile: Memory, operand: Operand, at: Lanes, active: int) -> None:
        """Store the first lanes of a vector, in ever narrower vectors if these are not all."""
        for part in split_powers(active, at.count):
            pointer = self.advance(tile, at.pointer, self.b.mul(at.stride, i64(part.offset)))
            lanes = range(part.offset, part.offset + part.lanes)
            there = replace(at, pointer=pointer, count=part.lanes, streamed=at.streamed and part.lanes == at.count)
            store_lanes(self.b, pick(self.b, operand, lanes), there)

    # Other leaves and reorderings

    def _registers(self, tile: Registers, block: Block) -> Fragments:
        origin = [at.integer for at in block.origin]
        assert None not in origin, "tiles in registers are spilled before a loop runs over them"
        start = [at for at in origin if at is not None]
        if block.vector == tile.vector and all(
            Piece(p.offset + start[block.vector], p.lanes, p.active) in tile.pieces for p in block.pieces
        ):
            held = [tile.pieces.index(Piece(p.offset + start[block.vector], p.lanes, p.active)) for p in block.pieces]
            return [[tile.fragments[self._column(tile, block, start, j)][p] for p in held] for j in range(block.count)]
        return [[self._assemble(tile, block, start, j, piece) for piece in block.pieces] for j in range(block.count)]

    @staticmethod
    def _column(tile: Registers, block: Block, start: list[int], j: int) -> int:
        if tile.type.rank < 2:
            return 0
        other = 1 - tile.vector
        return start[other] + (j if block.across == other else 0)

    def _assemble(self, tile: Registers, block: Block, start: list[int], j: int, piece: Piece) -> Operand:
        elements: list[Operand] = []
        for lane in range(piece.active):
            position = list(start)
            if block.across is not None:
                position[block.across] += j
            position[block.vector] += piece.offset + lane
            row = position[tile.vector]
            column = position[1 - tile.vector] if tile.type.rank == 2 else 0
            held = next(k for k, p in enumerate(tile.pieces) if p.offset <= row < p.offset + p.active)
            elements.append(pick(self.b, tile.fragments[column][held], [row - tile.pieces[held].offset]))
        return join(self.b, elements, piece.lanes)

    def _broadcast(self, tile: Broadcast, block: Block) -> Fragments:
        shape = tile.source.type.shape
        stretched = [extent == 1 and wide != 1 for extent, wide in zip(shape, tile.type.shape, strict=True)]
        origin = tuple(i64(0) if one else at for one, at in zip(stretched, block.origin, strict=True))
        one_lane = bool(shape) and stretched[block.vector]
        one_column = block.across is not None and stretched[block.across]
        found = self.block(
            tile.source,
            Block(
                origin,
                block.vector,
                SCALAR if one_lane else block.pieces,
                None if one_column else block.across,
                1 if one_column else block.count,
            ),
        )
        if one_lane:
            found = [[self.arith.splat(row[0], piece.lanes) for piece in block.pieces] for row in found]
        return found * block.count if one_column else found

    def _reversed(self, tile: Reverse, block: Block) -> Fragments:
        """Columns from the last to the first, and each vector by itself."""
        b, shape = self.b, tile.type.shape

        def mirrored(dim: int, first: Value, count: int) -> Value:
            """Where `count` positions from `first` on begin in the source."""
            return b.sub(i64(shape[dim] - count), first) if dim in tile.dims else first

        counts = [block.count if dim == block.across else 1 for dim in range(len(shape))]
        origin = [mirrored(dim, at, count) for dim, (at, count) in enumerate(zip(block.origin, counts, strict=True))]
        if block.vector in tile.dims:
            rows: Fragments = [[] for _ in range(block.count)]
            for piece in block.pieces:
                start = b.add(block.origin[block.vector], i64(piece.offset))
                origin[block.vector] = mirrored(block.vector, start, piece.active)
                part = replace(block, origin=tuple(origin), pieces=(replace(piece, offset=0),))
                order = [max(piece.active - 1 - lane, 0) for lane in range(piece.lanes)]
                for row, (found,) in zip(rows, self.block(tile.source, part), strict=True):
                    row.append(rearrange(b, found, order))
        else:
            rows = self.block(tile.source, replace(block, origin=tuple(origin)))
        return rows[::-1] if block.across in tile.dims else rows

    def _iota(self, tile: Iota, block: Block) -> Fragments:
        b, ltype = self.b, ELEMENTS[tile.type.element.name].llvm
        at = b.resize(block.origin[tile.dim], ltype)
        rows: Fragments = []
        for j in range(block.count):
            start = b.add(at, constant(ltype, j)) if tile.dim == block.across else at
            row: list[Operand] = []
            for piece in block.pieces:
                if tile.dim != block.vector:
                    row.append(b.splat(start, piece.lanes))
                    continue
                steps = lane_constants(ltype, range(piece.offset, piece.offset + piece.lanes))
                row.append(b.add(b.splat(start, piece.lanes), steps))
            rows.append(row)
        return rows


def _is_padded(tile: Memory, block: Block, piece: Piece) -> bool:
    """Whether the lanes behind the active ones lie where nothing else is."""
    unit = bool(tile.strides) and tile.strides[block.vector].integer == 1
    return unit and piece.lanes - piece.active <= tile.padding


def _is_last(tile: Memory, block: Block, j: int) -> bool:
    """Whether a column of a block is known to be the tile's last."""
    if block.across is None:
        return True
    start = block.origin[block.across].integer
    return start is not None and start + j + 1 == tile.type.shape[block.across]


def static_distance(tile: Memory, block: Block, j: int, piece: Piece) -> int | None:
    """Elements from the tile's pointer to the first lane of a vector, where that is known."""
    total = 0
    for dim, (at, stride) in enumerate(zip(block.origin, tile.strides, strict=True)):
        position, step = at.integer, stride.integer
        if position is None or step is None:
            return None
        position += piece.offset if dim == block.vector else 0
        position += j if dim == block.across else 0
        total += position * step
    return total


def _permuted(tile: Permute, block: Block) -> Block:
    origin = list(block.origin)
    for dim, at in zip(tile.order, block.origin, strict=True):
        origin[dim] = at
    across = None if block.across is None else tile.order[block.across]
    return replace(block, origin=tuple(origin), vector=tile.order[block.vector], across=across)
