"""Loads and stores of tiles as what a thread accesses, 16 bytes at a time where that may be.

Several registers are one access if their elements lie behind each other, aligned, and are all inside or all outside.
What of that is not known (`transforms.facts`) the whole work-group tests in front of the access, at which the code is
there twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import add
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import lane, scf, tile
from tilewright.dialects.arith import And, Cmp, Or, Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.memref import Size, Stride, Subview
from tilewright.ir.banks import sectors
from tilewright.ir.core import Region, Value
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import BOOL, FragmentType, MemrefType
from tilewright.transforms import emit
from tilewright.transforms.facts import alignment, divisor, stride_divisor
from tilewright.transforms.schedule.moves import in_memory_order, neighbours_first
from tilewright.transforms.schedule.ragged import ragged_dims
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import Threads

WHOLE: Final = "whole"
"""Attribute of a load that is tested once where all of its tile is inside, so that no access waits for another's."""
_VECTOR_BYTES: Final = 16
_FAR: Final = 1 << 20


class Part(Struct, frozen=True):
    """Some registers of a layout: their digits, where along each dimension the first one lies, all their numbers."""

    digits: tuple[Digit, ...]
    start: tuple[int, ...]
    registers: tuple[int, ...]

    @staticmethod
    def whole(layout: Layout) -> Part:
        """All of them."""
        return Part.all_of(layout, layout.of(Owner.REG), ())[0]

    @staticmethod
    def all_of(layout: Layout, own: Sequence[Digit], others: Sequence[Digit]) -> list[Part]:
        """The parts that make up a layout: registers of one are counted by its `own` digits, parts by `others`."""
        rank = len(layout.shape)
        numbers = {tuple(at): number for number, at in enumerate(layout.first_thread().tolist())}
        inner = list(lane.offsets(_steps(own), rank))
        found: list[Part] = []
        for start in lane.offsets(_steps(others), rank):
            at = (tuple(map(add, start, offset)) for offset in inner)
            found.append(Part(tuple(own), start, tuple(numbers[place] for place in at)))
        return found


def _steps(digits: Sequence[Digit]) -> lane.Steps:
    """Digits as accesses write them; neighbours that count on are one."""
    found: list[tuple[int, int, int]] = []
    for digit in digits:
        if digit.dim is None or digit.extent == 1:
            continue
        extent, dim, stride = found[-1] if found else (1, None, 0)
        if dim == digit.dim and digit.stride == stride * extent:
            found[-1] = (extent * digit.extent, digit.dim, stride)
        else:
            found.append((digit.extent, digit.dim, digit.stride))
    return tuple(found)


class Access(Struct, frozen=True):
    """Of the registers of a layout: `places` is where that of the first lies; each `width` are one access if need be
    under a `condition`, which all threads know alike, as they do whether all elements are surely `inside`.
    """

    memref: Value
    places: Sequence[Value]
    check: tuple[bool, ...]
    type: MemrefType
    width: int
    condition: Value | None
    inside: Value | None = None

    def load(self, build: Builder, part: Part) -> Value:
        """The fragment of a part; 0 for what lies outside."""
        digits, at = neighbours_first(part.digits, self.type), self._places(build, part)
        out = FragmentType(len(part.registers), self.type.element)

        def access(here: Builder, width: int, check: tuple[bool, ...] = self.check) -> list[Value]:
            return [here(lane.Load(self.memref, at, _steps(digits), check, width, result_types=[out])).out]

        if self.inside is None:
            (found,) = self._either(build, access, [out])
        else:
            (whole, then), (edge, orelse) = new_region(), new_region()
            arm, other = (Builder.at_end(block, build.location) for block in (then, orelse))
            arm(scf.Yield(access(arm, self.width, ())))
            other(scf.Yield(access(other, 1)))
            (found,) = build(scf.If(self.inside, whole, edge, result_types=[out])).results
        return picked(build, [found], self._order(digits, part.digits))

    def store(self, build: Builder, part: Part, value: Value) -> None:
        """Write the fragment of a part."""
        digits, at = neighbours_first(part.digits, self.type), self._places(build, part)
        value = picked(build, [value], self._order(part.digits, digits))

        def access(here: Builder, width: int) -> list[Value]:
            here(lane.Store(value, self.memref, at, _steps(digits), self.check, width))
            return []

        self._either(build, access, [])

    def _places(self, build: Builder, part: Part) -> list[Value]:
        return [emit.add(build, at, build.index(far)) for at, far in zip(self.places, part.start, strict=True)]

    def _order(self, given: Sequence[Digit], wanted: Sequence[Digit]) -> list[int]:
        """For each register by some digits which one it is by others."""
        numbers = {at: number for number, at in enumerate(lane.offsets(_steps(given), len(self.places)))}
        return [numbers[at] for at in lane.offsets(_steps(wanted), len(self.places))]

    def _either(
        self, build: Builder, access: Callable[[Builder, int], list[Value]], types: Sequence[FragmentType]
    ) -> list[Value]:
        """The access at its width, if need be behind a test."""
        if self.condition is None:
            return access(build, self.width)
        regions: list[Region] = []
        for each in (self.width, 1):
            region, block = new_region()
            at = Builder.at_end(block, build.location)
            found = access(at, each)
            at(scf.Yield(found))
            regions.append(region)
        return list(build(scf.If(self.condition, *regions, result_types=list(types))).results)


class Transfer(Struct, frozen=True):
    """A box of a memref at `indices` between memory and the registers of a layout, which may cover more."""

    memref: Value
    indices: Sequence[Value]
    check: tuple[bool, ...]
    layout: Layout
    shape: tuple[int, ...]
    whole: bool = False

    @property
    def type(self) -> MemrefType:
        """The type of the memref."""
        assert isinstance(self.memref.type, MemrefType)
        return self.memref.type

    def load(self, build: Builder, threads: Threads) -> Value:
        """The fragment of the elements; 0 for those outside."""
        pieces = self._pieces(build)
        if not pieces:
            return self.ready(build, threads).load(build, Part.whole(self.layout))
        order = {number: k for k, number in enumerate(n for _, numbers in pieces for n in numbers)}
        zero = build.constant(0, FragmentType(1, self.type.element))
        found = [*(piece.load(build, threads) for piece, _ in pieces), zero]
        return picked(build, found, [order.get(n, len(order)) for n in range(self.layout.count(Owner.REG))])

    def store(self, build: Builder, threads: Threads, value: Value) -> None:
        """Write a fragment."""
        pieces = self._pieces(build)
        for piece, numbers in pieces:
            piece.store(build, threads, picked(build, [value], numbers))
        if not pieces:
            self.ready(build, threads).store(build, Part.whole(self.layout), value)

    def ready(self, build: Builder, threads: Threads) -> Access:
        """The same with all computed that does not depend on the register."""
        ordered = replace(self, layout=in_memory_order(self.layout, self.type))
        box = ordered._box(build)
        places, width = box.places(build, threads), ordered._width()
        condition = ordered._condition(build, width) if width > 1 else None
        inside = ordered._inside(build, condition) if self.whole and any(self.check) else None
        return Access(box.memref, places, box.check, self.type, width, condition, inside)

    def places(self, build: Builder, threads: Threads) -> list[Value]:
        """Where in the memref the element of a thread's first register lies."""
        return [emit.add(build, at, threads.coordinate(self.layout, k)) for k, at in enumerate(self.indices)]

    def _pieces(self, build: Builder) -> list[tuple[Transfer, list[int]]]:
        """What is surely there, without a test, and what may be, with their registers; nothing if all is as before.

        Both are made of whole values of the highest digit along a mode, if that is one of registers.
        """
        for mode, shape in enumerate(self.shape):
            extent, places = self._known(mode), self.layout.along(mode)
            if extent is None or not places or places[-1].digit.owner is not Owner.REG:
                continue
            step, checked = places[-1].digit.stride, any(self.check[mode : mode + 1])
            whole, some, all_ = extent // step * step, -(-extent // step) * step, -(-shape // step) * step
            is_new = checked or shape < self.layout.shape[mode]
            if some and is_new and (whole or some < all_):
                pieces = [self._piece(build, mode, (0, whole), False)] if whole else []
                return pieces + ([self._piece(build, mode, (whole, some), checked)] if some > whole else [])
        return []

    def _piece(self, build: Builder, mode: int, bounds: tuple[int, int], check: bool) -> tuple[Transfer, list[int]]:
        """What lies between two bounds along a mode, which cut the highest digit."""
        begin, end = bounds
        indices, shape, box = list(self.indices), list(self.shape), list(self.layout.shape)
        indices[mode] = emit.add(build, indices[mode], build.index(begin))
        shape[mode], box[mode] = min(end, shape[mode]) - begin, end - begin
        tested = tuple(check if k == mode else test for k, test in enumerate(self.check))
        layout = self.layout.narrow(tuple(box))
        numbers = {at: number for number, at in enumerate(self.layout.registers())}
        shifted = [tuple(c + begin * (k == mode) for k, c in enumerate(at)) for at in layout.registers()]
        return Transfer(self.memref, indices, tested, layout, tuple(shape)), [numbers[at] for at in shifted]

    def _known(self, mode: int) -> int | None:
        return elements_there(self.type, self.indices, self.shape, self.check, mode)

    def _box(self, build: Builder) -> Transfer:
        """The same elements as a box whose edges are tested where the layout goes on beyond the tile, or, as there
        are no views of it, beyond swizzled memory with which the tile ends."""
        ragged = ragged_dims(self.layout, self.shape)
        if not ragged:
            return self
        modes = range(len(self.shape))
        check = [any(self.check[mode : mode + 1]) for mode in modes]
        cut = [mode for mode in ragged if self.type.swizzle is None or not self._is_last(mode)]
        ends = [self._ends(build, mode, check[mode]) if mode in cut else None for mode in modes]
        view, indices = _cut(build, self.memref, ends) if cut else self.memref, list(self.indices)
        for mode, found in enumerate(ends):
            if found is not None:
                indices[mode] = emit.sub(build, indices[mode], found[0]) if check[mode] else build.index(0)
        tested = tuple(test or mode in ragged for mode, test in enumerate(check))
        return Transfer(view, indices, tested, self.layout, self.shape)

    def _is_last(self, mode: int) -> bool:
        """Whether a tile surely ends where the memref does along a mode."""
        start = emit.integer_of(self.indices[mode])
        return start is not None and start + self.shape[mode] == self.type.shape[mode]

    def _ends(self, build: Builder, mode: int, check: bool) -> tuple[Value, emit.Length]:
        """Where the tile begins in a mode of the memref, and how much of it is there."""
        start, extent = self.indices[mode], self.shape[mode]
        if not check:
            return start, extent
        nothing, size = build.index(0), emit.as_value(build, emit.extent(build, self.memref, mode))
        first = emit.minimum(build, emit.maximum(build, start, nothing), size)
        end = emit.minimum(build, emit.add(build, start, build.index(extent)), size)
        return first, emit.maximum(build, emit.sub(build, end, first), nothing)

    def _width(self) -> int:
        """Registers of one access, if it turns out to be possible."""
        return _width(self.layout, self.shape, self.type)

    @property
    def _along(self) -> int:
        mode = self.layout.of(Owner.REG)[0].dim
        assert mode is not None
        return mode

    def _condition(self, build: Builder, width: int) -> Value | None:
        """What has to be tested; None if all of it is known."""
        tests: list[Value] = []
        along, bytes_, shape = self._along, self.type.element.bytes, self.shape
        wanted = width * bytes_
        if self.type.strides[along] is None:
            stride = build(Stride(self.memref, along)).out
            tests.append(build(Cmp(Predicate.EQ, stride, build.index(1))).out)
        if alignment(self.memref, self.indices) % wanted:
            tests.append(build(lane.Aligned(self.memref, list(self.indices), wanted)).out)
        for mode, extent in enumerate(shape):
            if mode != along and extent > 1 and stride_divisor(self.memref, mode) % width:
                stride = build(Stride(self.memref, mode)).out
                tests.append(self._is_multiple(build, stride, width))
        if any(self.check[along : along + 1]):
            tests += self._edge(build, along, width)
        found = tests[0] if tests else None
        for test in tests[1:]:
            assert found is not None
            found = build(And(found, test)).out
        return found

    def _inside(self, build: Builder, condition: Value | None) -> Value | None:
        """That a tile lies inside where it is tested, beside another condition; None if the layout covers more."""
        if ragged_dims(self.layout, self.shape):
            return None
        for mode, start in enumerate(self.indices):
            if any(self.check[mode : mode + 1]):
                size = emit.as_value(build, emit.extent(build, self.memref, mode))
                last = emit.sub(build, size, build.index(self.shape[mode]))
                for low, high in ((build.index(0), start), (start, last)):
                    test = build(Cmp(Predicate.LE, low, high)).out
                    condition = test if condition is None else build(And(condition, test)).out
        return condition

    def _edge(self, build: Builder, mode: int, width: int) -> list[Value]:
        """That no access of `width` elements goes over either edge of the memref."""
        static, start = self.type.shape[mode], self.indices[mode]
        if static is not None and math.gcd(static, divisor(start)) % width == 0:
            return []
        size = emit.as_value(build, static) if static is not None else build(Size(self.memref, mode)).out
        if static is None and math.gcd(divisor(size), divisor(start)) % width == 0:
            return []
        end = emit.add(build, start, build.index(self.shape[mode]))
        inside = build(Cmp(Predicate.LE, end, size)).out
        tests = [build(Or(inside, self._is_multiple(build, emit.sub(build, size, start), width))).out]
        if divisor(start) % width:
            tests.append(build(Cmp(Predicate.GE, start, build.index(0))).out)
        return tests

    @staticmethod
    def _is_multiple(build: Builder, value: Value, number: int) -> Value:
        return emit.equals_zero(build, build(And(value, build.index(number - 1))).out)


def elements_there(
    memory: MemrefType, indices: Sequence[Value], shape: Sequence[int], check: Sequence[bool], mode: int
) -> int | None:
    """How many elements of a tile of `shape` at `indices` lie in memory in a mode, from its beginning on.

    None if that is not known.
    """
    if not any(check[mode : mode + 1]):
        return shape[mode]
    extent, start = memory.shape[mode], emit.integer_of(indices[mode])
    if extent is None or start is None or start < 0:
        return None
    return min(max(extent - start, 0), shape[mode])


def _cut(build: Builder, view: Value, ends: Sequence[tuple[Value, emit.Length] | None]) -> Value:
    """A view with the modes that have ends cut down to them."""
    type_ = emit.memref_type(view)
    starts = [None if found is None else found[0] for found in ends]
    lengths = [
        emit.size_kept(build, view, mode) if found is None else found[1] or build.index(0)
        for mode, found in enumerate(ends)
    ]
    static = tuple(size if isinstance(size, int) else None for size in lengths)
    known = [0 if start is None else emit.integer_of(start) for start in starts]
    offsets = [start for start, number in zip(starts, known, strict=True) if start is not None and number is None]
    dynamic = [size for size in lengths if isinstance(size, Value)]
    out = replace(type_, shape=static)
    return build(Subview(view, offsets, dynamic, tuple(known), static, result_types=[out])).out


def _width(layout: Layout, shape: tuple[int, ...], memory: MemrefType) -> int:
    """Registers of one access where nothing is in the way but what is not known before the launch."""
    first = layout.of(Owner.REG)[:1]
    element = memory.element
    if not first or first[0].dim is None or first[0].stride != 1 or element is BOOL or element.is_complex:
        return 1
    if memory.strides[first[0].dim] not in (1, None):
        return 1
    others = (stride for mode, stride in enumerate(memory.strides) if mode != first[0].dim and shape[mode] > 1)
    pitches = (stride for stride in others if stride is not None)
    return math.gcd(first[0].extent, shape[first[0].dim], max(_VECTOR_BYTES // element.bytes, 1), *pitches)


def neighbours_along(memory: MemrefType) -> int | None:
    """The mode of neighbours in memory; None if that is not known."""
    return memory.strides.index(1) if 1 in memory.strides else None


def traffic(layout: Layout, shape: tuple[int, ...], memory: MemrefType) -> int:
    """Sectors that a warp touches as it accesses a tile in a layout; lines of unknown distance are far apart."""
    far = tuple(_FAR if stride is None else stride for stride in memory.strides)
    width = _width(layout, shape, memory)
    return layout.count(Owner.REG) // width * sectors(layout, replace(memory, strides=far), width)


def of_access(op: tile.Load | tile.Store, memref: Value, indices: Sequence[Value], layout: Layout) -> Transfer:
    """What a load or store of a tile becomes."""
    return Transfer(memref, indices, tuple(op.check), layout, op.box().shape, WHOLE in op.attributes)
