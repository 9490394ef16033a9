"""Reductions and scans whose region is one operation that the tile level knows."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import tile
from tilewright.dialects.cuda_tile import arith as integers
from tilewright.dialects.cuda_tile import floats
from tilewright.dialects.cuda_tile import reductions as cuda
from tilewright.dialects.cuda_tile.attributes import Rounding, Signedness
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Operation, Region
from tilewright.ir.types import BOOL, TileType
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


def _kind(body: Region) -> AtomicKind | None:
    """The kind of a region that combines its two arguments by one operation."""
    ops = list(body.entry)
    if len(ops) != 2 or type(ops[0]) not in _KINDS:
        return None
    op, end = ops
    if set(op.operands) != set(body.entry.arguments) or list(end.operands) != list(op.results):
        return None
    if any(op.attributes.get(key) not in allowed for key, allowed in _PLAIN.items()):
        return None
    return _KINDS[type(op)]


def _known(op: cuda.Reduce | cuda.Scan) -> AtomicKind:
    kind = _kind(op.body) if len(op.inputs) == 1 else None
    word = op.name.removeprefix("cuda_tile.")
    if kind is None:
        raise Unsupported(op.location, f"{word} with a region other than one addition, maximum or minimum")
    return kind


def _reduce(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Reduce)
    kind = _known(op)
    value, type_ = low.value(op.inputs[0]), low.type_of(op.out[0])
    assert isinstance(value.type, TileType)
    if value.type.element is BOOL:
        raise Unsupported(op.location, "reductions of i1 are not supported here yet")
    found = low.b(tile.Reduce(value, kind, turned(op.dim, op.inputs[0]))).out
    low.bind(op.out[0], reshaped(low, found, type_))


def _scan(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Scan)
    kind = _known(op)
    value = low.value(op.inputs[0])
    assert isinstance(value.type, TileType)
    if op.reverse or value.type.element is BOOL:
        raise Unsupported(op.location, "reverse scans and scans of i1 are not supported here yet")
    low.bind(op.out[0], low.b(tile.Scan(value, kind, turned(op.dim, op.inputs[0]))).out)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {cuda.Reduce: _reduce, cuda.Scan: _scan}
