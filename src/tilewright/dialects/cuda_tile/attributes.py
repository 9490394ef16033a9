"""Attributes of Tile IR: enumerations, constants, predicates, hints."""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct

from tilewright.dialects.cuda_tile.numbers import float_value, signed_value, spell_number
from tilewright.dialects.cuda_tile.types import I1, ElementType, Tile, Version
from tilewright.ir.attributes import Attribute, AttributeValue
from tilewright.numerics.faults import Promise
from tilewright.numerics.integers import Quotient, Relation
from tilewright.numerics.rounding import Mode
from tilewright.numerics.updates import Update


class CodedEnum(Enum):
    """Members in the order of their bytecode codes; the value is the spelling."""

    @property
    def code(self) -> int:
        """The bytecode code."""
        return list(type(self)).index(self)

    @property
    def since(self) -> Version:
        """The first version that has the member."""
        return Version.V13_4 if self is Rounding.NEAREST_AWAY else Version.V13_1


class Signedness(CodedEnum):
    """How an operation reads integers."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"

    @property
    def is_signed(self) -> bool:
        """Whether it is as two's complement."""
        return self is Signedness.SIGNED


class Overflow(CodedEnum):
    """A promise about integer results; breaking it is undefined behaviour."""

    NONE = "none"
    NO_SIGNED_WRAP = "no_signed_wrap"
    NO_UNSIGNED_WRAP = "no_unsigned_wrap"
    NO_WRAP = "no_wrap"

    @property
    def promise(self) -> Promise:
        """What the exact result fits."""
        return _PROMISES[self]


class Rounding(CodedEnum):
    """Rounding of floating point results and of integer divisions."""

    NEAREST_EVEN = "nearest_even"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"
    APPROX = "approx"
    FULL = "full"
    NEAREST_INT_TO_ZERO = "nearest_int_to_zero"
    NEAREST_AWAY = "nearest_away"

    @property
    def mode(self) -> Mode:
        """How floats are rounded; `full` and `approx` results are within their errors if they are the nearest."""
        return _MODES.get(self, Mode.NEAREST_EVEN)

    @property
    def quotient(self) -> Quotient:
        """How integers are divided."""
        return _QUOTIENTS.get(self, Quotient.TRUNCATED)


class Ordering(CodedEnum):
    """What a floating point comparison says about NaN."""

    UNORDERED = "unordered"
    ORDERED = "ordered"


class Predicate(CodedEnum):
    """What a comparison tests."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS_THAN = "less_than"
    LESS_THAN_OR_EQUAL = "less_than_or_equal"
    GREATER_THAN = "greater_than"
    GREATER_THAN_OR_EQUAL = "greater_than_or_equal"

    @property
    def relation(self) -> Relation:
        """What is compared."""
        return _RELATIONS[self]


_MODES: Final = {
    Rounding.ZERO: Mode.ZERO,
    Rounding.NEGATIVE_INF: Mode.DOWN,
    Rounding.POSITIVE_INF: Mode.UP,
    Rounding.NEAREST_AWAY: Mode.NEAREST_AWAY,
}
_QUOTIENTS: Final = {Rounding.NEGATIVE_INF: Quotient.DOWN, Rounding.POSITIVE_INF: Quotient.UP}
_PROMISES: Final = {
    Overflow.NONE: Promise.NOTHING,
    Overflow.NO_SIGNED_WRAP: Promise.FITS_SIGNED,
    Overflow.NO_UNSIGNED_WRAP: Promise.FITS_UNSIGNED,
    Overflow.NO_WRAP: Promise.FITS_SIGNED | Promise.FITS_UNSIGNED,
}
_RELATIONS: Final = {
    Predicate.EQUAL: Relation.EQ,
    Predicate.NOT_EQUAL: Relation.NE,
    Predicate.LESS_THAN: Relation.LT,
    Predicate.LESS_THAN_OR_EQUAL: Relation.LE,
    Predicate.GREATER_THAN: Relation.GT,
    Predicate.GREATER_THAN_OR_EQUAL: Relation.GE,
}


class AtomicMode(CodedEnum):
    """What an atomic operation does to the old value."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    ADD = "add"
    ADDF = "addf"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    XCHG = "xchg"

    @property
    def update(self) -> Update:
        """What becomes of the number in memory; whether floats are added the operands say."""
        return Update.ADD if self is AtomicMode.ADDF else Update(self.value)


class MemoryScope(CodedEnum):
    """Who takes part in the synchronisation of an atomic access."""

    TL_BLK = "tl_blk"
    DEVICE = "device"
    SYS = "sys"


class MemoryOrdering(CodedEnum):
    """How an access orders others."""

    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


class Visibility(CodedEnum):
    """Who may look a global up."""

    PUBLIC = "public"
    PRIVATE = "private"


class Number(AttributeValue, Struct, frozen=True):
    """A number with its type, as a bit pattern."""

    element: ElementType
    bits: int

    @property
    def value(self) -> int | float:
        """The number; integers are read as signed."""
        if self.element.is_float:
            return float_value(self.bits, self.element)
        return self.bits if self.element is I1 else signed_value(self.bits, self.element)

    def __str__(self) -> str:
        return f"{spell_number(self.bits, self.element)} : {self.element}"


class Dense(AttributeValue, Struct, frozen=True):
    """The elements of a constant as the constant pool has them: row major, or one element that stands for all.

    i1 is packed, eight elements a byte; a splat of i1 is one byte, 00 or FF.
    """

    element: ElementType
    data: bytes
    count: int
    splat: bool

    def __str__(self) -> str:
        return f"{self.element}: 0x{self.data.hex()}" + (f" x {self.count}" if self.splat else "")

    def bits(self, index: int) -> int:
        """Bit pattern of one element."""
        if self.element is I1:
            return self.data[0] & 1 if self.splat else self.data[index // 8] >> index % 8 & 1
        width = self.element.pool_bytes
        start = 0 if self.splat else index * width
        return int.from_bytes(self.data[start : start + width], "little") & ((1 << self.element.bits) - 1)

    def number(self, index: int = 0) -> Number:
        """One element."""
        return Number(self.element, self.bits(index))


class Elements(AttributeValue, Struct, frozen=True):
    """What a dictionary holds as `dense<..> : type` or `array<type: ..>`; it is printed with that type."""

    value: Dense | tuple[Attribute, ...]
    type: Tile | ElementType

    def __str__(self) -> str:
        return f"{self.value} : {self.type}"


def dense(element: ElementType, patterns: list[int], count: int) -> Dense:
    """A constant from bit patterns: `count` of them, or one that stands for all. Equal elements become a splat."""
    splat = len(patterns) == 1 or patterns.count(patterns[0]) == len(patterns)
    if element is I1:
        if splat:
            return Dense(I1, b"\xff" if patterns[0] else b"\x00", count, True)
        packed = bytearray((count + 7) // 8)
        for index, bit in enumerate(patterns):
            packed[index // 8] |= bit << index % 8
        return Dense(I1, bytes(packed), count, False)
    width = element.pool_bytes
    if splat:
        return Dense(element, patterns[0].to_bytes(width, "little"), count, True)
    return Dense(element, b"".join(p.to_bytes(width, "little") for p in patterns), count, False)


def dense_from_pool(element: ElementType, data: bytes, count: int) -> Dense | None:
    """A constant from a pool entry, in the one form that equal constants share; None if the length is wrong."""
    if element is I1:
        return _bits_from_pool(data, count)
    width = element.pool_bytes
    if len(data) not in (width, width * count):
        return None
    unit = data[:width]
    if len(data) == width or data == unit * count:
        return Dense(element, _masked(unit, element), count, True)
    return Dense(element, data, count, False)


def _masked(unit: bytes, element: ElementType) -> bytes:
    value = int.from_bytes(unit, "little") & ((1 << element.bits) - 1)
    return value.to_bytes(len(unit), "little")


def _bits_from_pool(data: bytes, count: int) -> Dense | None:
    if data in (b"\x00", b"\xff"):
        return Dense(I1, data, count, True)
    if len(data) != (count + 7) // 8:
        return None
    tail = count % 8
    last = (1 << tail) - 1 if tail else 0xFF
    body, end = data[:-1], data[-1] & last
    if end == 0 and not any(body):
        return Dense(I1, b"\x00", count, True)
    if end == last and body.count(0xFF) == len(body):
        return Dense(I1, b"\xff", count, True)
    return Dense(I1, body + bytes([end]), count, False)


class Assumption(AttributeValue):
    """What `assume` says about a value."""

    __slots__ = ()


class DivBy(Assumption, Struct, frozen=True):
    """Every element (every `every`-th along dimension `along`) is a multiple of `divisor`; addresses count bytes."""

    divisor: int
    every: int | None = None
    along: int | None = None

    def __str__(self) -> str:
        if self.every is None:
            return f"div_by<{self.divisor}>"
        return f"div_by<{self.divisor}, every {self.every} along {self.along}>"


class SameElements(Assumption, Struct, frozen=True):
    """Boxes of these extents hold equal values."""

    extents: tuple[int, ...]

    def __str__(self) -> str:
        return f"same_elements<[{', '.join(map(str, self.extents))}]>"


class Bounded(Assumption, Struct, frozen=True):
    """Every element lies between `low` and `high`, both inclusive and signed; None is no bound."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        low, high = ("?" if b is None else str(b) for b in (self.low, self.high))
        return f"bounded<{low}, {high}>"


class Symbol(AttributeValue, Struct, frozen=True):
    """A reference to a symbol of the module."""

    name: str

    def __str__(self) -> str:
        return f"@{self.name}"


class Unit(AttributeValue, Struct, frozen=True):
    """An attribute that says something by being there."""

    def __str__(self) -> str:
        return "unit"


class Hints(AttributeValue, Struct, frozen=True):
    """Advice for a code generator: a dictionary for each architecture, or for `default`."""

    entries: tuple[tuple[str, tuple[tuple[str, Attribute], ...]], ...]

    def __str__(self) -> str:
        return f"optimization_hints<{', '.join(key for key, _ in self.entries)}>"

    def lookup(self, architecture: str, name: str) -> Attribute:
        """The value for an architecture, else the default one, else None."""
        by_key = {key: dict(values) for key, values in self.entries}
        own = by_key.get(architecture, {})
        return own[name] if name in own else by_key.get("default", {}).get(name)
