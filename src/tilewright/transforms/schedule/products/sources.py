"""Where factors of products come from: loads of matrices, turned and converted on the way to what units multiply."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, TypeGuard

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.dialects.arith import Cast, Constant
from tilewright.dialects.arith_integers import UCast
from tilewright.dialects.matrix_instructions import MatrixInstruction
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.types import F32, I8, I32, TF32, MemrefType, ScalarType, TileType
from tilewright.transforms.tile_values import tile_type

_TRANSPOSED: Final = (1, 0)


class Source(Struct, frozen=True):
    """The load that a factor is, maybe turned: dimension k of the factor is dimension `dims[k]` of what is loaded.

    Its elements are converted to `element` on the way, if that is not their type.
    """

    load: tile.Load
    dims: tuple[int, int]
    element: ScalarType

    @property
    def loaded(self) -> ScalarType:
        """The type of the elements in memory."""
        return tile_type(self.load.out).element


def widened_bytes(factor: Value) -> bool:
    """Whether a factor consists of bytes without sign that are widened, maybe turned."""
    while isinstance(op := factor.defining_op, tile.Permute):
        factor = op.tile
    return _is_widened(op)


def _is_widened(op: Operation | None) -> TypeGuard[UCast]:
    types = (I8, I32)
    return isinstance(op, UCast) and (tile_type(op.value).element, tile_type(op.out).element) == types


def _is_rounded(op: Operation) -> bool:
    types = (F32, TF32)
    return isinstance(op, Cast) and (tile_type(op.value).element, tile_type(op.out).element) == types


def source_of(factor: Value, by: MatrixInstruction | None) -> Source | None:
    """The load of a matrix that a factor is, maybe transposed, and rounded to tf32 or widened.

    An instruction `by` which it is multiplied, if that is known, may take it as memory has it: bytes without sign, f32
    that it rounds.
    """
    dims, element = (0, 1), tile_type(factor).element
    while isinstance(op := factor.defining_op, tile.Permute | Cast | UCast):
        if isinstance(op, tile.Permute):
            dims = (dims[1], dims[0]) if op.order == _TRANSPOSED else dims
            factor = op.tile
            continue
        if _is_widened(op) and (by is None or by.factor is I8):
            element = I8
        elif not _is_rounded(op):
            return None
        elif by is not None and by.rounds:
            element = F32
        factor = op.value
    return Source(op, dims, element) if isinstance(op, tile.Load) and len(op.indices) == len(dims) else None


def is_factor(value: Value, of: Container[Operation]) -> bool:
    """Whether a tile is nothing but a factor of these products, maybe turned and converted on the way."""
    return bool(value.uses) and all(
        (isinstance(user, tile.Mma) and user in of and value is not user.acc)
        or (isinstance(user, tile.Permute | Cast | UCast) and is_factor(user.out, of))
        for user in value.uses
    )


def is_there(values: Sequence[Value]) -> bool:
    """Whether the first of some tiles is there in any layout, or the only one is loaded for one user as that has it."""
    return _is_of_places(values[0]) or (len(values) == 1 and _is_only_loaded(values[0]))


def _is_of_places(value: Value) -> bool:
    """Whether a tile is computed of coordinates alone."""
    op = value.defining_op
    if isinstance(op, Elementwise | MovesElements):
        return all(_is_of_places(operand) for operand in op.operands if isinstance(operand.type, TileType))
    return isinstance(op, tile.Iota | tile.Splat | Constant)


def _is_only_loaded(value: Value) -> bool:
    """Whether a tile is nothing but loaded, maybe moved, and each step of that has one user."""
    op = value.defining_op
    is_one = len(list(value.uses)) == 1
    return is_one and (
        isinstance(op, tile.Load)
        or (isinstance(op, MovesElements) and len(op.operands) == 1 and _is_only_loaded(op.operands[0]))
    )


def is_along(factor: Value, outer: int) -> bool:
    """Whether neighbours in the factor's memory are surely neighbours along that dimension of it."""
    source = source_of(factor, None)
    if source is None:
        return False
    type_ = source.load.memref.type
    assert isinstance(type_, MemrefType)
    return type_.strides[source.dims[outer]] == 1


def is_source(op: Operation, products: frozenset[tile.Mma]) -> bool:
    """Whether an operation loads or turns nothing but factors."""
    return isinstance(op, tile.Load | tile.Permute) and is_factor(op.results[0], products)
