"""Which iteration of each loop around a tile a number is of: mixed radix, products by bands of several rows.

Quotients by what only a launch knows are products with a reciprocal, which is computed once in front of all tiles: what
a block computes between two tiles its matrix unit waits for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects.arith_integers import UCast, UDiv, UMulHigh
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import I32, INDEX
from tilewright.transforms import emit

_MOST: Final = (1 << 32) - 1


class Divisor(Struct, frozen=True):
    """A positive index, in 32 bits with the reciprocal `inverse`, the largest number of 32 bits divided by it.

    32 bits are enough: no memory has room for the elements of 2^31 tiles of a product. Without a reciprocal the index
    is a constant.
    """

    value: Value
    short: Value | None = None
    inverse: Value | None = None

    @staticmethod
    def of(build: Builder, value: Value) -> Divisor:
        """That of an index."""
        if emit.integer_of(value) is not None:
            return Divisor(value)
        return Divisor.by_reciprocal(build, value)

    @staticmethod
    def by_reciprocal(build: Builder, value: Value) -> Divisor:
        """That of an index with its reciprocal, also of a constant."""
        known = emit.integer_of(value)
        if known:
            return Divisor(value, build.constant(known, I32), build.constant(_signed(_MOST // known), I32))
        short = emit.cast(build, value, I32)
        return Divisor(value, short, build(UDiv(build.constant(-1, I32), short)).out)

    def split(self, build: Builder, number: Value) -> tuple[Value, Value]:
        """Quotient and remainder of an index that is not negative."""
        if self.short is None or self.inverse is None:
            return _split_by_constant(build, number, self.value)
        # at most one less than the quotient: the reciprocal is less than one smaller than 2^32 / divisor
        number = emit.cast(build, number, I32)
        quotient = build(UMulHigh(number, self.inverse)).out
        rest = emit.sub(build, number, emit.mul(build, quotient, self.short))
        is_more = emit.not_less(build, rest, self.short)
        one, zero = (build.constant(each, I32) for each in (1, 0))
        quotient = emit.add(build, quotient, emit.select(build, is_more, one, zero))
        rest = emit.sub(build, rest, emit.select(build, is_more, self.short, zero))
        return _long(build, quotient), _long(build, rest)


def divided(build: Builder, number: Value, count: Value) -> Value:
    """A number that is not negative by a positive one, without the remainder."""
    return number if emit.integer_of(count) == 1 else build(UDiv(number, count)).out


def _split_by_constant(build: Builder, number: Value, count: Value) -> tuple[Value, Value]:
    if emit.integer_of(count) == 1:
        return number, build.index(0)
    quotient = divided(build, number, count)
    return quotient, emit.sub(build, number, emit.mul(build, quotient, count))


def _long(build: Builder, value: Value) -> Value:
    return build(UCast(value, result_types=[INDEX])).out


class Bands(Struct, frozen=True):
    """Iterations of two loops: the whole outer one with each `band` of the `inner` one, the last of which may be
    narrower."""

    inner: Value
    band: int
    plane: Divisor
    last: Divisor | None

    @staticmethod
    def of(build: Builder, outer: Value, inner: Value, band: int) -> Bands:
        """Those of loops with so many iterations."""
        plane = Divisor.of(build, emit.mul(build, outer, build.index(band)))
        known = emit.integer_of(inner)
        if band == 1 or (known is not None and known % band == 0):
            return Bands(inner, band, plane, None)
        _, width = _split_by_constant(build, inner, build.index(band))
        return Bands(inner, band, plane, Divisor.by_reciprocal(build, width))

    def split(self, build: Builder, number: Value) -> list[Value]:
        """The iteration of either loop of a number."""
        which, within = self.plane.split(build, number)
        first = emit.mul(build, which, build.index(self.band))
        across, along = self._width(build, first).split(build, within)
        return [across, emit.add(build, first, along)]

    def _width(self, build: Builder, first: Value) -> Divisor:
        """Of the band that begins there."""
        band = build.index(self.band)
        if self.last is None:
            return Divisor(band)
        is_whole = emit.not_less(build, emit.sub(build, self.inner, first), band)
        usual, last = Divisor.by_reciprocal(build, band), self.last
        assert usual.short is not None
        assert usual.inverse is not None
        assert last.short is not None
        assert last.inverse is not None
        short = emit.select(build, is_whole, usual.short, last.short)
        return Divisor(band, short, emit.select(build, is_whole, usual.inverse, last.inverse))


class TileOrder(Struct, frozen=True):
    """The order of tiles in loops, of which the last one is fastest, or goes by bands with the one around it."""

    loops: int
    divisors: tuple[Divisor, ...]
    bands: Bands | None

    @staticmethod
    def of(build: Builder, counts: Sequence[Value], band: int) -> TileOrder:
        """Of loops with so many iterations, outermost first; with a `band`, that many of the last loop's iterations
        come with one of the loop around it before the next ones."""
        if band and len(counts) > 1 and _exceeds(counts[-1], band):
            *rest, outer, inner = counts
            bands = Bands.of(build, outer, inner, band)
            divisors = [*rest[1:], emit.mul(build, outer, inner)] if rest else []
            return TileOrder(len(counts), tuple(Divisor.of(build, count) for count in divisors), bands)
        return TileOrder(len(counts), tuple(Divisor.of(build, count) for count in counts[1:]), None)

    def tile(self, build: Builder, number: Value) -> list[Value]:
        """The iteration of each loop of a tile."""
        found: list[Value] = []
        for divisor in reversed(self.divisors):
            number, last = divisor.split(build, number)
            found.insert(0, last)
        if self.bands is None:
            return [number, *found][: self.loops]
        *found, plane = [number, *found]
        return [*found, *self.bands.split(build, plane)]


def _signed(number: int) -> int:
    """As a constant of 32 bits has it."""
    return number - (1 << 32) if number >> 31 else number


def _exceeds(count: Value, band: int) -> bool:
    known = emit.integer_of(count)
    return known is None or known > band
