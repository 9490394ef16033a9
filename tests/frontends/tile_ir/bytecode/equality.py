"""Modules compared as what they say: operations, types, attributes, regions, places; not names of values."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import fields

from tilewright.dialects.cuda_tile.attributes import Hints
from tilewright.dialects.cuda_tile.debug import DebugInfo, FileLocation, debug_of
from tilewright.ir.core import Operation, Value


def lines(module: Operation) -> list[str]:
    """One line for each operation; equal modules have equal lines."""
    return list(_Lines().operation(module, 0))


def said(info: DebugInfo | None) -> str:
    """A place as text."""
    if info is None or isinstance(info, FileLocation):
        return "?"
    found = [getattr(info, field.name) for field in fields(info)]
    parts = [said(f) if f is None or isinstance(f, DebugInfo) else repr(f) for f in found]
    return f"{type(info).__name__}({', '.join(parts)})"


class _Lines:
    def __init__(self) -> None:
        self.numbers: dict[Value, int] = {}

    def define(self, value: Value) -> str:
        self.numbers[value] = len(self.numbers)
        return f"%{self.numbers[value]}: {value.type}"

    def operation(self, op: Operation, depth: int) -> Iterator[str]:
        attributes = {
            name: getattr(op, name)
            for name in op.definition.attributes
            if not (isinstance(getattr(op, name), Hints) and not getattr(op, name).entries)
        }
        attributes.pop("version", None)
        operands = [self.numbers[o] for o in op.operands]
        segments = op.attributes.get("operand_segments")
        head = f"{'  ' * depth}{op.name} {operands} {segments} {attributes} {said(debug_of(op.location))}"
        results = [self.define(r) for r in op.results]
        yield f"{head} -> {results}"
        for region in op.regions:
            for block in region.blocks:
                yield f"{'  ' * depth}^{[self.define(a) for a in block.arguments]}"
                for inner in block:
                    yield from self.operation(inner, depth + 1)
