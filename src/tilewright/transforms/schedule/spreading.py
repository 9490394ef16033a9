"""The layout of a tile that nobody constrains: neighbours in memory by neighbouring lanes, 16 bytes at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from msgspec import Struct

from tilewright.ir.layouts import Digit, Layout, Owner


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


def spread_layout(shape: tuple[int, ...], teams: Teams, wishes: Wishes) -> Layout:
    """Elements dealt to the threads; where there are too few, threads hold copies. All numbers are powers of two."""
    left = list(shape)
    digits: list[Digit] = []
    strides = [1] * len(shape)

    def deal(owner: Owner, count: int, dims: Iterable[int]) -> None:
        for dim in dims:
            extent = min(count, left[dim])
            digits.append(Digit(owner, extent, dim, strides[dim]))
            left[dim] //= extent
            strides[dim] *= extent
            count //= extent
        digits.append(Digit(owner, count))

    order = _from(wishes.along, len(shape))
    if order:
        run = _run(shape, teams, wishes)
        deal(Owner.REG, run, order[:1])
        if wishes.across is not None:
            rows = min(run, prod(shape) // (run * teams.threads), left[wishes.across])
            deal(Owner.REG, max(rows, 1), [wishes.across])
    deal(Owner.LANE, teams.lanes, order)
    deal(Owner.WARP, teams.warps, sorted(order, key=lambda dim: dim in wishes.reduced))
    for dim in order:
        deal(Owner.REG, left[dim], [dim])
    return Layout(shape, tuple(digits))


def _from(first: int, rank: int) -> Sequence[int]:
    return [first, *(dim for dim in range(rank) if dim != first)] if rank else []


def _run(shape: tuple[int, ...], teams: Teams, wishes: Wishes) -> int:
    """Neighbours that one thread holds, fewer where threads would have nothing."""
    run = min(wishes.width, shape[wishes.along])
    while run > 1 and run * teams.threads > prod(shape):
        run //= 2
    return run
