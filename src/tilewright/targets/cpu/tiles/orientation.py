"""Along which dimension the vectors of a carried tile should run: that of the memory it is computed from."""

from __future__ import annotations

from tilewright.dialects import scf, tile
from tilewright.ir import core
from tilewright.ir.types import MemrefType, TileType
from tilewright.targets.cpu.expressions.nodes import first_long_dim
from tilewright.targets.llvm.elementwise import is_elementwise

_DEEPEST = 24


def carried_dim(value: core.Value) -> int:
    """The vector dimension for a tile that is a loop's argument, or the result of a loop or branch."""
    owner = value.owner
    if isinstance(value, core.BlockArgument):
        loop = value.block.parent_op
        source = _yielded(loop, value.index - 1) if isinstance(loop, scf.For) else None
    else:
        index = value.index if isinstance(value, core.OpResult) else 0
        source = _yielded(owner, index) if isinstance(owner, scf.For | scf.If) else None
    found = None if source is None else _natural(source, _DEEPEST, {})
    if found is not None:
        return found
    assert isinstance(value.type, TileType)
    return first_long_dim(value.type.shape)


def _yielded(op: core.Operation, index: int) -> core.Value | None:
    values = scf.yielded(op.regions[0])
    return values[index] if 0 <= index < len(values) else None


def _natural(value: core.Value, depth: int, known: dict[core.Value, int | None]) -> int | None:
    """The dimension of stride 1 of the memory that a tile is computed from, followed through formulas."""
    if value not in known:
        known[value] = _found(value, depth, known)
    return known[value]


def _found(value: core.Value, depth: int, known: dict[core.Value, int | None]) -> int | None:
    op = value.defining_op
    if op is None or depth == 0 or not isinstance(value.type, TileType):
        return None
    match op:
        case tile.Load():
            return _unit_mode(op.memref.type, value.type)
        case tile.Mma():
            found = _natural(op.acc, depth - 1, known)
            if found is None:
                found = 1 if _natural(op.lhs, depth - 1, known) != 0 and _natural(op.rhs, depth - 1, known) == 1 else 0
            return found
        case tile.Permute():
            found = _natural(op.tile, depth - 1, known)
            return None if found is None else op.order.index(found)
        case tile.Broadcast():
            found = _natural(op.tile, depth - 1, known)
            source = op.tile.type
            assert isinstance(source, TileType)
            return None if found is None or source.shape[found] == 1 else found
        case scf.For() | scf.If():
            index = value.index if isinstance(value, core.OpResult) else 0
            source_value = _yielded(op, index)
            return None if source_value is None else _natural(source_value, depth - 1, known)
        case _ if is_elementwise(op):
            return next((d for d in (_natural(v, depth - 1, known) for v in op.operands) if d is not None), None)
        case _:
            return None


def _unit_mode(memref: object, type_: TileType) -> int | None:
    assert isinstance(memref, MemrefType)
    return next((k for k, s in enumerate(memref.strides) if s == 1 and type_.shape[k] > 1), None)
