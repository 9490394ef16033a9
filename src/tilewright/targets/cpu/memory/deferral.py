"""Whether a loaded tile may be read where it is used instead of where it is loaded.

It may if nothing can write its memory in between. What counts as a use is the operation that ends in code: a store, a
yield, anything that is no expression. A store that reads what it overwrites is fine element by element, and where it
computes its whole tile before it writes, not otherwise.

Within one collective (accesses with the same `step`) the written operand does not overlap the read ones, by the rules
of the languages; so its store is taken not to overlap *another parameter* that its own value is computed from. In SPMD
regions, whose tiles a program loads and stores as it likes, and between fused collectives nothing is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from tilewright.dialects import memref, team, tile
from tilewright.dialects.tile_combine import ReduceBy
from tilewright.ir import core
from tilewright.ir.definition import RECURSIVE_EFFECTS, TERMINATOR
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import Elementwise, MovesElements, root_of
from tilewright.ir.types import AddressSpace, MemrefType, TileType
from tilewright.targets.cpu.expressions.blocks import Shape, map_shape, split_pieces, square_shape
from tilewright.targets.cpu.expressions.graph import by_expressions, is_expression, reachable
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.small_products.shape import product_shape
from tilewright.transforms.steps import STEP

_MOST_SINKS: Final = 64
"""A tile that is read more often is copied: that costs little beside, and looking at all readers takes long."""
_NO_EFFECTS_OF_ITS_OWN = {RECURSIVE_EFFECTS, TERMINATOR}
_CHANGES = (EffectKind.WRITE, EffectKind.UPDATE, EffectKind.FREE)


def may_defer(load: tile.Load, machine: Machine) -> bool:
    """Whether the loaded tile may be read in place by all that is computed from it."""
    found = _conflicting_stores(load, machine)
    return found is not None and not found


def sole_conflict(load: tile.Load, machine: Machine) -> bool | None:
    """For a tile that only a sweep-by-sweep store might overwrite while it is read: whether each position stored is
    computed from the same position of the tile. None if more stands in the way, or if products read the tile.
    """
    found = _conflicting_stores(load, machine)
    if not found or len({store for store, _ in found}) > 1 or _reaches_product(load.out):
        return None
    return all(in_place for _, in_place in found)


def _conflicting_stores(load: tile.Load, machine: Machine) -> list[tuple[tile.Store, bool]] | None:
    """The last sinks of the tile if they may overwrite it while they read it; None if anything else may."""
    block = load.block
    assert block is not None
    sinks = dict.fromkeys(islice(_sinks(load.out), _MOST_SINKS + 1))
    if len(sinks) > _MOST_SINKS:
        return None
    ends = [(_ancestor_in(sink, block), sink, in_place) for sink, in_place in sinks]
    if any(end is None for end, _, _ in ends):
        return None
    collective = not any(isinstance(op, team.Spmd) for op in load.ancestors())
    last = {end for end, _, _ in ends}
    found: list[tuple[tile.Store, bool]] = []
    op = load.next
    while op is not None and last:
        if op in last:
            last.discard(op)
            for end, sink, in_place in ends:
                if end is not op or _harmless(load, sink, in_place, collective, machine):
                    continue
                if last or not isinstance(sink, tile.Store) or sink is not op:
                    return None
                found.append((sink, in_place))
        if last and any(_conflicts(load, changed) for changed in _changes(op)):
            return None
        op = op.next
    return None if last else found


def _reaches_product(value: core.Value) -> bool:
    """Whether a product is computed from the tile, by way of expressions."""
    return any(isinstance(op, tile.Mma) for part in reachable(value, by_expressions) for op in part.uses)


def _sinks(value: core.Value) -> Iterator[tuple[core.Operation, bool]]:
    """Operations that make code read a tile; whether each position of theirs reads the same position of the tile.

    Positions are counted through all dimensions, so that what was a matrix in between is in place again as a box.
    """
    for part, in_place in reachable((value, True), _by_operations):
        for op in part.uses:
            if not is_expression(op):
                same_box = not isinstance(op, tile.Store) or _shape(op.value) == _shape(value)
                yield op, in_place and same_box and not isinstance(op, ReduceBy)


def _shape(value: core.Value) -> tuple[int, ...]:
    assert isinstance(value.type, TileType)
    return value.type.shape


def _by_operations(reached: tuple[core.Value, bool]) -> Iterator[tuple[core.Value, bool]]:
    """The tiles computed of a tile, and whether still in the same position."""
    part, in_place = reached
    for op in part.uses:
        if is_expression(op):
            same = isinstance(op, Elementwise | tile.Reshape)
            same |= isinstance(op, tile.Mma) and part not in (op.lhs, op.rhs)
            yield op.results[0], in_place and same
        elif isinstance(op, ReduceBy):
            # An expression if the region is one operation, code otherwise.
            yield from ((result, False) for result in op.results)


def _ancestor_in(op: core.Operation, block: core.Block) -> core.Operation | None:
    """The operation of a block that holds `op`."""
    current: core.Operation | None = op
    while current is not None and current.block is not block:
        current = current.parent_op
    return current


def _harmless(load: tile.Load, sink: core.Operation, in_place: bool, collective: bool, machine: Machine) -> bool:
    """Whether the tile may be read while its sink works."""
    block = load.block
    if sink.block is not block:
        end = _ancestor_in(sink, block) if block is not None else None
        return end is not None and not any(_conflicts(load, changed) for changed in _changes(end))
    if not isinstance(sink, tile.Store):
        return not any(_conflicts(load, changed) for changed in _changes(sink))
    if in_place and sink.memref is load.memref and list(sink.indices) == list(load.indices):
        return True
    if collective and _same_step(load, sink) and root_of(sink.memref) is not root_of(load.memref):
        disjoint = not _both_local(load.memref, sink.memref) or not _local_overlap(load.memref, sink.memref)
    else:
        disjoint = not _conflicts(load, sink.memref)
    return disjoint or _stored_at_once(sink, machine)


def _same_step(load: tile.Load, store: tile.Store) -> bool:
    """Whether both come from one collective; after a fusion a store may overwrite what an earlier one reads."""
    step = load.attributes.get(STEP)
    return step is not None and step == store.attributes.get(STEP)


def _changes(op: core.Operation) -> Iterator[core.Value | None]:
    """Memory that an operation may write, its regions included; None stands for any memory."""
    effects = op.effects()
    if effects is None and not _NO_EFFECTS_OF_ITS_OWN & set(op.definition.traits):
        yield None
    for effect in effects or ():
        if effect.kind in _CHANGES:
            yield effect.value
    for region in op.regions:
        for block in region.blocks:
            for inner in block:
                yield from _changes(inner)


def _conflicts(load: tile.Load, changed: core.Value | None) -> bool:
    """Whether a write may hit what is loaded."""
    if changed is None or not isinstance(changed.type, MemrefType):
        return True
    mine = load.memref
    assert isinstance(mine.type, MemrefType)
    if mine.type.space is not changed.type.space:
        return False
    return not _both_local(mine, changed) or _local_overlap(mine, changed)


def _both_local(x: core.Value, y: core.Value) -> bool:
    return all(isinstance(v.type, MemrefType) and v.type.space is AddressSpace.LOCAL for v in (x, y))


def _local_overlap(x: core.Value, y: core.Value) -> bool:
    """Whether two allocations may share bytes of the work-group's stack."""
    first, second = _extent(root_of(x)), _extent(root_of(y))
    if first is None or second is None:
        return True
    return first[0] < second[1] and second[0] < first[1]


def _extent(allocation: core.Value) -> tuple[int, int] | None:
    op = allocation.defining_op
    if not isinstance(op, memref.Alloca) or op.offset is None or not isinstance(op.out.type, MemrefType):
        return None
    span = op.out.type.span
    return None if span is None else (op.offset, op.offset + span * op.out.type.element.bytes)


# Stores that compute their whole tile before they write any of it


def _stored_at_once(store: tile.Store, machine: Machine) -> bool:
    """Whether the tile is one register block, whatever its operands turn out to be: computed before any is written."""
    type_, target = store.value.type, store.memref.type
    if not isinstance(type_, TileType) or not isinstance(target, MemrefType) or not 1 <= type_.rank <= 2:
        return False
    parts = list(_subexpressions(store.value))
    lanes = machine.lanes(max((_component_bytes(value) for value in parts), default=1))
    depth = max((_depth(value.defining_op) for value in parts), default=0)
    is_product = any(isinstance(value.defining_op, tile.Mma) for value in _same_position(store.value))
    units = [k for k, stride in enumerate(target.strides) if stride == 1 and type_.shape[k] > 1]

    def code(vector: int, pieces: int, columns: int) -> Iterator[Shape]:
        if is_product:
            yield product_shape(machine, pieces, columns, depth)
            return
        yield map_shape(machine, pieces, columns)
        if any(_may_cross(value, vector) for value in parts):
            yield square_shape(pieces, lanes, columns)

    return all(
        shape.unrolled and pieces <= shape.group and columns <= shape.columns
        for vector in units[:1] or range(type_.rank)
        for pieces in [len(split_pieces(type_.shape[vector], lanes, machine))]
        for columns in [1 if type_.rank == 1 else type_.shape[1 - vector]]
        for shape in code(vector, pieces, columns)
    )


def _may_cross(value: core.Value, vector: int) -> bool:
    """Whether a sweep with vectors along one dimension of the whole may find neighbours in memory across them."""
    match value.defining_op:
        case tile.Load() as load:
            assert isinstance(load.memref.type, MemrefType)
            return load.memref.type.strides[vector : vector + 1] != (1,)
        case MovesElements():
            return True
        case _:
            return False


def _subexpressions(value: core.Value) -> Iterator[core.Value]:
    """The tile and all tiles that its expression is made of."""
    return _sources(value, lambda op: op.operands if is_expression(op) else ())


def _same_position(value: core.Value) -> Iterator[core.Value]:
    """The tile and those of which each position goes into the same position of it."""

    def same(op: core.Operation) -> Sequence[core.Value]:
        return (op.acc,) if isinstance(op, tile.Mma) else op.operands if isinstance(op, Elementwise) else ()

    return _sources(value, same)


def _sources(value: core.Value, inputs: Callable[[core.Operation], Sequence[core.Value]]) -> Iterator[core.Value]:
    """The tile and, each once, the tiles it comes from by way of these inputs of operations."""

    def before(part: core.Value) -> Iterator[core.Value]:
        found = () if part.defining_op is None else inputs(part.defining_op)
        return (source for source in found if isinstance(source.type, TileType))

    return reachable(value, before)


def _component_bytes(value: core.Value) -> int:
    assert isinstance(value.type, TileType)
    return value.type.element.component.bytes


def _depth(op: core.Operation | None) -> int:
    if not isinstance(op, tile.Mma):
        return 0
    assert isinstance(op.lhs.type, TileType)
    return op.lhs.type.shape[1]
