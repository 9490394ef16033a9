"""Reading types. What a type says is checked by the verifier; here it only has to be one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from tilewright.diagnostics import SourceRange
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.frontends.tensor_language.cursor import SyntaxFailure, quoted
from tilewright.frontends.tensor_language.lexer import is_integer, is_word
from tilewright.frontends.tensor_language.limits import TENSOR_ORDER
from tilewright.frontends.tensor_language.literals import LiteralReader
from tilewright.frontends.tensor_language.vocabulary import (
    ADDRESS_SPACES,
    FOREIGN_SPACES,
    FOREIGN_TYPES,
    MATRIX_USES,
    TYPE_WORDS,
)
from tilewright.ir.types import (
    BOOL,
    SCALARS,
    AddressSpace,
    CoopMatrixType,
    Extent,
    GroupType,
    MatrixUse,
    MemrefType,
    ScalarType,
    Type,
    packed_strides,
)

TypeT = TypeVar("TypeT", bound=Type)

_EXTENT: Final = re.compile(r"(?<=.)x[0-9]+$")
_CONSTRUCTORS: Final = frozenset({"memref", "group", "coopmatrix"})


class TypeReader(LiteralReader):
    """Reads types and definitions that stand for them."""

    def at_type(self) -> bool:
        """Whether a type comes next; a definition is none for this question."""
        text = self.texts[self.i]
        return text in SCALARS or text in _CONSTRUCTORS

    def read_type(self) -> Type:
        """Any type."""
        text = self.texts[self.i]
        scalar = SCALARS.get(text)
        if scalar is not None:
            self.i += 1
            return scalar
        if text == "memref":
            return self._memref()
        if text == "group":
            return self._group()
        if text == "coopmatrix":
            return self._coopmatrix()
        if text[0] == "$":
            return self._defined("a type", Type)
        return self._no_type("a type")

    def _defined(self, what: str, kind: type[TypeT]) -> TypeT:
        index = self.i
        found = self.definition()
        if isinstance(found.value, kind):
            return found.value
        raise self.wrong_kind(found, index, what)

    def _no_type(self, what: str) -> ScalarType:
        """Report what stands where a type is needed; the type it most likely means, else leave the instruction."""
        index = self.i
        text = self.texts[index]
        if text == "void":
            self.error("V9", self.range(index), "`void` fits nowhere").hint("an instruction without result has no type")
            raise SyntaxFailure
        if text == "i1":
            finding = self.error("V2", self.range(index), "`i1` belongs to the old language; the new one says `bool`")
            finding.fix(self.range(index), "bool", "write `bool`")
            self.i += 1
            return BOOL
        if is_word(text):
            stem = _without_extents(text, self.texts[index + 1][:1] in ("?", "$"))
            start = self.starts[index]
            where = SourceRange(self.source, start, start + len(stem))
            finding = self.error("V2", where, f"{quoted(stem)} is not a type")
            guesses = _meant(stem, FOREIGN_TYPES, TYPE_WORDS)
            if guesses and stem not in guesses:
                finding.hint(did_you_mean(guesses, "`"))
            raise SyntaxFailure
        return self.fail(what)

    def _number(self, container: str) -> ScalarType:
        """The element type of a container."""
        text = self.texts[self.i]
        scalar = SCALARS.get(text)
        if scalar is not None:
            self.i += 1
            return scalar
        if text[0] == "$":
            return self._defined("a number type", ScalarType)
        if text == "i1":
            finding = self.error(
                "V9", self.range(self.i), f"a {container} of `i1`, which the new language calls `bool`"
            )
            finding.hint("it holds numbers; use i8, and not_equal or if at loads and stores")
            raise SyntaxFailure
        if text in _CONSTRUCTORS:
            self.error("V9", self.range(self.i), f"the elements of a {container} are numbers, not {text}s")
            raise SyntaxFailure
        if text in ("?", "x") or is_integer(text):
            return self.fail("a number type in front of the extents, as in `f32x4x?`")
        return self._no_type("a number type")

    def _extent(self) -> Extent:
        text = self.texts[self.i]
        if text == "?":
            self.i += 1
            return None
        if is_integer(text) and len(text) < 19:
            self.i += 1
            return int(text)
        return self.integer("an integer or `?`")

    def _shape(self) -> tuple[Extent, ...]:
        texts = self.texts
        first = self.i
        shape: list[Extent] = []
        while texts[self.i] == "x":
            self.i += 1
            shape.append(self._extent())
        if len(shape) > self.limits.order:
            message = f"a tensor of order {len(shape)}; the limit is {self.limits.order}"
            self.error(TENSOR_ORDER, self.since(first), message)
            raise SyntaxFailure
        return tuple(shape)

    def _memref(self) -> MemrefType:
        texts = self.texts
        self.i += 1
        self.expect("<")
        element = self._number("memref")
        shape = self._shape()
        strides: tuple[Extent, ...] | None = None
        space = AddressSpace.GLOBAL
        if self.accept(","):
            if texts[self.i] == "strided":
                strides = self._strides()
                if self.accept(","):
                    space = self._space("`global` or `local`")
            else:
                space = self._space("`strided`, `global` or `local`")
        if texts[self.i] != ">":
            self.fail("`x`, `,` or `>`" if strides is None and space is AddressSpace.GLOBAL else "`>`")
        self.i += 1
        return MemrefType(element, shape, packed_strides(shape) if strides is None else strides, space)

    def _strides(self) -> tuple[Extent, ...]:
        first = self.i
        self.i += 1
        self.expect("<")
        strides: list[Extent] = []
        if self.texts[self.i] != ">":
            strides.append(self._extent())
            while self.accept(","):
                strides.append(self._extent())
        if self.texts[self.i] != ">":
            self.fail("`,` or `>`")
        self.i += 1
        if len(strides) > self.limits.order:
            message = f"{len(strides)} strides; the limit on the order is {self.limits.order}"
            self.error(TENSOR_ORDER, self.since(first), message)
            raise SyntaxFailure
        return tuple(strides)

    def _space(self, expected: str) -> AddressSpace:
        text = self.texts[self.i]
        space = ADDRESS_SPACES.get(text)
        if space is None:
            guesses = _meant(text, FOREIGN_SPACES, (*ADDRESS_SPACES, "strided"))
            if guesses:
                finding = self.error("V2", self.range(self.i), f"expected {expected}, found {quoted(text)}")
                finding.hint(did_you_mean(guesses, "`"))
                raise SyntaxFailure
            self.fail(expected)
        self.i += 1
        return space

    def _group(self) -> GroupType:
        first = self.i
        self.i += 1
        self.expect("<")
        text = self.texts[self.i]
        if text == "memref":
            memref = self._memref()
        elif text[0] == "$":
            memref = self._defined("a memref type", MemrefType)
        elif self.at_type():
            self.error("V9", self.range(self.i), f"a group holds memrefs, not {text}")
            raise SyntaxFailure
        else:
            self.fail("a memref type")
        size = self._group_size(first)
        offset: Extent = 0
        if self.accept(","):
            self.expect("offset")
            self.expect(":")
            offset = self._extent()
        self.expect(">")
        return GroupType(memref, size, offset)

    def _group_size(self, first: int) -> Extent:
        if self.texts[self.i] == "x":
            self.i += 1
            return self._extent()
        if self.texts[self.i] not in (">", ","):
            self.fail("`x` and the size of the group")
        finding = self.error("V2", self.range(first, self.i), "a group without size belongs to the old language")
        gap = self.range(self.i - 1)
        finding.fix(gap, ">x?", "write a size: `x?` is one known at run time")
        return None

    def _coopmatrix(self) -> CoopMatrixType:
        self.i += 1
        self.expect("<")
        element = self._number("coopmatrix")
        self.expect("x")
        rows = self.integer("the number of rows")
        self.expect("x")
        columns = self.integer("the number of columns")
        self.expect(",")
        use = self._use()
        self.expect(">")
        return CoopMatrixType(element, rows, columns, use)

    def _use(self) -> MatrixUse:
        text = self.texts[self.i]
        use = MATRIX_USES.get(text)
        if use is not None:
            self.i += 1
            return use
        guesses = nearest(text, MATRIX_USES) if is_word(text) else ()
        if not guesses:
            self.fail("`matrix_a`, `matrix_b` or `matrix_acc`")
        self.error("V2", self.range(self.i), f"{quoted(text)} is not a matrix use").hint(did_you_mean(guesses, "`"))
        raise SyntaxFailure


def _meant(text: str, foreign: Mapping[str, str], known: Iterable[str]) -> tuple[str, ...]:
    """What an unknown word stands for: what other languages spell like this, else words that are near."""
    if text in foreign:
        return (foreign[text],)
    return nearest(text, known) if is_word(text) else ()


def _without_extents(word: str, goes_on: bool) -> str:
    """The type at the front of a word such as `floatx4x8`, or `floatx4x` if it `goes_on` with another extent."""
    stem = word[:-1] if goes_on and word.endswith("x") and len(word) > 1 else word
    while stem not in FOREIGN_TYPES and (shorter := _EXTENT.sub("", stem)) != stem:
        stem = shorter
    return stem
