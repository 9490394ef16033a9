"""Reads operations in the generic form: `%r = "dialect.name"(..)[^b] <{..}> ({..}) {..} : (..) -> .. loc(..)`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn

from msgspec import Struct, field

from tilewright.diagnostics import Location, Report, Source, SourceRange
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.mlir.attributes import UNKNOWN_PLACE
from tilewright.ir.mlir.codes import COUNTS, LIMIT, SYNTAX, WORDS
from tilewright.ir.mlir.cursor import SKIP, Abort, GiveUp
from tilewright.ir.mlir.declared import declared_operation
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.name_text import ResultName
from tilewright.ir.mlir.operations import OpaqueOperation, WrittenLocation
from tilewright.ir.mlir.spelling import LocationAttribute
from tilewright.ir.mlir.value_text import Use, ValueReader
from tilewright.ir.types import Type

LABEL: Final = re.compile(rf"(\^(?:[0-9]++|[A-Za-z_$.-][A-Za-z0-9_$.-]*+)){SKIP.pattern}")
_SIGNATURE: Final = re.compile(r'\([^()"\n]*+\) -> (?:\([^()"\n]*+\)|[^()"\n ]*+)(?=[ \t]*+(?:loc\(|\n))')


class OperationText(Struct):
    """An operation while it is being read."""

    start: int
    names: list[ResultName] = field(default_factory=list[ResultName])
    name: str = ""
    name_place: SourceRange | None = None
    uses: list[Use] = field(default_factory=list[Use])
    successors: list[Block] = field(default_factory=list[Block])
    properties: Attribute = None
    regions: list[Region] = field(default_factory=list[Region])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    header: int = 0


class Labels:
    """The blocks of a region by their labels; those that are only mentioned so far have no region."""

    def __init__(self) -> None:
        self.blocks: dict[str, Block] = {}
        self.mentioned: dict[str, SourceRange] = {}


class OperationReader(ValueReader):
    """Reads what operations consist of but for their regions.

    `dialects` are the operations that are registered, by name; they are built as they are declared.
    """

    def __init__(
        self,
        source: Source,
        report: Report,
        limits: Limits = DEFAULT_LIMITS,
        dialects: Mapping[str, type[Operation]] | None = None,
    ) -> None:
        super().__init__(source, report, limits)
        self.dialects: Mapping[str, type[Operation]] = {} if dialects is None else dialects
        self.nesting: int = 0
        self.deepest: int = 0
        self.count = 0
        self.located = False
        self.openings: list[int] = []
        self.labels: list[Labels] = [Labels()]
        self._signatures: dict[str, tuple[list[Type], list[Type]]] = {}
        self._read_properties: dict[str, Attribute] = {}
        self._later: list[tuple[WrittenLocation, str, int]] = []

    # Parts of an operation

    def head(self, draft: OperationText) -> None:
        """From the name of the operation up to the regions."""
        start = self.position
        if not self.at('"'):
            self._refuse_custom_form()
        self.named(draft, self.string("an operation"), self.range_from(start))
        self.expect("(")
        while not self.at(")"):
            draft.uses.append(self.use())
            if not self.accept(","):
                break
        self.expect(")")
        if self.accept("["):
            self._successors(draft)
        if self.accept("<"):
            draft.properties = self._properties()
        draft.header = self.end

    def named(self, draft: OperationText, name: str, place: SourceRange) -> None:
        """The operation has a name; it is counted."""
        draft.name, draft.name_place = name, place
        if not name or len(name) > self.limits.name:
            self.fail(f"names have 1 to {self.limits.name} characters", LIMIT, place)
        self.count += 1
        if self.count > self.limits.operations:
            self.report.error(LIMIT, place, f"more than {self.limits.operations:,} operations")
            raise GiveUp

    def _refuse_custom_form(self) -> NoReturn:
        if not self.nesting:
            self.aliases_lost = True
        finding = self.error(SYNTAX, self.here(), "expected an operation in the generic form, its name in quotes")
        finding.hint("`mlir-opt --mlir-print-op-generic` prints it")
        raise Abort

    def _successors(self, draft: OperationText) -> None:
        while True:
            draft.successors.append(self.successor())
            if not self.accept(","):
                break
        self.expect("]")

    def successor(self) -> Block:
        """A block of the region around, by its label; it may follow later."""
        labels = self.labels[-1]
        found = self.take(LABEL)
        if found is None:
            self.fail("expected a block, such as ^bb1")
        labels.mentioned.setdefault(found[1], self.range_from(found.start()))
        return labels.blocks.setdefault(found[1], Block())

    def tail(self, draft: OperationText, block: Block) -> None:
        """Attributes, types, location; then the operation is built."""
        if self.at("{"):
            draft.attributes = self.dictionary()
        self.expect(":")
        inputs, results = self._signature(draft)
        end = self.end if not draft.regions else draft.header
        location = self.trailing_location(self.range_of(draft.start, end))
        self.finish(draft, inputs, results, location, block)

    def finish(
        self, draft: OperationText, inputs: Sequence[Type], results: list[Type], location: Location, block: Block
    ) -> Operation:
        """The operation, from all its parts, at the end of a block."""
        operands = [self.value(use, type_) for use, type_ in zip(draft.uses, inputs, strict=True)]
        known = [value for value in operands if value is not None]
        if len(known) < len(operands) or self.follows_error:
            raise Abort
        op = self.built(draft, known, results, location)
        block.append(op)
        op.places = {**(op.places or {}), **{("operand", i): use.place for i, use in enumerate(draft.uses)}}
        if draft.names:
            self.define_results(draft.names, op)
        return op

    def _signature(self, draft: OperationText) -> tuple[list[Type], list[Type]]:
        """Types of operands and results; each text once."""
        start = self.position
        found = _SIGNATURE.match(self.text, start)
        known = None if found is None else self._signatures.get(found[0])
        if known is not None and found is not None:
            self.position = self.end = found.end()
            self.skip()
            inputs, results = known
        else:
            inputs = self.type_list()
            self._check_count(draft, inputs, self.range_from(start))
            self.expect("->")
            results = self.result_types()
            if found is not None and found.end() == self.end:
                self._signatures[found[0]] = (inputs, results)
        self._check_count(draft, inputs, self.range_from(start))
        return inputs, results

    def _check_count(self, draft: OperationText, inputs: list[Type], place: SourceRange) -> None:
        if len(inputs) != len(draft.uses):
            self.fail(f"{len(inputs)} types for {len(draft.uses)} operands", COUNTS, place)

    def _properties(self) -> Attribute:
        """What stands in `<..>`; each text once, since aliases above stand for what they stood for before."""
        start = self.position
        end = self.text.find("}>", start) + 1
        known = self._read_properties.get(self.text[start:end])
        if known is not None:
            self.position = self.end = end
        else:
            known = self.attribute()
            if self.end == end:
                self._read_properties[self.text[start:end]] = known
        self.expect(">")
        return known

    def built(self, draft: OperationText, operands: list[Value], results: list[Type], location: Location) -> Operation:
        """The operation, as it is declared where it is; it stands nowhere yet."""
        cls = self.dialects.get(draft.name)
        parts = (operands, results, draft.attributes, draft.regions, draft.successors, location)
        if cls is None:
            return OpaqueOperation(draft.name, *parts, draft.properties)
        op, problem = declared_operation(cls, *parts, draft.properties)
        if problem:
            assert draft.name_place is not None
            self.fail(problem, COUNTS, draft.name_place)
        return op

    def trailing_location(self, place: SourceRange) -> Location:
        """Where something comes from that stands at `place`, if it says so; the alias may be defined later on."""
        if self.peek_word() != "loc":
            return place
        self.located = True
        start = self.position
        self.expect_word("loc")
        self.expect("(")
        name = self.alias_ahead()
        if name is not None and name not in self.aliases:
            found = WrittenLocation(place, UNKNOWN_PLACE)
            self._later.append((found, name, self.position))
            self.take(_ALIAS)
        else:
            found = WrittenLocation(place, self.place())
        if not self.at(")"):
            self.fail("expected ')' behind the location", place=self.range_from(start))
        self.accept(")")
        return found

    def settle_locations(self) -> None:
        """Look up the locations whose aliases were defined behind their uses."""
        for location, name, start in self._later:
            place = self.range_of(start, start + len(name))
            alias = self.aliases.get(name)
            if alias is None and self.aliases_lost:
                continue
            if alias is None:
                self.error(WORDS, place, f"the alias {name[:80]} is not defined")
            elif not isinstance(alias.value, LocationAttribute):
                self.error(WORDS, place, f"{name[:80]} is no location").label(alias.place, "defined here")
            else:
                location.written = alias.value


_ALIAS: Final = re.compile(rf"(#[A-Za-z0-9_$-]++){SKIP.pattern}")
