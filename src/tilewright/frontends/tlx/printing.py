"""What is known while a kernel is printed: names, forms of addresses, lines, calls."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tilewright.dialects import cf
from tilewright.dialects.addresses import AddressOf
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.absorbed import Absorbed, is_alias
from tilewright.frontends.tlx.declarations import Declarations
from tilewright.frontends.tlx.naming import Names
from tilewright.frontends.tlx.pointers import pointer_values
from tilewright.frontends.tlx.spelling import constant_text, type_text
from tilewright.ir.core import Block, Operation, Value


class TensorForm(Enum):
    """How tensors are written: as vectors with tokens beside them, or as values of target types."""

    TOKENS = "text"
    TARGET_TYPES = "target-types"


class Printing:
    """Collects the lines of one function. An address is printed as a pointer where it is one, else as an integer;
    the other form is made right behind the definition, where something needs it."""

    def __init__(self, kernel: Kernel, declarations: Declarations, form: TensorForm = TensorForm.TOKENS) -> None:
        self.kernel = kernel
        self.form = form
        self.declarations = declarations
        self.names = Names()
        self.lines: list[str] = []
        self.absorbed = Absorbed(kernel)
        self.pointers = pointer_values(kernel)
        self.other_forms: dict[Value, str] = {}
        self.tokens: dict[Value, str] = {}
        self.aliases: dict[Value, str] = {}
        self._name_all()

    def _name_all(self) -> None:
        """Names first, then numbers in order: what is used in front of its definition has its name by then."""
        blocks = self.kernel.body.blocks
        defined = [value for block in blocks for value in (*block.arguments, *self._printed(block))]
        for value in defined:
            self.names.reserve(value, value.name)
        for block in blocks:
            self.names.name(block, "bb")
        for value in defined:
            self.names.name(value)
        for block in blocks:
            for op in block:
                if isinstance(op, AddressOf):
                    self.aliases[op.out] = self.names.name(op.pointer)
                elif self.is_alias(op):
                    self.aliases[op.results[0]] = self.names.name(op.operands[0])
        for value in (*self.aliases, *defined):
            if self.pointers.needs_other_form(value):
                ending = "int" if value in self.pointers else "ptr"
                self.other_forms[value] = self.names.derived(self._name(value), ending)

    def _printed(self, block: Block) -> list[Value]:
        """Results of a block's operations that are printed as instructions."""
        told = (AddressOf, cf.Undefined)
        return [
            result
            for op in block
            if op not in self.absorbed
            and constant_text(op) is None
            and not isinstance(op, told)
            and not self.is_alias(op)
            for result in op.results
        ]

    def label(self, block: Block) -> str:
        """The name of a block."""
        return self.names.name(block)

    def is_alias(self, op: Operation) -> bool:
        """Whether an operation is told by the name of its operand, which is printed as its result is."""
        return self.form is TensorForm.TOKENS and is_alias(op)

    @staticmethod
    def is_tensor(value: Value) -> bool:
        """Whether a value is a tensor, of which only forms of text know how it is written."""
        return isinstance(value.type, TensorType)

    # Values

    def value(self, value: Value) -> str:
        """A bare value without its type; an address as an integer."""
        if value in self.pointers:
            return self.other_forms[value]
        return self._name(value)

    def pointer(self, value: Value) -> str:
        """An address as a pointer."""
        if value in self.pointers:
            return self._name(value)
        if value in self.other_forms:
            return self.other_forms[value]
        return f"inttoptr (i64 {self._name(value)} to ptr)"

    def _name(self, value: Value) -> str:
        alias = self.aliases.get(value)
        if alias is not None:
            return alias
        op = value.defining_op
        constant = None if op is None else constant_text(op)
        return self.names.name(value) if constant is None else constant

    def operand(self, value: Value) -> str:
        """A bare value with its type."""
        return f"{type_text(value.type)} {self.value(value)}"

    # Lines

    def line(self, text: str) -> None:
        """An instruction."""
        self.lines.append(f"  {text}")

    def define(self, value: Value, text: str) -> None:
        """An instruction that computes a value."""
        self.line(f"{self.names.name(value)} = {text}")
        self.add_form(value)

    def add_form(self, value: Value) -> None:
        """Make the other form of an address, if something uses it so."""
        other = self.other_forms.get(value)
        if other is not None:
            name = self._name(value)
            cast = f"ptrtoint ptr {name} to i64" if value in self.pointers else f"inttoptr i64 {name} to ptr"
            self.line(f"{other} = {cast}")

    def call(self, name: str, result: str, operands: Sequence[tuple[str, str]]) -> str:
        """A call that touches no memory, of a function declared with it; operands are types and values."""
        callee = self.declarations.call(name, result, [kind for kind, _ in operands])
        return f"call {result} {callee}({', '.join(f'{kind} {value}' for kind, value in operands)})"
