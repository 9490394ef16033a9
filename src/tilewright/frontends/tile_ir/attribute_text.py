"""Reads attributes: enumerations, predicates, hints, dictionaries, and whatever the generic form holds."""

from __future__ import annotations

from typing import Final, TypeVar

from tilewright.dialects.cuda_tile.attributes import (
    Assumption,
    AtomicMode,
    Bounded,
    CodedEnum,
    DivBy,
    Elements,
    Hints,
    MemoryOrdering,
    MemoryScope,
    Number,
    Ordering,
    Overflow,
    Predicate,
    Rounding,
    SameElements,
    Signedness,
    Symbol,
    Unit,
    Visibility,
)
from tilewright.dialects.cuda_tile.types import I1, ElementType, Tile
from tilewright.frontends.tile_ir.codes import LIMIT, WORDS
from tilewright.frontends.tile_ir.literal_text import LiteralReader
from tilewright.ir.core import Attribute
from tilewright.ir.mlir.cursor import STRING, WORD, GiveUp

EnumT = TypeVar("EnumT", bound=CodedEnum)

BRACKETED: Final[dict[type[CodedEnum], str]] = {Rounding: "rounding", Overflow: "overflow"}
"""Enumerations that the short form writes as `name<value>`; the others are bare words."""
GENERIC: Final[dict[str, type[CodedEnum]]] = {
    "rounding": Rounding,
    "overflow": Overflow,
    "signedness": Signedness,
    "comparison_ordering": Ordering,
    "comparison_predicate": Predicate,
    "symbol_visibility": Visibility,
}
"""Enumerations that the generic form writes as `#cuda_tile.name<value>`."""
NUMBERED: Final[tuple[type[CodedEnum], ...]] = (AtomicMode, MemoryScope, MemoryOrdering)
"""Enumerations that the generic form writes as numbers."""
_PREDICATES: Final = frozenset({"div_by", "same_elements", "bounded"})
HINTS: Final = "C22"


class AttributeReader(LiteralReader):
    """Reads attributes. `weight` counts them, those behind aliases at every use; `depth` is their nesting."""

    weight = 0
    depth = 0

    def weigh(self, amount: int) -> None:
        """Count attributes against the limit."""
        self.weight += amount
        if self.weight > self.limits.operations:
            self.report.error(LIMIT, self.here(), f"there are more than {self.limits.operations:,} attributes")
            raise GiveUp

    def attribute_alias(self) -> Attribute:
        """What an alias stands for. Parsers that know aliases override it."""
        self.fail("expected an attribute")

    def enum(self, kind: type[EnumT]) -> EnumT:
        """A value of an enumeration in the short form."""
        name = BRACKETED.get(kind)
        if name is not None:
            self.accept("#cuda_tile.")
            self.expect_word(name)
            self.expect("<")
            found = self.member(kind)
            self.expect(">")
            return found
        return self.member(kind)

    def member(self, kind: type[EnumT]) -> EnumT:
        """A bare word of an enumeration."""
        start = self.position
        found = self.take(WORD)
        word = "" if found is None else found[1]
        for member in kind:
            if member.value == word:
                return member
        words = ", ".join(str(m.value) for m in kind)
        if not word:
            self.fail(f"expected one of {words}")
        return self.fail(f"{word!r} is not one of {words}", WORDS, self.range_from(start))

    def predicate(self) -> Assumption:
        """What `assume` says."""
        self.accept("#cuda_tile.")
        start = self.position
        name = self.word("a predicate: div_by, same_elements or bounded")
        if name not in _PREDICATES:
            self.fail(f"{name!r} is not one of div_by, same_elements, bounded", WORDS, self.range_from(start))
        self.expect("<")
        if name == "div_by":
            found: Assumption = self._divisor()
        elif name == "same_elements":
            found = SameElements(self.integers())
        else:
            low = None if self.accept("?") else self.integer("a bound or ?")
            self.expect(",")
            found = Bounded(low, None if self.accept("?") else self.integer("a bound or ?"))
        self.expect(">")
        return found

    def _divisor(self) -> DivBy:
        divisor = self.integer()
        if not self.accept(","):
            return DivBy(divisor)
        self.expect_word("every")
        every = self.integer()
        self.expect_word("along")
        return DivBy(divisor, every, self.integer())

    def hints(self) -> Hints:
        """`<key = {name = value, ..}, ..>`."""
        self.expect("<")
        entries: dict[str, tuple[tuple[str, Attribute], ...]] = {}

        def entry() -> None:
            start = self.position
            key = self.key()
            if key in entries:
                self.error(HINTS, self.range_from(start), f"hints for {key} are given twice")
            self.expect("=")
            if not self.at("{"):
                self.fail("hints of an architecture are a dictionary", HINTS)
            entries[key] = tuple(self.dictionary().items())

        self.listed(entry, ">")
        return Hints(tuple(sorted(entries.items())))

    def dictionary(self) -> dict[str, Attribute]:
        """`{name = value, ..}`, sorted; a name alone is a unit."""
        return self.entries(self.attribute, Unit())

    def attribute(self) -> Attribute:
        """Any attribute as the generic form writes it."""
        self.depth += 1
        try:
            if self.depth > self.limits.attribute_nesting:
                self.fail(f"attributes are nested more than {self.limits.attribute_nesting} deep", LIMIT)
            self.weigh(1)
            return self._attribute()
        finally:
            self.depth -= 1

    def _attribute(self) -> Attribute:
        if self.at('"'):
            return self.string()
        if self.at("{"):
            return self.dictionary()
        if self.accept("["):
            return tuple(self.listed(self.attribute, "]"))
        if self.at("@"):
            return Symbol(self.symbol())
        if self.at("#"):
            return self._dialect()
        match self.peek_word():
            case "true" | "false":
                found = self.typed_number()
                return bool(found.bits) if found.element is I1 else found
            case "unit":
                self.word("unit")
                return Unit()
            case "array":
                return self._array()
            case "dense":
                return self._dense()
            case "":
                return self.type() if self.at("!") or self.at("(") else self.typed_number()
            case _:
                return self.type()

    def _array(self) -> Elements:
        self.expect_word("array")
        self.expect("<")
        element = self.element_type()
        found: list[Attribute] = []
        if self.accept(":"):
            while True:
                number = Number(element, self.number_bits(element))
                found.append(bool(number.bits) if element is I1 else number if element.is_float else number.value)
                if not self.accept(","):
                    break
        self.expect(">")
        return Elements(tuple(found), element)

    def _dense(self) -> Elements:
        """`dense<literal> : type`: the type comes last, so the literal is read twice."""
        self.expect_word("dense")
        self.expect("<")
        start = self.position
        self._over_literal()
        self.expect(">")
        self.expect(":")
        place = self.position
        type_ = self.type()
        if not isinstance(type_, Tile) or not isinstance(type_.element, ElementType):
            self.fail("a constant has a tile of numbers as its type", "C20", self.range_from(place))
        end, behind = self.end, self.position
        self.position = start
        found = self.dense_of(self.dense_literal(type_.element), type_)
        self.end, self.position = end, behind
        return Elements(found, type_)

    def _over_literal(self) -> None:
        if self.take(STRING) is not None:
            return
        end = self.text.find(">", self.position)
        if end < 0:
            self.fail("expected '>' behind the constant")
        self.position = self.end = end

    def _dialect(self) -> Attribute:
        start = self.position
        if not self.accept("#cuda_tile."):
            return self.attribute_alias()
        name = self.peek_word()
        if name in _PREDICATES:
            return self.predicate()
        if name == "optimization_hints":
            self.take_word()
            return self.hints()
        kind = GENERIC.get(name)
        if kind is None:
            place = self.range_of(start, self.position + len(name))
            self.fail(f"there is no attribute #cuda_tile.{name[:80]}", WORDS, place)
        self.take_word()
        self.expect("<")
        found = self.member(kind)
        self.expect(">")
        return found

    def take_word(self) -> None:
        """Move over the word ahead."""
        self.word("a word")
