"""Lowers the matrices of gpu to tiles, which have their dimensions in reverse as memory has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import arith, memref, team, tile
from tilewright.dialects.families import NumberBinary
from tilewright.dialects.mlir import gpu, mma
from tilewright.dialects.mlir.base import integer_of
from tilewright.dialects.mlir.mma import OWN, STOCK
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.types import is_unsigned
from tilewright.ir.types import TF32, MemrefType, TileType
from tilewright.transforms.lower_mlir.context import Handler, Lowering, Unsupported
from tilewright.transforms.lower_mlir.types import element_type


def _view(low: Lowering, op: mma.LoadMatrix | mma.StoreMatrix) -> Value:
    """The memory, whose rows are as far apart as is said."""
    value, type_ = low.memref(op.memref)
    lead = integer_of(op.leadDimension)
    if type_.strides != (1, lead):
        raise Unsupported(op, f"{op.name}: rows of {op.memref.type} are not {lead} elements apart")
    if is_unsigned(op.matrix.element):
        raise Unsupported(op, f"{op.name}: matrices of unsigned integers are not supported")
    return value


def _place(low: Lowering, op: mma.LoadMatrix | mma.StoreMatrix) -> tuple[Value, list[Value]]:
    """The memory as it has the matrix, and where in it that begins."""
    value, indices = _view(low, op), low.indices(op.indices)
    if op.attributes.get("transpose") is None:
        return value, indices
    return low.b(memref.Permute(value, (1, 0))).out, indices[::-1]


def _load(low: Lowering, op: Operation) -> None:
    assert isinstance(op, mma.LoadMatrix)
    memory, indices = _place(low, op)
    type_ = _tile_type(op, op.out)
    assert isinstance(memory.type, MemrefType)
    stored = TileType(type_.shape, memory.type.element)
    found = low.b(tile.Load(memory, indices, result_types=[stored])).out
    wanted = TileType(type_.shape, TF32) if op.matrix.element is TF32 else type_
    low.bind(op.out, found if wanted == stored else low.b(arith.Cast(found, result_types=[wanted])).out)


def _store(low: Lowering, op: Operation) -> None:
    assert isinstance(op, mma.StoreMatrix)
    memory, indices = _place(low, op)
    low.b(tile.Store(low.value(op.src), memory, indices))


def _compute(low: Lowering, op: Operation) -> None:
    """`(A B + C)^T = B^T A^T + C^T`."""
    assert isinstance(op, mma.Compute)
    if op.a_transpose is not None or op.b_transpose is not None:
        raise Unsupported(op, f"{op.name}: transposed operands are not supported; they are transposed when loaded")
    a, b, c = low.all([op.opA, op.opB, op.opC])
    kept = c.type
    assert isinstance(kept, TileType)
    wide = kept.element.accumulator
    if wide is not kept.element:
        c = low.b(arith.Cast(c, result_types=[TileType(kept.shape, wide)])).out
    found = low.b(tile.Mma(b, a, c)).out
    if wide is not kept.element:
        found = low.b(arith.Cast(found, result_types=[kept])).out
    low.bind(op.out, found)


def _constant(low: Lowering, op: Operation) -> None:
    assert isinstance(op, mma.ConstantMatrix)
    low.bind(op.out, low.b(tile.Splat(low.value(op.value), result_types=[_tile_type(op, op.out)])).out)


def _elementwise(low: Lowering, op: Operation) -> None:
    assert isinstance(op, mma.Elementwise)
    values = low.all(op.args)
    negated = op.does.startswith("negate")
    low.bind(op.out, low.b(arith.Neg(*values) if negated else _ARITHMETIC[op.does[:-1]](*values)).out)


_ARITHMETIC: Final[Mapping[str, type[NumberBinary]]] = {
    "add": arith.Add,
    "sub": arith.Sub,
    "mul": arith.Mul,
    "div": arith.Div,
}


def _tile_type(op: Operation, value: Value) -> TileType:
    type_ = value.type
    assert isinstance(type_, mma.MatrixType)
    return TileType((type_.columns, type_.rows), element_type(op, type_.stored))


def _barrier(low: Lowering, op: Operation) -> None:
    """Nothing where a work-group works together: what it does is finished before the next operation begins."""
    if low.threads is not None:
        low.b(team.Barrier(fence_global=True, fence_local=True))


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    found: dict[type[Operation], Handler] = {gpu.Barrier: _barrier}
    for of_matrices in (STOCK, OWN):
        found[of_matrices.load] = _load
        found[of_matrices.store] = _store
        found[of_matrices.compute] = _compute
        found[of_matrices.constant] = _constant
        found[of_matrices.elementwise] = _elementwise
    return found
