"""Products of tiles by matrix instructions: warps multiply what lies in slabs.

before:  %t = tile.mma %a, %b, %c -> tile<16x16xf16>
after:   %x = lane.load_matrices %B[..] ..      %y = lane.load_matrices %A[..] {transposed = true} ..
         %t = lane.mma %x, %y, %sum {instruction = "m16n8k16.row.col.f32.f32"}

The transposed product is computed: rows of the instruction are columns of the tile, so that neighbours of a lane's
accumulators are neighbours in memory. Where rows of 16 bytes lie at multiples of as many, ldmatrix loads them; else
elements are loaded one by one, with zeros where there is no k.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.dialects import lane_products, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import Fill, Pick, fragment_of
from tilewright.dialects.lane_products import MATRIX_ROWS
from tilewright.dialects.matrix_instructions import instruction_of
from tilewright.ir.core import Value
from tilewright.ir.types import FragmentType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.slabs import LANES_OF_ROW
from tilewright.transforms.pack_items.slots import Box, Slot, warp_of
from tilewright.transforms.pack_items.tilings import UNIT_BOXES
from tilewright.transforms.pack_items.unit_factors import MATRICES_TOGETHER, Factor, factors_of
from tilewright.transforms.schedule.products.multiplying import batched
from tilewright.transforms.tile_values import tile_type

_WRITTEN_OUT: Final = 8
"""Steps of k at most that are no loop: ptxas reads the factors of the next ones while the device multiplies.

On an H200 three products of 56x9 with constant factors of 56x56 in f64, seven steps each, take 0.88 of a loop's time,
single ones of five to eight steps 0.96 to 0.98.
"""


def unit_product(build: Builder, op: tile.Mma, box: Box, slots: tuple[Slot, Slot], start: Value) -> Value:
    """`start` and the products of rows and columns, rounded to the result's type once."""
    unit = instruction_of(box.tiling.unit)
    assert unit is not None, "the tiling names one"
    rows, columns = factors_of(box.tiling, unit, (slots[0].slab, slots[1].slab))
    across, behind = warp_of(build, box.tiling.warps, box.rank)
    readers = (
        _Reader.of(build, rows, slots[1], behind, box.rank),
        _Reader.of(build, columns, slots[0], across, box.rank),
    )

    def add(at: Builder, k: Value, total: Value, step: int) -> Value:
        left, right = (reader.read(at, k, step) for reader in readers)
        return at(lane_products.Mma(left, right, total, unit.name)).out

    order = _accumulators(rows.parts, columns.parts)
    total = build(Pick([emit.cast(build, start, unit.sum)], tuple(order))).out
    step, first = rows.step, 0
    whole = sum(rows.filled(step)[0] == rows.registers for step in range(rows.steps))
    if whole > _WRITTEN_OUT:
        loop = emit.open_loop(build, build.index(0), build.index(whole * step), build.index(step), [total])
        loop.op.unroll = False
        (total,) = loop.finish([add(loop.body, loop.index, loop.carried[0], 0)])
        first = whole
    for number in range(first, rows.steps):
        total = add(build, build.index(number * step), total, number)
    back = sorted(range(len(order)), key=lambda place: order[place])
    return emit.cast(build, build(Pick([total], tuple(back))).out, tile_type(op.out).element)


def _accumulators(rows: int, columns: int) -> list[int]:
    """The register of a box, its first mode fastest, for each one of the instructions' accumulators."""
    return [
        near + 2 * column + 2 * columns * (half + 2 * row)
        for column in range(columns)
        for row in range(rows)
        for half in range(2)
        for near in range(2)
    ]


class _Reader(Struct, frozen=True, eq=False):
    """Reads a factor; `at` is what lane adds to the indices along the outer mode and k."""

    factor: Factor
    slot: Slot
    outer: Value
    deep: Value

    @staticmethod
    def of(build: Builder, factor: Factor, slot: Slot, warp: Value, rank: Value) -> _Reader:
        """For the thread of a number among those of an item, of a warp among those along the outer mode."""
        lanes = build.index(prod(UNIT_BOXES))
        own = emit.mul(build, warp, build.index(MATRIX_ROWS))
        rank = emit.rem(build, rank, lanes)
        if not factor.by_matrices:
            outer = emit.add(build, own, emit.quotient(build, rank, LANES_OF_ROW))
            near = emit.rem(build, rank, build.index(LANES_OF_ROW))
            return _Reader(factor, slot, outer, emit.mul(build, near, build.index(factor.strides[0])))
        row = emit.rem(build, rank, build.index(MATRIX_ROWS))
        zero = build.index(0)
        found = [zero, row] if factor.is_transposed else [row, zero]
        first = factor.matrices()[:MATRICES_TOGETHER]
        for bit in range(len(first).bit_length() - 1):
            digit = emit.quotient(build, rank, MATRIX_ROWS << bit)
            digit = emit.rem(build, digit, build.index(2))
            for dim in range(2):
                apart = first[1 << bit][dim] - first[0][dim]
                if apart:
                    found[dim] = emit.add(build, found[dim], emit.mul(build, digit, build.index(apart)))
        return _Reader(factor, slot, emit.add(build, own, found[0]), found[1])

    def read(self, build: Builder, k: Value, step: int) -> Value:
        """The registers of a step, which begins at `k`."""
        at = [self.outer, self.outer]
        at[self.factor.deep] = emit.add(build, self.deep, k)
        return self._matrices(build, at) if self.factor.by_matrices else self._elements(build, at, step)

    def _matrices(self, build: Builder, at: Sequence[Value]) -> Value:
        factor, slot = self.factor, self.slot
        groups = list(batched(factor.matrices(), MATRICES_TOGETHER))
        starts = tuple(self._start(*group[0]) for group in groups)
        counts, place = tuple(map(len, groups)), [*at, *slot.place]
        return build(lane_products.LoadMatrices(slot.memory, place, starts, counts, factor.is_transposed)).out

    def _elements(self, build: Builder, at: list[Value], step: int) -> Value:
        """Rows outside of the tile are its last one, whose accumulators are nobody's; k outside of it is zero."""
        factor = self.factor
        whole, is_open = factor.filled(step)
        zero = FragmentType(1, factor.unit.factor)
        found = [build(Fill(build.constant(0.0, zero.element), result_types=[zero])).out]
        number: dict[tuple[int, int], int] = {}
        last = build.index(factor.slab.shape[factor.outer] - 1)
        cut = list(at)
        begin = emit.add(build, self.outer, build.index(MATRIX_ROWS * factor.warps * factor.whole))
        cut[factor.outer] = emit.minimum(build, begin, last)
        for first, count, check in ((0, whole, False), (whole, int(is_open), True)):
            for eight, eights, place in ((0, factor.whole, at), (factor.whole, int(factor.is_cut), cut)):
                if not count * eights:
                    continue
                size = sum(fragment_of(value).size for value in found)
                number |= {(first + k, eight + n): size + k + count * n for n in range(eights) for k in range(count)}
                found.append(self._loaded(build, place, first, count, eights, check))
        return build(Pick(found, tuple(number.get(held, 0) for held in factor.held()))).out

    def _loaded(self, build: Builder, at: Sequence[Value], first: int, count: int, eights: int, is_open: bool) -> Value:
        factor = self.factor
        check, begin = [False, False], list(at)
        check[factor.deep] = is_open
        begin[factor.deep] = emit.add(build, at[factor.deep], build.index(first * factor.strides[1]))
        return self.slot.load(build, begin, *factor.elements(count, eights), check)

    def _start(self, outer: int, deep: int) -> tuple[int, ...]:
        found = [outer, outer]
        found[self.factor.deep] = deep
        return (*found, *(0 for _ in self.slot.place))
