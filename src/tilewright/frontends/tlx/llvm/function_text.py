"""Reads functions: their heads, blocks and instructions, and goes on behind what is broken."""

from __future__ import annotations

from typing import Final

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.attribute_text import ITEMS
from tilewright.frontends.tlx.llvm.instruction_text import OPCODES, TERMINATORS, InstructionReader
from tilewright.frontends.tlx.llvm.tokens import is_natural, spelled
from tilewright.frontends.tlx.llvm.types import VOID
from tilewright.ir.mlir.cursor import Abort

_PSEUDO: Final = frozenset({"for", "while", "if", "int", "unsigned", "typedef", "return", "else", "do"})
_EFFECTS: Final = (*TERMINATORS, syntax.Store)
"""What computes nothing, besides calls."""
_BEHIND: Final = {"section", "partition", "comdat", "gc", "personality", "prefix", "prologue"}


class FunctionReader(InstructionReader):
    """Reads one function at a time; `instructions` counts those of all."""

    instructions = 0

    def head(self) -> syntax.Function:
        """What stands in front of a body, behind `define` or `declare`."""
        before = self.attributes_before_type()
        type_ = self.type("the type of the result", function=False)
        start = self.start
        name = self.name("@", "the name of a function")
        at = syntax.Node(start, self.end)
        parameters, variadic = self._parameters()
        attributes = self._behind_parameters()
        return syntax.Function(at.start, at.end, name, type_, parameters, variadic, attributes, before)

    def _parameters(self) -> tuple[list[syntax.Parameter], bool]:
        self.expect("(")
        found: list[syntax.Parameter] = []
        variadic = False
        unnamed = 0
        while not self.accept(")"):
            if found or variadic:
                self.expect(",")
            if self.accept("..."):
                variadic = True
                continue
            start = self.start
            type_ = self.value_type("the type of a parameter")
            attributes = self.attributes()
            name = self.name("%", "the name of a parameter") if self.is_name("%") else str(unnamed)
            unnamed = max(unnamed, int(name) + 1) if is_natural(name) and len(name) < 10 else unnamed
            found.append(syntax.Parameter(start, self.end, name, type_, attributes))
        self.unnamed = unnamed
        return found, variadic

    def _behind_parameters(self) -> syntax.Attributes:
        found: syntax.Attributes = {}
        while True:
            before = self.index
            found |= self.attributes()
            if self.token in _BEHIND:
                word = self.take()
                if self.token[:1] == '"' or self.token == "(":
                    self.skip_balanced()
                elif word in {"personality", "prefix", "prologue"}:
                    self.operand()
            elif self.token[:1] == "!":
                self.attached_metadata()
            if self.index == before:
                return found

    # Bodies

    def body(self, function: syntax.Function) -> None:
        """Blocks up to the closing brace."""
        opening = self.range_of(self.end - 1, self.end)
        block: syntax.Block | None = None
        while not self.accept("}"):
            if block is not None and self.texts[self.index][:1] == "%" and not self._ended(block):
                self._one(function, block)
                continue
            if not self.token or (self.token in ITEMS and self.begins_line(self.index)):
                finding = self.error(self.codes.syntax, self.here(), "expected '}' at the end of this function")
                finding.label(opening, "opened here")
                return
            if self._at_label():
                block = self._labelled(function)
                continue
            if self.token == "uselistorder" or self.token[:5] == "#dbg_" or self.token == "#":
                self._record()
                continue
            if block is None or self._ended(block):
                block = self._unlabelled(function, block)
            self._one(function, block)
        if not function.blocks:
            self.error(self.codes.syntax, opening, "a function has at least one block")

    def _at_label(self) -> bool:
        return len(self.token) > 1 and self.token[-1] == ":"

    def _ended(self, block: syntax.Block) -> bool:
        return bool(block.instructions) and isinstance(block.instructions[-1], TERMINATORS)

    def _labelled(self, function: syntax.Function) -> syntax.Block:
        start = self.start
        name = self.plain_name(self.take()[:-1], start)
        if is_natural(name) and len(name) < 10:
            self.unnamed = max(self.unnamed, int(name) + 1)
        block = syntax.Block(start, self.end - 1, name, [])
        function.blocks.append(block)
        return block

    def _unlabelled(self, function: syntax.Function, before: syntax.Block | None) -> syntax.Block:
        """The entry, or what stands behind the end of a block without a label."""
        name = str(self.unnamed)
        self.unnamed += 1
        block = syntax.Block(self.start, self.start + len(self.token), name, [])
        function.blocks.append(block)
        return block

    def _record(self) -> None:
        """Pass a debug record: `#dbg_value(..)`."""
        while self.token and self.token != "(":
            self.take()
            if self.begins_line(self.index):
                return
        self.skip_balanced()
        self.leave_out("debug records")

    def _one(self, function: syntax.Function, block: syntax.Block) -> None:
        start = self.index
        name: str | None = None
        try:
            if self.is_name("%"):
                name = self.name("%", "a name")
                self.expect("=")
            instruction = self.instruction(name, self.starts[start])
            self._count(block, instruction)
            self._give_number(instruction)
        except Abort:
            self._recover(start, function, block, name)
            return
        block.instructions.append(instruction)

    def _count(self, block: syntax.Block, instruction: syntax.Instruction) -> None:
        self.instructions += 1
        counted = ("a text", self.instructions, self.limits.instructions)
        if self.instructions <= self.limits.instructions:
            counted = ("a block", len(block.instructions) + 1, self.limits.block_instructions)
        what, found, most = counted
        if found > most:
            place = self.range_of(instruction.start, instruction.end)
            self.over(what, found, most, "instructions", place)

    def _give_number(self, instruction: syntax.Instruction) -> None:
        """Give what computes a value and has no name its number."""
        name = instruction.result
        gives = _gives(instruction)
        if name is None:
            if gives:
                instruction.result = str(self.unnamed)
                self.unnamed += 1
        elif not gives:
            place = self.range_of(instruction.start, instruction.end)
            message = f"this instruction computes nothing that could be named {spelled('%', name)}"
            self.error(self.codes.syntax, place, message)
            instruction.result = None
        elif is_natural(name) and len(name) < 10:
            self.unnamed = max(self.unnamed, int(name) + 1)

    # Behind errors

    def _recover(self, start: int, function: syntax.Function, block: syntax.Block, name: str | None) -> None:
        """Go on at the next line that begins an instruction, a block or an item, or at the closing brace."""
        self.depth = 0
        if name is not None:
            function.broken.add(name)
        block.broken = True
        index = max(self.index, start + 1)
        depth = 0
        if self.texts[start] in _PSEUDO:
            self._hint_at_code(start)
            index, depth = self._behind_code(start)
        while self.texts[index]:
            text = self.texts[index]
            if text == "{":
                depth += 1
            elif text == "}" and depth:
                depth -= 1
            elif (text == "}" and not depth) or self._begins(index):
                break
            index += 1
        self.index = index

    def _hint_at_code(self, start: int) -> None:
        found = next((d for d in reversed(self.report.diagnostics) if d.code == self.codes.syntax), None)
        if found is not None and not found.hints:
            found.hint(f"this file holds LLVM IR, not C: `{self.texts[start]}` is written with blocks and branches")

    def _behind_code(self, start: int) -> tuple[int, int]:
        """The first token behind a line of C, in which `;` begins no comment, and how many braces it opens."""
        text = self.source.text
        end = text.find("\n", self.starts[start])
        line = text[self.starts[start] : end if end >= 0 else len(text)]
        index = start + 1
        while self.texts[index] and not self.begins_line(index):
            index += 1
        return index, max(line.count("{") - line.count("}"), 0)

    def _begins(self, index: int) -> bool:
        text = self.texts[index]
        if not self.begins_line(index):
            return False
        if text in OPCODES or text in ITEMS or (len(text) > 1 and text[-1] == ":"):
            return True
        return text[:1] == "%" and len(text) > 1 and self.texts[index + 1] == "="


def _gives(instruction: syntax.Instruction) -> bool:
    """Whether an instruction computes a value."""
    if isinstance(instruction, syntax.Call):
        return instruction.type != VOID
    return not isinstance(instruction, _EFFECTS)
