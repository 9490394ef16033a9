"""Reads the custom forms of linalg: operands, and regions that follow from a name; and the types of gpu's matrices."""

from __future__ import annotations

from collections.abc import Generator

from tilewright.dialects.mlir import linalg, mma
from tilewright.frontends.mlir.affine_forms import AffineFormReader
from tilewright.frontends.mlir.bodies import NoBody, body_of
from tilewright.frontends.mlir.draft import Draft
from tilewright.ir.attributes import Attribute
from tilewright.ir.mlir.attributes import OpaqueAttribute
from tilewright.ir.mlir.codes import COUNTS, ILLEGAL
from tilewright.ir.mlir.spelling import Piece
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.types import Type


class StructuredFormReader(AffineFormReader):
    """Reads operations of linalg."""

    def part(self, draft: Draft, name: str) -> Generator[object, object, None] | None:
        match name:
            case "structured":
                return self._structured(draft)
            case "generic":
                return self._generic(draft)
            case "matrix_operation":
                draft.attributes["opType"] = mma.elementwise(self.word("what is done with the elements"))
                return None
            case _:
                return super().part(draft, name)

    def dialect_type(self, parts: tuple[Piece, ...], start: int) -> Type:
        known = mma.matrix_type("".join(map(str, parts)))
        return super().dialect_type(parts, start) if known is None else known

    def _operand_group(self, draft: Draft, word: str, key: str) -> None:
        """`ins(%a, .. : T, ..)`."""
        draft.add(key, [])
        draft.types.setdefault(key, [])
        if not self.accept_word(word):
            return
        self.expect("(")
        start = self.position
        uses = self.uses()
        draft.add(key, uses)
        if uses or self.at(":"):
            self.expect(":")
            draft.types[key] = self.types_with_commas()
        if len(draft.types[key]) != len(uses):
            self.fail(f"{len(draft.types[key])} types for {len(uses)} operands", COUNTS, self.range_from(start))
        self.expect(")")

    def _former_fill(self, draft: Draft) -> None:
        """`(%value, %out) : T, T`, as in version 14."""
        start = self.position
        self.expect("(")
        uses = self.uses()
        self.expect(")")
        self.attributes(draft)
        self.expect(":")
        types = self.types_with_commas()
        if len(uses) != 2 or len(types) != 2:
            said = f"linalg.fill takes a number and an output with their types, not {len(uses)} and {len(types)}"
            self.fail(said, COUNTS, self.range_from(start))
        for key, use, type_ in zip(("inputs", "outputs"), uses, types, strict=True):
            draft.add(key, [use])
            draft.types[key] = [type_]

    def _results(self, draft: Draft) -> None:
        draft.results = self.result_types() if self.accept("->") else []

    def _structured(self, draft: Draft) -> Steps[None]:
        self.attributes(draft)
        if self.accept_word("indexing_maps"):
            self.expect("=")
            draft.attributes["indexing_maps"] = self.attribute()
        if self.at("(") and draft.cls is linalg.Fill:
            self._former_fill(draft)
        else:
            self._operand_group(draft, "ins", "inputs")
            self._operand_group(draft, "outs", "outputs")
        self._results(draft)
        draft.header = self.end
        assert issubclass(draft.cls, linalg.Named)
        elements = [linalg.element_of(t) for key in ("inputs", "outputs") for t in draft.types[key]]
        place = self.range_of(draft.start, self.end)
        try:
            draft.regions.append(body_of(draft.cls, elements, place, self._casts_unsigned(draft)))
        except NoBody as error:
            self.fail(str(error), ILLEGAL, place)
        yield from ()

    def _casts_unsigned(self, draft: Draft) -> bool:
        return "cast_unsigned" in str(draft.attributes.get("cast"))

    def _generic(self, draft: Draft) -> Steps[None]:
        self.attributes(draft)
        kinds = draft.attributes.get("iterator_types")
        if isinstance(kinds, tuple):
            draft.attributes["iterator_types"] = tuple(map(_iterator, kinds))
        self._operand_group(draft, "ins", "inputs")
        self._operand_group(draft, "outs", "outputs")
        if self.accept_word("attrs"):
            self.expect("=")
            self.attributes(draft)
        yield self.body(draft, linalg.Yield, [])
        self._results(draft)


def _iterator(kind: Attribute) -> Attribute:
    """`"parallel"` as the attribute that it stands for."""
    return OpaqueAttribute((f"#linalg.iterator_type<{kind}>",)) if isinstance(kind, str) else kind
