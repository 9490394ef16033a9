"""Reads blocks of operations; what is broken is reported and left out, and reading goes on behind it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Final, NoReturn

from tilewright.diagnostics import Location, Report, Source, SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.dialects.cuda_tile import BY_MNEMONIC
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.debug import DebugLocation
from tilewright.frontends.tile_ir.assembly import WHOLE
from tilewright.frontends.tile_ir.codes import LIMIT, SYNTAX, WORDS
from tilewright.frontends.tile_ir.draft import Argument, Draft, block_of
from tilewright.frontends.tile_ir.form_help import explain_form
from tilewright.frontends.tile_ir.own_form_text import OwnFormReader
from tilewright.ir.core import Block, Operation, Region
from tilewright.ir.definition import TERMINATOR
from tilewright.ir.mlir.cursor import WORD, Abort, GiveUp
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.name_text import ResultName
from tilewright.ir.mlir.recovery import resume
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.types import Type

_OF_TEST_BUILDS: Final = "testing$func"

_JUNK: Final = re.compile(r"[ \t]*+[^\s{}%]?+[ \t]*+(?=\n|//)")
"""What may stand in place of an opening brace at the end of a line."""

_INDENTATION: Final = re.compile(r"[ \t]*+")
_NAME: Final = r"%[A-Za-z0-9_$.-]++(?>:[0-9]++|)"
_BEGIN: Final = re.compile(
    rf'[ \t]*+(?:({_NAME}(?>(?:[ \t]*+,[ \t]*+{_NAME})*)[ \t]*+=(?!=))|"cuda_tile\.|(?>cuda_tile\.|)([a-z_0-9]++)\b)'
)


def _begins_operation(text: str, line: int) -> bool:
    found = _BEGIN.match(text, line)
    if found is None:
        return False
    return found[2] is None or found[2] in BY_MNEMONIC


class Unclosed(Exception):
    """An entry begins where one should have ended."""


class BlockReader(OwnFormReader, ABC):
    """Reads operations into blocks. Regions nest on a list of generators, not on Python's stack."""

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.nesting = 0
        self.count = 0
        self.in_entry = False
        self.names: list[ResultName] = []
        self.names_complete = False
        self.openings: list[int] = []
        self.misplaced: int | None = None

    # Blocks

    def block(self, block: Block) -> Steps[None]:
        """Operations up to the closing brace, which is not read."""
        while not self.at("}"):
            if self.at_end:
                self.report_end()
            yield self.one(block)

    def one(self, block: Block) -> Steps[None]:
        """One operation; what is broken is reported and left out."""
        start = self.position
        draft: Draft | None = None
        self._blame_anew()
        try:
            draft = self.head()
            if self._simple(draft):
                self.finish(draft, block)
            else:
                yield self.nested(draft, block)
            if self.follows_error:
                raise Abort
        except Abort:
            self._recover(start, draft)
        self.blames_once = False

    def _blame_anew(self) -> None:
        """From here on one error is reported up to the end of the operation, or to the next region."""
        self.blamed = self.report.errors
        self.blames_once = True

    def report_end(self) -> NoReturn:
        """Something is not closed."""
        # A brace that is missing after something that could not be read is a consequence, most likely.
        if any(d.code in (SYNTAX, WORDS) for d in self.report.diagnostics[self.already :]):
            raise GiveUp
        finding = self.report.error(SYNTAX, self.here(), "expected '}', found the end of the text")
        opening = self.openings[-1] if self.misplaced is None and self.openings else self.misplaced
        if opening is not None:
            finding.label(self.range_of(opening, opening + 1), "this brace seems to lack its partner")
        raise GiveUp

    def _recover(self, start: int, draft: Draft | None) -> None:
        names = self.names if draft is None else draft.names
        self.poison(names)
        if not (names and self.names_complete):
            self.scopes.poison_line(self.text, start)
        if self.too_many_errors:
            raise GiveUp
        if draft is not None and self.follows_error:
            explain_form(self.report.diagnostics[-1], draft.cls)
        failed = self.position
        self.position = self.end = resume(self.text, start, failed, _begins_operation)
        self.skip()

    def head(self) -> Draft:
        """Names of results and the mnemonic."""
        start = self.position
        names: list[ResultName] = []
        self.names, self.names_complete = names, False
        if self.at("%"):
            self.result_names(names)
        self.names_complete = True
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
        if word.endswith(_OF_TEST_BUILDS):
            finding.hint("only test builds of NVIDIA's tools have such functions; an entry takes scalars and pointers")
        else:
            finding.suggest(place, nearest(word, BY_MNEMONIC))

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
        if draft.broken or self.follows_error:
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
        self._opening_brace()
        self.deeper(opening)
        self.openings.append(opening)
        mark = self.scopes.enter()
        try:
            block = self.begin_block(arguments)
            yield self.block(block)
            self._blame_anew()
            self._compare_braces(opening)
            self.end_block(block, implied)
        finally:
            self.openings.pop()
            self.scopes.leave(mark)
            self.nesting -= 1
        return Region(block)

    def _opening_brace(self) -> None:
        """The opening brace; if it is missing where a line ends, that is reported and no reason to misread the rest."""
        if self.accept("{"):
            return
        try:
            self.expect("{")
        except Abort:
            same_line = self.text.find("\n", self.end, self.position) < 0
            rest = _JUNK.match(self.text, self.position if same_line else self.end)
            if rest is None:
                raise
            self.position = self.end = rest.end()
            self.skip()

    def _compare_braces(self, opening: int) -> None:
        """Remember the first region that is closed by a brace that stands like that of another one."""
        if self.misplaced is None and self._indentation(opening) != self._indentation(self.position):
            self.misplaced = opening

    def _indentation(self, position: int) -> str:
        found = _INDENTATION.match(self.text, self.text.rfind("\n", 0, position) + 1)
        assert found is not None
        return found[0]

    def deeper(self, opening: int) -> None:
        """Count the nesting of regions against the limit."""
        if self.nesting >= self.limits.nesting:
            self.position = opening
            self.fail(f"regions are nested more than {self.limits.nesting} deep", LIMIT)
        self.nesting += 1

    def begin_block(self, arguments: list[Argument]) -> Block:
        """A block whose arguments are visible."""
        block = block_of(arguments)
        for written, argument in zip(arguments, block.arguments, strict=True):
            self.define(written.name, argument, written.place)
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
        """`(%a: T {..}, ..)`; locations of arguments are not kept."""
        self.expect("(")
        return self.listed(self._argument, ")")

    def _argument(self) -> Argument:
        start = self.position
        name = self.new_name()
        place = self.range_from(start)
        self.expect(":")
        type_ = self.value_type()
        attributes = self.dictionary() if self.at("{") else {}
        self.trailing_location()
        return Argument(name, type_, place, attributes)

    def arrow_types(self) -> list[Type]:
        """`-> (T, ..)` or `-> T, ..`, if it is there."""
        if not self.accept("->"):
            return []
        if not self.accept("("):
            return [type_ for type_, _ in self.type_list()]
        found = [] if self.at(")") else [type_ for type_, _ in self.type_list()]
        self.expect(")")
        return found

    @abstractmethod
    def nested(self, draft: Draft, block: Block) -> Steps[None]:
        """What stands behind the mnemonic of an operation with regions, or behind a quoted one."""
