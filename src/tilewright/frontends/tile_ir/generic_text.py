"""Reads the generic form, which every operation has: `"cuda_tile.x"(..) <{..}> ({..}) {..} : (..) -> (..)`."""

from __future__ import annotations

import re
from typing import Final

from tilewright.diagnostics import SourceRange
from tilewright.dialects.cuda_tile.attributes import Elements
from tilewright.dialects.cuda_tile.base import generic_name
from tilewright.dialects.cuda_tile.core import Entry
from tilewright.dialects.cuda_tile.types import FunctionType
from tilewright.frontends.tile_ir.codes import SYNTAX, WORDS
from tilewright.frontends.tile_ir.draft import Argument, Draft
from tilewright.frontends.tile_ir.region_text import RegionReader
from tilewright.frontends.tile_ir.value_text import RESULTS
from tilewright.ir.core import Attribute, Block, Region, Value
from tilewright.ir.definition import ISOLATED
from tilewright.ir.mlir.cursor import SKIP
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.verifier import verify_alone

_LABEL: Final = re.compile(rf"(\^[A-Za-z0-9_$.-]++){SKIP.pattern}")
_SEGMENTS: Final = ("operandSegmentSizes", "operand_segment_sizes")
_SIGNATURE: Final = ("function_type", "arg_attrs", "res_attrs")
_Operand = tuple[Value | None, SourceRange]


class GenericReader(RegionReader):
    """Reads the generic form."""

    def generic(self, draft: Draft, block: Block) -> Steps[None]:
        """What stands behind the quoted name."""
        values = self._values()
        attributes: dict[str, tuple[Attribute, SourceRange]] = {}
        if self.accept("<"):
            self._attributes(attributes)
            self.expect(">")
        if self.accept("("):
            yield self._regions(draft)
        specs = draft.cls.definition.regions
        if len(draft.regions) > len(specs) or len(draft.regions) < sum(not s.optional for s in specs.values()):
            self.fail(f"{draft.cls.name} has {len(specs)} regions", RESULTS, self.range_from(draft.start))
        if self.at("{"):
            self._attributes(attributes)
        self.expect(":")
        start = self.position
        type_ = self.type()
        place = self.range_from(start)
        draft.places["type"] = place
        if not isinstance(type_, FunctionType):
            self.fail("the type of an operation in the generic form is (..) -> (..)", place=place)
        if draft.cls is Entry:
            self._signature(draft, {key: attributes.pop(key) for key in _SIGNATURE if key in attributes})
        sizes = next((attributes.pop(key)[0] for key in _SEGMENTS if key in attributes), None)
        self._assign(draft, values, sizes, place)
        self._check_operands(draft, values, type_, place)
        self._results(draft, type_, place)
        self._properties(draft, attributes, place)
        op = self.finish(draft, block)
        if op is not None and op.regions:
            # Unlike the other form this one can say regions that fit no such operation; none could be printed.
            verify_alone(op, self.report)

    def _values(self) -> list[_Operand]:
        self.expect("(")
        return self.listed(self.value, ")")

    def _attributes(self, found: dict[str, tuple[Attribute, SourceRange]]) -> None:
        start = self.position
        entries = self.dictionary()
        place = self.range_from(start)
        for name, value in entries.items():
            if name in found:
                self.error(SYNTAX, place, f"{name} is given twice")
            found[name] = (value, place)

    def _signature(self, draft: Draft, said: dict[str, tuple[Attribute, SourceRange]]) -> None:
        """What an entry says of its parameters beside its block, which it must not contradict."""
        blocks = draft.regions[0].blocks if draft.regions else []
        inputs = tuple(argument.type for block in blocks[:1] for argument in block.arguments)
        counts = {"arg_attrs": len(inputs), "res_attrs": 0}
        for name, (value, place) in said.items():
            if name == "function_type":
                fits, wanted = value == FunctionType(inputs), f"{FunctionType(inputs)}, as its block says, not {value}"
            else:
                fits = isinstance(value, tuple) and [type(v) for v in value] == [dict] * counts[name]
                wanted = f"a list of {counts[name]} dictionaries"
            if not fits:
                self.fail(f"the {name} of this entry is {wanted}", "C21", place)
            if name == "arg_attrs":
                draft.attributes[name] = value

    def _properties(
        self, draft: Draft, attributes: dict[str, tuple[Attribute, SourceRange]], place: SourceRange
    ) -> None:
        cls = draft.cls
        for name, (value, where) in attributes.items():
            self.set_attribute(draft, name, value, where)
        self._constant(draft, attributes)
        for key, spec in cls.definition.attributes.items():
            if spec.required and key not in draft.attributes and not draft.broken:
                self.error(
                    WORDS, draft.places["mnemonic"].ranges()[0], f"the attribute {generic_name(cls, key)} is missing"
                )
                draft.broken = True

    def _constant(self, draft: Draft, attributes: dict[str, tuple[Attribute, SourceRange]]) -> None:
        """The type of a constant is that of the global, or of the result."""
        value, place = attributes.get("value", (None, None))
        if "value" not in draft.cls.definition.attributes or place is None or not isinstance(value, Elements):
            return
        if "type" in draft.cls.definition.attributes:
            draft.attributes.setdefault("type", value.type)
            draft.places["type"] = place
        elif draft.results != [value.type]:
            result = ", ".join(map(str, draft.results or ()))
            self.error("C20", place, f"the value has type {value.type}, the result {result}")
            draft.broken = True

    def _assign(self, draft: Draft, values: list[_Operand], sizes: Attribute, place: SourceRange) -> None:
        """Deal operands out to their groups."""
        specs = draft.cls.definition.operands
        if draft.cls.definition.segmented:
            found = sizes.value if isinstance(sizes, Elements) else sizes
            counts = [s for s in found if isinstance(s, int)] if isinstance(found, tuple) else []
            fits = len(counts) == len(specs) and sum(counts) == len(values) and min(counts, default=0) >= 0
        else:
            rest = len(values) - sum(not s.varies for s in specs.values())
            counts = [rest if s.varies else 1 for s in specs.values()]
            fits = sum(counts) == len(values) and rest >= 0
        alone = zip(counts, specs.values(), strict=False)
        if not fits or any(c != 1 and not s.variadic and not (s.optional and c == 0) for c, s in alone):
            self.fail(f"{len(values)} operands do not fit {draft.cls.name}", RESULTS, place)
        at = 0
        for key, count in zip(specs, counts, strict=True):
            for value, where in values[at : at + count]:
                draft.take_operand(key, value, where)
            at += count

    def _check_operands(self, draft: Draft, values: list[_Operand], type_: FunctionType, place: SourceRange) -> None:
        if len(type_.inputs) != len(values):
            self.fail(f"{len(type_.inputs)} types for {len(values)} operands", "C7", place)
        for (value, where), wanted in zip(values, type_.inputs, strict=True):
            if value is not None and value.type != wanted:
                self.mismatch(value, wanted, where, place)
                draft.broken = True

    def _results(self, draft: Draft, type_: FunctionType, place: SourceRange) -> None:
        specs = draft.cls.definition.results
        listed = any(s.variadic for s in specs.values())
        if not listed and len(type_.results) != len(specs):
            self.fail(f"{draft.cls.name} has {len(specs)} results, not {len(type_.results)}", RESULTS, place)
        draft.results = list(type_.results)

    # Regions

    def _regions(self, draft: Draft) -> Steps[None]:
        isolated = ISOLATED in draft.cls.definition.traits
        specs = draft.cls.definition.regions
        while True:
            outer = self.scopes.isolate() if isolated else None
            try:
                region = yield self._generic_region()
            finally:
                if outer is not None:
                    self.scopes.restore(outer)
            optional = list(specs.values())[len(draft.regions)].optional if len(draft.regions) < len(specs) else False
            if region.blocks or not optional:
                draft.regions.append(region)
            if not self.accept(","):
                break
        self.expect(")")

    def _generic_region(self) -> Steps[Region]:
        """`{ ^bb0(..): .. }`; nothing between the braces is a region without blocks."""
        if self.text.startswith("{", self.position):
            after = SKIP.match(self.text, self.position + 1)
            if after is not None and self.text.startswith("}", after.end()):
                self.expect("{")
                self.expect("}")
                return Region()
        found: Region = yield self.labelled_region()
        return found

    def labelled_region(self) -> Steps[Region]:
        """A region whose arguments stand behind a label."""
        opening = self.position
        self.expect("{")
        self.deeper(opening)
        mark = self.scopes.enter()
        try:
            arguments: list[Argument] = []
            if self.take(_LABEL) is not None:
                arguments = self.argument_list() if self.at("(") else []
                self.expect(":")
            block = self.begin_block(arguments)
            yield self.block(block)
            self.end_block(block, None)
        finally:
            self.scopes.leave(mark)
            self.nesting -= 1
        return Region(block)
