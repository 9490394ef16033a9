"""Text of the old tensor language -> the IR that its upgraded text would give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.nearest import nearest
from tilewright.dialects.builtin import Module
from tilewright.frontends.old_tensor_language import (
    instructions_collective,
    instructions_control,
    instructions_memory,
    instructions_scalar,
    instructions_views,
)
from tilewright.frontends.old_tensor_language.names import hoist_and_name
from tilewright.frontends.old_tensor_language.types import OldTypeReader
from tilewright.frontends.tensor_language.attribute_reader import DefinitionValue
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.instruction import Instruction
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tensor_language.parser import INSTRUCTIONS as NEW_INSTRUCTIONS
from tilewright.frontends.tensor_language.parser import parse_with

INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    **instructions_scalar.INSTRUCTIONS,
    **instructions_memory.INSTRUCTIONS,
    **instructions_views.INSTRUCTIONS,
    **instructions_collective.INSTRUCTIONS,
    **instructions_control.INSTRUCTIONS,
}


class OldParser(OldTypeReader):
    """Reads a whole file of the old language."""

    @classmethod
    def instructions(cls) -> Mapping[str, Instruction]:
        """What is read by mnemonic; plug-ins add to the new language only."""
        return INSTRUCTIONS

    def _unknown(self, text: str) -> None:
        if text not in NEW_INSTRUCTIONS:
            super()._unknown(text)
            return
        self.report_mixed(self.i, quoted(text))
        self.i += 1
        self.abandon()

    def _nearest_instructions(self, text: str) -> tuple[str, ...]:
        return nearest(text, INSTRUCTIONS)

    def _stray_types(self, word: str) -> None:
        self.fail("an instruction")

    def _no_value(self, index: int) -> NoReturn:
        self.i = index
        self.fail("a value such as `%x`")


def parse(
    source: Source,
    report: Report,
    definitions: Mapping[str, DefinitionValue] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Module:
    """Read a program of the old language. What could not be read is in `report` and left out of the module.

    The old language has no definitions: those given from outside are reported as unused.
    """
    module = parse_with(OldParser, source, report, definitions or {}, limits)
    hoist_and_name(module)
    return module
