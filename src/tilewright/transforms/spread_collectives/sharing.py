"""stream-K: tiles of products that do not fill the device are shared by terms, so that all blocks are done at a time.

before:  scf.for %t = %part to %tiles step %parts parallel {
             %sum = scf.for %k = 0 to %terms step 64 (%acc = 0) { .. }    tile.store %sum, %C[..] }
after:   scf.for %w = %first to %end step 1 parallel {
             %t = .. %w ..    %k0 = .. %w ..    %k1 = .. %w ..
             %sum = scf.for %k = %k0 to %k1 step 64 (%acc = 0) { .. }
             scf.if %is_head { tile.store %sum, %accumulators[.., %part]    team.publish %accumulators[.., %part],
             %flags[%part] } else { %total = scf.if %is_tail { team.await_published ..    tile.load %accumulators[..,
             %part - 1] + %sum }
                             else { %sum }
                    tile.store %total, %C[..] } }

Of `tiles` for `parts` blocks the whole waves but one are taken last, as ever: each block every n-th tile. What is
left is between one and two tiles a block: its steps along the terms, numbered tile by tile, are divided evenly. So a
block has at most the first steps of a tile (the head), a whole tile and the last steps of another one (the tail), or
two whole ones; and no tile has more than two blocks. The head comes first, the tail last of these, so that the block
before, which has a smaller number, has published its head by then: if all are as fast as each other nobody waits.
Behind it all begin their whole waves at a time. The sum of a tile is that of its head and that of its tail: it
depends on the number of blocks, not on who runs first. (To go on from the accumulators of the head would make it the
same in any number, but ptxas waits for each product then, C7515: it sees registers of accumulators loaded.)

Nothing is shared where tiles are fewer than blocks, or fill them: then each block takes every n-th tile. Clusters of
blocks share as blocks do: those of one take the same items at a time, of tiles beside each other.
"""

from __future__ import annotations

from math import prod
from typing import Final

from msgspec import Struct

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.arith import Add
from tilewright.dialects.arith_integers import UCast, UDiv
from tilewright.dialects.builder import Builder, new_region
from tilewright.ir.core import Value
from tilewright.ir.types import I32, INDEX, AddressSpace, MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.policy import contiguous_mode
from tilewright.transforms.spread_collectives.tasks import Task, is_known_before
from tilewright.transforms.tile_values import tile_type

_FRONT: Final = 2
"""Items of a block in front of its whole waves: a head and a whole tile, or two whole ones."""
_ALIGNMENT: Final = 128


class SharedMemory(Struct, frozen=True):
    """Where blocks publish accumulators of heads: a tile of `accumulators` for each block, and its flag.

    `block` is the number of this one, of which so many are `together` in a cluster: they take items at a time.
    """

    flags: Value
    accumulators: Value
    block: Value
    together: int

    @staticmethod
    def bytes(accumulators: MemrefType) -> int:
        """Of the memory of a work-group."""
        return (
            flag_bytes(accumulators) + prod(extent or 0 for extent in accumulators.shape) * accumulators.element.bytes
        )

    @staticmethod
    def place(build: Builder, accumulators: MemrefType, block: Value, together: int) -> SharedMemory:
        """At the beginning of the memory of the work-group."""
        flags = MemrefType(I32, (accumulators.shape[-1],), (1,), AddressSpace.GLOBAL)
        return SharedMemory(
            build(memref.GroupMemory(0, result_types=[flags])).out,
            build(memref.GroupMemory(flag_bytes(accumulators), result_types=[accumulators])).out,
            block,
            together,
        )

    def of_block(self, build: Builder, number: Value) -> Value:
        """The tile of a block."""
        type_ = emit.memref_type(self.accumulators)
        kept = type_.shape[:-1]
        result = MemrefType(type_.element, kept, type_.strides[:-1], type_.space)
        offsets, sizes = (*(0 for _ in kept), None), (*kept, 0)
        return build(memref.Subview(self.accumulators, [number], [], offsets, sizes, result_types=[result])).out


def flag_bytes(accumulators: MemrefType) -> int:
    """Of the flags of tiles of accumulators, in front of these."""
    return -(-(accumulators.shape[-1] or 0) * I32.bytes // _ALIGNMENT) * _ALIGNMENT


def loop_over_terms(task: Task) -> scf.For | str:
    """The loop over the terms of the product of a task, which blocks may divide; or why they may not."""
    loops = [op for op in task.body if any(isinstance(inner, tile.Mma) for inner in op.walk())]
    (loop, *more) = loops
    if more or not isinstance(loop, scf.For):
        return "a tile takes more than a loop over the terms of a product"
    products = [op for op in loop.walk() if isinstance(op, tile.Mma)]
    if len(products) > 1 or len(loop.outs) != 1 or not isinstance(loop.outs[0].type, TileType):
        return "a loop has more than the accumulators of one product"
    if emit.constant_of(loop.inits[0]) != 0:
        return "accumulators begin with what memory holds"
    if emit.integer_of(loop.lower) != 0 or (loop.step is not None and emit.integer_of(loop.step) is None):
        return "a loop over terms begins and goes on as nobody knows"
    if not is_known_before(loop.upper, task.levels):
        return "tiles have terms of their own"
    at = task.body.index(loop)
    stores = [op for op in task.body[at + 1 :] if isinstance(op, tile.Store)]
    others = (op for op in task.body if op is not loop and not isinstance(op, tile.Load | tile.Store))
    if len(stores) != 1 or any(isinstance(op, tile.Store) for op in task.body[:at]) or any(others):
        return "a tile is more than a product, what meets its accumulators and one store"
    return loop


def accumulators_type(task: Task, blocks: int) -> MemrefType:
    """Memory of so many tiles of accumulators, whose neighbours are those of the result."""
    loop = loop_over_terms(task)
    assert isinstance(loop, scf.For)
    (store,) = (op for op in task.body if isinstance(op, tile.Store))
    shape = (*tile_type(loop.outs[0]).shape, blocks)
    near = contiguous_mode(emit.memref_type(store.memref))
    order = [near, *(mode for mode in range(len(shape)) if mode != near)]
    strides = {mode: prod(shape[other] for other in order[:place]) for place, mode in enumerate(order)}
    element = tile_type(loop.outs[0]).element
    return MemrefType(element, shape, tuple(strides[mode] for mode in range(len(shape))), AddressSpace.GLOBAL)


class Item(Struct, frozen=True):
    """What a block does next: some steps of a tile; the first ones, or the last ones, if not all."""

    tile: Value
    lower: Value
    upper: Value
    is_head: Value
    is_tail: Value


class Shares(Struct, frozen=True):
    """The items of a block, from `first` to `end`, in 32 bits: the head of the first of two `tiles` before the number
    `heads`, whole tiles before that one, the tail of the second tile before `tails`, then whole waves.

    The tail begins at term `lower`, the head ends at `upper`; other tiles have all `terms`.
    """

    blocks: tuple[Value, Value]
    memory: SharedMemory
    terms: Value
    tails: Value
    tiles: tuple[Value, Value]
    lower: Value
    upper: Value
    heads: Value
    first: Value
    end: Value

    @staticmethod
    def of(
        build: Builder, blocks: tuple[Value, Value, SharedMemory], total: Value, loop: tuple[Value, Value, int]
    ) -> Shares:
        """Those of a block, of so many, of `total` tiles; `loop` is the upper bound of one over terms, how often it
        runs and its step."""
        (*numbers, memory), (terms, trips, step) = blocks, loop
        part, count, total, trips = (_short(build, value) for value in (*numbers, total, trips))
        zero, one, front = (build.constant(number, I32) for number in (0, 1, _FRONT))
        waves, rest = _split(build, total, count)
        is_shared = emit.both(build, emit.less(build, zero, waves), emit.less(build, zero, rest))
        usual = emit.add(build, waves, _one_if(build, part, rest))
        left = emit.sub(build, waves, one)
        whole = emit.select(build, is_shared, left, usual)
        base, steps = emit.mul(build, left, count), emit.maximum(build, trips, one)
        each, more = _split(build, emit.mul(build, emit.add(build, count, rest), steps), count)
        begin = emit.add(build, emit.mul(build, each, part), emit.minimum(build, part, more))
        end = emit.add(build, begin, emit.add(build, each, _one_if(build, part, more)))
        (tail, lower), (head, upper) = (
            _split(build, emit.select(build, is_shared, at, zero), steps) for at in (begin, end)
        )
        has_tail, has_head = (_one_if(build, zero, at) for at in (lower, upper))
        middle = emit.maximum(build, emit.sub(build, emit.sub(build, head, tail), has_tail), zero)
        first = emit.sub(build, emit.sub(build, front, middle), has_head)
        tails = emit.add(build, front, has_tail)
        each_step = build.constant(step, I32)
        return Shares(
            (part, count),
            memory,
            terms,
            tails,
            (emit.add(build, base, head), emit.add(build, base, tail)),
            emit.mul(build, lower, each_step),
            emit.mul(build, upper, each_step),
            emit.add(build, first, has_head),
            first,
            emit.add(build, tails, whole),
        )

    def bounds(self, build: Builder) -> tuple[Value, Value, Value]:
        """Of the loop over items."""
        return _long(build, self.first), _long(build, self.end), build.index(1)

    def item(self, build: Builder, index: Value) -> Item:
        """That of a number."""
        number, front = _short(build, index), build.constant(_FRONT, I32)
        (part, count), (head, tail) = self.blocks, self.tiles
        is_head = emit.less(build, number, self.heads)
        is_front, is_shared = emit.less(build, number, front), emit.less(build, number, self.tails)
        is_tail = emit.both(build, emit.not_less(build, number, front), is_shared)
        wave = emit.add(build, part, emit.mul(build, emit.sub(build, number, self.tails), count))
        found = emit.select(build, is_shared, tail, wave)
        # whole tiles end in front of the head's
        middle = emit.add(build, head, emit.sub(build, number, front))
        found = emit.select(build, is_front, middle, found)
        found = emit.select(build, is_head, head, found)
        lower = emit.select(build, is_tail, _long(build, self.lower), build.index(0))
        upper = emit.select(build, is_head, _long(build, self.upper), self.terms)
        return Item(_long(build, found), lower, upper, is_head, is_tail)

    def divide(self, item: Item, accumulators: Value) -> None:
        """Let the loop over the terms of a tile be that of an item, and what follows it be for whole accumulators
        alone."""
        loop = accumulators.defining_op
        assert isinstance(loop, scf.For)
        assert loop.block is not None
        loop.operands = [item.lower, item.upper, *loop.operands[2:]]
        following = list(loop.block)[list(loop.block).index(loop) + 1 :]
        (then, head), (orelse, other) = new_region(), new_region()
        Builder.at_end(loop.block, loop.location)(scf.If(item.is_head, then, orelse))
        self._publish(Builder.at_end(head, loop.location), accumulators)
        inner = Builder.at_end(other, loop.location)
        total = self._total(inner, item, accumulators)
        for op in following:
            for number, value in enumerate(op.operands):
                if value is accumulators:
                    op.set_operand(number, total)
            op.detach()
            inner(op)

    def _total(self, build: Builder, item: Item, accumulators: Value) -> Value:
        """Of a tail with the head before it, or of what is whole."""
        (then, tail), (orelse, whole) = new_region(), new_region()
        found = build(scf.If(item.is_tail, then, orelse, result_types=[accumulators.type]))
        at = Builder.at_end(tail, build.location)
        before, zero = emit.sub(at, self.memory.block, at.index(self.memory.together)), at.index(0)
        theirs = self.memory.of_block(at, before)
        at(team.AwaitPublished(theirs, self.memory.flags, before))
        head = at(tile.Load(theirs, [zero, zero], result_types=[accumulators.type])).out
        at(scf.Yield([at(Add(head, accumulators)).out]))
        Builder.at_end(whole, build.location)(scf.Yield([accumulators]))
        return found.outs[0]

    def _publish(self, build: Builder, accumulators: Value) -> None:
        block, zero = self.memory.block, build.index(0)
        mine = self.memory.of_block(build, block)
        build(tile.Store(accumulators, mine, [zero, zero]))
        build(team.Publish(mine, self.memory.flags, block))


def _short(build: Builder, value: Value) -> Value:
    """In 32 bits: numbers of tiles and steps of two waves have no more, and registers are few."""
    return emit.cast(build, value, I32)


def _long(build: Builder, value: Value) -> Value:
    return build(UCast(value, result_types=[INDEX])).out


def _split(build: Builder, number: Value, count: Value) -> tuple[Value, Value]:
    found = build(UDiv(number, count)).out
    return found, emit.sub(build, number, emit.mul(build, found, count))


def _one_if(build: Builder, a: Value, b: Value) -> Value:
    """1 if a number is less than another one, else 0."""
    return emit.select(build, emit.less(build, a, b), build.constant(1, I32), build.constant(0, I32))
