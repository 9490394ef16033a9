"""Tiles in slabs as threads read and write them: boxes of registers, panels of factors, and which box is whose."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from msgspec import Struct

from tilewright.dialects import lane, memref
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import FragmentType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.slabs import Panels, Slab
from tilewright.transforms.pack_items.tilings import UNIT_BOXES, Run, Tiling


class Slot(Struct, frozen=True, eq=False):
    """The tile of an item in a slab; `place` are its indices behind those of the tile's modes.

    It begins `shift` elements behind that place, if its slab is shifted.
    """

    slab: Slab
    memory: Value
    place: Sequence[Value]
    shift: Value | None = None

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
        if self.shift is not None:
            near = self.slab.order[0]
            at = [emit.add(build, index, self.shift) if mode == near else index for mode, index in enumerate(at)]
            width = 1
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
        if not any(map(tiling.hangs_over, range(len(tiling.box)))):
            check = tuple(map(tiling.is_open, range(len(tiling.box))))
            self.put(build, value, box.starts, box.divisors(), runs, check)
            return
        mine = self._mine(build, box)
        at = [emit.sub(build, start, own) for start, own in zip(box.starts, box.own, strict=True)]
        found, steps = self._as_in_memory(build, value, runs), _digits(self.slab.order, runs)
        build(lane.Store(found, mine, at, steps, tuple(map(tiling.hangs_over, range(len(at))))))

    def put(
        self,
        build: Builder,
        value: Value,
        at: Sequence[Value],
        starts: Sequence[int],
        runs: Sequence[Run],
        check: Sequence[bool] = (),
    ) -> None:
        """Write the registers of a box, as `read` reads them."""
        found = self._as_in_memory(build, value, runs)
        self._store(build, found, at, _digits(self.slab.order, runs), check, self.slab.width(runs, starts))

    def _as_in_memory(self, build: Builder, value: Value, runs: Sequence[Run]) -> Value:
        """The registers of a box in the order of their places."""
        places = _places(self.slab.order, runs)
        if places == sorted(places):
            return value
        back = sorted(range(len(places)), key=lambda place: places[place])
        return build(lane.Pick([value], tuple(back))).out

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


class PanelSlot(Struct, frozen=True, eq=False):
    """A thread's panel of a tile: `slot` has it as the first of its indices behind those of the tile's modes."""

    slot: Slot
    panels: Panels

    def read(self, build: Builder, at: Sequence[Value], starts: Sequence[int], runs: Sequence[Run]) -> Value:
        """As `Slot.read`; along its mode all that the thread holds."""
        found: list[Value] = []
        places: dict[int, int] = {}
        count = 0
        for first, side in self.panels.parts:
            found.append(self.slot.read(build, *self._part(build, first, side, at, starts, runs)))
            elements = self._elements(first, side, runs)
            places |= {element: count + place for place, element in enumerate(elements) if element is not None}
            count += len(elements)
        picked = tuple(places[element] for element in range(len(places)))
        return found[0] if picked == tuple(range(count)) and len(found) == 1 else build(lane.Pick(found, picked)).out

    def read_box(self, build: Builder, box: Box) -> Value:
        """The registers of a thread's box of the tile."""
        return self.read(build, box.starts, box.divisors(), box.tiling.runs)

    def write(self, build: Builder, box: Box, value: Value) -> None:
        """Write the registers of a box."""
        runs = box.tiling.runs
        for first, side in self.panels.parts:
            mine = tuple(element for element in self._elements(first, side, runs) if element is not None)
            part = build(lane.Pick([value], mine)).out if len(self.panels.parts) > 1 else value
            self.slot.put(build, part, *self._part(build, first, side, box.starts, box.divisors(), runs))

    def _part(
        self,
        build: Builder,
        first: int,
        side: int,
        at: Sequence[Value],
        starts: Sequence[int],
        runs: Sequence[Run],
    ) -> tuple[list[Value], list[int], list[Run]]:
        """Indices of a part of the panel, what divides them, and what it is along each mode."""
        here = self.panels.mode
        return (
            [build.index(first) if mode == here else index for mode, index in enumerate(at)],
            [first if mode == here else start for mode, start in enumerate(starts)],
            [Run(side, side) if mode == here else run for mode, run in enumerate(runs)],
        )

    def _elements(self, first: int, side: int, runs: Sequence[Run]) -> list[int | None]:
        """Which elements of a box its part has, the first mode fastest; None are behind it."""
        mode, held = self.panels.mode, self.panels.held
        sides = [range(run.extent) for run in runs]
        sides[mode] = range(first, first + side)
        return [
            row + runs[0].extent * column if (row, column)[mode] < held else None
            for column in sides[1]
            for row in sides[0]
        ]


class Box(Struct, frozen=True, eq=False):
    """The box of a tile that a thread holds, by its `numbers`: it begins at `starts`, and it writes from `own` on.

    `writes` says whether it writes any, None if it does. `rank` is the thread's number among those that hold boxes.
    """

    tiling: Tiling
    rank: Value
    numbers: Sequence[Value]
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
        numbers = _numbers(build, tiling, rank)
        for mode, number in enumerate(numbers):
            side = tiling.box[mode]
            own.append(emit.mul(build, number, build.index(tiling.pieces[mode])))
            last = build.index(tiling.shape[mode] - side)
            starts.append(emit.minimum(build, own[-1], last) if tiling.hangs_over(mode) else own[-1])
        return Box(tiling, rank, numbers, starts, own, works)

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
