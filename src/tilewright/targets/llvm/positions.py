"""Positions in tiles that are known at run time, as index maps compute with them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.ir.index_map import Move
from tilewright.targets.llvm.emitter import Builder, Value, i64


class _Position(Struct, frozen=True):
    """A value that is never negative where it is divided (`index_map.Index`)."""

    b: Builder
    value: Value

    def __add__(self, other: int | _Position) -> _Position:
        return _Position(self.b, self.b.add(self.value, i64(other) if isinstance(other, int) else other.value))

    def __mul__(self, other: int) -> _Position:
        return _Position(self.b, self.b.mul(self.value, i64(other)))

    def __floordiv__(self, other: int) -> _Position:
        known = self.value.integer
        return _Position(self.b, self.b.udiv(self.value, i64(other)) if known is None else i64(known // other))

    def __mod__(self, other: int) -> _Position:
        known = self.value.integer
        return _Position(self.b, self.b.urem(self.value, i64(other)) if known is None else i64(known % other))


def moved(b: Builder, move: Move, position: Sequence[Value]) -> tuple[Value, ...]:
    """Where the element at a position of a move's box comes from."""
    found = move.at([_Position(b, index) for index in position])
    return tuple(i64(index) if isinstance(index, int) else index.value for index in found)
