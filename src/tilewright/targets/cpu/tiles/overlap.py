"""Tiles read in place although a store may overwrite their memory: whether it does is tested when the store runs.

Memory at addresses may overlap in any way, and seldom does. So a loaded tile that only one store's sweep reads is not
copied first; the store takes copies where its target overlaps the memory. The same place for source and target is fine
too where each position is computed from the same one.
"""

from __future__ import annotations

from tilewright.dialects import addresses, tile
from tilewright.ir.interfaces import root_of
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import Expression, Memory, Substitution, leaves
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.deferral import sole_conflict
from tilewright.targets.cpu.tiles import buffered_stores
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.llvm.emitter import Builder, Value, i64
from tilewright.targets.llvm.types import ELEMENTS, Kind


class OverlapTests:
    """The loads of a kernel that a store tests for."""

    __slots__ = ("_in_place",)

    def __init__(self) -> None:
        self._in_place: dict[Expression, bool] = {}

    def may_wait(self, load: tile.Load, memory: Memory, machine: Machine) -> bool:
        """Whether the tile may be read where its store is, which then tests."""
        if not isinstance(root_of(load.memref).defining_op, addresses.FromAddress):
            return False
        in_place = sole_conflict(load, machine)
        if in_place is None:
            return False
        self._in_place[memory] = in_place
        return True

    def store(self, ctx: KernelContext, roots: Roots, value: Expression, target: Memory) -> None:
        """Store a tile; what its target may overlap is copied before if it does."""
        waiting = [leaf for leaf in leaves(value) if isinstance(leaf, Memory) and leaf in self._in_place]
        disjoint: Value | None = None
        for leaf in waiting:
            found = _disjoint(ctx.b, leaf, target, self._in_place[leaf])
            disjoint = found if disjoint is None else ctx.b.and_(disjoint, found)
        if disjoint is None:
            buffered_stores.store(ctx, roots, value, target)
            return
        with ctx.b.if_else(disjoint, likely=True) as branch:
            with branch.then():
                buffered_stores.store(ctx, roots, value, target)
            with branch.otherwise():
                copies: dict[Expression, Expression] = {leaf: roots.unshared().materialize(leaf) for leaf in waiting}
                roots.store(Substitution(_same, copies).tile(value), target)


def _same(value: Value) -> Value:
    return value


def _disjoint(b: Builder, source: Memory, target: Memory, in_place: bool) -> Value:
    """Whether no byte is in both boxes; or, if that is enough, whether both are the same."""
    (first, end), (low, high) = _range(b, source), _range(b, target)
    disjoint = b.or_(b.icmp("ule", end, low), b.icmp("ule", high, first))
    if not in_place or source.type.element.bytes != target.type.element.bytes:
        return disjoint
    same = b.icmp("eq", first, low)
    for mine, its in zip(source.strides, target.strides, strict=True):
        same = b.and_(same, b.icmp("eq", mine, its))
    return b.or_(disjoint, same)


def _range(b: Builder, memory: Memory) -> tuple[Value, Value]:
    """The first byte and the one behind the last."""
    element = ELEMENTS[memory.type.element.name]
    size = i64(1 if element.kind is Kind.BOOL else element.bytes)
    first, last = i64(0), i64(1)
    for stride, extent in zip(memory.strides, memory.type.shape, strict=True):
        reach = b.mul(stride, i64(extent - 1))
        first, last = b.add(first, b.smin(reach, i64(0))), b.add(last, b.smax(reach, i64(0)))
    start = b.cast("ptrtoint", memory.pointer, "i64")
    return b.add(start, b.mul(first, size)), b.add(start, b.mul(last, size))
