"""Reads and spells constants: numbers as exact bit patterns, scalars that stand for whole tiles, nested lists."""

from __future__ import annotations

from typing import Final

from tilewright.diagnostics import SourceRange
from tilewright.dialects.cuda_tile.attributes import Dense, Number, dense, dense_from_pool
from tilewright.dialects.cuda_tile.numbers import NumberError, float_bits, integer_bits, spell_number
from tilewright.dialects.cuda_tile.types import F64, I1, I64, MAX_ELEMENTS, ElementType, Tile
from tilewright.frontends.tile_ir.codes import LIMIT, NUMBER
from tilewright.frontends.tile_ir.type_text import TypeReader
from tilewright.ir.mlir.cursor import FLOAT, INTEGER, STRING

VALUE: Final = "C20"


class LiteralReader(TypeReader):
    """Reads constants."""

    def number_bits(self, element: ElementType) -> int:
        """Bit pattern of a number of a known type."""
        start = self.position
        word = self.peek_word()
        if word in ("true", "false"):
            if element is not I1:
                self.fail(f"{word} is no {element}", NUMBER)
            self.accept_word(word)
            return int(word == "true")
        found = self.take(FLOAT) or self.take(INTEGER)
        if found is None:
            self.no_number(f"a number of type {element}", element.is_float)
        text = found[1]
        if len(text) > self.limits.name:
            self.fail("this number is too long", LIMIT, self.range_from(start))
        try:
            return _bits(text, element)
        except (NumberError, OverflowError) as error:
            self.error(NUMBER, self.range_from(start), str(error))
            return 0

    def typed_number(self) -> Number:
        """`value : type`; without a type `1.0` is f64, `1` i64 and `true` i1."""
        start = self.position
        if (word := self.peek_word()) in ("true", "false"):
            self.accept_word(word)
            element = self.element_type() if self.accept(":") else I1
        else:
            found = self.take(FLOAT) or self.take(INTEGER)
            if found is None:
                self.fail("expected a number")
            element = self.element_type() if self.accept(":") else F64 if "." in found[1] else I64
        end, behind = self.end, self.position
        self.position = start
        bits = self.number_bits(element)
        self.end, self.position = end, behind
        return Number(element, bits)

    def dense_literal(self, element: ElementType) -> tuple[list[int] | bytes, tuple[int, ...] | None, SourceRange]:
        """A scalar, nested lists or raw bytes: patterns, the shape of a list, and where it stands."""
        start = self.position
        if self.at('"'):
            return self._raw_bytes(), None, self.range_from(start)
        if not self.at("["):
            return [self.number_bits(element)], None, self.range_from(start)
        patterns: list[int] = []

        def element_bits() -> None:
            patterns.append(self.number_bits(element))
            if len(patterns) > MAX_ELEMENTS:
                self.fail(f"a constant has at most {MAX_ELEMENTS:,} elements", LIMIT)

        shape = self.nested_list(element_bits, self.limits.attribute_nesting, NUMBER)
        return patterns, shape, self.range_from(start)

    def _raw_bytes(self) -> bytes:
        found = self.take(STRING)
        if found is None:
            self.fail('expected a number, a list, or bytes as "0x.."')
        if not found[1].startswith('"0x'):
            self.fail('bytes are spelled "0x.."', place=self.range_from(found.start()))
        try:
            return bytes.fromhex(found[1][3:-1])
        except ValueError:
            self.fail("these are no hexadecimal bytes", NUMBER, self.range_from(found.start()))

    def dense_of(self, literal: tuple[list[int] | bytes, tuple[int, ...] | None, SourceRange], type_: Tile) -> Dense:
        """The constant of a type that a literal makes."""
        patterns, shape, place = literal
        element = type_.element
        assert isinstance(element, ElementType)
        if isinstance(patterns, bytes):
            found = _from_bytes(patterns, element, type_.size)
            if found is None:
                self.fail(f"{len(patterns)} bytes do not fill {type_}", VALUE, place)
            return found
        if shape is not None and shape != type_.shape:
            spelled = "x".join(map(str, shape))
            self.fail(f"a list of shape {spelled} for {type_}", VALUE, place)
        return dense(element, patterns, type_.size)


def _from_bytes(data: bytes, element: ElementType, count: int) -> Dense | None:
    """MLIR's raw bytes are those of the constant pool, but for the widths that are no multiple of 8."""
    return dense_from_pool(element, data, count)


def _bits(text: str, element: ElementType) -> int:
    negative = text.startswith("-")
    if not element.is_float:
        if "." in text:
            raise NumberError(f"{text} is no integer")
        return integer_bits(int(text, 0) if "x" in text else int(text), element)
    if "x" in text:
        bits = int(text, 0)
        if negative or bits >> element.bits:
            raise NumberError(f"{text} is no pattern of {element.bits} bits")
        return bits
    if "." not in text:
        raise NumberError(f"write {text}.0 for a number of type {element}")
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise NumberError(f"{text} does not fit {element}")
    return float_bits(value, element)


def spell_dense(value: Dense, shape: tuple[int, ...]) -> str:
    """The literal of a constant, without its type."""
    if value.splat or not shape:
        return spell_number(value.bits(0), value.element)
    items = [spell_number(value.bits(i), value.element) for i in range(value.count)]
    for extent in reversed(shape):
        items = ["[" + ", ".join(items[i : i + extent]) + "]" for i in range(0, len(items), extent)]
    return items[0]
