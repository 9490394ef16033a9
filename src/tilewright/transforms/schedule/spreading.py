"""The layout of a tile that nobody constrains: neighbours in memory by neighbouring lanes, 16 bytes at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.ir.layouts import Digit, Layout, Owner

_BESIDE: Final = 4
"""Accesses of 16 bytes by neighbours at least, if there is so much: a few whole sectors, wherever they begin."""


_REMEMBERED: Final = 256
"""Layouts that are remembered: tiles of one shape are asked for one by one."""


class Teams(Struct, frozen=True):
    """The threads of a block: so many warps of so many lanes, or subgroups that are a part of a warp."""

    lanes: int
    warps: int

    @property
    def threads(self) -> int:
        """All of them."""
        return self.lanes * self.warps


class Wishes(Struct, frozen=True):
    """What speaks for one layout of a tile rather than another.

    `along` is the dimension of neighbours in memory, `width` how many of them one access takes, `reduced` the
    dimensions along which the tile is reduced: better within a warp than across. `across` is the dimension of
    neighbours elsewhere in memory: a thread that holds a block of both turns it by itself.
    """

    along: int = 0
    width: int = 1
    reduced: frozenset[int] = frozenset()
    across: int | None = None


@lru_cache(_REMEMBERED)
def spread_layout(shape: tuple[int, ...], teams: Teams, wishes: Wishes) -> Layout:
    """Elements dealt to the threads; where there are too few, threads hold copies.

    Where the threads do not share out a dimension evenly, the layout covers a larger box. Lanes' digits are powers of
    two, so that lanes can exchange what they hold; a digit of warps divides their number, one of registers is whatever
    is left.
    """
    left = [max(extent, 1) for extent in shape]
    digits: list[Digit] = []
    strides = [1] * len(shape)

    def deal(owner: Owner, count: int, dims: Sequence[int], least: int = 1) -> None:
        for dim, extent in zip(dims, _shares(count, [left[dim] for dim in dims], least), strict=True):
            digits.append(Digit(owner, extent, dim, strides[dim]))
            left[dim] = -(-left[dim] // extent)
            strides[dim] *= extent
            count //= extent
        digits.append(Digit(owner, count))

    order, run = _from(wishes.along, len(shape)), 1
    if order:
        run = _run(shape, teams, wishes)
        deal(Owner.REG, run, order[:1])
        if wishes.across is not None:
            rows, across = prod(shape) // (run * teams.threads), left[wishes.across]
            deal(Owner.REG, min(run, _power_of_two(rows), across & -across), [wishes.across])
    deal(Owner.LANE, teams.lanes, order, _BESIDE * wishes.width // run)
    deal(Owner.WARP, teams.warps, sorted(order, key=lambda dim: dim in wishes.reduced))
    for dim in order:
        deal(Owner.REG, left[dim], [dim])
    return Layout(tuple(strides), tuple(digits))


def _shares(count: int, left: Sequence[int], least: int) -> Sequence[int]:
    """How many of `count` holders share out each of some dimensions of which so much is left.

    So that the fewest registers are needed, but of the first dimension `least` if so many have something of it; then as
    many as there are for the first one, so that neighbours go to neighbours.
    """
    found = list(_splits(count, left))
    wide = [split for split in found if not split or split[0] >= min(least, found[0][0])]
    return min(wide, key=lambda split: prod(-(-n // m) for n, m in zip(left, split, strict=True)))


def _splits(count: int, left: Sequence[int]) -> Iterator[list[int]]:
    """Divisors of a count for each dimension, no more than it needs, the most for the first ones first."""
    if not left:
        yield []
        return
    for extent in _holders(count, left[0]):
        yield from ([extent, *others] for others in _splits(count // extent, left[1:]))


@lru_cache(_REMEMBERED)
def _holders(count: int, extent: int) -> tuple[int, ...]:
    """The divisors of a count that may hold a dimension of this extent, those with the most of it first.

    More than the least that is enough may be better for other dimensions, but no multiple of what is: of 112, 16 leave
    7 for an extent of 16, and 28 leave 2 times 2.
    """
    divisors = [number for number in range(1, count + 1) if count % number == 0]
    needed = (n for n in divisors if not any(extent <= m < n and n % m == 0 for m in divisors))
    return tuple(sorted(needed, key=lambda n: (-min(n, extent), n)))


def _power_of_two(number: int) -> int:
    """The largest that is no larger, 1 at least."""
    return 1 << max(number.bit_length() - 1, 0)


@lru_cache(_REMEMBERED)
def registers_of(shape: tuple[int, ...], teams: Teams) -> int:
    """Those of each thread that a tile takes, with what has to be covered beyond it, if its layout takes the fewest.

    The same in whatever order the dimensions are, and never more for a part: where a tile fits, all fits that it is
    moved together from. Layouts that have more to heed take some more.
    """
    left = [extent for extent in shape if extent > 1]
    return min(prod(-(-n // m) for n, m in zip(left, split, strict=True)) for split in _splits(teams.threads, left))


def _from(first: int, rank: int) -> Sequence[int]:
    return [first, *(dim for dim in range(rank) if dim != first)] if rank else []


def _run(shape: tuple[int, ...], teams: Teams, wishes: Wishes) -> int:
    """Neighbours that one thread holds, fewer where threads would have nothing."""
    extent = max(shape[wishes.along], 1)
    run = min(wishes.width, extent & -extent)
    while run > 1 and run * teams.threads > prod(shape):
        run //= 2
    return run
