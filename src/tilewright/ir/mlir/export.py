"""Generic MLIR of any module, for stock `mlir-opt --allow-unregistered-dialect`.

Every operation becomes one of the unregistered dialect `tw`, so that MLIR's own dialects do not claim its name.
"""

from __future__ import annotations

from tilewright.ir.attributes import quote, spell_mlir
from tilewright.ir.core import Block, Operation, Region, Value


class _MlirPrinter:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.values: dict[Value, str] = {}
        self.blocks: dict[Block, str] = {}

    def value(self, value: Value) -> str:
        return self.values.setdefault(value, f"%{len(self.values)}")

    def op(self, op: Operation, indent: str) -> None:
        results = ", ".join(self.value(r) for r in op.results)
        name = "builtin.module" if op.name == "builtin.module" else f"tw.{op.name}"
        text = f'{indent}{results + " = " if results else ""}"{name}"({", ".join(map(self.value, op.operands))})'
        if op.successors:
            text += " [" + ", ".join(self.label(s) for s in op.successors) + "]"
        self.lines.append(text)
        if op.regions:
            self.lines[-1] += " ("
            for index, region in enumerate(op.regions):
                self.region(region, indent, ", " if index else "")
            self.lines[-1] += ")"
        if op.attributes:
            items = (f"{quote(k)} = {spell_mlir(v)}" for k, v in op.attributes.items())
            self.lines[-1] += " {" + ", ".join(items) + "}"
        operands = ", ".join(o.type.mlir for o in op.operands)
        types = ", ".join(r.type.mlir for r in op.results)
        self.lines[-1] += f" : ({operands}) -> ({types})"

    def region(self, region: Region, indent: str, separator: str) -> None:
        self.lines[-1] += separator + "{"
        for block in region.blocks:
            arguments = ", ".join(f"{self.value(a)}: {a.type.mlir}" for a in block.arguments)
            self.lines.append(f"{indent}{self.label(block)}({arguments}):")
            for inner in block:
                self.op(inner, indent + "  ")
        self.lines.append(indent + "}")

    def label(self, block: Block) -> str:
        return self.blocks.setdefault(block, f"^bb{len(self.blocks)}")


def print_mlir(op: Operation) -> str:
    """Generic MLIR text of an operation and all it contains."""
    printer = _MlirPrinter()
    printer.op(op, "")
    return "\n".join(printer.lines) + "\n"
