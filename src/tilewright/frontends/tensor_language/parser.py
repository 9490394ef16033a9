"""Text of the tensor language -> IR of the shared dialects and `tl`.

Regions are kept on a stack of frames, never on Python's. After an error the parser goes on at the next instruction or
`}`; what a broken instruction would have defined is remembered, so that its uses are not reported. An operation that
uses something broken is left out, everything else is built even if its types are wrong, for the verifier to say why.

Places of operations (`op.place(..)`): `("operand", i)`, `("result", i)`, "mnemonic", "type" (also `("type", i)` in a
list), names of attributes, "value" of a constant; `("offset", k)` and `("size", k)` of views, `("tile", k)`; of a
kernel: "sym_name", its attributes, and `"k.name"` for attribute `name` of parameter k.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.nearest import nearest
from tilewright.dialects.builtin import Module
from tilewright.frontends.tensor_language import (
    instructions_collective,
    instructions_control,
    instructions_legacy,
    instructions_matrix,
    instructions_memory,
    instructions_scalar,
)
from tilewright.frontends.tensor_language.attribute_reader import DefinitionValue
from tilewright.frontends.tensor_language.cursor import GiveUp, SyntaxFailure, quoted
from tilewright.frontends.tensor_language.function import FunctionReader
from tilewright.frontends.tensor_language.instruction import Instruction, Results
from tilewright.frontends.tensor_language.lexer import END, Tokens, is_word, tokenize
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tensor_language.recovery import resume
from tilewright.frontends.tensor_language.repair import close_by_indentation, lacks_braces
from tilewright.ir.core import Block, Region
from tilewright.plugins import extended

_CURRENT: Final[Mapping[str, Instruction]] = {
    **instructions_scalar.INSTRUCTIONS,
    **instructions_memory.INSTRUCTIONS,
    **instructions_collective.INSTRUCTIONS,
    **instructions_matrix.INSTRUCTIONS,
    **instructions_control.INSTRUCTIONS,
}
INSTRUCTIONS: Final[Mapping[str, Instruction]] = {**_CURRENT, **instructions_legacy.INSTRUCTIONS}
_REPAIRABLE: Final = 100_000


@cache
def instructions() -> Mapping[str, Instruction]:
    """The instructions of the language with those that plug-ins add."""
    return extended("an instruction", INSTRUCTIONS, lambda plugin: instructions_collective.collectives(plugin.dialects))


class Parser(FunctionReader):
    """Reads a whole file."""

    @classmethod
    def instructions(cls) -> Mapping[str, Instruction]:
        """What is read by mnemonic."""
        return instructions()

    def module(self) -> Module:
        """All functions of the file that could be read."""
        module = Module(Region(Block()))
        self.module_block = module.body.entry
        try:
            while self.texts[self.i] is not END:
                try:
                    self._top_level()
                except SyntaxFailure:
                    self._next_function()
        except GiveUp:
            self.leave_function()
        module.location = self.range(0, max(0, len(self.texts) - 2))
        return module

    def _top_level(self) -> None:
        self.first = self.i
        if self.texts[self.i] == "func":
            self.function()
            self._body()
        elif self.at_define():
            self.define()
        else:
            self._no_function()

    def _no_function(self) -> None:
        text = self.texts[self.i]
        finding = None
        if text == "}":
            finding = self.error("V1", self.range(self.i), "this `}` closes nothing")
        elif text[0] == "%" or text in self.instructions():
            finding = self.error("V1", self.range(self.i), "an instruction outside of a function")
        elif is_word(text) and nearest(text, ("func",)):
            finding = self.error("V2", self.range(self.i), f"expected `func`, found {quoted(text)}")
        elif text[0] == "$":
            self.refuse_undefined()
        if finding is None:
            self.fail("`func` or a definition")
        if self.last_brace is not None:
            finding.label(self.last_brace, "the function before it ends here")
        self.abandon()

    def _next_function(self) -> None:
        """Go to the next function or definition at file level."""
        self.leave_function()
        texts = self.texts
        i = self.i + 1 if texts[self.i] is not END else self.i
        while texts[i] is not END and not (texts[i] == "func" and texts[i + 1][0] == "@"):
            i += 1
        self.i = i

    def _body(self) -> None:
        """Read instructions until the function ends."""
        while self.frames:
            try:
                self._instructions()
            except SyntaxFailure:
                resume(self, self.instructions())

    def _instructions(self) -> None:
        texts = self.texts
        while self.frames:
            i = self.i
            text = texts[i]
            if text == "}":
                self.first = i
                self.results = []
                self.close_region()
                continue
            self.first = i
            self.results = []
            if text[0] == "%":
                self._result_names()
                text = texts[self.i]
            elif text[0] == "$":
                if not self.at_define():
                    self.refuse_undefined()
                self.define()
                continue
            instruction = self.instructions().get(text)
            if instruction is None:
                self._unknown(text)
                continue
            self.mnemonic = self.i
            self.i += 1
            self.places = {}
            self.operand_count = 0
            self.poisoned = False
            kind = instruction.results
            if kind is Results.ONE:
                if len(self.results) != 1:
                    self._wrong_results(text, one=True)
            elif kind is Results.NONE and self.results:
                self._wrong_results(text, one=False)
            instruction.handler(self, text)
            if kind is Results.NONE and texts[self.i] == ":":
                self._stray_types(text)

    def _result_names(self) -> None:
        """`%a, %b =` in front of an instruction."""
        texts = self.texts
        self.results.append(self.new_name())
        while texts[self.i] == ",":
            self.i += 1
            self.results.append(self.new_name())
        if texts[self.i] != "=":
            self.fail("`=`")
        self.i += 1
        if len(self.results) > self.limits.operands:
            self.check_count(len(self.results), self.first)

    def _wrong_results(self, word: str, one: bool) -> None:
        """Report a wrong number of result names; reading goes on."""
        if self.results:
            where = self.range(self.results[0], self.results[-1])
            expected = "exactly one" if one else "no"
            given = "1 is named" if len(self.results) == 1 else f"{len(self.results)} are named"
            finding = self.error("V7", where, f"`{word}` has {expected} result, but {given}")
        else:
            finding = self.error("V7", self.range(self.mnemonic), f"the result of `{word}` has no name")
            finding.hint(f"write `%name = {word} ..`")
        if not one:
            for token in self.results:
                self.poison(token)
            self.results = []

    def _unknown(self, text: str) -> None:
        """Report what stands where a mnemonic should."""
        if text is END or (text == "func" and self.texts[self.i + 1][0] == "@"):
            self.missing_brace()
            return
        if not is_word(text):
            if self.at_number():
                self.fail("an instruction")
            self.fail("an instruction or `}`" if not self.results else "an instruction")
        finding = self.error("V2", self.range(self.i), f"{quoted(text)} is not an instruction")
        finding.suggest(self.range(self.i), self._nearest_instructions(text), "`")
        self.i += 1
        self.abandon()

    def _nearest_instructions(self, text: str) -> tuple[str, ...]:
        return nearest(text, _CURRENT)

    def _stray_types(self, word: str) -> None:
        """Report and skip operand types, which only the old language writes."""
        first = self.i
        self.results = []
        self.first = first
        self.i += 1
        self.read_type()
        while self.accept(","):
            self.read_type()
        finding = self.error("V2", self.since(first), f"operand types behind `{word}` belong to the old language")
        finding.hint("the new one writes result types only").fix(self.since(first), "", "remove them")


def parse(
    source: Source,
    report: Report,
    definitions: Mapping[str, DefinitionValue] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Module:
    """Read a program. What could not be read is in `report` and left out of the module.

    `definitions` gives values to `$name`s from outside; a string is read like the right side of a definition.
    """
    return parse_with(Parser, source, report, definitions or {}, limits)


def parse_with(
    reader: type[Parser],
    source: Source,
    report: Report,
    definitions: Mapping[str, DefinitionValue],
    limits: Limits = DEFAULT_LIMITS,
) -> Module:
    """As `parse`, with a reader that may know other instructions."""
    tokens = tokenize(source, report, limits)
    if tokens is None:
        return Module(Region(Block()))
    findings = Report(report.limit)
    module, unclosed = _parse(reader, tokens, findings, definitions, limits)
    if findings.has_errors and lacks_braces(tokens) and len(tokens.texts) < _REPAIRABLE:
        # Forgotten braces derail all that follows; the reading that leaves fewer errors is the likelier one.
        guessed = Report(report.limit)
        repaired = close_by_indentation(tokens, guessed, reader.instructions())
        again, _ = _parse(reader, repaired, guessed, definitions, limits)
        if guessed.errors < findings.errors + unclosed:
            module, findings = again, guessed
    report.take(findings)
    return module


def _parse(
    reader: type[Parser], tokens: Tokens, report: Report, definitions: Mapping[str, DefinitionValue], limits: Limits
) -> tuple[Module, bool]:
    """The module, and whether a `}` was found missing."""
    parser = reader(tokens, report, limits)
    parser.define_outside(definitions)
    module = parser.module()
    if not report.has_errors:
        # What could not be read may use them.
        parser.report_unused(definitions)
    return module, parser.unclosed
