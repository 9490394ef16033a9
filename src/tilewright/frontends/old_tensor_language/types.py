"""Types, names and function headers as the old language writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

from tilewright.diagnostics import Report
from tilewright.dialects import memref
from tilewright.dialects.builtin import Kernel
from tilewright.frontends.tensor_language.cursor import SyntaxFailure, quoted
from tilewright.frontends.tensor_language.lexer import Tokens
from tilewright.frontends.tensor_language.limits import Limits
from tilewright.frontends.tensor_language.parser import Parser
from tilewright.frontends.tensor_language.vocabulary import FUNCTION_ATTRIBUTES
from tilewright.ir.core import Attribute, Value
from tilewright.ir.types import (
    BOOL,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    SCALARS,
    AddressSpace,
    Extent,
    ScalarType,
    Type,
)

OLD_SCALARS: Final[Mapping[str, ScalarType]] = {
    "i1": BOOL,
    "i8": I8,
    "i16": I16,
    "i32": I32,
    "i64": I64,
    "index": INDEX,
    "f32": F32,
    "f64": F64,
}
_CONSTRUCTORS: Final = ("memref", "group")


def spelled(type_: Type) -> str:
    """A type as the old language writes it."""
    if type_ is BOOL:
        return "i1"
    return str(type_).replace(",local>", ">").replace(">x?", ">")


class OldTypeReader(Parser):
    """Reads the old types; what only the new language has is refused (U9).

    `sizes` are the extents that were asked for last; they can be used again while their block is open.
    """

    def __init__(self, tokens: Tokens, report: Report, limits: Limits) -> None:
        super().__init__(tokens, report, limits)
        self.sizes: dict[tuple[Value, int], memref.Size] = {}

    def visible_size(self, source: Value, mode: int) -> memref.Size | None:
        """An instruction that gives the extent of a mode and can be seen here."""
        seen = self.sizes.get((source, mode))
        return seen if seen is not None and any(frame.block is seen.block for frame in self.frames) else None

    def key(self, text: str) -> str:
        """Unnamed identifiers are text: `%07` is not `%7`."""
        return text

    def mixed(self, index: int, what: str) -> NoReturn:
        """Report a part of the new language in an old text, and leave the instruction."""
        self.report_mixed(index, what)
        self.abandon()

    def report_mixed(self, index: int, what: str) -> None:
        """Report a part of the new language in an old text."""
        from tilewright.frontends.standard_words import Standard, first_word

        finding = self.error(
            "U9", self.range(index), f"{what} belongs to the new language, but this text is an old one"
        )
        old = first_word(self.tokens, Standard.OLD)
        if old is not None:
            finding.label(old, "this belongs to the old language")
        finding.hint(
            "a text is in one language; `tilewright upgrade` rewrites the old parts once the new ones are gone"
        )

    # Types

    def at_type(self) -> bool:
        return self.texts[self.i] in OLD_SCALARS or self.texts[self.i] in _CONSTRUCTORS

    def read_type(self) -> Type:
        text = self.texts[self.i]
        if text in _CONSTRUCTORS:
            return super().read_type()
        return self.scalar_type("a type")

    def scalar_type(self, what: str = "a scalar type") -> ScalarType:
        """One of the eight scalar types."""
        text = self.texts[self.i]
        scalar = OLD_SCALARS.get(text)
        if scalar is not None:
            self.i += 1
            return scalar
        if text in SCALARS or text == "coopmatrix" or text[0] == "$":
            self.mixed(self.i, quoted(text))
        return self._no_type(what)

    def _number(self, container: str) -> ScalarType:
        index = self.i
        found = self.scalar_type("a scalar type")
        if found is BOOL:
            finding = self.error("U2", self.range(index), f"a {container} of i1: bool cannot be stored")
            finding.hint("use i8: write 1 or 0, and `cmp.ne` with 0 behind loads")
            raise SyntaxFailure
        return found

    def _space(self, expected: str) -> AddressSpace:
        if self.texts[self.i] in ("global", "local"):
            self.mixed(self.i, f"the address space `{self.texts[self.i]}`")
        return self.fail("`strided`")

    def _group_size(self, first: int) -> Extent:
        """Old groups have no size: it is known at launch only."""
        if self.texts[self.i] == "x":
            self.mixed(self.i, "the size of a group")
        return None

    # Functions

    def _parameter_attributes(self, index: int, type_: Type) -> dict[str, Attribute]:
        if self.texts[self.i] in ("{", "$") and self.texts[self.i - 1] != ")":
            self.mixed(self.i, "an attribute dictionary")
        return {}

    def _function_attributes(self, op: Kernel) -> None:
        texts = self.texts
        if texts[self.i] == "attributes":
            self.mixed(self.i, "`attributes`")
        while texts[self.i] in FUNCTION_ATTRIBUTES:
            first = self.i
            name = texts[first]
            self.i += 1
            self.expect("(")
            sizes = [self.integer()]
            if name == "work_group_size":
                self.expect(",")
                sizes.append(self.integer())
            self.expect(")")
            op.attributes[name] = (sizes[0], sizes[1]) if name == "work_group_size" else sizes[0]
            self.places[name] = self.since(first)

    def define(self) -> None:
        self.mixed(self.i, f"the definition {quoted(self.texts[self.i])}")
