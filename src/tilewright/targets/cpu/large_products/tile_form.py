"""The shape of code of a product on tiles: blocks of tiles, runs of terms, and how much is kept in which cache.

A block is two tiles of accumulators by two: with two tiles of each factor that is all eight registers, and each step
makes four products of four loads. Its lines of vectors, for all terms of a run, stay in the first cache while the lines
of scalars pass by from the second one, where the accumulators of unfinished blocks lie as well.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.targets.cpu.expressions.blocks import Piece, balanced, split_powers
from tilewright.targets.cpu.expressions.nodes import Product
from tilewright.targets.cpu.large_products.packing import Format
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.units.amx import ROW_BYTES, ROW_WORDS, ROWS, AmxUnit, Tile

_WORD: Final = 4
_TILES: Final = 2
_STEPS: Final = 16
"""Of a run at most: two tiles of vectors for all of them are 32 KiB."""
PANELS_AT_ONCE: Final = 16
"""Panels of either factor that are multiplied with each other before others: of scalars half a MiB of packed terms, of
accumulators one MiB."""
BESIDE_SUMS: Final = 8
"""Of scalars where accumulators are kept between runs of terms."""
BESIDE_SUMS_AND_VECTORS: Final = 6
"""And where the vectors of all runs stay in the second cache as well."""


class TileForm(Struct, frozen=True):
    """Vectors of sums along dimension `vector` of the result; panels of both factors; terms and number of the runs;
    whether the result is stored past the caches, and whether what happens to the accumulators of a block does so while
    the next one is computed; whether the accumulators are the result, so that tiles are stored where they belong."""

    unit: AmxUnit
    vector: int
    long: Format
    short: Format
    terms: int
    runs: int
    streamed: bool = False
    overlapped: bool = False
    plain: bool = False

    @staticmethod
    def of(unit: AmxUnit, product: Product, vector: int) -> TileForm:
        """Two tiles of either factor where there are as many lines, runs of even length."""
        lines, across = product.type.shape[vector], product.type.shape[1 - vector]
        steps = -(-product.lhs.type.shape[1] // unit.terms)
        runs = -(-steps * unit.vectors.parts // _STEPS)
        long = Format(vector, ROW_WORDS * min(_TILES, -(-lines // ROW_WORDS)), unit.vectors)
        short = Format(1 - vector, max(balanced(across, _TILES * ROWS)), unit.scalars)
        return TileForm(unit, vector, long, short, unit.terms * -(-steps // runs), runs)

    @property
    def rows(self) -> list[int]:
        """Rows of the tiles of scalars."""
        height = self.short.height
        return [min(ROWS, height - first) for first in range(0, height, ROWS)]

    @property
    def accumulators(self) -> list[tuple[int, Tile]]:
        """The tiles of accumulators of a block, those of the first rows first, and where they lie."""
        columns = range(0, self.sum_row, ROW_BYTES)
        return [(ROWS * r * self.sum_row + c, Tile(rows)) for r, rows in enumerate(self.rows) for c in columns]

    @property
    def long_step(self) -> int:
        """Bytes of one instruction's terms in a panel of vectors."""
        return ROW_BYTES * self.long.height * self.long.packing.parts

    @property
    def short_step(self) -> int:
        """And of scalars."""
        return ROW_BYTES * self.short.height * self.short.packing.parts

    @property
    def sum_row(self) -> int:
        """Bytes of a row of accumulators: a block's accumulators lie row by row."""
        return _WORD * self.long.height

    @property
    def block_bytes(self) -> int:
        """Bytes of the accumulators of a block."""
        return self.sum_row * self.short.height

    def pieces(self) -> tuple[Piece, ...]:
        """The vectors of a row of accumulators."""
        return split_powers(self.long.height, ROW_WORDS)

    def panel_bytes(self, machine: Machine, form: Format) -> int:
        """From one panel to the next."""
        return _WORD * form.stride(self.terms, machine)
