"""The IR's own text: `%r = dialect.op %a, %b {attr = value} -> type (%arg: type) { ... }`, one operation a line.

Operand types are not repeated: a value's type stands where it is defined. Printing and parsing is an exact round trip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.ir.attributes import spell_dict

if TYPE_CHECKING:
    from tilewright.ir.core import Block, Operation, Region, Value
    from tilewright.ir.types import Type


class ValueNames:
    """Distinct names for values: the hint where it is free, else the hint or a number made unique."""

    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._taken: set[str] = set()
        self._counters: dict[str, int] = {}

    def name(self, value: Value) -> str:
        """The value's name with its `%`."""
        found = self._names.get(value)
        if found is None:
            found = self._names[value] = "%" + self._unique(value.name)
        return found

    def _unique(self, hint: str | None) -> str:
        if hint is not None and not hint.isdigit() and hint not in self._taken:
            self._taken.add(hint)
            return hint
        stem = "" if hint is None or hint.isdigit() else hint + "_"
        number = self._counters.get(stem, 0)
        while f"{stem}{number}" in self._taken:
            number += 1
        self._counters[stem] = number + 1
        self._taken.add(f"{stem}{number}")
        return f"{stem}{number}"


class _Printer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names = ValueNames()
        self.blocks: dict[Block, str] = {}
        self.types: dict[int, str] = {}

    def type(self, type_: Type) -> str:
        """Its text: values share types, which are spelled once."""
        found = self.types.get(id(type_))
        if found is None:
            found = self.types[id(type_)] = str(type_)
        return found

    def op(self, op: Operation, indent: str) -> None:
        # lists, not generators: every value of the program passes through here
        name = self.names.name
        text = f"{indent}{', '.join([name(r) for r in op.results])} = {op.name}" if op.results else indent + op.name
        if op.operands:
            text += " " + ", ".join([name(o) for o in op.operands])
        if op.successors:
            text += " [" + ", ".join(self.label(s) for s in op.successors) + "]"
        if op.attributes:
            text += " " + spell_dict(op.attributes)
        if op.results:
            text += " -> " + ", ".join([self.type(r.type) for r in op.results])
        self.lines.append(text)
        for region in op.regions:
            self.region(region, indent)

    def region(self, region: Region, indent: str) -> None:
        for block in region.blocks:
            self.label(block)
        head = self.arguments(region.blocks[0]) if region.blocks else ""
        self.lines[-1] += f" {head}{{"
        for index, block in enumerate(region.blocks):
            if index:
                self.lines.append(f"{indent}{self.label(block)} {self.arguments(block)}".rstrip() + ":")
            for inner in block:
                self.op(inner, indent + "  ")
        self.lines.append(indent + "}")

    def arguments(self, block: Block) -> str:
        if not block.arguments:
            return ""
        return "(" + ", ".join(f"{self.names.name(a)}: {self.type(a.type)}" for a in block.arguments) + ") "

    def label(self, block: Block) -> str:
        found = self.blocks.get(block)
        if found is None:
            found = self.blocks[block] = f"^bb{len(self.blocks)}"
        return found


def print_op(op: Operation) -> str:
    """Text of an operation and all it contains, without a final line break."""
    printer = _Printer()
    printer.op(op, "")
    return "\n".join(printer.lines)
