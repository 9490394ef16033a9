"""Reads the custom forms of linalg: operands, and regions that follow from a name; and the types of gpu's matrices."""

from __future__ import annotations

from collections.abc import Generator

from msgspec import Struct

from tilewright.diagnostics import SourceRange
from tilewright.dialects.mlir import linalg, linalg_dimensions, linalg_elements, mma
from tilewright.dialects.mlir.base import UNSUPPORTED, MlirOperation
from tilewright.frontends.mlir.affine_forms import AffineFormReader
from tilewright.frontends.mlir.bodies import NoBody, body_of
from tilewright.frontends.mlir.draft import Draft
from tilewright.frontends.mlir.exact import exact_operation
from tilewright.frontends.mlir.other_names import FORMER
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Block, Region, Value
from tilewright.ir.mlir.attributes import DenseArray, OpaqueAttribute
from tilewright.ir.mlir.codes import COUNTS, ILLEGAL, WORDS
from tilewright.ir.mlir.spelling import Piece
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import I64, Type


class StructuredFormReader(AffineFormReader):
    """Reads operations of linalg."""

    def part(self, draft: Draft, name: str) -> Generator[object, object, None] | None:
        match name:
            case "structured":
                return self._structured(draft)
            case "generic":
                return self._generic(draft)
            case "elementwise":
                return self._elementwise(draft)
            case "moved":
                return self._moved(draft)
            case "mapper":
                return self._mapper(draft)
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

    def _maps(self, draft: Draft) -> None:
        """`indexing_maps = [..] {name = value, ..}`, as from version 20 on."""
        if self.accept_word("indexing_maps"):
            self.expect("=")
            draft.attributes["indexing_maps"] = self.attribute()
            self.attributes(draft)

    def _results(self, draft: Draft) -> None:
        draft.results = self.result_types() if self.accept("->") else []

    def _structured(self, draft: Draft) -> Steps[None]:
        self.attributes(draft)
        self._maps(draft)
        if self.at("(") and draft.cls is linalg_elements.Fill:
            self._former_fill(draft)
        else:
            self._operand_group(draft, "ins", "inputs")
            self._operand_group(draft, "outs", "outputs")
        self._results(draft)
        draft.header = self.end
        assert issubclass(draft.cls, linalg.Named)
        self._imply_body(draft, draft.cls.meaning(draft.attributes))
        yield from ()

    def _imply_body(self, draft: Draft, does: str) -> None:
        place = self.range_of(draft.start, self.end)
        try:
            body = body_of(draft.name, does, _elements(draft), place, self._casts_unsigned(draft))
        except NoBody as error:
            self.fail(str(error), ILLEGAL, place)
        draft.regions.append(body)

    def _elementwise(self, draft: Draft) -> Steps[None]:
        """`kind=#linalg.elementwise_kind<..> indexing_maps = [..] ins(..) outs(..)`."""
        self.expect_word("kind")
        self.expect("=")
        start = self.position
        draft.attributes["kind"] = self.attribute()
        does = linalg_elements.Elementwise.meaning(draft.attributes)
        if does not in linalg_elements.KINDS:
            place = self.range_from(start)
            self.fail(f"there is no such kind; there are {', '.join(linalg_elements.KINDS)}", WORDS, place)
        self._maps(draft)
        self._operand_group(draft, "ins", "inputs")
        self._operand_group(draft, "outs", "outputs")
        self._results(draft)
        draft.header = self.end
        self._imply_body(draft, does)
        types = [*draft.types["inputs"], *draft.types["outputs"]]
        whole = linalg_elements.identity(len(linalg.shape_of_operand(types[-1]) or ()))
        draft.attributes.setdefault("indexing_maps", (whole,) * len(types))
        yield from ()

    # Operations that say dimensions

    def _dimensions(self, draft: Draft) -> None:
        """The operands, and `dimensions = [0, ..]`; results are the outputs that are tensors."""
        assert issubclass(draft.cls, linalg_dimensions.OfDimensions)
        self.attributes(draft)
        self._operand_group(draft, "ins", "inputs")
        self._operand_group(draft, "outs", "outputs")
        if draft.cls.says:
            self.expect_word(draft.cls.says)
            self.expect("=")
            self.expect("[")
            found: list[int] = []
            while not self.at("]"):
                found.append(self.integer("a dimension"))
                if not self.accept(","):
                    break
            self.expect("]")
            draft.attributes[draft.cls.says] = DenseArray(I64, tuple(found))
        self.attributes(draft)
        draft.results = [t for t in draft.types["outputs"] if isinstance(t, TensorType)]
        draft.header = self.end

    def _moved(self, draft: Draft) -> Steps[None]:
        self._dimensions(draft)
        elements = _elements(draft)
        if len(elements) != 2 or elements[0] != elements[1]:
            said = f"{draft.name} takes one input and one output of the same elements, not of"
            place = self.range_of(draft.start, self.end)
            self.fail(f"{said} {', '.join(map(str, elements)) or 'none'}", ILLEGAL, place)
        self._imply_body(draft, "convert")
        yield from ()

    def _mapper(self, draft: Draft) -> Steps[None]:
        """`{ math.exp {..} }` in front, or a region behind."""
        payload = self._payload() if self.at("{") else None
        self._dimensions(draft)
        if payload is None:
            arguments, _, _ = self.parameters()
            yield self.body(draft, linalg.Yield, arguments)
        else:
            draft.regions.append(self._body_of_payload(draft, payload))

    def _payload(self) -> _Payload:
        self.expect("{")
        start = self.position
        written = self.word("an operation")
        place = self.range_from(start)
        cls = self.dialects.get(FORMER.get(written, written))
        if cls is None or not issubclass(cls, MlirOperation):
            self.fail(f"{written[:80]} is not known here", UNSUPPORTED, place)
        attributes = self.dictionary() if self.at("{") else {}
        self.expect("}")
        return _Payload(cls, attributes, place)

    def _body_of_payload(self, draft: Draft, payload: _Payload) -> Region:
        """One operation of all elements that the body takes; the output's come first in a reduction."""
        cls, place, elements = payload.cls, payload.place, _elements(draft)
        is_map = draft.cls is linalg_dimensions.Map
        block = Block()
        taken: list[Value] = [
            block.add_argument(t, None, place) for t in (elements[: len(draft.types["inputs"])] if is_map else elements)
        ]
        operands = taken if is_map else [*taken[-1:], *taken[:-1]]
        specs = [*cls.definition.operands.values(), *cls.definition.results.values()]
        fits = len(cls.definition.operands) == len(operands) and len(cls.definition.results) == 1
        if not fits or any(spec.variadic for spec in specs) or cls.definition.regions or not draft.types["outputs"]:
            self.fail(f"{cls.name} does not make one number of {len(operands)}", COUNTS, place)
        op, problem = exact_operation(cls, operands, elements[-1:], dict(payload.attributes), [], [], place)
        if problem:
            self.fail(problem, COUNTS, place)
        block.append(op)
        block.append(linalg.Yield(list(op.results), location=place))
        return Region(block)

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


class _Payload(Struct, frozen=True):
    """The one operation that a body consists of."""

    cls: type[MlirOperation]
    attributes: dict[str, Attribute]
    place: SourceRange


def _elements(draft: Draft) -> list[Type]:
    """Of all operands."""
    return [linalg.element_of(t) for key in ("inputs", "outputs") for t in draft.types[key]]


def _iterator(kind: Attribute) -> Attribute:
    """`"parallel"` as the attribute that it stands for."""
    return OpaqueAttribute((f"#linalg.iterator_type<{kind}>",)) if isinstance(kind, str) else kind
