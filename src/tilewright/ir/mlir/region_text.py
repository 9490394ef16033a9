"""Reads blocks and regions; what is broken is reported and left out, and reading goes on behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NoReturn

from msgspec import Struct

from tilewright.diagnostics import Location, SourceRange
from tilewright.ir.core import Block, Region
from tilewright.ir.mlir.codes import BLOCKS, LIMIT, SYNTAX, VISIBILITY, WORDS
from tilewright.ir.mlir.cursor import Abort, GiveUp
from tilewright.ir.mlir.operation_text import LABEL, Labels, OperationReader, OperationText
from tilewright.ir.mlir.recovery import resume
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.mlir.value_text import plain_name
from tilewright.ir.types import Type

_NAME: Final = r"%[A-Za-z0-9_$.-]++(?>:[0-9]++|)"
_BEGIN: Final = re.compile(
    rf'[ \t]*+(?:(?:{_NAME}(?>(?:[ \t]*+,[ \t]*+{_NAME})*)|[!#][A-Za-z0-9_$-]++)[ \t]*+=(?!=)|"(?=[^"\n]*"\()|\^|{{-#)'
)


class NewArgument(Struct):
    """An argument of the first block of a region that the text in front of the region names."""

    name: str
    type: Type
    place: SourceRange
    location: Location


class RegionReader(OperationReader):
    """Reads operations into blocks. Regions nest on a list of generators, not on Python's stack."""

    def begins(self, text: str, line: int) -> bool:
        """Whether the line that starts there begins an operation; where reading goes on behind an error."""
        return _BEGIN.match(text, line) is not None

    # Blocks

    def _block(self, block: Block) -> Steps[None]:
        while not self.at("}") and not self.at("^"):
            if self.at_end:
                self._report_end()
            yield self.one(block)

    def one(self, block: Block) -> Steps[None]:
        """One operation; what is broken is reported and left out."""
        self.blamed, self.blames_once = self.report.errors, True
        draft = OperationText(self.position)
        try:
            if self.at("%"):
                self.result_names(draft.names)
            yield self.operation(draft, block)
            if self.follows_error:
                raise Abort
        except Abort:
            self._recover(draft)
        self.blames_once = False

    def operation(self, draft: OperationText, block: Block) -> Steps[None]:
        """What stands behind the names of the results. Readers of other forms override it."""
        self.head(draft)
        if self.at("("):
            yield self._regions(draft)
            self.blame_anew()
        self.tail(draft, block)

    def blame_anew(self) -> None:
        """Behind a region: what was reported inside of it is not held against the operation around it."""
        self.blamed, self.blames_once = self.report.errors, True

    def _report_end(self) -> NoReturn:
        if not any(d.code in (SYNTAX, WORDS) for d in self.report.diagnostics[self.already :]):
            finding = self.report.error(SYNTAX, self.here(), "expected '}', found the end of the text")
            opening = self.openings[-1]
            finding.label(self.range_of(opening, opening + 1), "this brace seems to lack its partner")
        raise GiveUp

    def _recover(self, draft: OperationText) -> None:
        self.scopes.poison(name.text for name in draft.names)
        if not draft.name:
            self.scopes.poison_line(self.text, draft.start)
        if self.too_many_errors:
            raise GiveUp
        self.position = self.end = resume(self.text, draft.start, self.position, self.begins)
        self.skip()

    # Regions

    def _regions(self, draft: OperationText) -> Steps[None]:
        cls = self.dialects.get(draft.name)
        isolated = cls is not None and cls.definition.isolated
        self.expect("(")
        while True:
            outer = self.isolate_scope() if isolated else None
            try:
                draft.regions.append((yield self.region()))
            finally:
                if outer is not None:
                    self.restore_scope(outer)
            if not self.accept(","):
                break
        self.expect(")")

    def region(self, arguments: Sequence[NewArgument] = ()) -> Steps[Region]:
        """`{ .. }`; `arguments` are those of the first block, if its label does not tell them."""
        opening = self.position
        self.expect("{")
        if self.nesting >= self.limits.nesting:
            self.fail(f"regions are nested more than {self.limits.nesting} deep", LIMIT, self.range_from(opening))
        self.nesting += 1
        self.deepest = max(self.deepest, self.nesting)
        self.openings.append(opening)
        labels = Labels()
        self.labels.append(labels)
        mark = self.enter_scope()
        region = Region()
        errors = self.report.errors
        try:
            if arguments or (not self.at("}") and not self.at("^")):
                block = region.add_block(Block())
                for argument in arguments:
                    value = block.add_argument(argument.type, plain_name(argument.name), argument.location)
                    self.define(argument.name, value, argument.place)
                yield self._block(block)
            while self.at("^"):
                yield self._labelled(region, labels)
            self.expect("}")
        finally:
            self.leave_scope(mark)
            self.labels.pop()
            self.openings.pop()
            self.nesting -= 1
        if self.report.errors == errors:
            self._check_blocks(region, labels, opening)
        return region

    def _labelled(self, region: Region, labels: Labels) -> Steps[None]:
        start = self.position
        found = self.take(LABEL)
        if found is None:
            self.fail("expected the label of a block, such as ^bb1")
        block = labels.blocks.setdefault(found[1], Block())
        place = self.range_from(start)
        if block.region is not None:
            self.error(VISIBILITY, place, f"the block {found[1][:80]} is defined twice")
            block = Block()
        region.add_block(block)
        try:
            if self.accept("("):
                self._arguments(block)
            self.expect(":")
        except Abort:
            self._recover(OperationText(start))
            self.scopes.poison_all(self.text[start : self.position])
        yield self._block(block)

    def _arguments(self, block: Block) -> None:
        while not self.at(")"):
            start = self.position
            name = self.new_name()
            place = self.range_from(start)
            self.expect(":")
            type_ = self.type()
            location = self.trailing_location(place)
            self.define(name, block.add_argument(type_, plain_name(name), location), place)
            if not self.accept(","):
                break
        self.expect(")")

    def outer_labels(self) -> dict[str, SourceRange]:
        """Blocks that operations outside of all regions go on in: there are none."""
        return self.labels[0].mentioned

    def _check_blocks(self, region: Region, labels: Labels, opening: int) -> None:
        if len(region.blocks) > 1 and any(block.first is None for block in region.blocks):
            place = self.range_of(opening, opening + 1)
            self.error(BLOCKS, place, "each block of several ends in an operation, and one of these is empty")
        for name, place in labels.mentioned.items():
            block = labels.blocks[name]
            if block.region is None:
                self.error(BLOCKS, place, f"there is no block {name[:80]} in this region")
            elif block is region.entry:
                self.error(BLOCKS, place, "the first block of a region is where it is entered: nothing goes on there")
