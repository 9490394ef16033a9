"""Which tiles of the work-group may wait until somebody asks for their elements.

Cheap pure operations always may. Products, reductions, scans, maps and atomics are computed once, into shared memory. A
load may wait only if each element is then read before anything could have changed it: all its readers stand in the same
block with no write or barrier before them, and a reader that itself writes does not touch the same memory, except
element for element in the identical view.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilewright.dialects import scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import TileType
from tilewright.targets.nvidia.elementwise import COMPUTED
from tilewright.transforms.aliasing import accesses, may_overlap
from tilewright.transforms.steps import STEP

_HARMLESS: Final = frozenset({EffectKind.READ, EffectKind.ALLOCATE, EffectKind.FREE, EffectKind.HINT})


def deferred_tiles(kernel: Kernel) -> frozenset[Value]:
    """The tiles of collective regions that get no buffer of their own."""
    tiles = [op for op in collective_ops(kernel.body.entry) if len(op.results) == 1 and _is_tile(op.results[0])]
    found: set[Value] = {op.results[0] for op in tiles if _is_cheap(op)}
    loads = [op for op in tiles if isinstance(op, tile.Load)]
    found.update([op.out for op in loads if _may_wait(op, frozenset(found))])
    return frozenset(found)


def _is_cheap(op: Operation) -> bool:
    return isinstance(op, (*COMPUTED, MovesElements, tile.Splat, tile.Iota, tile.Reinterpret))


def _is_tile(value: Value) -> bool:
    return isinstance(value.type, TileType)


def collective_ops(block: Block) -> Iterator[Operation]:
    """The operations of a block and of the loops and branches in it, but for what work-items do by themselves."""
    for op in block:
        yield op
        if isinstance(op, scf.For | scf.If | scf.While):
            for region in op.regions:
                yield from collective_ops(region.entry)


def readers(value: Value, waiting: frozenset[Value], pointwise: bool) -> Iterator[tuple[Operation, bool]]:
    """Operations at which elements of a tile are computed, and whether only elementwise operations lie between."""
    for user in value.uses:
        if len(user.results) == 1 and user.results[0] in waiting:
            yield from readers(user.results[0], waiting, pointwise and isinstance(user, COMPUTED))
        else:
            yield user, pointwise


def _may_wait(load: tile.Load, waiting: frozenset[Value]) -> bool:
    for reader, pointwise in readers(load.out, waiting, True):
        if reader.block is not load.block or not _quiet_between(load, reader):
            return False
        if isinstance(reader, scf.For | scf.While) or _is_quiet(reader) or _one_step(load, reader):
            continue
        if isinstance(reader, tile.Store) and pointwise and _same_place(load, reader):
            continue
        if any(may_overlap(x, y) for x in accesses(load) for y in accesses(reader) if y.writes):
            return False
    return True


def is_undisturbed(load: tile.Load) -> bool:
    """Whether no element is overwritten by another thread than that which loads it, before all threads have loaded."""
    op = load.next
    while op is not None and not isinstance(op, team.Barrier):
        pointwise = isinstance(op, tile.Store) and (_same_place(load, op) or _one_step(load, op))
        if not (pointwise or _is_quiet(op)):
            touched = [y for inner in op.walk() for y in accesses(inner) if y.writes]
            if not isinstance(op, tile.Store) or any(may_overlap(x, y) for x in accesses(load) for y in touched):
                return False
        op = op.next
    return True


def _one_step(load: tile.Load, reader: Operation) -> bool:
    """Operands of one collective instruction overlap only element for element."""
    step = load.attributes.get(STEP)
    return step is not None and reader.attributes.get(STEP) == step


def _same_place(load: tile.Load, store: tile.Store) -> bool:
    return load.memref is store.memref and load.indices == store.indices


def _quiet_between(first: Operation, last: Operation) -> bool:
    op = first.next
    while op is not None and op is not last:
        if not _is_quiet(op):
            return False
        op = op.next
    return op is last


def _is_quiet(op: Operation) -> bool:
    """Whether neither the operation nor one inside it writes or orders memory."""
    for inner in op.walk():
        if RECURSIVE_EFFECTS in inner.definition.traits:
            continue
        effects = inner.effects()
        if effects is None or any(effect.kind not in _HARMLESS for effect in effects):
            return False
    return True
