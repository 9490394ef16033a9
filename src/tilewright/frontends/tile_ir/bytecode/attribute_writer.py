"""Writes attributes that say what they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from tilewright.dialects.cuda_tile.attributes import (
    Assumption,
    Bounded,
    DivBy,
    Hints,
    Number,
    SameElements,
)
from tilewright.dialects.cuda_tile.numbers import float_bits, signed_value
from tilewright.dialects.cuda_tile.types import F64, I1, I64, ElementType
from tilewright.frontends.tile_ir.bytecode.buffer import Buffer
from tilewright.frontends.tile_ir.bytecode.form import AttributeTag
from tilewright.frontends.tile_ir.bytecode.pools_writer import StringPool, TypePool
from tilewright.ir.core import Attribute
from tilewright.ir.types import Type


class Inexpressible(Exception):
    """Bytecode has no form for this."""


class AttributeWriter:
    """Writes attributes by way of the pools that they refer to."""

    def __init__(self, strings: StringPool, types: TypePool) -> None:
        self._strings = strings
        self._types = types

    def tagged(self, out: Buffer, value: Attribute) -> None:
        """An attribute behind its tag."""
        match value:
            case bool():
                out.varint(AttributeTag.BOOL)
                out.byte(int(value))
            case int():
                self._integer(out, value, I64)
            case float():
                self._float(out, float_bits(value, F64), F64)
            case Number():
                self.number(out, value)
            case str():
                out.varint(AttributeTag.STRING)
                out.varint(self._strings.index(value))
            case Type():
                index = self._types.index(value)
                out.varint(AttributeTag.TYPE)
                out.varint(index)
            case tuple():
                out.varint(AttributeTag.ARRAY)
                self._array(out, value)
            case dict():
                out.varint(AttributeTag.DICTIONARY)
                self.dictionary(out, cast("dict[str, Attribute]", value).items())
            case Hints():
                out.varint(AttributeTag.HINTS)
                self.hints(out, value)
            case Assumption():
                _assumption(out, value)
            case _:
                raise Inexpressible(f"bytecode cannot hold the attribute {value}")

    def number(self, out: Buffer, value: Number) -> None:
        """A tagged number."""
        if value.element.is_float:
            self._float(out, value.bits, value.element)
        else:
            self._integer(out, value.bits, value.element)

    def numbers(self, out: Buffer, values: Iterable[Number]) -> None:
        """A count and tagged numbers."""
        found = tuple(values)
        out.varint(len(found))
        for value in found:
            self.number(out, value)

    def dictionary(self, out: Buffer, items: Iterable[tuple[str, Attribute]]) -> None:
        """A count, names and tagged attributes."""
        found = tuple(items)
        out.varint(len(found))
        for name, value in found:
            out.varint(self._strings.index(name))
            self.tagged(out, value)

    def hints(self, out: Buffer, hints: Hints) -> None:
        """A dictionary of dictionaries."""
        self.dictionary(out, ((key, dict(values)) for key, values in hints.entries))

    def _array(self, out: Buffer, values: tuple[Attribute, ...]) -> None:
        out.varint(len(values))
        for value in values:
            if not isinstance(value, bool | int | float | Number):
                raise Inexpressible("arrays in bytecode consist of numbers")
            self.tagged(out, value)

    def _integer(self, out: Buffer, value: int, element: ElementType) -> None:
        index = self._types.index(element)
        out.varint(AttributeTag.INTEGER)
        out.varint(index)
        bits = value & ((1 << element.bits) - 1)
        if element is I1:
            out.byte(bits)
        else:
            out.varint(bits)

    def _float(self, out: Buffer, bits: int, element: ElementType) -> None:
        index = self._types.index(element)
        out.varint(AttributeTag.FLOAT)
        out.varint(index)
        if element.bits <= 8:
            out.byte(bits)
        else:
            out.svarint(signed_value(bits, F64) if element is F64 else bits)


def _assumption(out: Buffer, value: Assumption) -> None:
    match value:
        case DivBy():
            out.varint(AttributeTag.DIV_BY)
            out.varint(value.divisor)
            _optional(out, value.every, value.along)
        case SameElements():
            out.varint(AttributeTag.SAME_ELEMENTS)
            out.integers(value.extents, 8)
        case Bounded():
            out.varint(AttributeTag.BOUNDED)
            _optional(out, value.low, value.high)
        case _:
            raise AssertionError(f"not an assumption of Tile IR: {value}")


def _optional(out: Buffer, first: int | None, second: int | None) -> None:
    out.byte((first is not None) | (second is not None) << 1)
    for value in (first, second):
        if value is not None:
            out.svarint(value)
