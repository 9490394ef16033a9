"""Variables in memory become values: allocations that are only read and written as wholes, as compilers of C make them.

before:  %x = alloca i32          after:  a phi where paths with different values meet,
         store i32 1, ptr %x              the value itself where there is one
         %v = load i32, ptr %x

Cytron and others: Efficiently Computing Static Single Assignment Form (1991). What is read and never written is undef.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.result_types import operands_of
from tilewright.frontends.tlx.llvm.structure import Graph, Structure
from tilewright.frontends.tlx.llvm.types import FloatType, IntegerType, PointerType, Type, VectorType, agrees

_LIFETIMES = ("llvm.lifetime.start", "llvm.lifetime.end")
_UNDEFINED = syntax.Word("undef")


class TooManyMerges(Exception):
    """Paths with different values meet at more places than may be."""


def promote(function: syntax.Function, structure: Structure, most: int) -> bool:
    """Promote what can be; whether anything was. Raises `TooManyMerges` if that takes more than `most` phis."""
    found = _promotable(function)
    if found:
        _Promotion(function, structure.graph, found).run(most)
    return bool(found)


def _promotable(function: syntax.Function) -> dict[str, syntax.Alloca]:
    found = {
        i.result: i
        for block in function.blocks
        for i in block.instructions
        if isinstance(i, syntax.Alloca) and i.result is not None and i.count is None and _is_whole(i.type)
    }
    for block in function.blocks:
        for instruction in block.instructions:
            for operand in operands_of(instruction):
                name = _name(operand)
                if name in found and not _accesses(instruction, operand, found[name].type):
                    del found[name]
            if isinstance(instruction, syntax.Phi):
                for operand, _ in instruction.incoming:
                    found.pop(_name(operand) or "", None)
    return found


def _is_whole(type_: Type) -> bool:
    return isinstance(type_, IntegerType | FloatType | PointerType | VectorType)


def _name(operand: syntax.Operand) -> str | None:
    return operand.value.name if isinstance(operand.value, syntax.Local) else None


def _accesses(instruction: syntax.Instruction, operand: syntax.Operand, type_: Type) -> bool:
    """Whether an instruction that has a variable for an operand reads or writes it as a whole."""
    match instruction:
        case syntax.Load(type=found, volatile=volatile):
            return not volatile and agrees(found, type_)
        case syntax.Store(value=value, pointer=pointer, volatile=volatile):
            return operand is pointer and not volatile and agrees(value.type, type_)
        case syntax.Call(callee=callee):
            return callee.startswith(_LIFETIMES)
        case _:
            return False


class _Promotion:
    def __init__(self, function: syntax.Function, graph: Graph, variables: dict[str, syntax.Alloca]) -> None:
        self.blocks = function.blocks
        self.graph = graph
        self.variables = variables
        self.current: dict[str, syntax.Literal] = {}
        self.replaced: dict[str, syntax.Literal] = {}
        self.phis: dict[int, list[tuple[str, syntax.Phi]]] = defaultdict(list)

    def run(self, most: int) -> None:
        """Place phis, then go over the blocks in the order of dominance."""
        self._place_phis(most)
        order = sorted(self.graph.order, key=lambda number: self.graph.order[number][0])
        # What a block changes is undone before the next one that it does not dominate.
        undo: list[tuple[int, list[tuple[str, syntax.Literal | None]]]] = []
        for number in order:
            first = self.graph.order[number][0]
            while undo and undo[-1][0] < first:
                for name, before in reversed(undo.pop()[1]):
                    if before is None:
                        del self.current[name]
                    else:
                        self.current[name] = before
            changes: list[tuple[str, syntax.Literal | None]] = []
            undo.append((self.graph.order[number][1], changes))
            self._block(number, changes)
        for number, block in enumerate(self.blocks):
            kept = [i for i in block.instructions if not self._is_access(i)]
            block.instructions = [*(phi for _, phi in self.phis[number]), *kept]
            for instruction in kept if number in self.graph.order else ():
                if isinstance(instruction, syntax.Phi):
                    for operand, _ in instruction.incoming:
                        self._substitute(operand)

    def _place_phis(self, most: int) -> None:
        frontiers = _frontiers(self.graph)
        read = {_name(i.pointer) for block in self.blocks for i in block.instructions if isinstance(i, syntax.Load)}
        written: dict[str, list[int]] = {name: [] for name in self.variables if name in read}
        for number in self.graph.order:
            for instruction in self.blocks[number].instructions:
                if isinstance(instruction, syntax.Store) and _name(instruction.pointer) in written:
                    written[_name(instruction.pointer) or ""].append(number)
        for name, work in written.items():
            seen: set[int] = set()
            while work:
                for number in frontiers[work.pop()]:
                    if number not in seen:
                        most -= 1
                        if most < 0:
                            raise TooManyMerges
                        seen.add(number)
                        work.append(number)
                        self.phis[number].append((name, self._phi(name, number)))

    def _phi(self, name: str, number: int) -> syntax.Phi:
        variable = self.variables[name]
        return syntax.Phi(variable.start, variable.end, f"{name}.phi.{self.blocks[number].name}", variable.type, [])

    def _block(self, number: int, changes: list[tuple[str, syntax.Literal | None]]) -> None:
        for name, phi in self.phis[number]:
            self._write(name, syntax.Local(phi.result or ""), changes)
        for instruction in self.blocks[number].instructions:
            for operand in operands_of(instruction):
                self._substitute(operand)
            if isinstance(instruction, syntax.Load) and _name(instruction.pointer) in self.variables:
                self.replaced[instruction.result or ""] = self.current.get(_name(instruction.pointer) or "", _UNDEFINED)
            elif isinstance(instruction, syntax.Store) and _name(instruction.pointer) in self.variables:
                self._write(_name(instruction.pointer) or "", instruction.value.value, changes)
        block = self.blocks[number]
        for target in dict.fromkeys(self.graph.successors[number]):
            for name, phi in self.phis[target]:
                value = self.current.get(name, _UNDEFINED)
                operand = syntax.Operand(phi.start, phi.end, phi.type, value)
                phi.incoming.append((operand, syntax.Label(block.start, block.end, block.name)))

    def _write(self, name: str, value: syntax.Literal, changes: list[tuple[str, syntax.Literal | None]]) -> None:
        changes.append((name, self.current.get(name)))
        self.current[name] = value

    def _substitute(self, operand: syntax.Operand) -> None:
        name = _name(operand)
        if name is not None and name in self.replaced:
            operand.value = self.replaced[name]

    def _is_access(self, instruction: syntax.Instruction) -> bool:
        match instruction:
            case syntax.Alloca(result=name):
                return name in self.variables
            case syntax.Load(pointer=pointer) | syntax.Store(pointer=pointer):
                return _name(pointer) in self.variables
            case syntax.Call(callee=callee):
                return callee.startswith(_LIFETIMES)
            case _:
                return False


def _frontiers(graph: Graph) -> Sequence[set[int]]:
    """For each block, those that it leads to but does not strictly dominate."""
    found: list[set[int]] = [set() for _ in graph.successors]
    for number in graph.order:
        before = [p for p in graph.predecessors[number] if p in graph.order]
        if len(before) < 2:
            continue
        for runner in before:
            while runner != graph.above.get(number):
                found[runner].add(number)
                above = graph.above.get(runner)
                if above is None:
                    break
                runner = above
    return found
