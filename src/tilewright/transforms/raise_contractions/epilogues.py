"""A store of something computed from a sum becomes two: of the sum, then of what is computed from it.

before:  %r = scf.for %k .. -> f32 { .. }    %x = arith.max %r, %zero    memref.store %x, %C, %i, %j
after:   %r = scf.for %k .. -> f32 { .. }    memref.store %r, %C, %i, %j
         %s = memref.load %C, %i, %j    %x = arith.max %s, %zero    memref.store %x, %C, %i, %j

So the sum can be raised, and what follows keeps loops of its own. Where nothing is raised this is undone.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from tilewright.dialects import memref, scf
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.transforms.emit import memref_type


class Split(Struct, frozen=True):
    """A store that was split: what it stored before, and the operations that were added."""

    store: memref.Store
    value: Value
    added: tuple[Operation, ...]

    def undo(self) -> None:
        """The store as it was."""
        self.store.set_operand(0, self.value)
        for op in reversed(self.added):
            op.erase()


def split_epilogues(loops: Iterable[scf.For]) -> list[Split]:
    """Split the stores in loops whose value is computed from one sum that an inner loop carries."""
    stores = [op for loop in loops for op in loop.walk() if isinstance(op, memref.Store)]
    return [split for store in stores if (split := _split(store)) is not None]


def _split(store: memref.Store) -> Split | None:
    chain: list[Operation] = []
    sums = _sums(store.value, store, chain, {})
    if len(sums) != 1 or not chain:
        return None
    (total,) = sums
    if total.type is not memref_type(store.memref).element:
        return None
    build = Builder.before_op(store)
    first = build(memref.Store(total, store.memref, list(store.indices)))
    loaded = build(memref.Load(store.memref, list(store.indices)))
    mapping: dict[Value, Value] = {total: loaded.out}
    copies = [build(op.clone(mapping)) for op in chain]
    value = store.value
    store.set_operand(0, mapping[value])
    return Split(store, value, (first, loaded, *copies))


def _sums(value: Value, store: memref.Store, chain: list[Operation], known: dict[Value, bool]) -> dict[Value, None]:
    """The results of loops in the block of a store that a value is computed from; `chain` gets what is in between."""
    op = value.defining_op
    if op is None or op.block is not store.block or value in known:
        return {}
    known[value] = True
    if isinstance(op, scf.For):
        return {value: None}
    if op.effects() != () or op.regions:
        return {}
    found: dict[Value, None] = {}
    for operand in op.operands:
        found.update(_sums(operand, store, chain, known))
    if any(operand in found or operand.defining_op in chain for operand in op.operands):
        chain.append(op)
    return found
