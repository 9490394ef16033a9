"""Products of what lies in slabs, with their accumulators in registers.

before:  %t = tile.mma %a, %b, %c -> tile<8x8xf32>
after:   %t = scf.for %k = 0 to 8 step 4 carrying (%sum = %c : fragment<8xf32>) {
           %x = lane.load %A[%i, %k, ..] ..      %y = lane.load %B[%k, %j, ..] ..       four steps of k at a time
           %s = arith.fma (registers of %x), (registers of %y), %sum ..
         }
"""

from __future__ import annotations

from tilewright.dialects import arith, lane, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.slots import Box, PanelSlot, Slot
from tilewright.transforms.pack_items.tilings import Run, terms_together, wide_type
from tilewright.transforms.tile_values import tile_type


def product(
    build: Builder,
    op: tile.Mma,
    box: Box,
    factors: tuple[Slot | PanelSlot, Slot | PanelSlot],
    start: Value,
    *,
    is_long: bool = False,
) -> Value:
    """`start` and the products of rows and columns, added in the order of k, rounded to the result's type once.

    Where computing `is_long`, more than moving what is computed with, registers are read as seldom as may be, and of
    factors in panels, which need not wait in registers, a step has twice as many terms.
    """
    wide, (rows, columns), runs = wide_type(op), box.tiling.box, box.tiling.runs
    depth, step = tile_type(op.lhs).shape[1], terms_together(op, box.tiling.terms)
    begin, by = box.starts, box.divisors()
    has_panels = any(isinstance(factor, PanelSlot) for factor in factors)
    if is_long and has_panels and depth % (2 * step) == 0:
        step *= 2
    order = _there_and_back(rows, columns, by_columns=has_panels) if is_long else range(rows * columns)

    def terms(at: Builder, k: Value, count: int, total: Value) -> Value:
        deep = Run(count, count)
        left = factors[0].read(at, [begin[0], k], [by[0], step], [runs[0], deep])
        right = factors[1].read(at, [k, begin[1]], [step, by[1]], [deep, runs[1]])
        left, right = emit.cast(at, left, wide), emit.cast(at, right, wide)
        for term in range(count):
            of_row = tuple(rows * term + n % rows for n in order)
            of_column = tuple(count * (n // rows) + term for n in order)
            x, y = (at(lane.Pick([side], of)).out for side, of in ((left, of_row), (right, of_column)))
            total = _add_product(at, x, y, total, wide)
        return total

    total = build(lane.Pick([emit.cast(build, start, wide)], tuple(order))).out
    whole = depth - depth % step
    if whole > step:
        loop = emit.open_loop(build, build.index(0), build.index(whole), build.index(step), [total])
        loop.op.unroll = False
        (total,) = loop.finish([terms(loop.body, loop.index, step, loop.carried[0])])
    elif whole:
        total = terms(build, build.index(0), whole, total)
    if whole < depth:
        total = terms(build, build.index(whole), depth - whole, total)
    back = sorted(range(len(order)), key=lambda place: order[place])
    return emit.cast(build, build(lane.Pick([total], tuple(back))).out, tile_type(op.out).element)


def _there_and_back(rows: int, columns: int, *, by_columns: bool) -> list[int]:
    """The registers of a box, each of the same row or column as the one before, along the longer side first.

    A multiply-add reads three registers, one of which the one before has read then. On an H200, where a fifth of the
    cycles went to dispatch stalls, three products of 56x9 in f32 take 0.97 of the time that way. It needs more
    registers: 103 instead of 95 for f16 20x9x9 behind pointers, which reach 0.76 instead of 0.79 of a copy's speed.
    Of factors in panels ptxas finds better banks column by column.
    """
    if columns > rows and not by_columns:
        along = [range(columns), range(columns)[::-1]]
        return [row + rows * column for row in range(rows) for column in along[row % 2]]
    along = [range(rows), range(rows)[::-1]]
    return [row + rows * column for column in range(columns) for row in along[column % 2]]


def _add_product(build: Builder, x: Value, y: Value, total: Value, wide: ScalarType) -> Value:
    if wide.is_float:
        return build(arith.Fma(x, y, total)).out
    return build(arith.Add(build(arith.Mul(x, y)).out, total)).out
