"""Tiles of the work-group on demand: the code that computes one element at given coordinates.

Asking a tile for an element asks its operands for theirs, down to memory, shared buffers and scalars; no tile exists as
a whole unless it has a buffer. `deferral` decides which tiles may wait like this.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from tilewright.dialects import scf, tile
from tilewright.ir import core
from tilewright.ir.index_map import Move
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import TileType
from tilewright.targets.llvm.emitter import Value, constant, i64
from tilewright.targets.llvm.positions import moved
from tilewright.targets.nvidia import buffers
from tilewright.targets.nvidia.buffers import Coordinates, fill, new_buffer
from tilewright.targets.nvidia.context import KernelContext, is_tile
from tilewright.targets.nvidia.elementwise import COMPUTED, apply
from tilewright.targets.nvidia.memory import address, in_bounds, load_element
from tilewright.targets.nvidia.team import Combiner
from tilewright.targets.nvidia.values import (
    HeldTile,
    Operand,
    RegisterTile,
    SharedTile,
    of_parts,
    parts_of,
)


def tile_type(value: core.Value) -> TileType:
    """The type of a tile value."""
    assert isinstance(value.type, TileType)
    return value.type


class Elements:
    """Computes elements at the builder's position; what was computed once for the same coordinates is used again."""

    def __init__(self, ctx: KernelContext) -> None:
        self._ctx = ctx
        self._known: list[dict[tuple[core.Value, Coordinates], Operand]] = [{}]

    @contextmanager
    def scope(self) -> Generator[None]:
        """Results inside a loop or branch are not known behind it."""
        self._known.append({})
        yield
        self._known.pop()

    def tell(self, value: core.Value, where: Sequence[Coordinates], found: Sequence[Operand]) -> None:
        """Elements of a tile that are known."""
        self._known[-1].update(((value, at), operand) for at, operand in zip(where, found, strict=True))

    def at(self, value: core.Value, where: Coordinates) -> Operand:
        """The element of a tile at coordinates; a scalar is its own element."""
        if not is_tile(value):
            return self._ctx.operand(value)
        key = (value, where)
        for known in self._known:
            if key in known:
                return known[key]
        result = self._compute(value, where)
        self._known[-1][key] = result
        return result

    def _compute(self, value: core.Value, where: Coordinates) -> Operand:
        lowered = self._ctx.values.get(value)
        if isinstance(lowered, SharedTile):
            return buffers.load(self._ctx, lowered, where)
        assert not isinstance(lowered, RegisterTile), "a subgroup's tile has no elements outside of it"
        assert not isinstance(lowered, HeldTile), "what is held is told to whoever asks for it"
        op = value.defining_op
        assert op is not None
        return self.of_op(op, where)

    def of_op(self, op: core.Operation, where: Coordinates) -> Operand:
        """The element that an operation computes."""
        if isinstance(op, COMPUTED):
            return apply(self._ctx.arith, op, [self.at(o, where) for o in op.operands])
        match op:
            case tile.Load():
                return self._load(op, where)
            case tile.Splat():
                return self._ctx.operand(op.value)
            case tile.Iota():
                return self._ctx.arith.cast(where[op.dim], "index", tile_type(op.out).element.name)
            case tile.Mma():
                return self._mma(op, where)
            case tile.Reduce():
                return self._reduce(op, where)
            case tile.Scan():
                return self._scan(op, where)
            case tile.Map():
                return self._map(op, where)
            case tile.Reinterpret():
                return self._reinterpreted(op, where)
            case MovesElements():
                return self._moved(op, op.moves(), where)
            case _:
                raise AssertionError(f"{op.name} does not give a tile on demand")

    def _reinterpreted(self, op: tile.Reinterpret, where: Coordinates) -> Value:
        b, (position,) = self._ctx.b, where
        have, want = tile_type(op.tile).element.bits, tile_type(op.out).element.bits
        ltype = f"i{want}"
        if have >= want:
            count = i64(have // want)
            whole = self._integer(op.tile, b.udiv(position, count))
            shift = b.mul(b.urem(position, count), i64(want))
            return b.resize(b.lshr(whole, b.resize(shift, whole.type)), ltype)
        total: Value | None = None
        for number in range(want // have):
            at = b.add(b.mul(position, i64(want // have)), i64(number))
            part = b.shl(b.zext(self._integer(op.tile, at), ltype), constant(ltype, have * number))
            total = part if total is None else b.or_(total, part)
        assert total is not None
        return total

    def _integer(self, value: core.Value, at: Value) -> Value:
        found = self.at(value, (at,))
        assert isinstance(found, Value)
        return found

    def _load(self, op: tile.Load, where: Coordinates) -> Operand:
        ctx = self._ctx
        view = ctx.view(op.memref)
        indices = [ctx.b.add(ctx.scalar(i), at) for i, at in zip(op.indices, where, strict=True)]
        return guarded(
            ctx,
            in_bounds(ctx, view, indices, op.check),
            lambda: load_element(ctx, view.element, address(ctx, view, indices)),
            lambda: ctx.arith.constant(view.element.name, 0),
        )

    def _folded(self, extent: Value, start: Operand, step: Callable[[Value, Operand], Operand]) -> Operand:
        """A loop over `extent` positions that carries one operand."""
        unroll = self._ctx.not_unrolled()
        loop_over = self._ctx.b.loop(i64(0), extent, 1, parts_of(start), loop_metadata=unroll, hint="k")
        with loop_over as loop, self.scope():
            loop.yield_(*parts_of(step(loop.index, of_parts(loop.carried))))
        return of_parts(loop.results)

    def _mma(self, op: tile.Mma, where: Coordinates) -> Operand:
        arith = self._ctx.arith
        (row, column), element = where, tile_type(op.out).element
        wide = element.accumulator if element.is_float else element
        left, right = tile_type(op.lhs), tile_type(op.rhs)

        def step(k: Value, total: Operand) -> Operand:
            x = arith.cast(self.at(op.lhs, (row, k)), left.element.name, wide.name)
            y = arith.cast(self.at(op.rhs, (k, column)), right.element.name, wide.name)
            return arith.lower("fma", wide.name, x, y, total)

        start = arith.cast(self.at(op.acc, where), element.name, wide.name)
        return arith.cast(self._folded(i64(left.shape[1]), start, step), wide.name, element.name)

    def _reduce(self, op: tile.Reduce, where: Coordinates) -> Operand:
        source = tile_type(op.tile)
        combine = Combiner(self._ctx, op.kind, source.element)

        def step(k: Value, total: Operand) -> Operand:
            at = (*where[: op.dim], k, *where[op.dim :])
            return combine(total, combine.widen(self.at(op.tile, at)))

        return combine.narrow(self._folded(i64(source.shape[op.dim]), combine.identity(), step))

    def _scan(self, op: tile.Scan, where: Coordinates) -> Operand:
        combine = Combiner(self._ctx, op.kind, tile_type(op.tile).element)

        def step(k: Value, total: Operand) -> Operand:
            at = (*where[: op.dim], k, *where[op.dim + 1 :])
            return combine(total, combine.widen(self.at(op.tile, at)))

        count = self._ctx.b.add(where[op.dim], i64(1))
        return combine.narrow(self._folded(count, combine.identity(), step))

    def _map(self, op: tile.Map, where: Coordinates) -> Operand:
        positions = [self._ctx.b.trunc(at, "i32") for at in where]
        return mapped(self._ctx, op, positions, self.at(op.tile, where))

    def _moved(self, op: core.Operation, moves: Sequence[Move], where: Coordinates) -> Operand:
        """The element from the first move in whose box it lies; it surely lies in one."""
        b, (move, *others) = self._ctx.b, moves
        at = [b.sub(index, i64(start)) for index, start in zip(where, move.start, strict=True)]

        def here() -> Operand:
            return self.at(op.operands[move.operand], moved(b, move, at))

        if not others:
            return here()
        inside = self._ctx.flag(True)
        for index, extent, whole in zip(at, move.shape, tile_type(op.results[0]).shape, strict=True):
            if extent < whole:
                inside = b.and_(inside, b.icmp("ult", index, i64(extent)))
        return guarded(self._ctx, inside, self._scoped(here), self._scoped(lambda: self._moved(op, others, where)))

    def _scoped(self, element: Callable[[], Operand]) -> Callable[[], Operand]:
        """The same for the arm of a branch."""

        def scoped() -> Operand:
            with self.scope():
                return element()

        return scoped


def guarded(ctx: KernelContext, condition: Value, yes: Callable[[], Operand], no: Callable[[], Operand]) -> Operand:
    """One operand or the other by a branch; no branch for a constant condition."""
    if condition.text in ("true", "false"):
        return yes() if condition.text == "true" else no()
    with ctx.b.if_else(condition) as branch:
        with branch.then():
            branch.yield_(*parts_of(yes()))
        with branch.otherwise():
            branch.yield_(*parts_of(no()))
    return of_parts(branch.results)


def guarded_all(
    ctx: KernelContext, condition: Value, yes: Callable[[], list[Operand]], no: Callable[[], list[Operand]]
) -> list[Operand]:
    """As `guarded`, of many operands; the condition is likely to hold."""
    if condition.text in ("true", "false"):
        return yes() if condition.text == "true" else no()
    count = 0
    with ctx.b.if_else(condition, likely=True) as branch:
        with branch.then():
            given = yes()
            count = len(parts_of(given[0]))
            branch.yield_(*(part for operand in given for part in parts_of(operand)))
        with branch.otherwise():
            branch.yield_(*(part for operand in no() for part in parts_of(operand)))
    parts = list(branch.results)
    return [of_parts(parts[k : k + count]) for k in range(0, len(parts), count)]


def mapped(ctx: KernelContext, op: tile.Map, positions: Sequence[Value], element: Operand) -> Operand:
    """Emit the region of a map for one element."""
    block = op.body.entry
    for argument, value in zip(block.arguments, [*positions, element], strict=True):
        ctx.bind(argument, value)
    with ctx.per_work_item():
        ctx.lower_block(block)
    (result,) = scf.yielded(op.body)
    return ctx.operand(result)


def materialize(ctx: KernelContext, value: core.Value) -> SharedTile:
    """A new buffer that holds the tile as it is now."""
    known = ctx.values.get(value)
    if isinstance(known, SharedTile):
        target = new_buffer(ctx, known.type)
        buffers.copy_tile(ctx, known, target)
        return target
    target = new_buffer(ctx, tile_type(value))
    fill(ctx, target, lambda at: Elements(ctx).at(value, at))
    return target


def materialize_op(ctx: KernelContext, op: core.Operation) -> None:
    """Compute the tile that an operation gives, and bind its buffer."""
    target = new_buffer(ctx, tile_type(op.results[0]))
    fill(ctx, target, lambda at: Elements(ctx).of_op(op, at))
    ctx.bind(op.results[0], target)
