"""Who of the threads of an item holds which elements of a tile: boxes of registers, side by side.

Where the boxes do not fill a tile, the last one along a mode begins earlier, so that it lies inside: what two boxes
hold both threads compute, and one writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import gcd, prod
from typing import Final

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.ir.types import ScalarType
from tilewright.transforms.pack_items.items import tile_type
from tilewright.transforms.policy import PackingPolicy

_TERMS: Final = (4, 3, 2)
_WIDE_TERMS: Final = (2, 3)


class Tiling(Struct, frozen=True):
    """Boxes of `box` elements of a tile of `shape`."""

    shape: tuple[int, ...]
    box: tuple[int, ...]

    @property
    def boxes(self) -> tuple[int, ...]:
        """Boxes along each mode."""
        return tuple(-(-n // m) for n, m in zip(self.shape, self.box, strict=True))

    @property
    def threads(self) -> int:
        """Threads that hold a box each."""
        return prod(self.boxes)

    @property
    def registers(self) -> int:
        """Elements of a box."""
        return prod(self.box)

    def hangs_over(self, mode: int) -> bool:
        """Whether the last box along a mode begins where another one has not ended."""
        return self.shape[mode] % self.box[mode] != 0


def tilings(shape: Sequence[int], threads: int, registers: int, terms: int, most: int) -> Iterator[Tiling]:
    """All with at most so many threads and registers, but for boxes of which smaller ones need no more threads.

    With so many `terms` of the factors beside them there are at most `most`.
    """
    sides: list[list[int]] = []
    for extent in shape:
        counts = {-(-extent // side) for side in range(1, min(extent, registers) + 1)}
        sides.append([-(-extent // count) for count in counts])
    for box in product(*sides):
        found = Tiling(tuple(shape), box)
        fits = found.registers <= registers and found.registers + terms * sum(box) <= most
        if found.threads <= threads and fits:
            yield found


class ProductCost(Struct, frozen=True):
    """Cycles of a multiprocessor for a warp and a step of k: `width` elements of a factor are read at once."""

    policy: PackingPolicy
    factors: tuple[ScalarType, ScalarType]
    wide: ScalarType
    widths: tuple[int, int]
    pitches: tuple[int, int]
    depth: int

    @staticmethod
    def of(op: tile.Mma, policy: PackingPolicy) -> ProductCost:
        """The cost of a product whose factors have their rows side by side in shared memory."""
        left, right = tile_type(op.lhs), tile_type(op.rhs)
        rows = gcd(left.shape[0], max(policy.access_bytes // left.element.bytes, 1))
        depth = gcd(right.shape[0], max(policy.access_bytes // right.element.bytes, 1))
        pitches = (left.size * left.element.bytes, right.size * right.element.bytes)
        return ProductCost(policy, (left.element, right.element), wide_type(op), (rows, depth), pitches, left.shape[1])

    def cycles(self, tiling: Tiling, team: int) -> float:
        """For all of k, with so many threads an item."""
        rows, columns = tiling.box
        left, right = self.factors
        multiplied = rows * columns * self.policy.cycles_of_product(self.wide)
        if left is not self.wide or right is not self.wide:
            multiplied += (rows + columns) * self.policy.cycles_of_product(self.wide)
        along, deep = gcd(self.widths[0], *_begins(tiling, 0)), self.widths[1]
        reads = rows / along * self._passes(along * left.bytes, team, self.pitches[0])
        reads += columns / deep * self._passes(deep * right.bytes, team, self.pitches[1])
        return self.depth * max(multiplied, reads)

    def _passes(self, bytes_: int, team: int, pitch: int) -> int:
        """Over the banks of shared memory, of an access of so many bytes by each thread of a warp.

        Threads that are served at a time meet in banks if they are of items whose distances are multiples of all banks.
        """
        banks = self.policy.bank_bytes
        turns = max(bytes_ * self.policy.warp // banks, 1)
        items = max(self.policy.warp // turns // team, 1)
        return turns * -(-items * gcd(pitch, banks) // banks)


def _begins(tiling: Tiling, mode: int) -> tuple[int, int]:
    """What divides the extent of a box and where boxes begin."""
    side = tiling.box[mode]
    return side, tiling.shape[mode] - side if tiling.hangs_over(mode) else side


def wide_type(op: tile.Mma) -> ScalarType:
    """In which the sums of a product are."""
    element = tile_type(op.out).element
    return element.accumulator if element.is_float else element


def terms_together(op: tile.Mma) -> int:
    """Steps of k whose factors are read at a time: more would wait in registers."""
    depth = tile_type(op.lhs).shape[1]
    usual = _TERMS if wide_type(op).bytes <= 4 else _WIDE_TERMS
    return next((n for n in usual if depth % n == 0), min(usual[0], depth))


def words_of(element: ScalarType) -> int:
    """Registers of an element."""
    return max(element.bytes // 4, 1)
