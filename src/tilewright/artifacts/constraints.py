"""What the sizes of a launch must be for a kernel to be defined: derived from the kernel once, compared by each launch.

A number that the kernel computes from what a launch gives (extents, integers, the sizes of groups and of the grid, the
position in the grid) is a `Polynomial` of those `Quantity`s. Arithmetic wraps at 64 bits as in the kernel: sums and
products of numbers that are the same modulo 2^64 are the same, so wrapping the result once is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilewright.artifacts.places import SourcePlace

_WORD: Final = 1 << 64
MAX_TERMS: Final = 16
MAX_DEGREE: Final = 4


class Origin(Enum):
    """Where a launch has a number from."""

    VALUE = "value"
    EXTENT = "extent"
    STRIDE = "stride"
    SIZE = "size"
    NUM_GROUPS = "num_groups"
    GROUP_ID = "group_id"


class Quantity(Struct, frozen=True):
    """The value of a scalar, extent or stride `mode` of a memref, the size of a group; or, without a parameter, the
    extent of the grid along `mode`, or the position in it, which runs from 0 to that extent."""

    origin: Origin
    parameter: str = ""
    mode: int = 0

    def __str__(self) -> str:
        match self.origin:
            case Origin.VALUE:
                return f"%{self.parameter}"
            case Origin.EXTENT | Origin.STRIDE:
                return f"{self.origin.value} {self.mode} of %{self.parameter}"
            case Origin.SIZE:
                return f"the size of %{self.parameter}"
            case Origin.NUM_GROUPS | Origin.GROUP_ID:
                return f"{self.origin.value}.{'xyz'[self.mode]}"


Factors: TypeAlias = tuple[Quantity, ...]
Lookup: TypeAlias = Callable[[Quantity], int]
Position: TypeAlias = tuple[int, int, int]


def wrapped(number: int) -> int:
    """The signed 64-bit number with the same low bits."""
    return (number + _WORD // 2) % _WORD - _WORD // 2


def order_of(quantity: Quantity) -> tuple[str, str, int]:
    """What quantities are sorted by."""
    return quantity.origin.value, quantity.parameter, quantity.mode


class Polynomial(Struct, frozen=True):
    """A sum of products of quantities with integer coefficients, in one order, without zeros."""

    terms: tuple[tuple[Factors, int], ...] = ()

    @staticmethod
    def of(terms: Iterable[tuple[Factors, int]]) -> Polynomial:
        """The sum of any terms."""
        sums: dict[Factors, int] = {}
        for factors, coefficient in terms:
            key = tuple(sorted(factors, key=order_of))
            sums[key] = wrapped(sums.get(key, 0) + coefficient)
        kept = ((factors, coefficient) for factors, coefficient in sums.items() if coefficient)
        return Polynomial(tuple(sorted(kept, key=lambda term: (len(term[0]), [*map(order_of, term[0])]))))

    @staticmethod
    def constant(number: int) -> Polynomial:
        """A number."""
        return Polynomial.of([((), number)])

    @staticmethod
    def quantity(quantity: Quantity) -> Polynomial:
        """What a launch knows."""
        return Polynomial((((quantity,), 1),))

    @property
    def number(self) -> int | None:
        """The constant that this is, or None."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def single(self) -> Quantity | None:
        """The one quantity that this is, or None."""
        match self.terms:
            case (((quantity,), 1),):
                return quantity
            case _:
                return None

    @property
    def quantities(self) -> frozenset[Quantity]:
        """Everything that it depends on."""
        return frozenset(quantity for factors, _ in self.terms for quantity in factors)

    @property
    def is_small(self) -> bool:
        """Whether it is simple enough to be kept, and of first degree in the position in the grid."""
        places = [sum(q.origin is Origin.GROUP_ID for q in factors) for factors, _ in self.terms]
        degree = max((len(factors) for factors, _ in self.terms), default=0)
        return len(self.terms) <= MAX_TERMS and degree <= MAX_DEGREE and max(places, default=0) <= 1

    def __add__(self, other: Polynomial) -> Polynomial:
        return Polynomial.of([*self.terms, *other.terms])

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scaled(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        return Polynomial.of((f + g, a * b) for f, a in self.terms for g, b in other.terms)

    def scaled(self, factor: int) -> Polynomial:
        """Times a number."""
        return Polynomial.of((factors, coefficient * factor) for factors, coefficient in self.terms)

    def value(self, known: Lookup) -> int:
        """The number, for quantities as given."""
        total = 0
        for factors, coefficient in self.terms:
            for quantity in factors:
                coefficient *= known(quantity)
            total += coefficient
        return wrapped(total)

    def extremes(self, known: Lookup) -> tuple[Position, Position]:
        """The work-groups of a grid where the number is smallest and where it is largest, unless it wraps."""
        slopes: dict[int, int] = {}
        for factors, coefficient in self.terms:
            mode = next((q.mode for q in factors if q.origin is Origin.GROUP_ID), None)
            if mode is not None:
                rest = Polynomial(((tuple(q for q in factors if q.origin is not Origin.GROUP_ID), coefficient),))
                slopes[mode] = slopes.get(mode, 0) + rest.value(known)
        low, high = [0, 0, 0], [0, 0, 0]
        for mode, slope in slopes.items():
            end = high if slope > 0 else low
            end[mode] = known(Quantity(Origin.NUM_GROUPS, mode=mode)) - 1
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def __str__(self) -> str:
        shown = sorted(self.terms, key=lambda term: (term[1] < 0, -len(term[0])))
        text = " + ".join(_product(factors, coefficient) for factors, coefficient in shown)
        return text.replace("+ -", "- ") or "0"


def _product(factors: Factors, coefficient: int) -> str:
    names = list(map(str, factors))
    if coefficient == -1 and names:
        return "-" + " * ".join(names)
    return " * ".join(names if coefficient == 1 and names else [str(coefficient), *names])


class SameExtent(Struct, frozen=True):
    """Modes that an instruction wants to be equally long; what they are called, how long they are, and where."""

    names: tuple[str, str]
    extents: tuple[Polynomial, Polynomial]
    place: SourcePlace | None = None


class WithinGroup(Struct, frozen=True):
    """An element of a group that every work-group takes: the index lies in the group, whose table is there."""

    group: str
    index: Polynomial
    place: SourcePlace | None = None


class WithinExtent(Struct, frozen=True):
    """`count` elements from `first` on, which every work-group accesses, lie in a mode of a memref.

    `mode` and `access` are what the mode and the accessed view are called. Nothing is accessed where one of `sizes` is
    not positive.
    """

    mode: str
    access: str
    first: Polynomial
    count: Polynomial
    extent: Polynomial
    sizes: tuple[Polynomial, ...] = ()
    place: SourcePlace | None = None

    @property
    def beyond(self) -> Polynomial:
        """How many of the elements are behind the end, if that is positive."""
        return self.first + self.count - self.extent


Constraint: TypeAlias = SameExtent | WithinGroup | WithinExtent


def quantities_of(constraint: Constraint) -> frozenset[Quantity]:
    """Everything that a constraint depends on but the group that it is about."""
    match constraint:
        case SameExtent():
            return constraint.extents[0].quantities | constraint.extents[1].quantities
        case WithinGroup():
            return constraint.index.quantities
        case WithinExtent():
            parts = (constraint.first, constraint.count, constraint.extent, *constraint.sizes)
            return frozenset(quantity for part in parts for quantity in part.quantities)


def without_words(constraint: Constraint) -> Constraint:
    """What is demanded, without what messages say of it: the same for programs that mean the same."""
    match constraint:
        case SameExtent():
            return SameExtent(("", ""), constraint.extents)
        case WithinGroup():
            return WithinGroup(constraint.group, constraint.index)
        case WithinExtent():
            return replace(constraint, mode="", access="", place=None)
