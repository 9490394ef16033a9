"""Reads instructions that access memory, and calls."""

from __future__ import annotations

from typing import Final

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.arithmetic_text import ArithmeticReader
from tilewright.frontends.tlx.llvm.tokens import is_natural
from tilewright.frontends.tlx.llvm.types import METADATA, TOKEN, FunctionType, PointerType, Type, VectorType
from tilewright.ir.mlir.cursor import Abort

_NO_ATTRIBUTE: Final = frozenset("%<@")
"""What values begin with and attributes do not."""


class MemoryReader(ArithmeticReader):
    """Each method reads what stands behind its opcode."""

    # Memory

    def alloca(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self.accept("inalloca")
        at = self.start
        type_ = self.value_type()
        count = None
        space = 0
        while self.token == "," and self.texts[self.index + 1][:1] != "!":
            if self.texts[self.index + 1] == "align":
                self.alignment()
            elif self.texts[self.index + 1] == "addrspace":
                self.index += 2
                self.expect("(")
                space = self.natural("an address space")
                self.expect(")")
            else:
                self.index += 1
                count = self.operand()
        if type_ in (METADATA, TOKEN):
            self.fail(f"memory holds no {type_}", self.codes.malformed, self.range_of(at, self.end))
        return syntax.Alloca(start, start, result, type_, count, PointerType(type_, space))

    def load(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self._refuse_atomic(opcode)
        volatile = self.accept("volatile")
        type_ = self.value_type()
        if self.token != ",":
            self._without_result_type(opcode, type_)
        self.expect(",")
        pointer = self.operand()
        self._pointer(opcode, pointer)
        return syntax.Load(start, start, result, type_, pointer, self.alignment(), volatile)

    def store(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self._refuse_atomic(opcode)
        volatile = self.accept("volatile")
        value = self.operand()
        self.expect(",")
        pointer = self.operand()
        self._pointer(opcode, pointer)
        return syntax.Store(start, start, result, value, pointer, self.alignment(), volatile)

    def _refuse_atomic(self, opcode: str) -> None:
        if self.token == "atomic":
            self.fail(f"atomic {opcode} is not supported in kernels", self.codes.unsupported, self.here())

    def _pointer(self, opcode: str, operand: syntax.Operand) -> None:
        self.need(isinstance(operand.type, PointerType), f"{opcode} takes a pointer, not {operand.type}", operand)

    def _without_result_type(self, opcode: str, type_: Type) -> None:
        """Texts for LLVM 3.6 and older say the type of the pointer only."""
        if isinstance(type_, PointerType) and self.is_name("%"):
            finding = self.error(self.codes.syntax, self.here(), f"{opcode} says the type in memory first")
            if type_.pointee is not None:
                finding.hint(f"LLVM 3.6 left it out; write `{opcode} {type_.pointee}, {type_} {self.token}`")
            raise Abort

    def address(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self.flags()
        type_ = self.value_type()
        if self.token != ",":
            self._without_result_type(opcode, type_)
        self.expect(",")
        pointer = self.operand()
        base = pointer.type.element if isinstance(pointer.type, VectorType) else pointer.type
        self.need(isinstance(base, PointerType), f"{opcode} takes a pointer, not {pointer.type}", pointer)
        indices: list[syntax.Operand] = []
        while self.token == "," and self.texts[self.index + 1][:1] != "!":
            self.index += 1
            indices.append(self.operand())
        return syntax.GetElementPointer(start, start, result, type_, pointer, indices)

    # Calls

    def call(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        if opcode != "call":
            self.expect("call")
        flags = self.flags()
        self.attributes_before_type()
        type_ = self.type("the type of what is called")
        if self.token == "asm":
            self.fail("inline assembly is not supported in kernels", self.codes.unsupported, self.here())
        if self.is_name("%"):
            self.fail("calls through pointers are not supported in kernels", self.codes.unsupported, self.here())
        at = self.start
        callee = self.name("@", "the function that is called")
        callee_at = syntax.Node(at, self.end)
        given = type_
        if isinstance(type_, PointerType) and isinstance(type_.pointee, FunctionType):
            given = type_.pointee
        if isinstance(given, FunctionType):
            given = given.result
        arguments = self.arguments()
        attributes = self.attributes()
        if self.token == "[":
            self.fail("operand bundles are not supported in kernels", self.codes.unsupported, self.here())
        return syntax.Call(start, start, result, callee, given, arguments, attributes, flags, callee_at)

    def attributes_before_type(self) -> syntax.Attributes:
        """Calling conventions, address spaces and attributes in front of the type of a function or result."""
        found: syntax.Attributes = {}
        while not self.at_type():
            before = self.index
            found |= self.attributes()
            if is_natural(self.token):
                self.take()
            if self.index == before:
                break
        return found

    def arguments(self) -> list[syntax.Argument]:
        """What a call passes, in parentheses."""
        self.expect("(")
        found: list[syntax.Argument] = []
        texts, starts = self.texts, self.starts
        while texts[self.index] != ")":
            if found:
                self.expect(",")
            index = self.index
            plain = self.plain_operand()
            if plain is not None:
                found.append(syntax.Argument(starts[index], plain.end, plain, {}))
                continue
            start = starts[index]
            type_ = self.value_type("the type of an argument")
            attributes = {} if type_ is METADATA or texts[self.index][:1] in _NO_ATTRIBUTE else self.attributes()
            operand = self.value(type_)
            found.append(syntax.Argument(start, operand.end, operand, attributes))
        self.index += 1
        return found
