"""Whether a store computes its whole tile before it writes any of it, told before its formula is known.

Then it does not matter whether what it writes overlaps what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tilewright.dialects import tile
from tilewright.ir import core
from tilewright.ir.types import MemrefType, TileType
from tilewright.targets.cpu.expressions.blocks import map_shape, product_shape, split_pieces
from tilewright.targets.cpu.expressions.graph import is_formula, reachable
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.llvm.elementwise import is_elementwise


def stored_at_once(store: tile.Store, machine: Machine) -> bool:
    """Whether the tile is one register block, whatever its operands turn out to be."""
    type_, target = store.value.type, store.memref.type
    if not isinstance(type_, TileType) or not isinstance(target, MemrefType) or not 1 <= type_.rank <= 2:
        return False
    parts = list(_formulas(store.value))
    lanes = machine.lanes(max((_component_bytes(value) for value in parts), default=1))
    depth = max((_depth(value.defining_op) for value in parts), default=0)
    is_product = any(isinstance(value.defining_op, tile.Mma) for value in _same_position(store.value))
    units = [k for k, stride in enumerate(target.strides) if stride == 1 and type_.shape[k] > 1]
    return all(
        _one_block(type_.shape, vector, lanes, depth if is_product else None, machine)
        for vector in units[:1] or range(type_.rank)
    )


def _one_block(shape: tuple[int, ...], vector: int, lanes: int, depth: int | None, machine: Machine) -> bool:
    columns = 1 if len(shape) == 1 else shape[1 - vector]
    pieces = len(split_pieces(shape[vector], lanes, machine))
    found = map_shape(machine, pieces, columns) if depth is None else product_shape(machine, pieces, columns, depth)
    return found.unrolled and pieces <= found.group and columns <= found.columns


def _formulas(value: core.Value) -> Iterator[core.Value]:
    """The tile and all tiles it is computed from by formulas."""
    return _sources(value, lambda op: op.operands if is_formula(op) else ())


def _same_position(value: core.Value) -> Iterator[core.Value]:
    """The tile and those of which each position goes into the same position of it."""

    def same(op: core.Operation) -> Sequence[core.Value]:
        return (op.acc,) if isinstance(op, tile.Mma) else op.operands if is_elementwise(op) else ()

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
