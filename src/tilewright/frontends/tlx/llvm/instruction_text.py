"""Reads instructions, each by the function that `FORMS` names for its opcode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.attribute_text import ITEMS
from tilewright.frontends.tlx.llvm.memory_text import MemoryReader
from tilewright.frontends.tlx.llvm.tokens import words
from tilewright.frontends.tlx.llvm.types import I1, IntegerType

TERMINATORS: Final = (syntax.Branch, syntax.Switch, syntax.Return, syntax.Unreachable)
BINARY: Final = words("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem")
CASTS: Final = words(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast"
)
UNSUPPORTED: Final = words(
    "invoke callbr indirectbr resume cleanupret catchret catchswitch landingpad catchpad cleanuppad "
    "va_arg fence cmpxchg atomicrmw extractvalue insertvalue"
)


OPCODES: Final = (
    BINARY
    | CASTS
    | UNSUPPORTED
    | words(
        "fneg icmp fcmp select freeze phi br switch ret unreachable alloca load store getelementptr call tail musttail"
    )
    | words("notail extractelement insertelement shufflevector")
)
"""Words that instructions begin with."""


class InstructionReader(MemoryReader):
    """Reads one instruction at a time."""

    stops = ITEMS | OPCODES

    def instruction(self, result: str | None, start: int) -> syntax.Instruction:
        """The instruction behind `%result =`, with its metadata."""
        opcode = self.token
        if opcode in UNSUPPORTED:
            self.fail(f"{opcode} is not supported in kernels", self.codes.unsupported, self.here())
        form = FORMS.get(opcode)
        if form is None:
            self.fail("expected an instruction")
        self.index += 1
        found = form(self, opcode, result, start)
        self.trailing_metadata()
        found.end = self.end
        return found

    # Control

    def phi(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self.flags()
        type_ = self.value_type()
        incoming: list[tuple[syntax.Operand, syntax.Label]] = []
        while not incoming or (self.token == "," and self.texts[self.index + 1] == "["):
            if incoming:
                self.expect(",")
            self.expect("[")
            value = self.value(type_)
            self.expect(",")
            at = self.start
            name = self.name("%", "the name of a block")
            incoming.append((value, syntax.Label(at, self.end, name)))
            self.expect("]")
        return syntax.Phi(start, start, result, type_, incoming)

    def branch(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        if self.token == "label":
            return syntax.Branch(start, start, result, None, [self.label()])
        condition = self.operand()
        self.need(condition.type == I1, f"br takes an i1, not {condition.type}", condition)
        self.expect(",")
        then = self.label()
        self.expect(",")
        return syntax.Branch(start, start, result, condition, [then, self.label()])

    def switch(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        value = self.operand()
        self.need(isinstance(value.type, IntegerType), f"switch takes an integer, not {value.type}", value)
        self.expect(",")
        targets = [self.label()]
        cases: list[syntax.Operand] = []
        self.expect("[")
        while not self.accept("]"):
            cases.append(self.operand())
            self.expect(",")
            targets.append(self.label())
        return syntax.Switch(start, start, result, value, cases, targets)

    def ret(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        if self.token == "void":
            self.index += 1
            return syntax.Return(start, start, result, None)
        if not self.at_type():
            finding = self.error(self.codes.syntax, self.range_of(start, self.end), "ret says what it returns")
            finding.hint("a function without a result ends in `ret void`")
            return syntax.Return(start, start, result, None)
        return syntax.Return(start, start, result, self.operand())

    def unreachable(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        return syntax.Unreachable(start, start, result)


_Form = Callable[[InstructionReader, str, "str | None", int], syntax.Instruction]
FORMS: Final[Mapping[str, _Form]] = {
    **dict.fromkeys([*BINARY, "fneg"], InstructionReader.binary),
    **dict.fromkeys(["icmp", "fcmp"], InstructionReader.compare),
    **dict.fromkeys(CASTS, InstructionReader.cast),
    **dict.fromkeys(["call", "tail", "musttail", "notail"], InstructionReader.call),
    "select": InstructionReader.select,
    "freeze": InstructionReader.freeze,
    "phi": InstructionReader.phi,
    "br": InstructionReader.branch,
    "switch": InstructionReader.switch,
    "ret": InstructionReader.ret,
    "unreachable": InstructionReader.unreachable,
    "alloca": InstructionReader.alloca,
    "load": InstructionReader.load,
    "store": InstructionReader.store,
    "getelementptr": InstructionReader.address,
    "extractelement": InstructionReader.extract,
    "insertelement": InstructionReader.insert,
    "shufflevector": InstructionReader.shuffle,
}
