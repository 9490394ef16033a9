"""Reads attributes that say what they are, and those of which the record's layout does."""

from __future__ import annotations

from typing import Final

from tilewright.dialects.cuda_tile.attributes import (
    Assumption,
    Bounded,
    Dense,
    DivBy,
    Hints,
    Number,
    SameElements,
)
from tilewright.dialects.cuda_tile.types import I1, ElementType
from tilewright.frontends.tile_ir.bytecode.cursor import Cursor
from tilewright.frontends.tile_ir.bytecode.form import AttributeTag
from tilewright.frontends.tile_ir.bytecode.tables import Constants, Strings
from tilewright.frontends.tile_ir.bytecode.type_reader import Types
from tilewright.ir.core import Attribute
from tilewright.ir.mlir.limits import Limits

_MASK64: Final = (1 << 64) - 1


class Attributes:
    """Reads attributes with the tables they refer to."""

    def __init__(self, strings: Strings, types: Types, constants: Constants, limits: Limits) -> None:
        self._strings = strings
        self._types = types
        self._constants = constants
        self._limits = limits

    def tagged(self, c: Cursor, depth: int = 0) -> Attribute:
        """An attribute behind its tag. Integers of type i1 are `bool`, other numbers `Number`."""
        at = c.position
        if depth > self._limits.attribute_nesting:
            c.fail("B11", f"attributes are nested more than {self._limits.attribute_nesting} deep", at)
        tag = c.varint("the tag of an attribute")
        match tag:
            case AttributeTag.INTEGER:
                return self._integer(c)
            case AttributeTag.FLOAT:
                return self._float(c)
            case AttributeTag.BOOL:
                return boolean(c, "a bool")
            case AttributeTag.TYPE:
                return self._types.read(c)
            case AttributeTag.STRING:
                return self._strings.read(c)
            case AttributeTag.ARRAY:
                return self.array(c, depth)
            case AttributeTag.DENSE:
                return self._dense(c)
            case AttributeTag.DICTIONARY:
                return self.dictionary(c, depth)
            case AttributeTag.HINTS:
                return self.hints(c, depth)
            case AttributeTag.DIV_BY | AttributeTag.SAME_ELEMENTS | AttributeTag.BOUNDED:
                return _assumption(c, tag)
            case _:
                raise c.fault("B6", f"there is no attribute with the tag {tag}", at)

    def array(self, c: Cursor, depth: int = 0) -> tuple[Attribute, ...]:
        """A count and tagged attributes."""
        return tuple(self.tagged(c, depth + 1) for _ in range(c.count("the length of an array")))

    def numbers(self, c: Cursor) -> tuple[Number, ...]:
        """A count and tagged numbers."""
        at = c.position
        found: list[Number] = []
        for value in self.array(c):
            if isinstance(value, bool):
                value = Number(I1, int(value))
            if not isinstance(value, Number):
                c.fail("B8", "the array consists of numbers", at)
            found.append(value)
        return tuple(found)

    def dictionary(self, c: Cursor, depth: int = 0) -> dict[str, Attribute]:
        """A count, names and tagged attributes, sorted by their names."""
        found: dict[str, Attribute] = {}
        for _ in range(c.count("the length of a dictionary", 2)):
            at = c.position
            name = self._strings.name(c, "the name of an attribute")
            if name in found:
                c.fail("B8", f"the attribute {name!r} comes twice", at)
            found[name] = self.tagged(c, depth + 1)
        return dict(sorted(found.items()))

    def hints(self, c: Cursor, depth: int = 0) -> Hints:
        """A dictionary of dictionaries."""
        at = c.position
        entries: list[tuple[str, tuple[tuple[str, Attribute], ...]]] = []
        for key, value in self.dictionary(c, depth).items():
            if not isinstance(value, dict):
                c.fail("B8", f"the hints for {key!r} are a dictionary", at)
            entries.append((key, tuple(value.items())))
        return Hints(tuple(entries))

    def assumption(self, c: Cursor) -> Assumption:
        """A tagged predicate."""
        at = c.position
        found = self.tagged(c)
        if not isinstance(found, Assumption):
            c.fail("B8", "expected a predicate: div_by, same_elements or bounded", at)
        return found

    def _integer(self, c: Cursor) -> Attribute:
        at = c.position
        type_ = self._types.number(c)
        if type_.is_float:
            c.fail("B8", f"the type of an integer is not {type_}", at)
        if type_ is I1:
            return boolean(c, "an integer of type i1")
        at = c.position
        bits = c.varint("an integer")
        if bits >> type_.bits:
            c.fail("B8", f"{bits} has more bits than {type_}", at)
        return Number(type_, bits)

    def _float(self, c: Cursor) -> Number:
        at = c.position
        type_ = self._types.number(c)
        if not type_.is_float:
            c.fail("B8", f"the type of a float is not {type_}", at)
        at = c.position
        return Number(type_, _float_bits(c, type_, at))

    def _dense(self, c: Cursor) -> Dense:
        at = c.position
        type_ = self._types.tile(c)
        if not isinstance(type_.element, ElementType):
            c.fail("B8", f"constants consist of numbers, which those of {type_} are not", at)
        return self._constants.read(c, type_, type_.element)


def _float_bits(c: Cursor, type_: ElementType, at: int) -> int:
    if type_.bits <= 8:
        bits = c.byte("a float")
    else:
        value = c.wide_svarint("a float") if type_.bits == 64 else c.svarint("a float")
        bits = value & _MASK64 if type_.bits == 64 else value
    if not 0 <= bits < 1 << type_.bits:
        c.fail("B8", f"{bits:#x} is no bit pattern of {type_}", at)
    return bits


def _assumption(c: Cursor, tag: int) -> Assumption:
    match tag:
        case AttributeTag.SAME_ELEMENTS:
            return SameElements(plain_integers(c, 8, "same_elements"))
        case AttributeTag.BOUNDED:
            flags = _two_flags(c, "bounded")
            low = c.svarint("a bound") if flags & 1 else None
            high = c.svarint("a bound") if flags & 2 else None
            return Bounded(low, high)
        case _:
            divisor = c.varint("a divisor")
            at = c.position
            flags = _two_flags(c, "div_by")
            if flags in (1, 2):
                c.fail("B8", "div_by has both `every` and `along`, or neither", at)
            every = c.svarint("every") if flags & 1 else None
            along = c.svarint("along") if flags & 2 else None
            return DivBy(divisor, every, along)


def _two_flags(c: Cursor, what: str) -> int:
    at = c.position
    flags = c.byte(f"the flags of {what}")
    if flags > 3:
        c.fail("B6", f"{what} has flags 0 and 1 only, not {flags:#b}", at)
    return flags


def boolean(c: Cursor, what: str) -> bool:
    """A byte that is 0 or 1; NVIDIA's writers have all ones for an i1 as well."""
    at = c.position
    found = c.byte(what)
    if found not in (0, 1, 0xFF):
        c.fail("B8", f"{what} is 0 or 1, not {found}", at)
    return found != 0


def booleans(c: Cursor, what: str) -> tuple[bool, ...]:
    """A count and so many bytes."""
    return tuple(boolean(c, what) for _ in range(c.count(what)))


def plain_integers(c: Cursor, width: int, what: str) -> tuple[int, ...]:
    """Integers none of which is the least or the largest: those mean something else in NVIDIA's arrays."""
    at = c.position
    found = c.integers(width, what)
    top = 1 << (8 * width - 1)
    if any(v in (-top, top - 1) for v in found):
        c.fail("B8", f"{what}: the least and the largest number of {8 * width} bits are not allowed", at)
    return found
