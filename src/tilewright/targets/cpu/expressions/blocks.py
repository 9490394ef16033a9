"""How a tile is cut into register blocks: pieces along the vector dimension, positions across it.

Evidence for the rules (benchmarks/batched_gemm.py, AVX-512): a remainder that is a power of two is best a narrower
vector; any other one a masked vector of the next power of two, whose mask is dropped where reading on is harmless
(`block_stores` says how it is written); blocks of equal height beat full ones followed by a small rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from msgspec import Struct

from tilewright.targets.cpu.machine import Machine
from tilewright.targets.llvm.emitter import Value


class Piece(Struct, frozen=True):
    """A vector of `lanes` elements from `offset` on, of which the first `active` belong to the block."""

    offset: int
    lanes: int
    active: int

    @property
    def partial(self) -> bool:
        """Whether some lanes lie outside."""
        return self.active < self.lanes


class Block(Struct, frozen=True):
    """A register block of a tile: `pieces` along dimension `vector`, `count` positions along dimension `across`.

    `origin` is the position of its first element in the tile. `across` is None where the tile has one dimension.
    """

    origin: tuple[Value, ...]
    vector: int
    pieces: tuple[Piece, ...]
    across: int | None = None
    count: int = 1


def split_powers(extent: int, lanes: int) -> tuple[Piece, ...]:
    """Full vectors, then ever narrower ones: no lane outside."""
    pieces: list[Piece] = []
    offset, width = 0, lanes
    while offset < extent:
        if extent - offset >= width:
            pieces.append(Piece(offset, width, width))
            offset += width
        else:
            width //= 2
    return tuple(pieces)


@dataclass(frozen=True, slots=True)
class Pieces(Sequence[Piece]):
    """Vectors that cover an extent: `full` whole ones of `lanes` elements, then `rest`. There may be a million."""

    full: int
    lanes: int
    rest: tuple[Piece, ...]

    def __len__(self) -> int:
        return self.full + len(self.rest)

    @overload
    def __getitem__(self, index: int) -> Piece: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Piece, ...]: ...
    def __getitem__(self, index: int | slice) -> Piece | tuple[Piece, ...]:
        numbers = range(len(self))[index]
        return self._piece(numbers) if isinstance(numbers, int) else tuple(map(self._piece, numbers))

    def _piece(self, number: int) -> Piece:
        whole = number < self.full
        return Piece(number * self.lanes, self.lanes, self.lanes) if whole else self.rest[number - self.full]


def split_pieces(extent: int, lanes: int, machine: Machine) -> Pieces:
    """Full vectors and the cheapest remainder for the machine."""
    full, rest = divmod(extent, lanes)
    start = extent - rest
    if rest == 0 or rest & (rest - 1) == 0 or not machine.masks:
        ends = tuple(Piece(start + p.offset, p.lanes, p.active) for p in split_powers(rest, lanes))
    else:
        ends = (Piece(start, 1 << (rest - 1).bit_length(), rest),)
    return Pieces(full, lanes, ends)


def balanced(total: int, most: int) -> list[int]:
    """As few parts as possible of at most `most`, their sizes differing by one at most; the larger first."""
    parts = -(-total // max(most, 1))
    size, extra = divmod(total, parts)
    return [size + 1] * extra + [size] * (parts - extra)


def grouped(pieces: Sequence[Piece], most: int) -> list[tuple[Piece, ...]]:
    """The pieces in balanced groups of at most `most`."""
    groups: list[tuple[Piece, ...]] = []
    start = 0
    for size in balanced(len(pieces), most):
        groups.append(tuple(pieces[start : start + size]))
        start += size
    return groups


class Shape(Struct, frozen=True):
    """Code shape of a sweep over a tile.

    `group`: pieces of a block; `columns`: positions across; `unrolled`: whether the whole sweep is straight-line code;
    `resident`: whether the vectors of a factor that all blocks read stay in registers.
    """

    group: int
    columns: int
    unrolled: bool
    resident: bool = False


UNROLLED_VECTORS = 32
_BLOCK_VECTORS = 8


def map_shape(machine: Machine, pieces: int, columns: int) -> Shape:
    """Code shape of an elementwise sweep."""
    if machine.compact:
        return Shape(1, 1, unrolled=False)
    group = min(pieces, _BLOCK_VECTORS)
    return Shape(group, max(1, min(columns, _BLOCK_VECTORS // group)), pieces * columns <= UNROLLED_VECTORS)


def square_shape(pieces: int, lanes: int, columns: int) -> Shape:
    """Code shape of an elementwise sweep that transposes squares of `lanes` rows in registers."""
    return Shape(1, max(1, min(columns, lanes)), pieces * columns <= UNROLLED_VECTORS)
