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
from tilewright.transforms.pack_items.items import tile_type
from tilewright.transforms.pack_items.slabs import PIECE, Slab
from tilewright.transforms.pack_items.tilings import Tiling, terms_together, wide_type


class Slot(Struct, frozen=True, eq=False):
    """The tile of an item in a slab; `place` are its indices behind those of the tile's modes."""

    slab: Slab
    memory: Value
    place: Sequence[Value]

    def read(self, build: Builder, at: Sequence[Value], starts: Sequence[int], box: Sequence[int]) -> Value:
        """The registers of a box, the first mode fastest; `starts` divide the indices `at` of the first element."""
        steps = _digits(self.slab.order, box)
        width = self._width(steps, starts)
        held = FragmentType(prod(box), self.slab.element)
        found = build(lane.Load(self.memory, [*at, *self.place], steps, (), width, result_types=[held])).out
        return _in_order(build, found, steps, box)

    def write(self, build: Builder, box: Box, value: Value) -> None:
        """Write the registers of a box, but for those that belong to another thread."""
        tiling = box.tiling
        steps = _digits(self.slab.order, tiling.box)
        found = _out_of_order(build, value, steps, tiling.box)
        if not any(map(tiling.hangs_over, range(len(tiling.box)))):
            width = self._width(steps, tiling.box)
            build(lane.Store(found, self.memory, [*box.starts, *self.place], steps, (), width))
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

    def _width(self, steps: lane.Steps, starts: Sequence[int]) -> int:
        """Registers of one access: neighbours that begin at a multiple of their bytes, whoever reads them."""
        extent, near, stride = steps[0]
        if self.slab.strides[near] != 1 or stride != 1:
            return 1
        size = self.slab.element.bytes
        far = [s for k, s in enumerate(self.slab.strides) if k != near and self.slab.shape[k] > 1]
        return gcd(extent, starts[near] or extent, *far, self.slab.pitch // size, PIECE // size)


class Box(Struct, frozen=True, eq=False):
    """The box of a tile that a thread holds: it begins at `starts`; `own` is the first element that it writes.

    `writes` says whether it writes any, None if it does.
    """

    tiling: Tiling
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
        weight = 1
        for mode, (count, side) in enumerate(zip(tiling.boxes, tiling.box, strict=True)):
            number = emit.quotient(build, rank, weight) if count > 1 else build.index(0)
            weight *= count
            if count > 1 and weight < tiling.threads:
                number = emit.rem(build, number, build.index(count))
            own.append(emit.mul(build, number, build.index(side)))
            last = build.index(tiling.shape[mode] - side)
            starts.append(emit.minimum(build, own[-1], last) if tiling.hangs_over(mode) else own[-1])
        return Box(tiling, starts, own, works)

    def divisors(self) -> list[int]:
        """What divides where the box begins, by mode; 0 where it begins at 0."""
        sides: list[int] = []
        for mode, (count, side) in enumerate(zip(self.tiling.boxes, self.tiling.box, strict=True)):
            last = self.tiling.shape[mode] - side
            sides.append(0 if count == 1 else gcd(side, last) if self.tiling.hangs_over(mode) else side)
        return sides


def product(build: Builder, op: tile.Mma, box: Box, factors: tuple[Slot, Slot], start: Value) -> Value:
    """`start` and the products of rows and columns, added in the order of k, rounded to the result's type once."""
    wide, (rows, columns) = wide_type(op), box.tiling.box
    depth, step = tile_type(op.lhs).shape[1], terms_together(op)
    begin, by = box.starts, box.divisors()

    def terms(at: Builder, k: Value, count: int, total: Value) -> Value:
        left = factors[0].read(at, [begin[0], k], [by[0], step], [rows, count])
        right = factors[1].read(at, [k, begin[1]], [step, by[1]], [count, columns])
        left, right = emit.cast(at, left, wide), emit.cast(at, right, wide)
        for term in range(count):
            of_row = tuple(rows * term + n % rows for n in range(rows * columns))
            of_column = tuple(count * (n // rows) + term for n in range(rows * columns))
            x, y = (at(lane.Pick([side], of)).out for side, of in ((left, of_row), (right, of_column)))
            total = _add_product(at, x, y, total, wide)
        return total

    total = emit.cast(build, start, wide)
    whole = depth - depth % step
    if whole > step:
        loop = emit.open_loop(build, build.index(0), build.index(whole), build.index(step), [total])
        loop.op.unroll = False
        (total,) = loop.finish([terms(loop.body, loop.index, step, loop.carried[0])])
    elif whole:
        total = terms(build, build.index(0), whole, total)
    if whole < depth:
        total = terms(build, build.index(whole), depth - whole, total)
    return emit.cast(build, total, tile_type(op.out).element)


def _add_product(build: Builder, x: Value, y: Value, total: Value, wide: ScalarType) -> Value:
    if wide.is_float:
        return build(arith.Fma(x, y, total)).out
    return build(arith.Add(build(arith.Mul(x, y)).out, total)).out


def _digits(order: Sequence[int], box: Sequence[int]) -> lane.Steps:
    """Registers as neighbours lie in memory."""
    return tuple((box[mode], mode, 1) for mode in order)


def _places(steps: lane.Steps, box: Sequence[int]) -> list[int]:
    """The register of each element, the first mode fastest, when registers follow `steps`."""
    found = [0] * prod(box)
    for register, offset in enumerate(lane.offsets(steps, len(box))):
        place, weight = 0, 1
        for at, extent in zip(offset, box, strict=True):
            place, weight = place + at * weight, weight * extent
        found[place] = register
    return found


def _in_order(build: Builder, value: Value, steps: lane.Steps, box: Sequence[int]) -> Value:
    places = _places(steps, box)
    return value if places == sorted(places) else build(lane.Pick([value], tuple(places))).out


def _out_of_order(build: Builder, value: Value, steps: lane.Steps, box: Sequence[int]) -> Value:
    places = _places(steps, box)
    if places == sorted(places):
        return value
    back = sorted(range(len(places)), key=lambda place: places[place])
    return build(lane.Pick([value], tuple(back))).out
