"""Whether names are defined once and where they are used, types agree, and blocks form a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.diagnostics import Diagnostic, Report, Source, SourceRange
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.codes import Codes
from tilewright.frontends.tlx.llvm.instruction_text import TERMINATORS
from tilewright.frontends.tlx.llvm.result_types import operands_of, result_type
from tilewright.frontends.tlx.llvm.tokens import spelled
from tilewright.frontends.tlx.llvm.type_rules import faults
from tilewright.frontends.tlx.llvm.types import METADATA, VOID, Type, agrees
from tilewright.ir.control_flow import cycles, immediate_dominators
from tilewright.ir.core import Block, Operation


class Definition(Struct, frozen=True, gc=False):
    """Where a value comes from: `block` and `position` in it, -1 for parameters, and its type."""

    type: Type
    block: int
    position: int
    node: syntax.Node


class Graph(Struct, frozen=True):
    """Which block leads to which, by numbers, and what dominates what.

    `above` is the immediate dominator of each block that is reached, but for the first; `order` has the number of each
    where dominators come first, and the highest one of those that it dominates. `cyclic` ones lead back to themselves.
    """

    successors: Sequence[Sequence[int]]
    predecessors: Sequence[Sequence[int]]
    above: Mapping[int, int]
    order: Mapping[int, tuple[int, int]]
    cyclic: frozenset[int]

    def dominates(self, one: int, other: int) -> bool:
        """Whether every path to a block that is reached goes through another (or is that one)."""
        if other not in self.order:
            return True
        if one not in self.order:
            return False
        first, last = self.order[one]
        return first <= self.order[other][0] <= last


class Structure(Struct, frozen=True):
    """What is known of a function: its values by name, its blocks by name, and their graph."""

    values: Mapping[str, Definition]
    blocks: Mapping[str, int]
    graph: Graph


class Checker:
    """Checks one function."""

    def __init__(
        self, source: Source, module: syntax.Module, function: syntax.Function, report: Report, codes: Codes
    ) -> None:
        self.source = source
        self.module = module
        self.function = function
        self.report = report
        self.codes = codes
        self.values: dict[str, Definition] = {}
        self.blocks: dict[str, int] = {}

    def error(self, code: str, node: syntax.Node, message: str) -> Diagnostic:
        """Report something about a place."""
        return self.report.error(code, SourceRange(self.source, node.start, node.end), message)

    def check(self) -> Structure:
        """All rules of the structure of a function."""
        self._names()
        graph = self._graph()
        for number, block in enumerate(self.function.blocks):
            for position, instruction in enumerate(block.instructions):
                self._instruction(instruction, number, position, graph)
        return Structure(self.values, self.blocks, graph)

    # Names

    def _names(self) -> None:
        first: dict[str, syntax.Node] = {}
        for parameter in self.function.parameters:
            if self._new(first, parameter.name, parameter):
                self.values[parameter.name] = Definition(parameter.type, -1, -1, parameter)
        for number, block in enumerate(self.function.blocks):
            if self._new(first, block.name, block):
                self.blocks[block.name] = number
            for position, instruction in enumerate(block.instructions):
                name = instruction.result
                if name is not None and self._new(first, name, instruction):
                    type_ = result_type(instruction, self.module.types)
                    self.values[name] = Definition(type_, number, position, instruction)

    def _new(self, first: dict[str, syntax.Node], name: str, node: syntax.Node) -> bool:
        before = first.setdefault(name, node)
        if before is not node:
            finding = self.error(self.codes.redefined, _head(node, name), f"{spelled('%', name)} is defined twice")
            place = _head(before, name)
            finding.label(SourceRange(self.source, place.start, place.end), "first definition here")
        return before is node

    # Blocks

    def _graph(self) -> Graph:
        blocks = self.function.blocks
        following: list[list[int]] = []
        for block in blocks:
            following.append([self.blocks[label.name] for label in self._targets(block) if self._known(label)])
        before: list[list[int]] = [[] for _ in blocks]
        for number, targets in enumerate(following):
            for target in targets:
                before[target].append(number)
        above, cyclic = _paths(following)
        return Graph(following, before, above, _intervals(above, len(following)), cyclic)

    def _targets(self, block: syntax.Block) -> list[syntax.Label]:
        last = block.instructions[-1] if block.instructions else None
        if isinstance(last, syntax.Branch | syntax.Switch):
            return last.targets
        if not isinstance(last, TERMINATORS) and not block.broken:
            at = syntax.Node(block.start, block.end)
            self.error(self.codes.syntax, at, f"block {spelled('%', block.name)} does not end in ret, br or switch")
        return []

    def _known(self, label: syntax.Label) -> bool:
        name = spelled("%", label.name)
        number = self.blocks.get(label.name)
        if number is None:
            self.error(self.codes.undefined, label, f"there is no block {name}")
        elif number == 0:
            self.error(self.codes.undefined, label, "nothing may branch to the first block of a function")
            return False
        return number is not None

    # Instructions

    def _instruction(self, instruction: syntax.Instruction, block: int, position: int, graph: Graph) -> None:
        for operand in operands_of(instruction):
            self._use(operand, instruction, block, position, graph)
        if isinstance(instruction, syntax.Call):
            return  # what it takes depends on what is called
        for operand, message in faults(instruction, self.module.types):
            self.error(self.codes.mismatch, operand or instruction, message)
        if isinstance(instruction, syntax.Phi):
            self._phi(instruction, block, position, graph)
        elif isinstance(instruction, syntax.Return):
            self._return(instruction)

    def _use(
        self, operand: syntax.Operand, user: syntax.Instruction, block: int, position: int, graph: Graph
    ) -> Definition | None:
        """Check the use of a value at a position of a block."""
        if not isinstance(operand.value, syntax.Local) or operand.type == METADATA:
            return None
        name = operand.value.name
        found = self.values.get(name)
        if found is None:
            self._unknown(operand, name, spelled("%", name))
            return None
        if found.type is not operand.type and not agrees(found.type, operand.type):
            message = f"{spelled('%', name)} is {found.type}, not {operand.type}"
            finding = self.error(self.codes.mismatch, operand, message)
            finding.label(self._place(found.node, name), "defined here")
        before = found.position < position if found.block == block else graph.dominates(found.block, block)
        if found.block >= 0 and not before and block in graph.order:
            shown = spelled("%", name)
            message = f"{shown} uses itself" if found.node is user else f"{shown} does not dominate this use"
            finding = self.error(self.codes.undefined, operand, message)
            finding.label(self._place(found.node, name), "defined here")
        return found

    def _unknown(self, operand: syntax.Operand, name: str, shown: str) -> None:
        if name in self.function.broken:
            return
        if name in self.blocks:
            self.error(self.codes.undefined, operand, f"{shown} is a block, not a value")
            return
        finding = self.error(self.codes.undefined, operand, f"{shown} is not defined")
        near = nearest(name, self.values)
        if near:
            finding.hint(did_you_mean([spelled("%", one) for one in near]))

    def _place(self, node: syntax.Node, name: str) -> SourceRange:
        head = _head(node, name)
        return SourceRange(self.source, head.start, head.end)

    def _phi(self, phi: syntax.Phi, block: int, position: int, graph: Graph) -> None:
        earlier = self.function.blocks[block].instructions[:position]
        if not all(isinstance(i, syntax.Phi) for i in earlier[-1:]):
            self.error(self.codes.mismatch, phi, "phi instructions stand at the beginning of their block")
        wanted = set(graph.predecessors[block])
        given: set[int] = set()
        for value, label in phi.incoming:
            number = self.blocks.get(label.name)
            if number is None:
                self.error(self.codes.undefined, label, f"there is no block {spelled('%', label.name)}")
            elif number not in wanted:
                if not self.function.blocks[number].broken:
                    message = f"{spelled('%', label.name)} does not lead to this block"
                    self.error(self.codes.mismatch, label, message)
            else:
                given.add(number)
                end = len(self.function.blocks[number].instructions)
                self._use(value, phi, number, end, graph)
        for number in sorted(wanted - given):
            name = spelled("%", self.function.blocks[number].name)
            self.error(self.codes.mismatch, phi, f"phi has no value for block {name}, which leads here")

    def _return(self, instruction: syntax.Return) -> None:
        wanted = self.function.result
        found = VOID if instruction.value is None else instruction.value.type
        if not agrees(wanted, found):
            shown = spelled("@", self.function.name)
            self.error(self.codes.mismatch, instruction.value or instruction, f"{shown} returns {wanted}, not {found}")


def _head(node: syntax.Node, name: str) -> syntax.Node:
    """The part of a definition that names it, as far as it may have more than one line."""
    if isinstance(node, syntax.Instruction):
        return syntax.Node(node.start, min(node.end, node.start + len(spelled("%", name))))
    return node


def _paths(successors: Sequence[Sequence[int]]) -> tuple[dict[int, int], frozenset[int]]:
    """The immediate dominator of each block that is reached, but for the first; and the blocks in cycles."""
    blocks = [Block() for _ in successors]
    numbers = {block: number for number, block in enumerate(blocks)}
    for block, targets in zip(blocks, successors, strict=True):
        block.append(Operation(successors=[blocks[t] for t in targets]))
    found = immediate_dominators(blocks)
    above = {numbers[block]: numbers[parent] for block, parent in found.items() if block is not parent}
    return above, frozenset(numbers[block] for cycle in cycles(blocks) for block in cycle) if blocks else frozenset()


def _intervals(above: Mapping[int, int], count: int) -> dict[int, tuple[int, int]]:
    """For each block that is reached, the numbers of the blocks that it dominates, which follow each other."""
    below: list[list[int]] = [[] for _ in range(count)]
    for block, parent in above.items():
        below[parent].append(block)
    found: dict[int, tuple[int, int]] = {}
    work: list[tuple[int, int | None]] = [(0, None)] if count else []
    reached = 0
    while work:
        number, first = work.pop()
        if first is None:
            work.append((number, reached))
            reached += 1
            work.extend((child, None) for child in below[number])
        else:
            found[number] = first, reached - 1
    return found


def check_structure(
    module: syntax.Module, source: Source, report: Report, codes: Codes
) -> list[tuple[syntax.Function, Structure]]:
    """What is known of each function; what breaks a rule is in `report`."""
    return [(f, Checker(source, module, f, report, codes).check()) for f in module.functions]
