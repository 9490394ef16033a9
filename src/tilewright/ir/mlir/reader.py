"""Text of generic MLIR -> IR. Operations that are not registered are kept as they are written.

A file holds operations, aliases anywhere between them, and resources at its end. One `builtin.module` alone is the
module, anything else stands in one. Broken operations are reported and left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.ir.core import Block, Operation, Region
from tilewright.ir.mlir.codes import BLOCKS, LIMIT, SYNTAX
from tilewright.ir.mlir.cursor import Abort, GiveUp
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.opaque_text import DEFINITION
from tilewright.ir.mlir.operations import MODULE, MlirFile, OpaqueOperation, Resources
from tilewright.ir.mlir.resource_text import ResourceReader
from tilewright.ir.mlir.trampoline import Steps, run


class FileReader(ResourceReader):
    """Reads a whole file."""

    def file(self) -> MlirFile | None:
        """What the file holds, or None if nothing of it could be read."""
        block = Block()
        resources: Resources = {}
        try:
            run(self._items(block, resources))
            self.report_awaited()
            self._refuse_branches()
            self.settle_locations()
        except (GiveUp, Abort):
            return None
        return MlirFile(self._module(block), tuple(self.aliases.values()), resources, self.located)

    def _items(self, block: Block, resources: Resources) -> Steps[None]:
        while not self.at_end:
            if DEFINITION.match(self.text, self.position) is not None:
                self._alias(block.first is not None)
            elif self.at_resources():
                self.read_resources(resources)
            elif self.at("}"):
                self._refuse_brace()
            else:
                yield self.one(block)

    def _refuse_brace(self) -> NoReturn:
        """A brace too many is a consequence, where something else could not be read before."""
        if self.report.errors == self.already:
            self.report.error(SYNTAX, self.here(), "expected an operation; is there one '}' too many above?")
        raise GiveUp

    def _alias(self, behind: bool) -> None:
        start = self.position
        self.blamed, self.blames_once = self.report.errors, False
        try:
            self.define_alias(behind)
        except Abort:
            self.aliases_lost = True
            end = self.text.find("\n", max(start, self.position - 1))
            self.position = len(self.text) if end < 0 else end
            self.skip()

    def _refuse_branches(self) -> None:
        for name, place in self.outer_labels().items():
            self.error(BLOCKS, place, f"there is no block {name[:80]} in the module")

    def _module(self, block: Block) -> Operation:
        only = block.first
        if only is not None and only.next is None and only.name == MODULE:
            only.detach()
            return only
        if self.deepest >= self.limits.nesting and self.report.errors == self.already:
            said = f"regions are nested more than {self.limits.nesting} deep, with the module around them"
            self.report.error(LIMIT, SourceRange(self.source, 0, 0), said)
        location = SourceRange(self.source, 0, len(self.text))
        return OpaqueOperation(MODULE, regions=[Region(block)], location=location)


def read_generic(
    source: Source,
    report: Report,
    dialects: Mapping[str, type[Operation]] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> MlirFile | None:
    """Read a file; `dialects` are the operations that are registered, by name.

    What could not be read is in `report` and left out; None if there is nothing else.
    """
    if len(source.text) > limits.source_bytes:
        report.error(LIMIT, SourceRange(source, 0, 0), f"a text has at most {limits.source_bytes:,} characters")
        return None
    return FileReader(source, report, limits, dialects).file()
