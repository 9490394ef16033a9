"""IR -> text of generic MLIR. What `mlir-opt --mlir-print-op-generic` printed is printed as it was.

Values without a name are numbered as MLIR does it: all of a region, then those of the regions in it, the last first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.ir.attributes import Attribute
from tilewright.ir.control_flow import predecessors
from tilewright.ir.core import Block, BlockArgument, Operation, Region, Value
from tilewright.ir.mlir.attributes import UNKNOWN_PLACE
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.mlir.declared import generic_attributes
from tilewright.ir.mlir.operations import MlirFile, OpaqueOperation, WrittenLocation
from tilewright.ir.mlir.resource_text import spell_resources
from tilewright.ir.mlir.spelling import LocationAttribute, Nested, spell, spell_definition, spell_pieces
from tilewright.ir.mlir.trampoline import Steps, run
from tilewright.ir.mlir.types import result_pieces
from tilewright.ir.types import Type


def print_generic(file: MlirFile, locations: bool | None = None) -> str:
    """The text of a file; with locations if it has them, unless `locations` says otherwise."""
    return GenericPrinter(file, file.locations if locations is None else locations, _own_name).text()


def print_renamed(module: Operation, rename: Callable[[Operation], str]) -> str:
    """The text of a module whose operations have other names."""
    return GenericPrinter(MlirFile(module), False, rename).text()


def _own_name(op: Operation) -> str:
    return op.name


class _Names:
    """Names of values: those that they have, made distinct where both are visible, and numbers for the others.

    With `restarts` regions next to each other have the same numbers, as in custom forms.
    """

    def __init__(self, root: Operation, *, restarts: bool) -> None:
        self._of: dict[Value, str] = {}
        self._numbers = 0
        self._arguments = 0
        self._suffixes = 0
        self._number_results(root, [set()])
        work: list[tuple[Region, list[set[str]], tuple[int, int]]] = [(r, [set()], (0, 0)) for r in root.regions]
        while work:
            region, taken, before = work.pop()
            if restarts:
                self._numbers, self._arguments = before
            for index, block in enumerate(region.blocks):
                for argument in block.arguments:
                    self._argument(argument, index == 0, taken)
                for op in block:
                    self._number_results(op, taken)
            for block in region.blocks:
                for op in block:
                    numbers = self._numbers, self._arguments
                    work.extend((inner, [*taken, set()], numbers) for inner in op.regions)

    def of(self, value: Value) -> str:
        """The name where the value is used."""
        return self._of[value]

    def _argument(self, argument: BlockArgument, is_entry: bool, taken: list[set[str]]) -> None:
        if argument.name is None and is_entry:
            self._of[argument] = f"%arg{self._arguments}"
            self._arguments += 1
        else:
            self._of[argument] = self._fresh(argument.name, taken)

    def _number_results(self, op: Operation, taken: list[set[str]]) -> None:
        for name, values in result_groups(op):
            text = self._fresh(name, taken)
            for index, value in enumerate(values):
                self._of[value] = text if len(values) == 1 else f"{text}#{index}"

    def _fresh(self, name: str | None, taken: list[set[str]]) -> str:
        if name is None:
            self._numbers += 1
            return f"%{self._numbers - 1}"
        text = name
        while any(text in names for names in taken):
            text = f"{name}_{self._suffixes}"
            self._suffixes += 1
        taken[-1].add(text)
        return "%" + text


def result_groups(op: Operation) -> list[tuple[str | None, list[Value]]]:
    """The results of an operation by the names that they share; those without any share one."""
    groups: list[tuple[str | None, list[Value]]] = []
    for result in op.results:
        if groups and groups[-1][0] == result.name:
            groups[-1][1].append(result)
        else:
            groups.append((result.name, [result]))
    return groups


class GenericPrinter:
    """Writes lines. Regions nest on a list of generators, not on Python's stack."""

    restarts = False

    def __init__(self, file: MlirFile, locations: bool, rename: Callable[[Operation], str]) -> None:
        self.file = file
        self.locations = locations
        self.rename = rename
        self.names = _Names(file.module, restarts=self.restarts)
        self.aliases: dict[int, str] = {}
        self.types: dict[int, str] = {}
        self.labels: dict[Block, str] = {}
        self.lines: list[str] = []

    def text(self) -> str:
        """The whole text."""
        before: list[str] = []
        behind: list[str] = []
        for alias in self.file.aliases:
            value = alias.value
            hidden = self.file.locations and not self.locations and isinstance(value, LocationAttribute)
            if hidden or id(value) in self.aliases or not alias.stands_for_itself:
                continue
            (behind if alias.behind else before).append(f"{alias.name} = {spell_definition(value, self.aliases)}")
            self.aliases[id(value)] = alias.name
        run(self.operation(self.file.module, ""))
        return "\n".join([*before, *self.lines, *behind, *spell_resources(self.file.resources), ""])

    def operation(self, op: Operation, indent: str) -> Steps[None]:
        """An operation with its regions."""
        properties, attributes = _attributes(op)
        head = f"{self.results(op)}{escape(self.rename(op))}({', '.join(map(self.names.of, op.operands))})"
        if op.successors:
            head += "[" + ", ".join(self.labels[s] for s in op.successors) + "]"
        if properties is not None:
            head += f" <{spell(properties, self.aliases)}>"
        self.lines.append(indent + head)
        for index, region in enumerate(op.regions):
            self.lines[-1] += ", {" if index else " ({"
            yield self.region(region, indent)
        tail = ")" if op.regions else ""
        if attributes:
            tail += " " + spell(attributes, self.aliases)
        operands = ", ".join(self.type(o.type) for o in op.operands)
        results = [r.type for r in op.results]
        arrow = self.type(results[0]) if len(results) == 1 else spell_pieces(result_pieces(results), self.aliases)
        if len(results) == 1 and arrow.startswith("("):
            arrow = f"({arrow})"
        self.lines[-1] += f"{tail} : ({operands}) -> {arrow}{self.location(op)}"

    def results(self, op: Operation) -> str:
        """`%a, %b:2 = `."""
        names: list[str] = []
        for _, values in result_groups(op):
            name = self.names.of(values[0])
            names.append(name if len(values) == 1 else f"{name.removesuffix('#0')}:{len(values)}")
        return ", ".join(names) + " = " if names else ""

    def type(self, type_: Type) -> str:
        """The text of a type."""
        found = self.types.get(id(type_))
        if found is None:
            found = self.types[id(type_)] = spell(type_, self.aliases)
        return found

    def location(self, thing: Operation | BlockArgument) -> str:
        """` loc(..)`, if locations are printed."""
        if not self.locations:
            return ""
        location = thing.location
        written = location.written if isinstance(location, WrittenLocation) else UNKNOWN_PLACE
        return f" loc({spell(Nested(written), self.aliases)})"

    # Regions

    def region(self, region: Region, indent: str, *, named: bool = True, ends: bool = True) -> Steps[None]:
        """Blocks, and `}`; the label of the entry only if its arguments are `named`, a terminator only if it `ends`."""
        for number, block in enumerate(region.blocks):
            self.labels[block] = f"^bb{number}"
        before = predecessors(region.blocks) if len(region.blocks) > 1 else {}
        for number, block in enumerate(region.blocks):
            if number or (named and (block.arguments or block.first is None)):
                self.lines.append(f"{indent}{self.label(block)}{self._comment(number, before.get(block, ()))}")
            for op in block:
                if ends or op is not block.last:
                    yield self.operation(op, indent + "  ")
        self.lines.append(indent + "}")

    def label(self, block: Block) -> str:
        """`^bb1(%a: T):`."""
        arguments = [f"{self.names.of(a)}: {self.type(a.type)}{self.location(a)}" for a in block.arguments]
        return self.labels[block] + (f"({', '.join(arguments)}):" if arguments else ":")

    def _comment(self, number: int, before: Sequence[Block]) -> str:
        """Where a block is entered from, for people who read the text."""
        if not before:
            return "  // no predecessors" if number else ""
        names = sorted((self.labels[b] for b in before), key=lambda label: int(label[3:]))
        if len(names) == 1:
            return f"  // pred: {names[0]}"
        return f"  // {len(names)} preds: {', '.join(names)}"


def _attributes(op: Operation) -> tuple[Attribute, dict[str, Attribute]]:
    """Properties, None if there are none, and other attributes."""
    if isinstance(op, OpaqueOperation):
        return op.properties, op.attributes
    properties, attributes = generic_attributes(op)
    return properties or None, attributes
