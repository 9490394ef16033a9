"""Text of Tile IR -> IR of the `cuda_tile` dialect.

A file holds one module, also wrapped in another one, or bare entries and globals, and aliases anywhere between them.
Broken operations are reported and left out. Places of operations (`op.place(..)`): `("operand", i)`, `("result", i)`,
"mnemonic", "type", names of attributes.
"""

from __future__ import annotations

from typing import Final

from tilewright.diagnostics import Location, Report, Source, SourceRange
from tilewright.dialects.cuda_tile import BY_MNEMONIC, control
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir.block_text import Unclosed
from tilewright.frontends.tile_ir.codes import LIMIT
from tilewright.frontends.tile_ir.draft import Draft
from tilewright.frontends.tile_ir.generic_text import GenericReader
from tilewright.frontends.tile_ir.versions import VERSION, newer_contents, version_of_text
from tilewright.ir.core import Block, Region
from tilewright.ir.mlir.cursor import WORD, Abort, GiveUp
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.trampoline import Steps, run

_NAME: Final = "kernels"
_ITEMS: Final = ("entry", "global", "module")
_WRAPPERS: Final = ("builtin.module", "module")
_GENERIC_WRAPPER: Final = '"builtin.module"'


class Parser(GenericReader):
    """Reads a whole file."""

    def file(self) -> TileModule | None:
        """The module of the file, or None if nothing of it could be read."""
        try:
            found: TileModule | None = run(self._file())
        except (GiveUp, Abort, Unclosed):
            return None
        return found

    def _file(self) -> Steps[TileModule | None]:
        self._pass_aliases()
        wrappers: list[bool] = []
        while self._at_wrapper():
            wrappers.append(self._enter_wrapper())
            self._pass_aliases()
        module: TileModule | None
        if self._at_module():
            module = yield self._whole_module()
        else:
            module = yield self._bare()
        self._pass_aliases()
        for generic in reversed(wrappers):
            self._leave_wrapper(generic)
            self._pass_aliases()
        if not self.at_end:
            self.fail("expected the end of the text; a file holds one module")
        return module

    def _pass_aliases(self) -> None:
        while self.at_alias():
            start = self.position
            try:
                self.alias_definition()
            except Abort:
                end = self.text.find("\n", start)
                self.position = len(self.text) if end < 0 else end
                self.skip()

    # Modules

    def _at_module(self) -> bool:
        return self.peek_word() in ("module", "cuda_tile.module") or self.at('"cuda_tile.module"')

    def _at_wrapper(self) -> bool:
        """Whether a module is ahead that holds a module, as MLIR tools print it."""
        if self.at(_GENERIC_WRAPPER):
            return True
        word = self.peek_word()
        if word not in _WRAPPERS:
            return False
        back = self.position, self.end
        self.take(WORD)
        if word == "module" and self.at("@"):
            self.symbol()
        if self.at("attributes"):
            try:
                self.take(WORD)
                self.dictionary()
            except Abort:
                self.position, self.end = back
                return False
        inside = self.accept("{") and (self._at_module() or self.peek_word() in _WRAPPERS or self.at(_GENERIC_WRAPPER))
        self.position, self.end = back
        return inside or word == "builtin.module"

    def _enter_wrapper(self) -> bool:
        """What stands in front of the module; whether it is the generic form."""
        if self.accept(_GENERIC_WRAPPER):
            self.expect("(")
            self.expect(")")
            if self.accept("<"):
                self.dictionary()
                self.expect(">")
            self.expect("(")
            self.expect("{")
            self.accept("^bb0:")
            return True
        self.take(WORD)
        if self.at("@"):
            self.symbol()
        if self.accept_word("attributes"):
            self.dictionary()
        self.expect("{")
        return False

    def _leave_wrapper(self, generic: bool) -> None:
        self.expect("}")
        if generic:
            self.expect(")")
            if self.at("{"):
                self.dictionary()
            for part in (":", "(", ")", "->", "(", ")"):
                self.expect(part)
        self.trailing_location()

    def _whole_module(self) -> Steps[TileModule | None]:
        start = self.position
        if self.at('"'):
            holder = Block()
            draft = self.head()
            yield self.generic(draft, holder)
            op = holder.first
            if op is None:
                return None
            assert isinstance(op, TileModule)
            op.detach()
            return op
        self.take(WORD)
        draft = Draft(TileModule, start, [])
        draft.places["mnemonic"] = self.range_from(start)
        self.symbol_of(draft)
        if self.at("attributes"):
            self.dictionary_of(draft)
        header = self.end
        self.expect("{")
        block = Block()
        self.openings.append(self.end - 1)
        yield self._items(block)
        if self.at_end:
            self.report_end()
        self.expect("}")
        draft.regions.append(Region(block))
        module = self._build(draft, header)
        return module

    def _build(self, draft: Draft, header: int) -> TileModule | None:
        said = draft.attributes.pop(VERSION, None)
        version = next((v for v in Version if str(v) == said), None)
        if version is not None:
            draft.attributes["version"] = version.value
        elif said is not None:
            self.report.error(LIMIT, draft.places[VERSION], f"there is no version {said!r}")
        holder = Block()
        module = self.finish(draft, holder, header)
        if module is None:
            return None
        assert isinstance(module, TileModule)
        module.detach()
        if version is not None:
            self._compare_version(module, version, draft.places[VERSION])
        return module

    def _compare_version(self, module: TileModule, version: Version, place: Location) -> None:
        """The version that a text says it is of must have all that occurs there."""
        newest = max(newer_contents(module, version), key=lambda found: found.version, default=None)
        if newest is not None:
            message = f"{newest.what} needs version {newest.version}; the module says that it is of {version}"
            self.report.error(LIMIT, place, message).label(newest.location, "needed here")

    def _bare(self) -> Steps[TileModule | None]:
        """Entries and globals without a module."""
        block = Block()
        yield self._items(block)
        if block.first is None and self.report.errors == self.already:
            self.fail("expected a module, an entry or a global")
        module = TileModule(_NAME, Region(block), location=SourceRange(self.source, 0, self.end))
        return module

    def _items(self, block: Block) -> Steps[None]:
        """Items up to the closing brace or the end of the text."""
        while not self.at("}") and not self.at_end:
            if self.at_alias():
                self._pass_aliases()
                continue
            self.in_entry = False
            self._refuse_operation()
            try:
                yield self.one(block)
            except Unclosed:
                self.nesting = 0
                self.scopes.clear()

    def _refuse_operation(self) -> None:
        """Operations outside of entries have a brace too many in front of them, most likely."""
        word = self.peek_word().removeprefix("cuda_tile.")
        if self.at("%") or (word in BY_MNEMONIC and word not in _ITEMS):
            finding = self.report.error("C21", self.here(), "expected an entry or a global, found an operation")
            finding.hint("operations stand in an entry; is there one '}' too many above?")
            raise GiveUp

    # Entries

    def nested(self, draft: Draft, block: Block) -> Steps[None]:
        if draft.generic:
            yield self.generic(draft, block)
        elif draft.cls.spec.assembly == "!entry":
            yield self._entry(draft, block)
        elif draft.cls is TileModule:
            self.fail("a module stands in a file, and alone", "C21", self.range_from(draft.start))
        else:
            yield super().nested(draft, block)

    def _entry(self, draft: Draft, block: Block) -> Steps[None]:
        self.symbol_of(draft)
        arguments = self.argument_list()
        if self.at("optimization_hints") and self.accept_word("optimization_hints"):
            self.expect("=")
            start = self.position
            draft.attributes["optimization_hints"] = self.hints()
            draft.places["optimization_hints"] = self.range_from(start)
        if any(argument.attributes for argument in arguments):
            draft.attributes["arg_attrs"] = tuple(argument.attributes for argument in arguments)
        header = self.end
        outer = self.scopes.isolate()
        self.in_entry = True
        try:
            draft.regions.append((yield self.region(arguments, control.Return)))
        finally:
            self.in_entry = False
            self.scopes.restore(outer)
        self.dictionary_of(draft)
        self.finish(draft, block, header)


def parse(source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> TileModule | None:
    """Read a program. What could not be read is in `report` and left out; None if there is nothing else."""
    if len(source.text) > limits.source_bytes:
        report.error(LIMIT, SourceRange(source, 0, 0), f"a text has at most {limits.source_bytes:,} characters")
        return None
    module = Parser(source, report, limits).file()
    if module is not None and "version" not in module.attributes:
        module.attributes["version"] = version_of_text(module).value
    return module
