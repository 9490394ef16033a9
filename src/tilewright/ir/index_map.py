"""Where elements come from: positions in an operand, told by the position in the result.

The statement is data, so everybody reads it in their own way: the interpreter computes with arrays of positions,
targets with run-time values, analyses look at the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace


class Index(Protocol):
    """What positions may be: integers, arrays of them, values of a program; never negative."""

    def __add__(self, other: int | Self, /) -> Self: ...
    def __mul__(self, other: int, /) -> Self: ...
    def __floordiv__(self, other: int, /) -> Self: ...
    def __mod__(self, other: int, /) -> Self: ...


_Index = TypeVar("_Index", bound=Index)
_REMEMBERED: Final = 1024
"""Coordinates and shapes that are remembered: passes ask one after the other for the same moves of the same tiles."""


class Coordinate(Struct, frozen=True):
    """`(offset + sum factors[k] r_k) // divisor % modulus` for a position r; modulus 0 stands for none."""

    offset: int
    factors: tuple[int, ...]
    divisor: int = 1
    modulus: int = 0

    @property
    def is_linear(self) -> bool:
        """Whether nothing is divided."""
        return self.divisor == 1 and not self.modulus

    @property
    def dim(self) -> int | None:
        """The dimension of the position that this follows, forwards or backwards; None if it is no such thing."""
        followed = [k for k, factor in enumerate(self.factors) if factor]
        return followed[0] if self.is_linear and len(followed) == 1 and abs(self.factors[followed[0]]) == 1 else None

    @property
    def constant(self) -> int | None:
        """The coordinate, if it is the same for all positions."""
        return self.offset if self.is_linear and not any(self.factors) else None

    def at(self, position: Sequence[_Index]) -> _Index | int:
        """The coordinate for a position."""
        total: _Index | int = self.offset
        for index, factor in zip(position, self.factors, strict=True):
            if factor:
                term = index if factor == 1 else index * factor
                total = term if isinstance(total, int) and total == 0 else term + total
        total = total if self.divisor == 1 else total // self.divisor
        return total % self.modulus if self.modulus else total

    def simplified(self, shape: Sequence[int]) -> Coordinate:
        """The same for positions in this shape, without divisions that its extents decide."""
        factors = tuple(0 if extent == 1 else factor for factor, extent in zip(self.factors, shape, strict=True))
        found = replace(self, factors=factors)._divided(shape)
        if found.divisor > 1 or not found.modulus:
            return found
        # what is a multiple of the modulus does not count
        kept = tuple(0 if factor % found.modulus == 0 else factor for factor in found.factors)
        inside = replace(found, offset=found.offset % found.modulus, factors=kept)
        low, high = inside._range(shape)
        return replace(inside, modulus=0) if low >= 0 and high < found.modulus else inside

    def _divided(self, shape: Sequence[int]) -> Coordinate:
        """Without the division, if all that is no multiple of the divisor stays below it."""
        whole = tuple(factor if factor % self.divisor == 0 else 0 for factor in self.factors)
        rest = tuple(factor - part for factor, part in zip(self.factors, whole, strict=True))
        low, high = Coordinate(self.offset % self.divisor, rest)._range(shape)
        if low < 0 or high >= self.divisor:
            return self
        factors = tuple(factor // self.divisor for factor in whole)
        return Coordinate(self.offset // self.divisor, factors, 1, self.modulus)

    def _range(self, shape: Sequence[int]) -> tuple[int, int]:
        """The least and the largest sum."""
        reach = [factor * max(extent - 1, 0) for factor, extent in zip(self.factors, shape, strict=True)]
        return self.offset + sum(r for r in reach if r < 0), self.offset + sum(r for r in reach if r > 0)


class Move(Struct, frozen=True):
    """The box of `shape` at `start` of the result holds elements of operand `operand`.

    The element at position r of the box (not of the result) is the operand's at `coordinates` of r.
    """

    operand: int
    coordinates: tuple[Coordinate, ...]
    start: tuple[int, ...]
    shape: tuple[int, ...]

    @classmethod
    def of_all(cls, coordinates: Sequence[Coordinate], shape: tuple[int, ...]) -> Self:
        """All elements of a result of this shape come from the first operand."""
        return cls(0, tuple([_simplified(c, shape) for c in coordinates]), (0,) * len(shape), shape)

    def at(self, position: Sequence[_Index]) -> tuple[_Index | int, ...]:
        """Where the element at a position of the box comes from."""
        return tuple(coordinate.at(position) for coordinate in self.coordinates)

    @property
    def is_identity(self) -> bool:
        """Whether each element stays in its place."""
        return all(
            extent == 1 or (coordinate.dim == k and coordinate.offset == 0 and coordinate.factors[k] == 1)
            for k, (coordinate, extent) in enumerate(zip(self.coordinates, self.shape, strict=True))
        )

    @property
    def is_rearrangement(self) -> bool:
        """Whether each dimension of the operand follows one of the box, forwards or backwards, or stays in one place.

        No two follow the same, and both have as many dimensions.
        """
        followed = [coordinate.dim for coordinate in self.coordinates if coordinate.constant is None]
        distinct = None not in followed and len(set(followed)) == len(followed)
        return distinct and len(self.coordinates) == len(self.shape)


@lru_cache(_REMEMBERED)
def _simplified(coordinate: Coordinate, shape: tuple[int, ...]) -> Coordinate:
    return coordinate.simplified(shape)


def along(dim: int, rank: int, offset: int = 0, factor: int = 1) -> Coordinate:
    """`offset + factor r_dim` for positions of that rank."""
    return Coordinate(offset, tuple(factor if k == dim else 0 for k in range(rank)))


def fixed(position: int, rank: int) -> Coordinate:
    """The same coordinate for all positions of that rank."""
    return Coordinate(position, (0,) * rank)


def renumbered(source: Sequence[int], shape: tuple[int, ...]) -> list[Coordinate]:
    """Coordinates in a source whose elements have the same column-major numbers as those of a result of this shape."""
    factors: list[int] = []
    number = 1
    for extent in shape:
        factors.append(number)
        number *= extent
    found: list[Coordinate] = []
    below = 1
    for extent in source:
        last = len(found) == len(source) - 1
        found.append(Coordinate(0, tuple(factors), max(below, 1), 0 if last else max(extent, 1)))
        below *= extent
    return found
