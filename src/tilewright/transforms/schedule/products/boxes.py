"""Where a factor lies in memory: the box of a matrix that is brought to shared memory."""

from __future__ import annotations

import math
from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import lane, tile
from tilewright.dialects.arith import And
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import Stride
from tilewright.ir.core import Value
from tilewright.ir.types import MemrefType, ScalarType, TileType
from tilewright.transforms import emit
from tilewright.transforms.facts import alignment, divisor, never_negative, stride_divisor


class Box(Struct, frozen=True):
    """The part of a matrix in memory that is a factor, whose rows in shared memory run along mode `near`.

    Its elements are converted to `element` when they are loaded. It never begins in front of the matrix if that is
    known (`begins`).
    """

    view: Value
    indices: list[Value]
    check: tuple[bool, ...]
    near: int
    far: int
    element: ScalarType
    begins: bool = False

    def is_copied_as(self, element: ScalarType) -> bool:
        """Whether elements of that type are what memory holds."""
        return self.type.element is self.element is element

    @property
    def type(self) -> MemrefType:
        """The matrix."""
        assert isinstance(self.view.type, MemrefType)
        return self.view.type

    def load(self, build: Builder, indices: list[Value], check: tuple[bool, ...], shape: tuple[int, ...]) -> Value:
        """A tile at some indices, converted, its rows along the first dimension."""
        loaded = TileType(shape, self.type.element)
        value = build(tile.Load(self.view, indices, check, result_types=[loaded])).out
        return turned(build, emit.cast(build, value, self.element), (self.near, self.far))

    def tested_along(self, modes: Collection[int]) -> Box:
        """With tests along some modes alone."""
        return replace(self, check=tuple(mode in modes for mode in range(len(self.check))))

    @property
    def is_turned(self) -> bool:
        """Whether neighbours in memory are those of the other mode."""
        return self.type.strides[self.near] != 1 and self.type.strides[self.far] == 1

    def at(self, build: Builder, row: Value) -> list[Value]:
        """Where a row begins."""
        return [emit.add(build, i, row) if mode == self.far else i for mode, i in enumerate(self.indices)]

    def inside(self, build: Builder, near: int, far: int) -> Value | None:
        """Whether so many elements from where the box begins are in the matrix; None if that is sure, or never so."""
        found: Value | None = None
        for mode, extent in ((self.near, near), (self.far, far)):
            size, start = self.type.shape[mode], self.indices[mode]
            known = emit.integer_of(start)
            if not self.check[mode]:
                continue
            if (size is not None and size < extent) or (known is not None and known < 0):
                return None
            last = emit.sub(build, emit.as_value(build, emit.extent(build, self.view, mode)), build.index(extent))
            fits = emit.not_less(build, last, start)
            if known is None:
                fits = emit.both(build, fits, emit.not_less(build, start, build.index(0)))
            found = fits if found is None else emit.both(build, found, fits)
        return found

    def is_aligned(self, bytes_: int) -> bool:
        """Whether copies of so many bytes are surely aligned."""
        step = stride_divisor(self.view, self.far) * self.type.element.bytes
        return math.gcd(alignment(self.view, self.indices), step) % bytes_ == 0

    def is_whole(self, bytes_: int) -> bool:
        """Whether copies of so many bytes are aligned if those from the beginning of each row are."""
        return (
            self.type.strides[self.near] == 1
            and divisor(self.indices[self.near]) * self.type.element.bytes % bytes_ == 0
        )

    def may_take(self, build: Builder, bytes_: int, aligned: bool) -> Value | bool | None:
        """Whether copies of so many bytes are aligned: surely, by a test for all threads alike, or never (None).

        Rows are known to begin at such addresses if they are `aligned`.
        """
        size = self.type.element.bytes
        if self.type.strides[self.near] != 1:
            return None
        tests: list[Value] = []
        if not self.is_aligned(bytes_) and not (aligned and self.is_whole(bytes_)):
            tests.append(build(lane.Aligned(self.view, self.indices, bytes_)).out)
            stride = build(Stride(self.view, self.far)).out
            rest = build(And(stride, build.index(bytes_ // math.gcd(bytes_, size) - 1))).out
            tests.append(emit.equals_zero(build, rest))
        if self.check[self.near] and not self.begins and not never_negative(self.indices[self.near]):
            # a piece of which the first elements lie outside is none
            tests.append(emit.not_less(build, self.indices[self.near], build.index(0)))
        found = tests[0] if tests else True
        for test in tests[1:]:
            assert isinstance(found, Value)
            found = emit.both(build, found, test)
        return found


def turned(build: Builder, value: Value, order: tuple[int, ...]) -> Value:
    """The tile with its dimensions in that order."""
    return value if order == tuple(range(len(order))) else build(tile.Permute(value, order)).out
