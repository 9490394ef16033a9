"""Which tiles of the work-group may wait until somebody asks for their elements.

Cheap pure operations always may. Products, reductions, scans, maps and atomics are computed once, into shared memory. A
load may wait only if each element is then read before anything could have changed it: all its readers stand in the same
block with no write or barrier before them, and a reader that itself writes does not touch the same memory, except
element for element in the identical view.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilewright.dialects import memref, scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Block, BlockArgument, Operation, Value
from tilewright.ir.definition import RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.ir.types import AddressSpace, MemrefType, TileType
from tilewright.targets.nvidia.arena import Arena, local_bytes
from tilewright.targets.nvidia.elementwise import ELEMENTWISE

_MOVES: Final[frozenset[type[Operation]]] = frozenset(
    {tile.Splat, tile.Broadcast, tile.Reshape, tile.Permute, tile.Extract, tile.Cat, tile.Iota}
)
_HARMLESS: Final = frozenset({EffectKind.READ, EffectKind.ALLOCATE, EffectKind.FREE})


def deferred_tiles(kernel: Kernel, arena: Arena) -> frozenset[Value]:
    """The tiles of collective regions that get no buffer of their own."""
    tiles = [op for op in _collective_ops(kernel.body.entry) if len(op.results) == 1 and _is_tile(op.results[0])]
    found: set[Value] = {op.results[0] for op in tiles if type(op) in _MOVES or type(op) in ELEMENTWISE}
    loads = [op for op in tiles if isinstance(op, tile.Load)]
    aliases = Aliases(kernel, arena)
    found.update(op.out for op in loads if _may_wait(op, frozenset(found), aliases))
    return frozenset(found)


def _is_tile(value: Value) -> bool:
    return isinstance(value.type, TileType)


def _collective_ops(block: Block) -> Iterator[Operation]:
    for op in block:
        yield op
        if isinstance(op, scf.For | scf.If):
            for region in op.regions:
                yield from _collective_ops(region.entry)


def _readers(value: Value, waiting: frozenset[Value], pointwise: bool) -> Iterator[tuple[Operation, bool]]:
    """Operations at which elements are computed, and whether only elementwise operations lie between."""
    for user in value.uses:
        if len(user.results) == 1 and user.results[0] in waiting:
            yield from _readers(user.results[0], waiting, pointwise and type(user) in ELEMENTWISE)
        else:
            yield user, pointwise


def _may_wait(load: tile.Load, waiting: frozenset[Value], aliases: Aliases) -> bool:
    for reader, pointwise in _readers(load.out, waiting, True):
        if reader.block is not load.block or not _quiet_between(load, reader):
            return False
        if _is_quiet(reader) or isinstance(reader, scf.For):
            continue
        same_view = isinstance(reader, tile.Store) and pointwise and _same_place(load, reader)
        if not same_view and any(aliases.may_touch(load.memref, m) for m in _memrefs(reader)):
            return False
    return True


def _same_place(load: tile.Load, store: tile.Store) -> bool:
    return load.memref is store.memref and load.indices == store.indices


def _memrefs(op: Operation) -> list[Value]:
    return [v for v in op.operands if isinstance(v.type, MemrefType)]


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


class Aliases:
    """Which memrefs may share bytes, by the roots of their views."""

    def __init__(self, kernel: Kernel, arena: Arena) -> None:
        self._kernel = kernel
        self._arena = arena

    def may_touch(self, a: Value, b: Value) -> bool:
        """False only if it is certain that two memrefs share no byte."""
        left, right = _root(a), _root(b)
        if left is right:
            return True
        if _space(a) is not _space(b):
            return False
        if isinstance(left, memref.Alloca) and isinstance(right, memref.Alloca):
            return self._overlap(left, right)
        return not (self._apart(left) or self._apart(right))

    def _overlap(self, a: memref.Alloca, b: memref.Alloca) -> bool:
        starts = [self._arena.offset_of(op) for op in (a, b)]
        ends = [start + local_bytes(op.out.type) for start, op in zip(starts, (a, b), strict=True)]
        return starts[0] < ends[1] and starts[1] < ends[0]

    def _apart(self, root: Operation | BlockArgument) -> bool:
        """Memory that shares nothing with another root: an allocation, a local or `noalias` parameter."""
        if isinstance(root, memref.Alloca):
            return True
        if not isinstance(root, BlockArgument):
            return False
        return _space(root) is AddressSpace.LOCAL or self._kernel.attributes_of(root).get("noalias") is True


def _space(value: Value) -> AddressSpace:
    return value.type.space if isinstance(value.type, MemrefType) else AddressSpace.GLOBAL


def _root(value: Value) -> Operation | BlockArgument:
    """The parameter, allocation or group element that a view comes from."""
    while True:
        if isinstance(value, BlockArgument):
            return value
        op = value.defining_op
        assert op is not None
        if isinstance(op, memref.Expand | memref.Fuse | memref.Subview | memref.Permute):
            value = op.operands[0]
        else:
            return op
