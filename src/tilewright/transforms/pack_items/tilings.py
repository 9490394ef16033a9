"""Who of the threads of an item holds which elements of a tile: boxes of registers, side by side.

Where the boxes do not fill a tile, the last one along a mode begins earlier, so that it lies inside: what two boxes
hold both threads compute, and one writes. Where they do, a box may be in pieces, and those of neighbours lie side by
side: what threads read at the same time is then in other banks of shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from math import gcd, prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import tile
from tilewright.dialects.matrix_instructions import MatrixInstruction, instruction_of
from tilewright.ir.types import ScalarType
from tilewright.transforms.tile_values import tile_type

_TERMS: Final = (4, 3, 2)
MOST_TERMS: Final = 4
_WIDE_TERMS: Final = (2, 3)
UNIT_BOXES: Final = (4, 8)
"""How the lanes of a warp stand over the accumulators of a matrix instruction whose rows are the columns of a tile."""


class Run(Struct, frozen=True):
    """`extent` elements along a mode, pieces of `piece` neighbours that begin `step` apart."""

    extent: int
    piece: int
    step: int = 0


class Tiling(Struct, frozen=True, dict=True):
    """Boxes of `box` elements of a tile of `shape`, along each mode in pieces of so many neighbours.

    At most `terms` of k are read at a time. Those of a matrix instruction, `unit`, are as its accumulators want them,
    each mode dealt to as many `warps`: what lies outside of the tile is nobody's.
    """

    shape: tuple[int, ...]
    box: tuple[int, ...]
    pieces: tuple[int, ...]
    terms: int = MOST_TERMS
    unit: str = ""
    warps: tuple[int, int] = (1, 1)

    @cached_property
    def boxes(self) -> tuple[int, ...]:
        """Boxes along each mode."""
        if self.unit:
            return (UNIT_BOXES[0] * self.warps[0], UNIT_BOXES[1] * self.warps[1])
        return tuple(-(-n // m) for n, m in zip(self.shape, self.box, strict=True))

    @cached_property
    def threads(self) -> int:
        """Threads that hold a box each."""
        return prod(self.boxes)

    @cached_property
    def registers(self) -> int:
        """Elements of a box."""
        return prod(self.box)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """What a box is along each mode."""
        return tuple(
            Run(extent, piece, count * piece)
            for extent, piece, count in zip(self.box, self.pieces, self.boxes, strict=True)
        )

    def hangs_over(self, mode: int) -> bool:
        """Whether the last box along a mode begins where another one has not ended."""
        return not self.unit and self.shape[mode] % self.box[mode] != 0

    def is_open(self, mode: int) -> bool:
        """Whether boxes go over the edge of the tile along a mode."""
        return bool(self.unit) and self.boxes[mode] * self.box[mode] > self.shape[mode]

    def numbers(self, rank: int) -> list[int]:
        """Which boxes along the modes are a thread's: the first mode's is fastest, but for warps of units."""
        if self.unit:
            lane, warp = rank % prod(UNIT_BOXES), rank // prod(UNIT_BOXES)
            (near, far), across = UNIT_BOXES, self.warps[0]
            return [lane % near + near * (warp % across), lane // near + far * (warp // across)]
        found: list[int] = []
        for count in self.boxes:
            found.append(rank % count)
            rank //= count
        return found

    def starts(self, mode: int, most: int) -> list[int]:
        """Where the boxes along a mode begin, the first `most` of them."""
        piece, count = self.pieces[mode], min(self.boxes[mode], most)
        last = self.shape[mode] - self.box[mode] if self.hangs_over(mode) else count * piece
        return [min(first, last) for first in range(0, count * piece, piece)]

    def divisor(self, mode: int) -> int:
        """What divides where boxes begin along a mode; 0 where there is one."""
        if self.boxes[mode] == 1:
            return 0
        last = self.shape[mode] - self.box[mode] if self.hangs_over(mode) else 0
        return gcd(self.pieces[mode], last)

    def sides(self, mode: int) -> list[int]:
        """In which pieces boxes may be along a mode: whole, of all that divides them, or of single elements."""
        extent = self.box[mode]
        if self.boxes[mode] == 1 or self.unit or self.hangs_over(mode):
            return [extent if not self.unit else self.pieces[mode]]
        return [piece for piece in range(extent, 0, -1) if extent % piece == 0]

    def in_pieces(self, pieces: Sequence[int]) -> Tiling:
        """The same boxes in other pieces."""
        return replace(self, pieces=tuple(pieces))


def tilings(
    shape: Sequence[int], threads: int, registers: int, products: Sequence[tile.Mma], most: int, *, fewer: bool
) -> Iterator[Tiling]:
    """All with at most so many threads and registers, but for boxes of which smaller ones need no more threads.

    With the terms of the factors of `products` beside them there are at most `most`, of `fewer` terms if need be.
    """
    sides: list[list[int]] = []
    for extent in shape:
        counts = {-(-extent // side) for side in range(1, min(extent, registers) + 1)}
        sides.append([-(-extent // count) for count in counts])
    together = [
        (limit, max((terms_together(op, limit) for op in products), default=0))
        for limit in (range(MOST_TERMS, 0, -1) if fewer else (MOST_TERMS,))
    ]
    for box in product(*sides):
        found = Tiling(tuple(shape), box, box)
        if found.registers > registers or found.threads > threads:
            continue
        fitting = (limit for limit, terms in together if found.registers + terms * sum(box) <= most)
        limit = next(fitting, 0)
        if limit:
            yield replace(found, terms=limit)


def unit_tiling(shape: Sequence[int], unit: MatrixInstruction, warps: tuple[int, int]) -> Tiling:
    """The accumulators of a product by a matrix instruction, whose rows are the columns of the tile."""
    rows, columns, _ = unit.shape
    counts = (-(-shape[0] // (columns * warps[0])), -(-shape[1] // (rows * warps[1])))
    box = (counts[0] * columns // UNIT_BOXES[0], counts[1] * rows // UNIT_BOXES[1])
    return Tiling(tuple(shape), box, (columns // UNIT_BOXES[0], 1), unit=unit.name, warps=warps)


def unit_of(op: tile.Mma, units: Sequence[str]) -> MatrixInstruction | None:
    """The instruction that multiplies tiles of these types exactly as accumulators want it."""
    left, right = tile_type(op.lhs).element, tile_type(op.rhs).element
    for name in units:
        found = instruction_of(name)
        if found is not None and left is right is found.factor and wide_type(op) is found.sum:
            return found
    return None


def wide_type(op: tile.Mma) -> ScalarType:
    """In which the accumulators of a product are."""
    element = tile_type(op.out).element
    return element.accumulator if element.is_float else element


def terms_together(op: tile.Mma, most: int = MOST_TERMS) -> int:
    """Steps of k whose factors are read at a time, `most` of them: more would wait in registers."""
    depth = tile_type(op.lhs).shape[1]
    usual = [n for n in (_TERMS if wide_type(op).bytes <= 4 else _WIDE_TERMS) if n <= most] or [1]
    return next((n for n in usual if depth % n == 0), min(usual[0], depth))


def words_of(element: ScalarType) -> int:
    """Registers of an element."""
    return max(element.bytes // 4, 1)
