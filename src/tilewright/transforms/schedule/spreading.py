"""The layout of a tile that nobody constrains: neighbours in memory by neighbouring lanes, 16 bytes at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from tilewright.ir.layouts import Digit, Layout, Owner

WARP = 32


class Wishes(Struct, frozen=True):
    """What speaks for one layout of a tile rather than another.

    `along` is the dimension of neighbours in memory, `width` how many of them one access takes, `reduced` the
    dimensions along which the tile is reduced: better within a warp than across.
    """

    along: int = 0
    width: int = 1
    reduced: frozenset[int] = frozenset()


def spread_layout(shape: tuple[int, ...], warps: int, wishes: Wishes) -> Layout:
    """Elements dealt to the threads of `warps` warps; where there are too few, threads hold copies.

    Extents and warps are powers of two.
    """
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
        deal(Owner.REG, _run(shape, warps, wishes), order[:1])
    deal(Owner.LANE, WARP, order)
    deal(Owner.WARP, warps, sorted(order, key=lambda dim: dim in wishes.reduced))
    for dim in order:
        deal(Owner.REG, left[dim], [dim])
    return Layout(shape, tuple(digits))


def _from(first: int, rank: int) -> Sequence[int]:
    return [first, *(dim for dim in range(rank) if dim != first)] if rank else []


def _run(shape: tuple[int, ...], warps: int, wishes: Wishes) -> int:
    """Neighbours that one thread holds, fewer where threads would have nothing."""
    size = 1
    for extent in shape:
        size *= extent
    run = min(wishes.width, shape[wishes.along])
    while run > 1 and run * warps * WARP > size:
        run //= 2
    return run
