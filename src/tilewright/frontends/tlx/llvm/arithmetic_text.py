"""Reads instructions that compute: arithmetic, comparisons, casts, parts of vectors."""

from __future__ import annotations

from typing import Final

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.attribute_text import AttributeReader
from tilewright.frontends.tlx.llvm.tokens import words
from tilewright.frontends.tlx.llvm.types import IntegerType, Type, VectorType

INTEGER_PREDICATES: Final = words("eq ne ugt uge ult ule sgt sge slt sle")
FLOAT_PREDICATES: Final = words("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true")
_FLAGS: Final = words("nuw nsw exact disjoint nneg samesign inbounds nusw fast nnan ninf nsz arcp contract afn reassoc")


class ArithmeticReader(AttributeReader):
    """Each method reads what stands behind its opcode."""

    def flags(self) -> tuple[str, ...]:
        """Flags between an opcode and its operands."""
        if self.texts[self.index] not in _FLAGS:
            return ()
        found: list[str] = []
        while self.token in _FLAGS:
            found.append(self.take())
        return tuple(found)

    def same(self, type_: Type) -> syntax.Operand:
        """The second operand of a type that the first one said."""
        self.expect(",")
        return self.value(type_)

    def label(self) -> syntax.Label:
        """`label %name`."""
        start = self.start
        self.expect("label")
        name = self.name("%", "the name of a block")
        return syntax.Label(start, self.end, name)

    def alignment(self) -> int | None:
        """`, align 4`, if it is there."""
        if self.token != "," or self.texts[self.index + 1] != "align":
            return None
        self.index += 1
        found: syntax.Attributes = {}
        self.attribute(found)
        align = found["align"]
        return align if isinstance(align, int) else None

    def need(self, holds: bool, message: str, operand: syntax.Operand) -> None:
        """Report an operand of the wrong type, and go on."""
        if not holds:
            self.error(self.codes.mismatch, self.range_of(operand.start, operand.end), message)

    # Arithmetic

    def binary(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        flags = self.flags()
        lhs = self.operand()
        rhs = None if opcode == "fneg" else self.same(lhs.type)
        return syntax.Binary(start, start, result, opcode, flags, lhs, rhs)

    def compare(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self.flags()
        known = INTEGER_PREDICATES if opcode == "icmp" else FLOAT_PREDICATES
        if self.token not in known:
            self.fail(f"expected a predicate of {opcode}, such as {'eq' if opcode == 'icmp' else 'oeq'}")
        predicate = self.take()
        lhs = self.operand()
        return syntax.Compare(start, start, result, opcode, predicate, lhs, self.same(lhs.type))

    def cast(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self.flags()
        value = self.operand()
        self.expect("to")
        return syntax.Cast(start, start, result, opcode, value, self.value_type())

    def select(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        self.flags()
        condition = self.operand()
        self.expect(",")
        then = self.operand()
        self.expect(",")
        return syntax.Select(start, start, result, condition, then, self.operand())

    def freeze(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        return syntax.Freeze(start, start, result, self.operand())

    # Vectors

    def extract(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        vector = self._vector_operand(opcode)
        self.expect(",")
        return syntax.ExtractElement(start, start, result, vector, self._index(opcode))

    def insert(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        vector = self._vector_operand(opcode)
        self.expect(",")
        element = self.operand()
        self.expect(",")
        return syntax.InsertElement(start, start, result, vector, element, self._index(opcode))

    def shuffle(self, opcode: str, result: str | None, start: int) -> syntax.Instruction:
        first = self._vector_operand(opcode)
        self.expect(",")
        second = self._vector_operand(opcode)
        self.expect(",")
        return syntax.ShuffleVector(start, start, result, first, second, self._vector_operand(opcode))

    def _vector_operand(self, opcode: str) -> syntax.Operand:
        found = self.operand()
        if not isinstance(found.type, VectorType):
            place = self.range_of(found.start, found.end)
            self.fail(f"{opcode} takes a vector, not {found.type}", self.codes.mismatch, place)
        return found

    def _index(self, opcode: str) -> syntax.Operand:
        found = self.operand()
        self.need(isinstance(found.type, IntegerType), f"the index of {opcode} is an integer, not {found.type}", found)
        return found
