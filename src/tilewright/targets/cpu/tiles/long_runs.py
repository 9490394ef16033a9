"""Loops over tiles that lie one behind the other, as one run that is stored past the caches.

A loop qualifies if each iteration stores one tile, computed element by element from tiles of other memory, and each
tile of an iteration ends where that of the next one begins. Whether the memory is large, and the run overlaps nothing
that it is computed from, code finds out.
"""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.dialects import arith, scf, tile
from tilewright.ir import core
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import MemrefType, TileType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.evaluation.streamed_stores import StreamedStores, worth_streaming
from tilewright.targets.cpu.evaluation.sweep import Plan
from tilewright.targets.cpu.expressions.nodes import Expression, Memory, Splat, leaves, natural_dim
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.past_caches import exceeds_caches
from tilewright.targets.cpu.memory.places import place, tile_of
from tilewright.targets.cpu.tiles.elementwise import elementwise
from tilewright.targets.llvm.elementwise import knows
from tilewright.targets.llvm.emitter import Value, i64
from tilewright.targets.llvm.types import ELEMENTS, Kind
from tilewright.transforms.aliasing import effects_of


def continued_store(loop: scf.For) -> tile.Store | None:
    """The store of a loop whose iterations continue each other; None if they do not."""
    body = list(loop.body.entry)
    stores = [op for op in body if isinstance(op, tile.Store)]
    step = None if loop.step is None else loop.step.defining_op
    if len(stores) != 1 or not isinstance(step, arith.Constant):
        return None
    type_ = stores[0].value.type
    assert isinstance(type_, TileType)
    inside: set[core.Value] = {result for op in body for result in op.results}
    continued = step.value == type_.size and all(_continues(op, loop.index, type_, inside) for op in body)
    return stores[0] if continued else None


def _continues(op: core.Operation, index: core.Value, type_: TileType, inside: set[core.Value]) -> bool:
    """Whether an operation of the body does for many iterations what it does for one, on more elements."""
    if op.definition.terminator or isinstance(op, tile.Prefetch):
        return True
    if isinstance(op, tile.Load | tile.Store):
        return _moves_on(op, index, type_, inside)
    if not any(isinstance(result.type, TileType) for result in op.results):
        # what only prefetches need; else an operand is found wanting
        return bool(op.results) and not op.regions and _only_reads(op)
    if not isinstance(op, arith.Constant | tile.Splat) and not (isinstance(op, Elementwise) and knows(op)):
        return False
    scalars = [value for value in op.operands if not isinstance(value.type, TileType)]
    return all(value is not index and value not in inside for value in scalars)


def _only_reads(op: core.Operation) -> bool:
    effects = effects_of(op)
    return effects is not None and all(effect.kind is EffectKind.READ for effect in effects)


def _moves_on(op: tile.Load | tile.Store, index: core.Value, type_: TileType, inside: set[core.Value]) -> bool:
    """Whether the tile of the next iteration begins behind the last element of this one's."""
    memref, box = op.memref.type, op.box().data.type
    assert isinstance(memref, MemrefType)
    assert isinstance(box, TileType)
    along = [dim for dim, at in enumerate(op.indices) if at is index]
    if len(along) != 1 or box.shape != type_.shape or any(op.check) or op.memref in inside:
        return False
    if any(at in inside for at in op.indices):
        return False
    return memref.strides[along[0]] == 1 and type_.shape[along[0]] == type_.size


class LongRun:
    """What some iterations of a loop store, as the tile of the first one that goes on behind its end."""

    __slots__ = ("_ctx", "_elements", "_ev", "_plan", "_target", "_value")

    def __init__(self, ctx: KernelContext, machine: Machine, loop: scf.For, store: tile.Store, count: Value) -> None:
        """`count` iterations, the first of which is bound to the loop's index."""
        for op in loop.body.entry:
            type_ = op.results[0].type if op.results else None
            if isinstance(type_, TileType):
                ctx.bind(op.results[0], _expression(ctx, op, type_))
        self._ctx = ctx
        self._value = tile_of(ctx, store.value)
        target = place(ctx, store.memref, store.indices, (), self._value.type)
        self._target = replace(target, exceeds=exceeds_caches(ctx, store, machine))
        self._ev = Evaluator(ctx.b, ctx.arith, machine, checked=False)
        self._plan = Plan(self._ev, self._value, natural_dim(self._target))
        self._elements = ctx.b.mul(count, i64(self._value.type.size))

    def condition(self) -> Value:
        """Whether to store it as one run, which has a vector at least; the constant `false` where that is never so."""
        b, found = self._ctx.b, worth_streaming(self._ev, self._value, self._target, self._plan)
        if found.text == "false":
            return found
        found = b.and_(found, b.icmp("ne", self._elements, i64(0)))
        for leaf in leaves(self._value):
            if isinstance(leaf, Memory):
                found = b.and_(found, self._disjoint(leaf))
        return found

    def _disjoint(self, leaf: Memory) -> Value:
        (first, end), (low, high) = (self._range(memory) for memory in (leaf, self._target))
        return self._ctx.b.or_(self._ctx.b.icmp("ule", end, low), self._ctx.b.icmp("ule", high, first))

    def _range(self, memory: Memory) -> tuple[Value, Value]:
        b, element = self._ctx.b, ELEMENTS[memory.type.element.name]
        start, size = b.cast("ptrtoint", memory.pointer, "i64"), 1 if element.kind is Kind.BOOL else element.bytes
        return start, b.add(start, b.mul(self._elements, i64(size)))

    def emit(self) -> None:
        """All of it."""
        StreamedStores(self._ev, self._value, self._target, self._plan).run(self._elements)


def _expression(ctx: KernelContext, op: core.Operation, type_: TileType) -> Expression:
    match op:
        case tile.Load():
            return place(ctx, op.memref, op.indices, (), type_)
        case arith.Constant():
            return Splat(type_, ctx.arith.constant(type_.element.name, op.value))
        case tile.Splat():
            return Splat(type_, ctx.uniform_value(ctx.scalar(op.value)))
        case _:
            return elementwise(ctx, op, type_)
