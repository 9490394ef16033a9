"""Reads MLIR's builtin types, and keeps the text of those that dialects add."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.ir.affine import AffineMap
from tilewright.ir.attributes import Attribute
from tilewright.ir.mlir.attributes import IntegerAttribute, StridedLayout
from tilewright.ir.mlir.codes import CODES, ILLEGAL, LIMIT, WORDS
from tilewright.ir.mlir.cursor import SKIP, WORD, unescape
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.name_text import NameReader
from tilewright.ir.mlir.types import (
    FLOATS,
    ComplexType,
    FunctionType,
    MemrefType,
    NoneType,
    OpaqueType,
    Signedness,
    TensorType,
    TupleType,
    VectorType,
    integer_type,
    is_identity_layout,
    is_number,
    may_be_element,
)
from tilewright.ir.types import INDEX, Extent, Type

_INNER: Final = r'[^<>()"#!%{}/]*+'
_BALANCED: Final = re.compile(rf"([a-z][A-Za-z0-9]*+(?><{_INNER}(?>(?:<{_INNER}>{_INNER})*)>|)){SKIP.pattern}")
_INTEGER: Final = re.compile(r"(s|u)?i([0-9]{1,9})")
_DIMENSION: Final = re.compile(rf"(\?|[0-9]+)(?:{SKIP.pattern})x")
_SCALABLE: Final = re.compile(rf"\[{SKIP.pattern}([0-9]+){SKIP.pattern}\]{SKIP.pattern}x")
_LONGEST: Final = 2000
_WIDEST: Final = (1 << 24) - 1


class TypeReader(NameReader, ABC):
    """Reads types; each spelling without aliases once.

    `depth` is how deep it is in types and attributes, `reached` how deep aliases were nested in what was read; `weight`
    counts types and attributes, those behind aliases at every use.
    """

    codes = CODES

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.types: dict[str, Type] = {}
        self.depth: int = 0
        self.reached: int = 0
        self.weight: int = 0

    @abstractmethod
    def attribute(self) -> Attribute:
        """Any attribute."""

    @abstractmethod
    def opaque_type(self) -> Type:
        """A type of a dialect, or what an alias stands for: `!` is ahead."""

    def string(self, what: str = "a string") -> str:
        """A string in quotes; bytes that are no UTF-8 are kept."""
        start = self.position
        text = super().string(what)
        quoted = self.text[start : self.end]
        if "\\" not in quoted:
            return text
        if _BAD_ESCAPE.search(quoted):
            self.fail(
                r"the escapes of a string are \", \\, \n, \t and two hexadecimal digits", place=self.range_from(start)
            )
        return unescape(quoted, "surrogateescape")

    def enter(self) -> None:
        """Begin something that nests."""
        self.depth += 1
        self.weight += 1
        if self.depth > self.limits.attribute_nesting:
            self.fail(f"types and attributes are nested more than {self.limits.attribute_nesting} deep", LIMIT)

    def type(self) -> Type:
        """Any type."""
        found = _BALANCED.match(self.text, self.position, self.position + _LONGEST)
        if found is not None:
            known = self.types.get(found[1])
            if known is not None:
                self.end, self.position = found.end(1), found.end()
                return known
        self.enter()
        try:
            type_ = self._function() if self.at("(") else self._other()
        finally:
            self.depth -= 1
        if found is not None and found.end(1) == self.end:
            self.types[found[1]] = type_
        return type_

    def plain_type(self) -> Type:
        """Any type but a function."""
        if self.at("("):
            self.fail("a function type stands in parentheses here")
        return self.type()

    def type_list(self) -> list[Type]:
        """`(T, ..)`."""
        self.expect("(")
        return self.listed(self.type, ")")

    def result_types(self) -> list[Type]:
        """`T` or `(T, ..)`, behind an arrow."""
        return self.type_list() if self.at("(") else [self.type()]

    def _function(self) -> Type:
        inputs = tuple(self.type_list())
        self.expect("->")
        return FunctionType(inputs, tuple(self.result_types()))

    def _other(self) -> Type:
        if self.at("!"):
            return self.opaque_type()
        start = self.position
        word = self.take(WORD)
        if word is None:
            self.fail("expected a type")
        name = word[1]
        if name in FLOATS:
            return FLOATS[name]
        integer = _INTEGER.fullmatch(name)
        if integer is not None:
            return self._integer(integer, start)
        match name:
            case "index":
                return INDEX
            case "none":
                return NoneType()
            case "memref":
                return self._memref()
            case "tensor":
                return self._tensor()
            case "vector":
                return self._vector()
            case "complex":
                return self._complex()
            case "tuple":
                return self._tuple()
            case _:
                return self.fail(f"there is no type {name[:80]!r}", WORDS, self.range_from(start))

    def _integer(self, found: re.Match[str], start: int) -> Type:
        width = int(found[2])
        if width > _WIDEST:
            self.fail(f"integers have at most {_WIDEST:,} bits", LIMIT, self.range_from(start))
        return integer_type(width, Signedness((found[1] or "") + "i"))

    # Elements and shapes

    def _extents(self) -> tuple[Extent, ...] | None:
        """`4x?x` in front of an element type; None for `*x`."""
        if self.at("*"):
            self.accept("*")
            if not self.text.startswith("x", self.position):
                self.fail("expected 'x' behind '*'")
            self._over_x(self.position + 1)
            return None
        found: list[Extent] = []
        while (match := _DIMENSION.match(self.text, self.position)) is not None:
            found.append(None if match[1] == "?" else self.checked_integer(match[1], match.start()))
            self._over_x(match.end())
            self.check_rank(len(found))
        return tuple(found)

    def _over_x(self, position: int) -> None:
        self.position = self.end = position
        self.skip()

    def check_rank(self, rank: int) -> None:
        """Refuse types of too many dimensions."""
        if rank > self.limits.rank:
            self.fail(f"types have at most {self.limits.rank} dimensions", LIMIT, self.here())

    def _element(self, what: str) -> Type:
        start = self.position
        found = self.plain_type()
        if not may_be_element(found):
            self.fail(f"{found} is no element of a {what}", ILLEGAL, self.range_from(start))
        return found

    def _tensor(self) -> Type:
        self.expect("<")
        shape = self._extents()
        element = self._element("tensor")
        encoding = self.attribute() if self.accept(",") else None
        self.expect(">")
        return TensorType(shape, element, encoding)

    def _vector(self) -> Type:
        self.expect("<")
        shape: list[int] = []
        scalable: list[bool] = []
        while True:
            scales = True
            match = _SCALABLE.match(self.text, self.position)
            if match is None:
                scales = False
                match = _DIMENSION.match(self.text, self.position)
            if match is None:
                break
            if match[1] == "?":
                self.fail("the extents of a vector are known")
            start = self.position
            extent = self.checked_integer(match[1], match.start(1))
            self._over_x(match.end())
            if not extent:
                self.fail("the extents of a vector are positive", ILLEGAL, self.range_of(start, match.end()))
            shape.append(extent)
            scalable.append(scales)
            self.check_rank(len(shape))
        start = self.position
        element = self.plain_type()
        if not is_number(element) and not isinstance(element, OpaqueType):
            self.fail(f"{element} is no element of a vector", ILLEGAL, self.range_from(start))
        self.expect(">")
        return VectorType(tuple(shape), element, tuple(scalable))

    def _complex(self) -> Type:
        self.expect("<")
        start = self.position
        element = self.plain_type()
        if not is_number(element) or element is INDEX:
            self.fail(f"complex numbers consist of integers or floats, not {element}", ILLEGAL, self.range_from(start))
        self.expect(">")
        return ComplexType(element)

    def _tuple(self) -> Type:
        self.expect("<")
        return TupleType(tuple(self.listed(self.type, ">")))

    def _memref(self) -> Type:
        self.expect("<")
        shape = self._extents()
        element = self._element("memref")
        layout = space = None
        if self.accept(","):
            start = self.position
            layout = self._layout_or_space()
            if not isinstance(layout, StridedLayout | AffineMap) and not self.at(","):
                layout, space = None, layout
            else:
                self._check_layout(layout, shape, start)
                space = self._layout_or_space() if self.accept(",") else None
        self.expect(">")
        if is_identity_layout(layout):
            layout = None
        if isinstance(space, IntegerAttribute) and space.value == 0:
            space = None
        return MemrefType(shape, element, layout, space)

    def _check_layout(self, layout: Attribute, shape: tuple[Extent, ...] | None, start: int) -> None:
        if shape is None:
            self.fail("a memref without a rank has no layout", ILLEGAL, self.range_from(start))
        rank = len(layout.strides) if isinstance(layout, StridedLayout) else len(shape)
        rank = layout.dimensions if isinstance(layout, AffineMap) else rank
        if rank != len(shape):
            self.fail(f"a layout of {rank} dimensions for {len(shape)}", ILLEGAL, self.range_from(start))

    def _layout_or_space(self) -> Attribute:
        return self.strided() if self.peek_word() == "strided" else self.attribute()

    def strided(self) -> StridedLayout:
        """`strided<[s, ..], offset: o>`."""
        self.expect_word("strided")
        self.expect("<")
        self.expect("[")
        strides: list[Extent] = []
        while not self.at("]"):
            strides.append(self._extent())
            self.check_rank(len(strides))
            if not self.accept(","):
                break
        self.expect("]")
        offset: Extent = 0
        if self.accept(","):
            self.expect_word("offset")
            self.expect(":")
            offset = self._extent()
        self.expect(">")
        return StridedLayout(tuple(strides), offset)

    def _extent(self) -> Extent:
        return None if self.accept("?") else self.integer("an integer or ?")


_BAD_ESCAPE: Final = re.compile(r'(?<!\\)(?>(?:\\\\)*)\\(?![0-9a-fA-F]{2}|[nt\\"])')
