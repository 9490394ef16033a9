"""Reductions and scans.

By kind where the region is one addition or extremum of integers; by the region where it is arithmetic on scalars; else
element by element.
"""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import tile, tile_combine
from tilewright.dialects.cuda_tile import arith as integers
from tilewright.dialects.cuda_tile import floats
from tilewright.dialects.cuda_tile import reductions as cuda
from tilewright.dialects.cuda_tile.attributes import Rounding, Signedness
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, ScalarType, TileType, element_of
from tilewright.transforms.lower_tile_ir.by_element import combined
from tilewright.transforms.lower_tile_ir.combination import Combination
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering
from tilewright.transforms.lower_tile_ir.shapes import literal, reshaped, turned

# Not the extrema of floats: those of the tile level leave the sign of a zero open.
_KINDS: Mapping[type[Operation], AtomicKind] = {
    floats.AddF: AtomicKind.ADD,
    integers.AddI: AtomicKind.ADD,
    integers.MaxI: AtomicKind.MAX,
    integers.MinI: AtomicKind.MIN,
}
_PLAIN = {
    "rounding_mode": (None, Rounding.NEAREST_EVEN),
    "flush_to_zero": (None, False),
    "signedness": (None, Signedness.SIGNED),
}


def _kind(op: cuda.Reduce | cuda.Scan, values: list[Value]) -> AtomicKind | None:
    """The kind of a reduction of one tile by one operation."""
    ops = list(op.body.entry)
    if len(values) != 1 or len(ops) != 2 or element_of(values[0].type) is BOOL:
        return None
    inner, end = ops
    if set(inner.operands) != set(op.body.entry.arguments) or list(end.operands) != list(inner.results):
        return None
    if any(inner.attributes.get(key) not in allowed for key, allowed in _PLAIN.items()):
        return None
    return _KINDS.get(type(inner))


def _reduce(low: Lowering, op: cuda.Reduce, emit: Handler) -> None:
    values, dim = [low.value(v) for v in op.inputs], turned(op.dim, op.inputs[0])
    for out, value in zip(op.out, _reduced(low, op, values, dim, emit), strict=True):
        low.bind(out, reshaped(low, value, low.type_of(out)))


def _reduced(low: Lowering, op: cuda.Reduce, values: list[Value], dim: int, emit: Handler) -> list[Value]:
    kind = _kind(op, values)
    if kind is not None:
        return [low.b(tile.Reduce(values[0], kind, dim)).out]
    combine = Combination.of(low, op.body.entry, emit)
    if not combine.is_scalar_arithmetic:
        return combined(low, values, dim, combine, last=True)
    types = [_without(v, dim) for v in values]
    return list(low.b(tile_combine.ReduceBy(values, dim, combine.region(low), result_types=types)).results)


def _element(value: Value) -> ScalarType:
    found = element_of(value.type)
    assert found is not None
    return found


def _without(value: Value, dim: int) -> TileType:
    type_ = value.type
    assert isinstance(type_, TileType)
    return TileType(tuple(n for k, n in enumerate(type_.shape) if k != dim), type_.element)


def _scan(low: Lowering, op: cuda.Scan, emit: Handler) -> None:
    values, dim = [low.value(v) for v in op.inputs], turned(op.dim, op.inputs[0])
    for out, value in zip(op.out, _scanned(low, op, values, dim, emit), strict=True):
        low.bind(out, value)


def _scanned(low: Lowering, op: cuda.Scan, values: list[Value], dim: int, emit: Handler) -> list[Value]:
    kind = None if op.reverse else _kind(op, values)
    if kind is not None:
        return [low.b(tile.Scan(values[0], kind, dim)).out]
    combine = Combination.of(low, op.body.entry, emit)
    types = [v.type for v in values]
    # Also of elements that the identity is none for, NaN say: the specification combines the first one with it.
    starts = [low.constant(literal(n), _element(v)) for n, v in zip(op.identities, values, strict=True)]
    if not combine.is_scalar_arithmetic:
        return combined(low, values, dim, combine, starts=starts, reverse=op.reverse)
    scan = tile_combine.ScanBy(values, dim, op.reverse, combine.region(low), starts, result_types=types)
    return list(low.b(scan).results)


def handlers(emit: Handler) -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation; `emit` lowers any operation, such as those of a region."""

    def reduction(low: Lowering, op: Operation) -> None:
        match op:
            case cuda.Reduce():
                _reduce(low, op, emit)
            case _:
                assert isinstance(op, cuda.Scan)
                _scan(low, op, emit)

    return {cuda.Reduce: reduction, cuda.Scan: reduction}
