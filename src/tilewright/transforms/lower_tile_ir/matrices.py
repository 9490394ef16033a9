"""Matrix products: with dimensions turned round, the product of the factors in the other order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tilewright.dialects import tile
from tilewright.dialects.cuda_tile import matrix as cuda
from tilewright.dialects.cuda_tile.attributes import Signedness
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import F8E8M0FNU, F32, F64, I32, ScalarType, TileType, element_of
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering
from tilewright.transforms.lower_tile_ir.shapes import reshaped, stretched


def _mmaf(low: Lowering, op: Operation) -> None:
    """A product into f16, which is only stored, is formed in f32, as the collectives of the tensor language are."""
    assert isinstance(op, cuda.MmaF)
    acc = low.value(op.acc)
    assert isinstance(acc.type, TileType)
    element = acc.type.element
    wide = low.cast(acc, element.accumulator)
    low.bind(op.out, low.cast(_product(low, low.value(op.lhs), low.value(op.rhs), wide, op.fast_acc), element))


def _mmai(low: Lowering, op: Operation) -> None:
    """Unsigned factors are widened matrix by matrix, next to the product: a target may take them as bytes there."""
    assert isinstance(op, cuda.MmaI)
    signs = tuple(sign is Signedness.SIGNED for sign in (op.signedness_lhs, op.signedness_rhs))

    def factor(value: Value, signed: bool) -> Value:
        return value if signed else low.widened(value, I32, False)

    def one(lhs: Value, rhs: Value, acc: Value) -> Value:
        return low.b(tile.Mma(factor(rhs, signs[1]), factor(lhs, signs[0]), acc)).out

    low.bind(op.out, _matrices(low, one, low.value(op.lhs), low.value(op.rhs), low.value(op.acc)))


def _mmaf_scaled(low: Lowering, op: Operation) -> None:
    """Scales reach from 2^-127 to 2^127, so scaled factors are computed in f64; those that are f8E4M3FN fit f32."""
    assert isinstance(op, cuda.MmaFScaled)
    acc, lhs_scale = low.value(op.acc), low.value(op.lhs_scale)
    element = F64 if element_of(lhs_scale.type) is F8E8M0FNU else F32
    lhs = _scaled(low, low.value(op.lhs), lhs_scale, 0, element)
    rhs = _scaled(low, low.value(op.rhs), low.value(op.rhs_scale), 1, element)
    low.bind(op.out, low.cast(_product(low, lhs, rhs, low.cast(acc, element)), F32))


def _scaled(low: Lowering, value: Value, scale: Value, dim: int, element: ScalarType) -> Value:
    """A factor times its scales, each of which stands for several elements along a dimension."""
    assert isinstance(value.type, TileType)
    assert isinstance(scale.type, TileType)
    count = value.type.shape[dim] // scale.type.shape[dim]
    return low.mul(low.cast(value, element), stretched(low, low.cast(scale, element), dim, count))


def _product(low: Lowering, lhs: Value, rhs: Value, acc: Value, fast: bool = False) -> Value:
    def one(x: Value, y: Value, z: Value) -> Value:
        return low.b(tile.Mma(y, x, z, fast=True) if fast else tile.Mma(y, x, z)).out

    return _matrices(low, one, lhs, rhs, acc)


def _matrices(low: Lowering, one: Callable[[Value, Value, Value], Value], lhs: Value, rhs: Value, acc: Value) -> Value:
    """The product `one` of matrices, or of each of a batch."""
    assert isinstance(acc.type, TileType)
    if acc.type.rank == 2:
        return one(lhs, rhs, acc)
    parts: list[Value] = []
    for batch in range(acc.type.shape[2]):
        right, left, total = (_matrix(low, v, batch) for v in (rhs, lhs, acc))
        parts.append(_batched(low, one(left, right, total)))
    return parts[0] if len(parts) == 1 else low.b(tile.Cat(parts, 2, result_types=[acc.type])).out


def _matrix(low: Lowering, value: Value, batch: int) -> Value:
    """One matrix of a batch, which is the last dimension."""
    assert isinstance(value.type, TileType)
    rows, columns, _ = value.type.shape
    element = value.type.element
    one = low.b(tile.Extract(value, (0, 0, batch), result_types=[TileType((rows, columns, 1), element)])).out
    return reshaped(low, one, TileType((rows, columns), element))


def _batched(low: Lowering, value: Value) -> Value:
    assert isinstance(value.type, TileType)
    return reshaped(low, value, TileType((*value.type.shape, 1), value.type.element))


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {cuda.MmaF: _mmaf, cuda.MmaI: _mmai, cuda.MmaFScaled: _mmaf_scaled}
