"""Reads blocks of operations; what is broken is reported and left out, and reading goes on behind it."""

from __future__ import annotations

import difflib

from tilewright.diagnostics import Location, Report, Source, SourceRange
from tilewright.dialects.cuda_tile import BY_MNEMONIC
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.debug import DebugLocation
from tilewright.frontends.tile_ir.assembly import WHOLE
from tilewright.frontends.tile_ir.cursor import LIMIT, SYNTAX, WORD, WORDS, Abort, GiveUp
from tilewright.frontends.tile_ir.draft import Draft, ResultName, block_of
from tilewright.frontends.tile_ir.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tile_ir.own_form_text import OwnFormReader
from tilewright.frontends.tile_ir.recovery import resume
from tilewright.frontends.tile_ir.trampoline import Steps
from tilewright.ir.core import Block, Operation, Region
from tilewright.ir.definition import TERMINATOR
from tilewright.ir.types import Type

Argument = tuple[str, Type, SourceRange]


class Unclosed(Exception):
    """An entry begins where one should have ended."""


class BlockReader(OwnFormReader):
    """Reads operations into blocks. Regions nest on a list of generators, not on Python's stack."""

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.nesting = 0
        self.count = 0
        self.in_entry = False
        self.names: list[ResultName] = []

    # Blocks

    def block(self, block: Block) -> Steps[None]:
        """Operations up to the closing brace, which is not read."""
        while not self.at("}"):
            if self.at_end:
                self._report_end()
            yield self.one(block)

    def one(self, block: Block) -> Steps[None]:
        """One operation; what is broken is reported and left out."""
        start = self.position
        draft: Draft | None = None
        try:
            draft = self.head()
            if self._simple(draft):
                self.finish(draft, block)
            else:
                yield self.nested(draft, block)
        except Abort:
            self._recover(start, draft)

    def _report_end(self) -> None:
        self.report.error(SYNTAX, self.here(), "expected '}', found the end of the text")
        raise GiveUp

    def _recover(self, start: int, draft: Draft | None) -> None:
        self.poison(self.names if draft is None else draft.names)
        if self.too_many_errors:
            raise GiveUp
        failed = self.position
        self.position = self.end = resume(self.text, start, failed)
        self.skip()

    def head(self) -> Draft:
        """Names of results and the mnemonic."""
        start = self.position
        names: list[ResultName] = []
        self.names = names
        if self.at("%"):
            self.result_names(names)
        at = self.position
        if self.at('"'):
            cls, generic = self._quoted_name(), True
        else:
            cls, generic = self._mnemonic(at), False
        draft = Draft(cls, start, names)
        draft.places["mnemonic"] = self.range_from(at)
        draft.generic = generic
        self.count += 1
        if self.count > self.limits.operations:
            self.report.error(LIMIT, self.range_from(start), f"more than {self.limits.operations:,} operations")
            raise GiveUp
        return draft

    def _quoted_name(self) -> type[TileOperation]:
        start = self.position
        name = self.string("an operation")
        cls = BY_MNEMONIC.get(name.removeprefix("cuda_tile."))
        if cls is None or not name.startswith("cuda_tile."):
            self._unknown(name, start)
            raise Abort
        return cls

    def _mnemonic(self, start: int) -> type[TileOperation]:
        found = self.take(WORD)
        if found is None:
            self.fail("expected an operation")
        word = found[1].removeprefix("cuda_tile.")
        if self.in_entry and word in ("entry", "module"):
            self.position = start
            self.error(SYNTAX, self.here(), f"expected '}}' in front of the next {word}")
            raise Unclosed
        cls = BY_MNEMONIC.get(word)
        if cls is None:
            self._unknown(word, start)
            raise Abort
        return cls

    def _unknown(self, word: str, start: int) -> None:
        place = self.range_from(start)
        finding = self.error(WORDS, place, f"there is no operation {word[:80]!r}")
        close = difflib.get_close_matches(word[:80], BY_MNEMONIC, 1, 0.6)
        if close:
            finding.hint(f"did you mean {close[0]}?").fix(place, close[0], f"write {close[0]}")

    def _simple(self, draft: Draft) -> bool:
        """Read an operation without regions; False if it is another one."""
        if draft.generic:
            return False
        whole = draft.cls.spec.assembly[1:]
        if draft.cls.spec.assembly[0:1] != "!" or whole not in WHOLE:
            self.form(draft)
            return True
        return self.own_form(draft, whole)

    def finish(self, draft: Draft, block: Block, header: int | None = None) -> Operation | None:
        """Build an operation whose parts are read, and name its results."""
        location: Location = SourceRange(self.source, draft.start, self.end if header is None else header)
        debug = self.trailing_location()
        if debug is not None:
            location = DebugLocation(location, debug)
        if draft.broken:
            self.poison(draft.names)
            return None
        op = draft.build(location)
        block.append(op)
        self.define_results(draft, op)
        return op

    # Regions

    def region(self, arguments: list[Argument], implied: type[Operation] | None) -> Steps[Region]:
        """`{ .. }` with its arguments; a missing terminator is put in."""
        opening = self.position
        self.expect("{")
        self.deeper(opening)
        mark = self.enter()
        try:
            block = self.begin_block(arguments)
            yield self.block(block)
            self.end_block(block, implied)
        finally:
            self.leave(mark)
            self.nesting -= 1
        return Region(block)

    def deeper(self, opening: int) -> None:
        """Count the nesting of regions against the limit."""
        if self.nesting >= self.limits.nesting:
            self.position = opening
            self.fail(f"regions are nested more than {self.limits.nesting} deep", LIMIT)
        self.nesting += 1

    def begin_block(self, arguments: list[Argument]) -> Block:
        """A block whose arguments are visible."""
        block = block_of(arguments)
        for (name, _, place), argument in zip(arguments, block.arguments, strict=True):
            self.define(name, argument, place)
        return block

    def end_block(self, block: Block, implied: type[Operation] | None) -> None:
        """The closing brace, with the terminator that it implies."""
        closing = self.position
        self.expect("}")
        last = block.last
        if implied is not None and (last is None or TERMINATOR not in last.definition.traits):
            op = object.__new__(implied)
            Operation.__init__(op, location=SourceRange(self.source, closing, closing + 1))
            block.append(op)

    def argument_list(self) -> list[Argument]:
        """`(%a: T, ..)`; attributes and locations of arguments say nothing."""
        self.expect("(")
        found: list[Argument] = []
        while not self.at(")"):
            found.append(self._argument())
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def _argument(self) -> Argument:
        start = self.position
        name = self.new_name()
        place = self.range_from(start)
        self.expect(":")
        type_ = self.value_type()
        if self.at("{"):
            self.dictionary()
        self.trailing_location()
        return name, type_, place

    def arrow_types(self) -> list[Type]:
        """`-> (T, ..)` or `-> T, ..`, if it is there."""
        if not self.accept("->"):
            return []
        if not self.accept("("):
            return [type_ for type_, _ in self.type_list()]
        found = [] if self.at(")") else [type_ for type_, _ in self.type_list()]
        self.expect(")")
        return found

    def nested(self, draft: Draft, block: Block) -> Steps[None]:
        """What stands behind the mnemonic of an operation with regions, or behind a quoted one; parsers override it."""
        raise NotImplementedError
