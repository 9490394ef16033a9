"""Reads constants of many elements: `dense<..>`, `sparse<..>` and `array<..>`, whose types come last."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import SourceRange
from tilewright.ir.mlir.attributes import DenseArray, wrapped
from tilewright.ir.mlir.codes import COUNTS, ILLEGAL, LIMIT, NUMBER
from tilewright.ir.mlir.cursor import SKIP
from tilewright.ir.mlir.dense import (
    DenseElements,
    DenseStrings,
    SparseElements,
    component_of,
    count_of,
    dense_of_bytes,
    dense_of_numbers,
    shape_of,
)
from tilewright.ir.mlir.float_text import pattern_of_double
from tilewright.ir.mlir.opaque_text import OpaqueReader
from tilewright.ir.mlir.types import TensorType, VectorType, is_number, layout_of
from tilewright.ir.types import BOOL, I64, Type

NUMBER_TEXT: Final = re.compile(
    rf"(-?(?:0x[0-9a-fA-F]++|[0-9]++(?>\.[0-9]*+(?>[eE][+-]?[0-9]++|)|)|(?=[tf])(?:true|false)(?![\w$.])))"
    rf"(?![\w.]){SKIP.pattern}"
)
_DIGITS: Final = 1024


class Literal(Struct):
    """The elements of a list as they are written, and where; `shape` is None for one that is no list."""

    texts: list[str]
    starts: list[int]
    shape: tuple[int, ...] | None
    place: SourceRange
    strings: bool = False


class DenseReader(OpaqueReader):
    """Reads constants."""

    def number(self, text: str, type_: Type, start: int) -> int:
        """The integer, or the bit pattern of the float, that a literal spells in a type."""
        place = self.range_of(start, start + len(text))
        if len(text) > _DIGITS:
            self.fail("this number is too long", LIMIT, place)
        layout = layout_of(type_)
        if text in ("true", "false"):
            if type_ is not BOOL:
                self.fail(f"{text} is no {type_}", NUMBER, place)
            return int(text == "true")
        if layout is None:
            if "." in text:
                self.fail(f"{text} is no integer", NUMBER, place)
            found = wrapped(int(text, 0) if "x" in text else int(text), type_)
            if found is None:
                self.fail(f"{text} does not fit {type_}", NUMBER, place)
            return found
        if "x" in text:
            bits = int(text, 0)
            if text[0] == "-" or bits >> layout.width:
                self.fail(f"{text} is no pattern of {layout.width} bits", NUMBER, place)
            return bits
        if "." not in text:
            self.fail(f"write {text}.0 for a number of type {type_}", NUMBER, place)
        value = float(text)
        if value in (float("inf"), float("-inf")):
            self.fail(f"{text} does not fit a double; infinity is spelled by its bits, 0x..", NUMBER, place)
        return pattern_of_double(value, layout)

    def array(self) -> DenseArray:
        """`array<i64: 1, 2>`."""
        self.expect_word("array")
        self.expect("<")
        start = self.position
        element = self.plain_type()
        if not is_number(element):
            self.fail(f"an array holds integers or floats, not {element}", ILLEGAL, self.range_from(start))
        found: list[int] = []
        if self.accept(":"):
            while True:
                text, at = self._number_text()
                found.append(self.number(text, element, at))
                if not self.accept(","):
                    break
        self.expect(">")
        return DenseArray(element, tuple(found))

    def _number_text(self) -> tuple[str, int]:
        found = self.take(NUMBER_TEXT)
        if found is None:
            self.no_number("a number")
        return found[1], found.start()

    # Literals

    def literal(self) -> Literal:
        """An element, or nested lists of elements, as they are written."""
        start = self.position
        found = Literal([], [], None, self.here())
        if not self.at("["):
            if not self.at(">"):
                self._literal_element(found)
            found.place = self.range_from(start)
            return found
        found.shape = self.nested_list(lambda: self._literal_element(found), self.limits.rank, COUNTS)
        found.place = self.range_from(start)
        return found

    def _literal_element(self, found: Literal) -> None:
        if self.at('"'):
            found.starts.append(self.position)
            found.texts.append(self.string())
            found.strings = True
        elif self.accept("("):
            for closing in (",", ")"):
                text, start = self._number_text()
                found.texts.append(text)
                found.starts.append(start)
                self.expect(closing)
        else:
            text, start = self._number_text()
            found.texts.append(text)
            found.starts.append(start)

    # Constants

    def dense(self) -> DenseElements | DenseStrings:
        """`dense<literal> : type`."""
        literal, raw = self._dense_literal()
        self.expect(":")
        type_, element, shape = self._shaped()
        return self._constant(literal, type_, element, shape, raw)

    def dense_of(self, type_: Type, element: Type, shape: tuple[int, ...]) -> DenseElements | DenseStrings:
        """`dense<literal>` where the type is known, and not written."""
        literal, raw = self._dense_literal()
        return self._constant(literal, type_, element, shape, raw)

    def _dense_literal(self) -> tuple[Literal, bool]:
        self.expect_word("dense")
        self.expect("<")
        raw = self.text[self.position : self.position + 3] == '"0x'
        literal = self.literal()
        self.expect(">")
        return literal, raw

    def _shaped(self) -> tuple[Type, Type, tuple[int, ...]]:
        start = self.position
        type_ = self.type()
        shape = shape_of(type_)
        if not isinstance(type_, TensorType | VectorType) or shape is None:
            self.fail("a constant has a tensor or vector of known shape as its type", ILLEGAL, self.range_from(start))
        return type_, type_.element, shape

    def _constant(
        self, literal: Literal, type_: Type, element: Type, shape: tuple[int, ...], raw: bool
    ) -> DenseElements | DenseStrings:
        number, components = component_of(element)
        if not is_number(number):
            if not literal.strings and literal.texts:
                self.fail(f"elements of type {element} are spelled as strings", NUMBER, literal.place)
            self._check_shape(literal, len(literal.texts), shape)
            return DenseStrings(type_, shape, tuple(literal.texts))
        if raw and literal.strings and literal.shape is None:
            return self._bytes(literal, type_, element, shape)
        if literal.strings:
            self.fail(f"strings are no elements of type {element}", NUMBER, literal.place)
        if len(literal.texts) % components:
            self.fail("complex numbers are written (real, imaginary)", NUMBER, literal.place)
        self._check_shape(literal, len(literal.texts) // components, shape)
        pairs = zip(literal.texts, literal.starts, strict=True)
        return dense_of_numbers(type_, element, shape, [self.number(t, number, s) for t, s in pairs])

    def _check_shape(self, literal: Literal, count: int, shape: tuple[int, ...]) -> None:
        wanted = count_of(shape)
        if literal.shape is None and count != 1 and wanted:
            self.fail("expected an element, or a list of them", COUNTS, literal.place)
        if literal.shape is not None and (literal.shape != shape or count != wanted):
            written = "x".join(map(str, literal.shape))
            spelled = "x".join(map(str, shape)) or "()"
            self.fail(f"a list of shape {written} for a constant of shape {spelled}", COUNTS, literal.place)

    def _bytes(self, literal: Literal, type_: Type, element: Type, shape: tuple[int, ...]) -> DenseElements:
        try:
            data = bytes.fromhex(literal.texts[0][2:])
        except ValueError:
            self.fail("these are no hexadecimal bytes", NUMBER, literal.place)
        found = dense_of_bytes(type_, element, shape, data)
        if found is None:
            self.fail(f"{len(data)} bytes do not fill {type_}", COUNTS, literal.place)
        return found

    def sparse(self) -> SparseElements:
        """`sparse<indices, values> : type`."""
        self.expect_word("sparse")
        self.expect("<")
        indices = values = None
        if not self.at(">"):
            indices = self.literal()
            self.expect(",")
            raw = self.text[self.position : self.position + 3] == '"0x'
            values = self.literal()
        else:
            raw = False
        self.expect(">")
        self.expect(":")
        type_, element, shape = self._shaped()
        if indices is None or values is None:
            return SparseElements(type_, None, None)
        count = values.shape[0] if values.shape else indices.shape[0] if indices.shape else 1
        index_shape = indices.shape or (count, len(shape))
        if len(index_shape) != 2 or index_shape[1] != len(shape) or index_shape[0] != count:
            written = "x".join(map(str, index_shape))
            self.fail(f"indices of shape {written} for {count} elements of {type_}", COUNTS, indices.place)
        index_type = TensorType(index_shape, I64)
        found = self._constant(indices, index_type, I64, index_shape, False)
        assert isinstance(found, DenseElements)
        self._check_indices(found, shape, indices.place)
        value_type = TensorType((count,), element)
        return SparseElements(type_, found, self._constant(values, value_type, element, (count,), raw))

    def _check_indices(self, indices: DenseElements, shape: tuple[int, ...], place: SourceRange) -> None:
        """Indices lie in the shape."""
        rank = len(shape)
        for k in range(rank if indices.splat else indices.count):
            index = indices.number(0 if indices.splat else k)
            if not 0 <= index < shape[k % rank]:
                self.fail(f"the index {index} lies outside of the extent {shape[k % rank]}", NUMBER, place)
