"""Floats of four bits in memory: two a byte, the one with the even position in the lower half."""

from __future__ import annotations

from tilewright.dialects import addresses, arith, arith_integers
from tilewright.dialects.arith import Predicate
from tilewright.dialects.memref import Scope, Semantics
from tilewright.ir.core import Value
from tilewright.ir.types import F4E2M1FN, I8, TileType, with_element
from tilewright.transforms.lower_tile_ir.bits import from_pattern, pattern
from tilewright.transforms.lower_tile_ir.context import Lowering


def places(low: Lowering, base: Value, positions: Value) -> tuple[Value, Value]:
    """Addresses of the bytes that hold the elements at positions, and the shifts to their halves, as `i8`."""
    assert isinstance(positions.type, TileType)
    distance = low.b(arith.Shr(positions, low.constant(1, positions.type))).out
    at = low.add(low.splat(base, positions.type.shape), distance)
    upper = low.unsigned_cast(low.and_(positions, low.constant(1, positions.type)), I8)
    return at, low.mul(upper, low.constant(4, upper.type))


def lower_halves(low: Lowering, at: Value) -> Value:
    """Shifts for elements that all lie in lower halves."""
    return low.constant(0, with_element(at.type, I8))


def load(
    low: Lowering, at: Value, shift: Value, mask: Value | None, scope: Scope, semantics: Semantics | None
) -> Value:
    """Elements at addresses; zero where the mask is false."""
    raw = low.b(addresses.Gather(at, mask, scope, semantics, result_types=[with_element(at.type, I8)])).out
    low_bits = low.b(arith_integers.UShr(raw, shift)).out
    return from_pattern(low, low.and_(low_bits, low.constant(15, raw.type)), F4E2M1FN)


def store(
    low: Lowering, value: Value, at: Value, shift: Value, mask: Value | None, scope: Scope, semantics: Semantics | None
) -> None:
    """Elements to addresses: those of lower halves first, so that no byte is written twice at a time."""
    codes = pattern(low, value)
    for amount in (0, 4):
        here = low.compare(Predicate.EQ, shift, low.constant(amount, shift.type))
        chosen = here if mask is None else low.and_(here, mask)
        raw = low.b(addresses.Gather(at, chosen, result_types=[codes.type])).out
        kept = low.and_(raw, low.constant(15 if amount else -16, raw.type))
        moved = low.b(arith.Shl(codes, low.constant(amount, codes.type))).out
        low.b(addresses.Scatter(low.or_(kept, moved), at, chosen, scope, semantics))
