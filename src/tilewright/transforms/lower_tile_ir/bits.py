"""Bit patterns of whole tiles: `pack`, `unpack`, and the two halves of a byte that four-bit floats take in memory."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import arith, arith_integers, tile
from tilewright.dialects.cuda_tile import core as cuda
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, F4E2M1FN, I4, I8, I16, I32, I64, TF32, ScalarType, TileType, element_of
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering

_PATTERNS = {8: I8, 16: I16, 32: I32, 64: I64}


def _element(value: Value) -> ScalarType:
    found = element_of(value.type)
    assert found is not None
    return found


def stored_bits(element: ScalarType) -> int:
    """Bits that an element takes in memory and in packed tiles."""
    return 32 if element is TF32 else element.bits


def pattern(low: Lowering, value: Value) -> Value:
    """Elements as integers of their width; those of less than a byte as bytes."""
    element = _element(value)
    if element is BOOL or element is I4:
        return low.unsigned_cast(value, I8)
    if element is F4E2M1FN:
        return low.unsigned_cast(low.bitcast(value, I4), I8)
    return low.bitcast(value, _PATTERNS[stored_bits(element)])


def from_pattern(low: Lowering, value: Value, element: ScalarType) -> Value:
    """The inverse of `pattern`."""
    if element is BOOL or element is I4:
        return low.unsigned_cast(value, element)
    if element is F4E2M1FN:
        return low.bitcast(low.unsigned_cast(value, I4), F4E2M1FN)
    if element is TF32:
        return low.bitcast(low.and_(value, low.constant(-(1 << 13), value.type)), TF32)
    return low.bitcast(value, element)


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, TileType)
    return value.type.shape


def _reshaped(low: Lowering, value: Value, *shape: int) -> Value:
    return low.b(tile.Reshape(value, result_types=[TileType(shape, _element(value))])).out


def _shifted(low: Lowering, value: Value, amount: int) -> Value:
    return low.b(arith.Shl(value, low.constant(amount, value.type))).out if amount else value


def _split(low: Lowering, value: Value, count: int, bits: int, target: ScalarType) -> Value:
    """Each integer as `count` parts of `bits` bits, low ones first."""
    (length,) = _shape(value)
    parts: list[Value] = []
    for number in range(count):
        amount = low.constant(bits * number, value.type)
        part = low.b(arith_integers.UShr(value, amount)).out if number else value
        if bits < 8:
            part = low.and_(part, low.constant((1 << bits) - 1, part.type))
        parts.append(_reshaped(low, low.unsigned_cast(part, target), 1, length))
    whole = TileType((count, length), target)
    return _reshaped(low, low.b(tile.Cat(parts, 0, result_types=[whole])).out, count * length)


def _joined(low: Lowering, value: Value, count: int, bits: int, target: ScalarType) -> Value:
    """The inverse of `_split`."""
    (length,) = _shape(value)
    rows = _reshaped(low, value, count, length // count)
    found: Value | None = None
    for number in range(count):
        one = TileType((1, length // count), _element(value))
        part = low.b(tile.Extract(rows, (number, 0), result_types=[one])).out
        part = _shifted(low, low.unsigned_cast(_reshaped(low, part, length // count), target), bits * number)
        found = part if found is None else low.or_(found, part)
    assert found is not None
    return found


def _reinterpreted(low: Lowering, value: Value, element: ScalarType) -> Value:
    """The same bits in a row as integers of another width."""
    (length,) = _shape(value)
    type_ = TileType((length * _element(value).bits // element.bits,), element)
    return low.b(tile.Reinterpret(value, result_types=[type_])).out


def packed(low: Lowering, value: Value) -> Value:
    """A tile of one dimension as its bytes."""
    bits = stored_bits(_element(value))
    found = pattern(low, value)
    if bits < 8:
        return _joined(low, found, 8 // bits, bits, I8)
    return found if bits == 8 else _reinterpreted(low, found, I8)


def unpacked(low: Lowering, value: Value, element: ScalarType) -> Value:
    """A tile of one dimension from its bytes."""
    bits = stored_bits(element)
    if bits < 8:
        found = _split(low, value, 8 // bits, bits, I8)
    else:
        found = value if bits == 8 else _reinterpreted(low, value, _PATTERNS[bits])
    return from_pattern(low, found, element)


def _pack(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Pack)
    low.bind(op.out, packed(low, low.value(op.source)))


def _unpack(low: Lowering, op: Operation) -> None:
    assert isinstance(op, cuda.Unpack)
    low.bind(op.out, unpacked(low, low.value(op.source), _target(low, op.out)))


def _target(low: Lowering, value: Value) -> ScalarType:
    found = element_of(low.type_of(value))
    assert found is not None
    return found


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {cuda.Pack: _pack, cuda.Unpack: _unpack}
