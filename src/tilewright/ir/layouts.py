"""Layouts: who holds which element of a tile, as digits of a mixed radix.

The number of a register, lane, warp or block is written in the digits of that owner, first digit fastest. The
coordinate along a dimension is the sum of digit * stride over the digits of that dimension; digits of no dimension make
copies. `Layout.table` says the same as an array, and is the definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from math import prod
from operator import attrgetter
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr

from tilewright.numerics.later import Array, np


class Owner(Enum):
    """Who holds elements: registers of a thread, lanes of a warp, warps of a block, blocks of a cluster."""

    REG = "reg"
    LANE = "lane"
    WARP = "warp"
    BLOCK = "block"

    # members are equal to nothing else; what `Enum` has is a function of Python, and layouts are keys
    __hash__ = object.__hash__


class Digit(Struct, frozen=True):
    """One digit of an owner's number: `extent` values, steps of `stride` along `dim`; of copies if that is None."""

    owner: Owner
    extent: int
    dim: int | None = None
    stride: int = 0

    def __str__(self) -> str:
        return f"({self.extent})" if self.dim is None else f"({self.extent}, {self.dim}, {self.stride})"


_BY_STRIDE: Final = attrgetter("stride")


class Place(Struct, frozen=True):
    """A digit and its weight in the owner's number: the digit is `number // weight % extent`."""

    digit: Digit
    weight: int


class LayoutError(ValueError):
    """The digits are no layout of the shape, or cannot be arranged as asked."""


class Layout(Struct, frozen=True, dict=True):
    """Who holds which element of a tile of `shape`.

    Digits are kept by owner, without those of extent 1, and merged where one goes on as the digit before it does. So
    layouts are equal exactly if their tables are. Along each dimension the digits count every coordinate once; raises
    `LayoutError` where they do not.
    """

    shape: tuple[int, ...]
    digits: tuple[Digit, ...]

    def __post_init__(self) -> None:
        for digit in self.digits:
            if digit.extent < 1:
                raise LayoutError(f"a digit of {digit.owner.value} has extent {digit.extent}")
            if digit.dim is not None and not 0 <= digit.dim < len(self.shape):
                raise LayoutError(f"a digit of {digit.owner.value} is along dimension {digit.dim} of {len(self.shape)}")
        force_setattr(self, "digits", tuple(_merged(self.digits)))
        for dim, extent in enumerate(self.shape):
            self._check(dim, extent)

    def _check(self, dim: int, extent: int) -> None:
        stride = 1
        # no `along`: most layouts are of plans that are not taken, of which nobody asks for weights
        for digit in sorted([digit for digit in self.digits if digit.dim == dim], key=_BY_STRIDE):
            if digit.stride != stride:
                raise LayoutError(f"dimension {dim} has a digit of stride {digit.stride} where {stride} is due")
            stride = digit.stride * digit.extent
        if stride != extent:
            raise LayoutError(f"digits of dimension {dim} reach {stride} of {extent} coordinates")

    def covers(self, shape: tuple[int, ...]) -> bool:
        """Whether every element of a tile of `shape` has a holder."""
        return len(shape) == len(self.shape) and all(n <= m for n, m in zip(shape, self.shape, strict=True))

    def of(self, owner: Owner) -> tuple[Digit, ...]:
        """Digits of an owner, fastest first."""
        # these are asked of every layout that a pass thinks of: lists, no generators
        return tuple([digit for digit in self.digits if digit.owner is owner])

    def count(self, owner: Owner) -> int:
        """How many registers a thread, lanes a warp, warps a block, blocks a cluster there are."""
        return prod([digit.extent for digit in self.digits if digit.owner is owner])

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The digits with their weights."""
        found: list[Place] = []
        owner, weight = None, 1
        # those of an owner stand together
        for digit in self.digits:
            owner, weight = digit.owner, weight if digit.owner is owner else 1
            found.append(Place(digit, weight))
            weight *= digit.extent
        return tuple(found)

    def along(self, dim: int | None) -> list[Place]:
        """Places of the digits of a dimension, smallest stride first; of the copies for None."""
        return sorted([p for p in self.places if p.digit.dim == dim], key=lambda p: p.digit.stride)

    def table(self) -> Array:
        """Coordinates [register, lane, warp, block, dimension] of the elements that each holds; read-only."""
        return self._table

    @cached_property
    def _table(self) -> Array:
        # each pass over tiles asks for those of the same few layouts
        counts = [self.count(owner) for owner in Owner]
        numbers = dict(zip(Owner, np.indices(counts), strict=True))
        found = np.zeros((*counts, len(self.shape)), np.int64)
        for place in self.places:
            digit = place.digit
            if digit.dim is not None:
                found[..., digit.dim] += numbers[digit.owner] // place.weight % digit.extent * digit.stride
        found.setflags(write=False)
        return found

    def first_thread(self) -> Array:
        """Coordinates [register, dimension] of the elements that the first thread holds; read-only.

        The same as of the `table`, which is as large as the tile.
        """
        return self._first_thread

    @cached_property
    def _first_thread(self) -> Array:
        numbers = np.arange(self.count(Owner.REG))
        found = np.zeros((len(numbers), len(self.shape)), np.int64)
        for place in self.places:
            digit = place.digit
            if digit.dim is not None and digit.owner is Owner.REG:
                found[:, digit.dim] += numbers // place.weight % digit.extent * digit.stride
        found.setflags(write=False)
        return found

    def registers(self) -> list[tuple[int, ...]]:
        """Coordinates of the registers of the first thread."""
        return [tuple(at) for at in self.first_thread().tolist()]

    def permute(self, order: Sequence[int]) -> Layout:
        """Dimension k of the result is dimension `order[k]` of this."""
        places = {dim: k for k, dim in enumerate(order)}
        return Layout(tuple(self.shape[k] for k in order), _renamed(self.digits, places))

    def collapse(self, dim: int) -> Layout:
        """Of a tile of extent 1 along `dim`: all that held a part of a line hold the one element of it."""
        return self.coarsen(dim, self.shape[dim])

    def coarsen(self, dim: int, step: int) -> Layout:
        """Of one element for each `step` along `dim`: all that held a part of them hold it.

        Digits along `dim` step by multiples of `step`, or all their values stay below it.
        """
        shape = tuple(extent // step if k == dim else extent for k, extent in enumerate(self.shape))
        digits: list[Digit] = []
        for digit in self.digits:
            if digit.dim != dim:
                digits.append(digit)
            elif digit.stride >= step:
                digits.append(Digit(digit.owner, digit.extent, dim, digit.stride // step))
            elif digit.owner is not Owner.REG:
                digits.append(Digit(digit.owner, digit.extent))
        return Layout(shape, tuple(digits))

    def narrow(self, shape: tuple[int, ...]) -> Layout:
        """Of the first of the boxes of `shape` that share out the tile, where each thread holds its part of every box.

        Raises `LayoutError` where it does not.
        """
        digits: list[Digit] = []
        for digit in self.digits:
            length = digit.extent if digit.dim is None else min(digit.extent, shape[digit.dim] // digit.stride)
            if length < digit.extent and digit.owner is not Owner.REG:
                raise LayoutError(f"a digit of {digit.owner.value} is cut")
            if length:
                digits.append(Digit(digit.owner, length, digit.dim, digit.stride))
        return Layout(shape, tuple(digits))

    def reduce_dim(self, dim: int) -> Layout:
        """What a reduction along `dim` leaves: lanes, warps and blocks that held parts of a line hold its result."""
        left = self.collapse(dim)
        places = {k: k - (k > dim) for k in range(len(self.shape)) if k != dim}
        return Layout(_without(self.shape, dim), _renamed(left.digits, places))

    def reshape(self, shape: tuple[int, ...]) -> Layout:
        """The same elements in another shape of as many, numbered with the first dimension fastest.

        Raises `LayoutError` where a digit steps over an edge of the new shape in no whole number.
        """
        strides = [prod(self.shape[:k]) for k in range(len(self.shape))]
        found: list[Digit] = []
        for digit in self.digits:
            if digit.dim is None:
                found.append(digit)
            else:
                found += _split(digit.owner, digit.extent, strides[digit.dim] * digit.stride, shape)
        return Layout(shape, tuple(found))

    def vector_width(self, dim: int) -> int:
        """Elements that follow each other along `dim` in the registers of one thread."""
        first = self.along(dim)[:1]
        return first[0].digit.extent if first and first[0].digit.owner is Owner.REG else 1

    def __str__(self) -> str:
        parts = [(owner, self.of(owner)) for owner in Owner]
        text = "; ".join(f"{owner.value} {' '.join(map(str, digits))}" for owner, digits in parts if digits)
        return f"#layout<{text}>"


def _merged(digits: Iterable[Digit]) -> Iterator[Digit]:
    """By owner, without digits that say nothing; neighbours that count on are one digit."""
    for owner in Owner:
        last: Digit | None = None
        for digit in digits:
            if digit.owner is not owner or digit.extent == 1:
                continue
            if last is not None and last.dim == digit.dim and last.stride * last.extent == digit.stride:
                last = Digit(owner, last.extent * digit.extent, last.dim, last.stride)
                continue
            if last is not None:
                yield last
            last = digit
        if last is not None:
            yield last


def _renamed(digits: Iterable[Digit], places: dict[int, int]) -> tuple[Digit, ...]:
    return tuple(d if d.dim is None else Digit(d.owner, d.extent, places[d.dim], d.stride) for d in digits)


def _without(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return shape[:dim] + shape[dim + 1 :]


def _split(owner: Owner, extent: int, number: int, shape: tuple[int, ...]) -> Iterator[Digit]:
    """The digit that steps by `number` elements, as digits along dimensions of `shape`."""
    below = 1
    for dim, length in enumerate(shape):
        if extent > 1 and below <= number < below * length:
            steps = min(extent, below * length // number)
            if number % below or extent % steps or (steps < extent and below * length % number):
                break
            yield Digit(owner, steps, dim, number // below)
            extent, number = extent // steps, number * steps
        below *= length
    if extent > 1:
        raise LayoutError(f"{extent} steps of {number} elements are no digits in a shape of {shape}")


_NUMBER: Final = "[0-9]{1,18}"
_DIGIT: Final = re.compile(rf"\(({_NUMBER})(?:, ({_NUMBER}), ({_NUMBER}))?\)")
_OWNER: Final = re.compile(rf"(reg|lane|warp|block)((?: \({_NUMBER}(?:, {_NUMBER}, {_NUMBER})?\))+)\Z")


def parse_layout(text: str, shape: tuple[int, ...]) -> Layout:
    """The layout of a tile of `shape`, or of a box around it, that `#layout<..>` spells. Raises `LayoutError`."""
    if not (text.startswith("#layout<") and text.endswith(">")):
        raise LayoutError(f"{text!r} is not a layout")
    inner = text[len("#layout<") : -1]
    digits: list[Digit] = []
    for part in inner.split("; ") if inner else ():
        match = _OWNER.match(part)
        if match is None:
            raise LayoutError(f"{part!r} is not an owner followed by digits, `lane (4, 1, 2) (8, 0, 1)`")
        owner = Owner(match[1])
        for extent, dim, stride in _DIGIT.findall(match[2]):
            digits.append(Digit(owner, int(extent), int(dim), int(stride)) if dim else Digit(owner, int(extent)))
    reached = (prod(d.extent for d in digits if d.dim == dim) for dim in range(len(shape)))
    return Layout(tuple(max(pair) for pair in zip(shape, reached, strict=True)), tuple(digits))
