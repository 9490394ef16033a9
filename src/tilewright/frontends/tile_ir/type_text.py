"""Reads types: short and long spelling, mixed freely, and aliases."""

from __future__ import annotations

import re
from typing import Final

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects.cuda_tile.legal_types import problem
from tilewright.dialects.cuda_tile.types import (
    ELEMENTS,
    TOKEN_TYPE,
    Element,
    ElementType,
    Extent,
    FunctionType,
    GatherScatterView,
    Padding,
    PartitionView,
    Pointer,
    StridedView,
    TensorView,
    Tile,
    identity_map,
)
from tilewright.frontends.tile_ir.codes import CODES, LIMIT, WORDS
from tilewright.ir.mlir.cursor import SKIP, WORD, Abort
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.name_text import NameReader
from tilewright.ir.types import Type

_BALANCED: Final = re.compile(
    r'((?:!cuda_tile\.)?[a-z_]+(?><(?>(?:[^<>%"@{}]|<(?>(?:[^<>%"@{}]|<(?>(?:[^<>%"@{}]|<[^<>%"@{}]*>)*)>)*)>)*)>|))'
    + SKIP.pattern
)
_DIMENSION: Final = re.compile(r"(\?|0x(?=[a-zA-Z!?])|[0-9]+)")
_ALIAS: Final = re.compile(rf"!([A-Za-z_][A-Za-z0-9_$.]*+){SKIP.pattern}")
_NAME: Final = re.compile(rf"(?:!cuda_tile\.)?([A-Za-z_][A-Za-z0-9_]*+){SKIP.pattern}")
_LONGEST: Final = 2000
ILLEGAL: Final = "C8"


class TypeReader(NameReader):
    """Reads types; each spelling once. `type_depth` is how deep it is in one."""

    codes = CODES

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.types: dict[str, Type] = {}
        self.type_depth = 0

    def type(self) -> Type:
        """A type that is legal, or an error that says why not; reading goes on either way."""
        found = _BALANCED.match(self.text, self.position, self.position + _LONGEST)
        if found is not None:
            known = self.types.get(found[1])
            if known is not None:
                self.end, self.position = found.end(1), found.end()
                return known
        start = self.position
        type_ = self._spelled()
        why = problem(type_, self.limits.any_extents)
        if why is not None:
            self.error(ILLEGAL, self.range_from(start), f"{type_}: {why}")
        elif found is not None and found.end(1) == self.end:
            self.types[found[1]] = type_
        return type_

    def _spelled(self) -> Type:
        self.type_depth += 1
        try:
            if self.type_depth > self.limits.attribute_nesting:
                self.fail(f"types are nested more than {self.limits.attribute_nesting} deep", LIMIT)
            return self._any()
        finally:
            self.type_depth -= 1

    def _any(self) -> Type:
        if self.at("("):
            return self._function()
        start = self.position
        found = self.take(_NAME)
        if found is None:
            return self._alias()
        match found[1]:
            case "tile":
                return self._tile()
            case "ptr":
                return self._pointer()
            case "tensor_view":
                return self._tensor_view()
            case "partition_view" | "strided_view" | "gather_scatter_view":
                return self._view(found[1])
            case "token":
                return TOKEN_TYPE
            case name:
                element = ELEMENTS.get("f8" + name[4:] if name.startswith("fnv8") else name)
                if element is not None:
                    return element
                if found[0].startswith("!") and not found[0].startswith("!cuda_tile."):
                    self.position = start
                    return self._alias()
                place = SourceRange(self.source, start, self.end)
                return self.fail(f"there is no type {name!r}", WORDS, place)

    def _alias(self) -> Type:
        start = self.position
        found = self.take(_ALIAS)
        if found is None:
            self.fail("expected a type")
        type_ = self.type_alias(found[1])
        if type_ is None:
            self.fail(f"the type alias !{found[1]} is not defined", WORDS, self.range_from(start))
        return type_

    def type_alias(self, name: str) -> Type | None:
        """What a type alias stands for. Parsers that know aliases override it."""
        return None

    def value_type(self) -> Type:
        """The type of a value: a tile, a view or a token."""
        start = self.position
        found = self.type()
        if isinstance(found, ElementType):
            place = self.range_from(start)
            finding = self.error(ILLEGAL, place, f"{found} is no type of a value")
            finding.hint(f"write tile<{found}>").fix(place, f"tile<{found}>", f"write tile<{found}>")
            raise Abort
        if isinstance(found, Pointer | FunctionType):
            self.fail(f"{found} is no type of a value", ILLEGAL, self.range_from(start))
        return found

    def element_type(self) -> ElementType:
        """A number type by its name."""
        start = self.position
        found = self._spelled()
        if not isinstance(found, ElementType):
            self.fail("expected a number type, such as f32", WORDS, self.range_from(start))
        return found

    def _function(self) -> FunctionType:
        inputs = self._list_of_types()
        self.expect("->")
        results = self._list_of_types() if self.at("(") else (self.type(),)
        return FunctionType(inputs, results)

    def _list_of_types(self) -> tuple[Type, ...]:
        self.expect("(")
        found: list[Type] = []
        while not self.at(")"):
            start = self.position
            found.append(self.type())
            if isinstance(found[-1], FunctionType):
                self.fail("function types are not nested", ILLEGAL, self.range_from(start))
            if not self.accept(","):
                break
        self.expect(")")
        return tuple(found)

    def _dimensions(self, dynamic: bool) -> tuple[Extent, ...]:
        """`4x8x` in front of an element type; the lexer's idea of `0x4` does not count."""
        found: list[Extent] = []
        while (match := _DIMENSION.match(self.text, self.position)) is not None:
            if match[1] == "?" and not dynamic:
                self.fail("the extents of a tile are known")
            text = "0" if match[1] == "0x" else match[1]
            found.append(None if text == "?" else self.checked_integer(text, match.start()))
            self.position = self.end = match.start() + len(text)
            self.skip()
            if not self.text.startswith("x", self.position):
                self.fail("expected 'x' between extents and element type")
            self.position += 1
            self.end = self.position
            self.skip()
            if len(found) > self.limits.rank:
                self.fail(f"types have at most {self.limits.rank} dimensions", LIMIT, self.here())
        return tuple(found)

    def _tile(self) -> Tile:
        self.expect("<")
        shape = tuple(e for e in self._dimensions(False) if e is not None)
        element = self._element()
        self.expect(">")
        return Tile(shape, element)

    def _element(self) -> Element:
        start = self.position
        found = self._spelled()
        if not isinstance(found, ElementType | Pointer):
            self.fail("expected a number type or a pointer", WORDS, self.range_from(start))
        return found

    def _pointer(self) -> Pointer:
        self.expect("<")
        pointee = self.element_type()
        if self.accept(","):
            self._pointer_attribute()
        self.expect(">")
        return Pointer(pointee)

    def _pointer_attribute(self) -> None:
        """`<none>`, of 13.4, which says nothing."""
        if self.accept("#cuda_tile."):
            self.expect_word("ptr_attr")
        self.expect("<")
        self.expect_word("none")
        self.expect(">")

    def _tensor_view(self) -> TensorView:
        self.expect("<")
        shape = self._dimensions(True)
        element = self.element_type()
        strides: tuple[Extent, ...] = ()
        if shape:
            self.expect(",")
            self.expect_word("strides")
            self.expect("=")
            strides = self._extents("[", "]")
        if self.accept(","):
            self._pointer_attribute()
        self.expect(">")
        return TensorView(element, shape, strides)

    def _extents(self, opening: str, closing: str) -> tuple[Extent, ...]:
        self.expect(opening)
        found: list[Extent] = []
        while not self.at(closing):
            found.append(None if self.accept("?") else self.integer("an integer or ?"))
            if not self.accept(","):
                break
            if len(found) > self.limits.rank:
                self.fail(f"types have at most {self.limits.rank} dimensions", LIMIT, self.here())
        self.expect(closing)
        return tuple(found)

    def integers(self, opening: str = "[", closing: str = "]") -> tuple[int, ...]:
        """Integers in brackets."""
        start = self.position
        found = self._extents(opening, closing)
        if None in found:
            self.fail("every entry is an integer", place=self.range_from(start))
        return tuple(e for e in found if e is not None)

    def _box(self) -> tuple[int, ...]:
        self.expect_word("tile")
        self.expect("=")
        self.expect("(")
        found: list[int] = []
        while (match := _DIMENSION.match(self.text, self.position)) is not None and match[1] != "?":
            text = "0" if match[1] == "0x" else match[1]
            found.append(self.checked_integer(text, match.start()))
            self.position = self.end = match.start() + len(text)
            self.skip()
            if len(found) > self.limits.rank:
                self.fail(f"types have at most {self.limits.rank} dimensions", LIMIT, self.here())
            if not self.text.startswith("x", self.position):
                break
            self.position += 1
            self.skip()
        self.expect(")")
        return tuple(found)

    def _padding(self) -> Padding | None:
        if self.peek_word() != "padding_value":
            return None
        self.take(WORD)
        self.expect("=")
        start = self.position
        name = self.word("a padding value")
        found = next((p for p in Padding if p.value == name), None)
        if found is None:
            words = ", ".join(p.value for p in Padding)
            self.fail(f"{name!r} is not one of {words}", WORDS, self.range_from(start))
        self.expect(",")
        return found

    def _view(self, name: str) -> PartitionView | StridedView | GatherScatterView:
        self.expect("<")
        tile = self._box()
        self.expect(",")
        traversal: tuple[int, ...] = ()
        if name == "strided_view":
            self.expect_word("traversal_strides")
            self.expect("=")
            traversal = self.integers()
            self.expect(",")
        padding = self._padding()
        start = self.position
        tensor = self._spelled()
        if not isinstance(tensor, TensorView):
            self.fail("expected a tensor_view", WORDS, self.range_from(start))
        dim_map, sparse = identity_map(len(tile)), 0
        if name == "gather_scatter_view":
            self.expect(",")
            self.expect_word("sparse_dim")
            self.expect("=")
            sparse = self.integer()
        elif self.accept(","):
            self.expect_word("dim_map")
            self.expect("=")
            dim_map = self.integers()
        self.expect(">")
        if name == "gather_scatter_view":
            return GatherScatterView(tile, tensor, padding, sparse)
        if name == "strided_view":
            return StridedView(tile, tensor, padding, traversal, dim_map)
        return PartitionView(tile, tensor, padding, dim_map)
