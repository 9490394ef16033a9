"""Tiles of an item in registers: what is read from slabs and written to them, and products of what lies in slabs.

before:  %t = tile.mma %a, %b, %c -> tile<8x8xf32>
after:   %t = scf.for %k = 0 to 8 step 4 carrying (%sum = %c : fragment<8xf32>) {
           %x = lane.load %A[%i, %k, ..] ..      %y = lane.load %B[%k, %j, ..] ..       four steps of k at a time
           %s = arith.fma (registers of %x), (registers of %y), %sum ..
         }
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from msgspec import Struct

from tilewright.dialects import arith, lane, memref, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import FragmentType, MemrefType, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.slabs import Slab
from tilewright.transforms.pack_items.tilings import UNIT_BOXES, Run, Tiling, terms_together, wide_type
from tilewright.transforms.tile_values import tile_type


class Slot(Struct, frozen=True, eq=False):
    """The tile of an item in a slab; `place` are its indices behind those of the tile's modes."""

    slab: Slab
    memory: Value
    place: Sequence[Value]

    def read(
        self,
        build: Builder,
        at: Sequence[Value],
        starts: Sequence[int],
        runs: Sequence[Run],
        is_open: Sequence[bool] = (False, False),
    ) -> Value:
        """The registers of a box, the first mode fastest; `starts` divide the indices `at` of the first element.

        Along modes that are open there is zero outside of the tile.
        """
        width, box = self.slab.width(runs, starts), [run.extent for run in runs]
        found = self.load(build, at, _digits(self.slab.order, runs), width, is_open[: len(box)])
        places = _places(self.slab.order, runs)
        return found if places == sorted(places) else build(lane.Pick([found], tuple(places))).out

    def read_box(self, build: Builder, box: Box) -> Value:
        """The registers of a thread's box of the tile."""
        tiling = box.tiling
        is_open = [tiling.is_open(mode) for mode in range(len(tiling.box))]
        return self.read(build, box.starts, box.divisors(), tiling.runs, is_open)

    def load(self, build: Builder, at: Sequence[Value], steps: lane.Steps, width: int, check: Sequence[bool]) -> Value:
        """Registers as they lie in memory, those outside of the tile are zero."""
        held = FragmentType(prod(extent for extent, _, _ in steps), self.slab.element)
        tested, width = self._tested(check, width)
        return build(lane.Load(self.memory, [*at, *self.place], steps, tested, width, result_types=[held])).out

    def _store(
        self,
        build: Builder,
        value: Value,
        at: Sequence[Value],
        steps: lane.Steps,
        check: Sequence[bool],
        width: int,
    ) -> None:
        tested, width = self._tested(check, width)
        build(lane.Store(value, self.memory, [*at, *self.place], steps, tested, width))

    def _tested(self, check: Sequence[bool], width: int) -> tuple[tuple[bool, ...], int]:
        """The modes of the memory that are tested, and the width of accesses that are inside as a whole or not."""
        if not any(check):
            return (), width
        near = self.slab.order[0]
        return (*check, *(False for _ in self.place)), gcd(width, self.slab.shape[near]) if check[near] else width

    def write(self, build: Builder, box: Box, value: Value) -> None:
        """Write the registers of a box, but for those that belong to another thread."""
        tiling, runs = box.tiling, box.tiling.runs
        steps, places = _digits(self.slab.order, runs), _places(self.slab.order, runs)
        found = value
        if places != sorted(places):
            back = sorted(range(len(places)), key=lambda place: places[place])
            found = build(lane.Pick([value], tuple(back))).out
        if not any(map(tiling.hangs_over, range(len(tiling.box)))):
            width = self.slab.width(runs, box.divisors())
            check = tuple(map(tiling.is_open, range(len(tiling.box))))
            self._store(build, found, box.starts, steps, check, width)
            return
        mine = self._mine(build, box)
        at = [emit.sub(build, start, own) for start, own in zip(box.starts, box.own, strict=True)]
        build(lane.Store(found, mine, at, steps, tuple(map(tiling.hangs_over, range(len(at))))))

    def _mine(self, build: Builder, box: Box) -> Value:
        """The tile from this thread's own first element on."""
        type_ = emit.memref_type(self.memory)
        rank = len(self.slab.shape)
        sizes = [emit.sub(build, build.index(n), own) for n, own in zip(self.slab.shape, box.own, strict=True)]
        result = MemrefType(type_.element, (None,) * rank, type_.strides[:rank], type_.space)
        return build(
            memref.Subview(
                self.memory,
                [*box.own, *self.place],
                sizes,
                (None,) * type_.order,
                (*(None,) * rank, *(0,) * len(self.place)),
                result_types=[result],
            )
        ).out


class Box(Struct, frozen=True, eq=False):
    """The box of a tile that a thread holds: it begins at `starts`; `own` is the first element that it writes.

    `writes` says whether it writes any, None if it does. `rank` is the thread's number among those that hold boxes.
    """

    tiling: Tiling
    rank: Value
    starts: Sequence[Value]
    own: Sequence[Value]
    writes: Value | None

    @staticmethod
    def of(build: Builder, tiling: Tiling, rank: Value, team: int, works: Value | None) -> Box:
        """The box of the thread `rank` of a team."""
        if tiling.threads < team:
            inside = emit.less(build, rank, build.index(tiling.threads))
            works = inside if works is None else emit.both(build, works, inside)
            rank = emit.minimum(build, rank, build.index(tiling.threads - 1))
        own: list[Value] = []
        starts: list[Value] = []
        for mode, number in enumerate(_numbers(build, tiling, rank)):
            side = tiling.box[mode]
            own.append(emit.mul(build, number, build.index(tiling.pieces[mode])))
            last = build.index(tiling.shape[mode] - side)
            starts.append(emit.minimum(build, own[-1], last) if tiling.hangs_over(mode) else own[-1])
        return Box(tiling, rank, starts, own, works)

    def divisors(self) -> list[int]:
        """What divides where the box begins, by mode; 0 where it begins at 0."""
        return [self.tiling.divisor(mode) for mode in range(len(self.tiling.box))]


def _numbers(build: Builder, tiling: Tiling, rank: Value) -> list[Value]:
    """As `Tiling.numbers`."""
    if tiling.unit:
        lanes, (near, far) = prod(UNIT_BOXES), UNIT_BOXES
        lane = emit.rem(build, rank, build.index(lanes)) if max(tiling.warps) > 1 else rank
        first, second = emit.rem(build, lane, build.index(near)), emit.quotient(build, lane, near)
        across, behind = warp_of(build, tiling.warps, rank)
        first = emit.add(build, first, emit.mul(build, across, build.index(near)))
        return [first, emit.add(build, second, emit.mul(build, behind, build.index(far)))]
    found: list[Value] = []
    weight = 1
    for count in tiling.boxes:
        number = emit.quotient(build, rank, weight) if count > 1 else build.index(0)
        weight *= count
        if count > 1 and weight < tiling.threads:
            number = emit.rem(build, number, build.index(count))
        found.append(number)
    return found


def warp_of(build: Builder, warps: tuple[int, int], rank: Value) -> tuple[Value, Value]:
    """Which of the warps along either mode a thread is of."""
    zero, lanes = build.index(0), prod(UNIT_BOXES)
    if max(warps) == 1:
        return zero, zero
    warp = emit.quotient(build, rank, lanes)
    if min(warps) == 1:
        return (zero, warp) if warps[0] == 1 else (warp, zero)
    return emit.rem(build, warp, build.index(warps[0])), emit.quotient(build, warp, warps[0])


def product(
    build: Builder, op: tile.Mma, box: Box, factors: tuple[Slot, Slot], start: Value, *, is_long: bool = False
) -> Value:
    """`start` and the products of rows and columns, added in the order of k, rounded to the result's type once.

    Where computing `is_long`, more than moving what is computed with, registers are read as seldom as may be.
    """
    wide, (rows, columns), runs = wide_type(op), box.tiling.box, box.tiling.runs
    depth, step = tile_type(op.lhs).shape[1], terms_together(op, box.tiling.terms)
    begin, by = box.starts, box.divisors()
    order = _there_and_back(rows, columns) if is_long else range(rows * columns)

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


def _there_and_back(rows: int, columns: int) -> list[int]:
    """The registers of a box, each of the same row or column as the one before, along the longer side first.

    A multiply-add reads three registers, one of which the one before has read then. On an H200, where a fifth of the
    cycles went to dispatch stalls, three products of 56x9 in f32 take 0.97 of the time that way. It needs more
    registers: 103 instead of 95 for f16 20x9x9 behind pointers, which reach 0.76 instead of 0.79 of a copy's speed.
    """
    if columns > rows:
        along = [range(columns), range(columns)[::-1]]
        return [row + rows * column for row in range(rows) for column in along[row % 2]]
    along = [range(rows), range(rows)[::-1]]
    return [row + rows * column for column in range(columns) for row in along[column % 2]]


def _add_product(build: Builder, x: Value, y: Value, total: Value, wide: ScalarType) -> Value:
    if wide.is_float:
        return build(arith.Fma(x, y, total)).out
    return build(arith.Add(build(arith.Mul(x, y)).out, total)).out


def _digits(order: Sequence[int], runs: Sequence[Run]) -> lane.Steps:
    """Registers as neighbours lie in memory."""
    steps: list[tuple[int, int, int]] = []
    for mode in order:
        run = runs[mode]
        steps.append((run.piece, mode, 1))
        if run.piece < run.extent:
            steps.append((run.extent // run.piece, mode, run.step))
    return tuple(steps)


def _places(order: Sequence[int], runs: Sequence[Run]) -> list[int]:
    """The register of each element, the first mode fastest, when registers follow memory."""
    box = [run.extent for run in runs]
    found = [0] * prod(box)
    for register, offset in enumerate(lane.offsets(tuple((box[mode], mode, 1) for mode in order), len(box))):
        place, weight = 0, 1
        for at, extent in zip(offset, box, strict=True):
            place, weight = place + at * weight, weight * extent
        found[place] = register
    return found
