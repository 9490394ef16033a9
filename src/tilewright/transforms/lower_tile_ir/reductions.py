"""Reductions and scans: by kind where the region is one addition, maximum or minimum, else by the region itself."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import scf, tile, tile_combine
from tilewright.dialects.cuda_tile import arith as integers
from tilewright.dialects.cuda_tile import floats
from tilewright.dialects.cuda_tile import reductions as cuda
from tilewright.dialects.cuda_tile.attributes import Rounding, Signedness
from tilewright.dialects.cuda_tile.types import Tile
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.builder import Builder, new_region
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.types import BOOL, TileType, element_of
from tilewright.transforms.lower_tile_ir import elementwise, host, memory, shapes
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering, Unsupported
from tilewright.transforms.lower_tile_ir.shapes import reshaped, turned

_KINDS: Mapping[type[Operation], AtomicKind] = {
    floats.AddF: AtomicKind.ADD,
    floats.MaxF: AtomicKind.MAX,
    floats.MinF: AtomicKind.MIN,
    integers.AddI: AtomicKind.ADD,
    integers.MaxI: AtomicKind.MAX,
    integers.MinI: AtomicKind.MIN,
}
_PLAIN = {
    "rounding_mode": (None, Rounding.NEAREST_EVEN),
    "flush_to_zero": (None, False),
    "propagate_nan": (None, False),
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


def _region(low: Lowering, op: cuda.Reduce | cuda.Scan) -> Region:
    """The body on scalars."""
    types = [low.type_of(a) for a in op.body.entry.arguments]
    region, block = new_region(types)
    inner = low.inside(Builder(block, location=op.location))
    for argument, value in zip(op.body.entry.arguments, block.arguments, strict=True):
        inner.bind(argument, value)
    table = {**shapes.handlers(), **elementwise.handlers(), **memory.pure_handlers(), **host.pure_handlers()}
    *ops, end = op.body.entry
    for part in ops:
        handler = table.get(type(part))
        if handler is None or any(isinstance(v.type, Tile) and v.type.shape for v in part.results):
            raise Unsupported(part.location, f"{part.name} in a reduction is not supported here yet")
        handler(inner, part)
    inner.b(scf.Yield([inner.value(v) for v in end.operands]))
    return region


def _reduce(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Reduce)
    values, dim = [low.value(v) for v in op.inputs], turned(op.dim, op.inputs[0])
    kind = _kind(op, values)
    if kind is not None:
        found = [low.b(tile.Reduce(values[0], kind, dim)).out]
    else:
        types = [_without(v, dim) for v in values]
        found = list(low.b(tile_combine.ReduceBy(values, dim, _region(low, op), result_types=types)).results)
    for out, value in zip(op.out, found, strict=True):
        low.bind(out, reshaped(low, value, low.type_of(out)))


def _without(value: Value, dim: int) -> TileType:
    type_ = value.type
    assert isinstance(type_, TileType)
    return TileType(tuple(n for k, n in enumerate(type_.shape) if k != dim), type_.element)


def _scan(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Scan)
    values, dim = [low.value(v) for v in op.inputs], turned(op.dim, op.inputs[0])
    kind = None if op.reverse else _kind(op, values)
    if kind is not None:
        found = [low.b(tile.Scan(values[0], kind, dim)).out]
    else:
        scan = tile_combine.ScanBy(values, dim, op.reverse, _region(low, op), result_types=[v.type for v in values])
        found = list(low.b(scan).results)
    for out, value in zip(op.out, found, strict=True):
        low.bind(out, value)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {cuda.Reduce: _reduce, cuda.Scan: _scan}
