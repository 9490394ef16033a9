"""Reads attributes and locations."""

from __future__ import annotations

from typing import Final

from tilewright.ir.attributes import Attribute
from tilewright.ir.mlir.attributes import (
    CallPlace,
    DenseResource,
    DistinctAttribute,
    FilePlace,
    FloatAttribute,
    FusedPlace,
    IntegerAttribute,
    NamedPlace,
    SymbolReference,
    TypedString,
    UnknownPlace,
)
from tilewright.ir.mlir.codes import ILLEGAL, LIMIT, NUMBER, WORDS
from tilewright.ir.mlir.cursor import unescape
from tilewright.ir.mlir.dense_text import NUMBER_TEXT, DenseReader
from tilewright.ir.mlir.spelling import UNIT, LocationAttribute
from tilewright.ir.mlir.types import layout_of, width_of
from tilewright.ir.types import BOOL, F64, I64

_STARTS_NUMBER: Final = frozenset("-0123456789")


class AttributeReader(DenseReader):
    """Reads any attribute."""

    def attribute(self) -> Attribute:
        self.enter()
        try:
            return self._attribute()
        finally:
            self.depth -= 1

    def _attribute(self) -> Attribute:
        ahead = self.text[self.position : self.position + 1]
        match ahead:
            case '"':
                text = self.string()
                return TypedString(text, self.type()) if self.accept(":") else text
            case "[":
                self.expect("[")
                return tuple(self.listed(self.attribute, "]"))
            case "{":
                return self.dictionary()
            case "@":
                return self._symbol_reference()
            case "#":
                return self.opaque_attribute()
            case _ if ahead in _STARTS_NUMBER:
                return self._number()
            case _:
                return self._worded()

    def _worded(self) -> Attribute:
        match self.peek_word():
            case "true" | "false":
                return self._number()
            case "unit":
                self.word("unit")
                return UNIT
            case "affine_map":
                return self.affine_map()
            case "affine_set":
                return self.affine_set()
            case "array":
                return self.array()
            case "dense":
                return self.dense()
            case "sparse":
                return self.sparse()
            case "dense_resource":
                return self._resource()
            case "strided":
                return self.strided()
            case "distinct":
                return self._distinct()
            case "loc":
                return self.location()
            case _:
                return self.type()

    def _number(self) -> Attribute:
        """`value : type`; without a type `1.0` is f64, `1` i64 and `true` i1."""
        start = self.position
        found = self.take(NUMBER_TEXT)
        if found is None:
            self.no_number("a number")
        text = found[1]
        boolean = text in ("true", "false")
        if boolean and not self.at(":"):
            return text == "true"
        type_ = self.type() if self.accept(":") else F64 if "." in text else I64
        place = self.range_from(start)
        if width_of(type_) is None and layout_of(type_) is None:
            self.fail(f"a number has an integer or float type, not {type_}", ILLEGAL, place)
        value = self.number(text, type_, start)
        if type_ is BOOL:
            return bool(value)
        return IntegerAttribute(value, type_) if layout_of(type_) is None else FloatAttribute(value, type_)

    def dictionary(self) -> dict[str, Attribute]:
        """`{name = value, ..}`, sorted; a name alone is a unit."""
        return self.entries(self.attribute, UNIT)

    def _symbol_reference(self) -> SymbolReference:
        names = [self.symbol()]
        while self.accept("::"):
            names.append(self.symbol())
        return SymbolReference(names[0], tuple(names[1:]))

    def symbol(self) -> str:
        """`@name` or `@"any name"`."""
        start = self.position
        name = super().symbol()
        quoted = self.text[start + 1 : self.end]
        return unescape(quoted, "surrogateescape") if quoted.startswith('"') else name

    def _resource(self) -> DenseResource:
        self.expect_word("dense_resource")
        self.expect("<")
        key = self.key()
        self.expect(">")
        self.expect(":")
        return DenseResource(key, self.type())

    def _distinct(self) -> DistinctAttribute:
        self.expect_word("distinct")
        self.expect("[")
        start = self.position
        number = self.integer("a number")
        if number < 0:
            self.fail("the number of a distinct attribute is not negative", NUMBER, self.range_from(start))
        self.expect("]")
        self.expect("<")
        inner = UNIT if self.at(">") else self.attribute()
        self.expect(">")
        return DistinctAttribute(number, inner)

    # Locations

    def location(self) -> LocationAttribute:
        """`loc(..)`."""
        self.expect_word("loc")
        self.expect("(")
        found = self.place()
        self.expect(")")
        return found

    def place(self) -> LocationAttribute:
        """What stands in `loc(..)`."""
        self.enter()
        try:
            return self._place()
        finally:
            self.depth -= 1

    def _place(self) -> LocationAttribute:
        start = self.position
        if self.at("#"):
            found = self.opaque_attribute()
            if not isinstance(found, LocationAttribute):
                self.fail("this is no location", WORDS, self.range_from(start))
            return found
        if self.at('"'):
            return self._file_or_name()
        match self.word("a location"):
            case "unknown":
                return UnknownPlace()
            case "callsite":
                self.expect("(")
                callee = self.place()
                self.expect_word("at")
                caller = self.place()
                self.expect(")")
                return CallPlace(callee, caller)
            case "fused":
                return self._fused()
            case "loc":
                self.position = start
                return self.location()
            case word:
                return self.fail(f"there is no location {word[:80]!r}", WORDS, self.range_from(start))

    def _file_or_name(self) -> LocationAttribute:
        text = self.string()
        if self.accept(":"):
            line = self._line()
            self.expect(":")
            return FilePlace(text, line, self._line(), self._end_of_range())
        if not self.accept("("):
            return NamedPlace(text)
        child = self.place()
        self.expect(")")
        return NamedPlace(text, child)

    def _end_of_range(self) -> tuple[int, ...]:
        if not self.accept_word("to"):
            return ()
        if self.accept(":"):
            return (self._line(),)
        line = self._line()
        self.expect(":")
        return (line, self._line())

    def _line(self) -> int:
        start = self.position
        found = self.integer("a line or column")
        if not 0 <= found < 1 << 32:
            self.fail("lines and columns have 32 bits", LIMIT, self.range_from(start))
        return found

    def _fused(self) -> FusedPlace:
        metadata = None
        if self.accept("<"):
            metadata = self.attribute()
            self.expect(">")
        self.expect("[")
        return FusedPlace(tuple(self.listed(self.place, "]")), metadata)
