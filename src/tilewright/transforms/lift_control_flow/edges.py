"""Edges of the graph that a region's blocks form, and leading several of them through one block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from tilewright.diagnostics import UNKNOWN, Location
from tilewright.dialects.builder import Builder
from tilewright.dialects.cf import Branch, BranchOperation, ConditionalBranch, Switch, Undefined
from tilewright.ir.core import Block, BlockArgument, Region, Value
from tilewright.ir.types import BOOL, CARRIED, I32, Type, element_of


class NotStructured(Exception):
    """Control flow that cannot be lifted; the message says what to a user, `location` where."""

    def __init__(self, message: str, location: Location | None) -> None:
        super().__init__(message)
        self.location = location or UNKNOWN


class EdgeOut(Struct, frozen=True):
    """The edge to successor `index` of the branch that ends a block."""

    source: Block
    index: int

    @property
    def branch(self) -> BranchOperation:
        """The branch that the edge belongs to, at this moment."""
        branch = self.source.last
        assert isinstance(branch, BranchOperation)
        return branch

    @property
    def dest(self) -> Block:
        """Where the edge leads."""
        return self.branch.edges()[self.index][0]

    @property
    def values(self) -> list[Value]:
        """The operands that it forwards to there."""
        return list(self.branch.edges()[self.index][1])

    def redirect(self, dest: Block, values: Sequence[Value]) -> None:
        """Lead the edge elsewhere."""
        branch = self.branch
        edges = branch.edges()
        edges[self.index] = dest, values
        copy = branch.redirected(edges)
        branch.erase()
        self.source.append(copy)

    def builder(self) -> Builder:
        """Inserts what the edge is to forward."""
        return Builder.before_op(self.branch)


def edges_of(blocks: Iterable[Block]) -> list[EdgeOut]:
    """All edges that leave some blocks, in order."""
    return [
        EdgeOut(block, index)
        for block in blocks
        if isinstance(block.last, BranchOperation)
        for index in range(len(block.last.successors))
    ]


def check_carried(types: Iterable[Type], what: str, location: Location) -> None:
    """Raise `NotStructured` for types that structured control flow cannot carry."""
    for type_ in types:
        if not CARRIED.accepts(type_):
            raise NotStructured(
                f"{what} would have to carry a {type_}; it carries {CARRIED.description} only", location
            )


def undefined(b: Builder, types: Iterable[Type]) -> list[Value]:
    """Values for places that nothing reads."""
    return [b(Undefined(result_types=[type_])).out for type_ in types]


def define(op: Undefined) -> None:
    """Replace an undefined value by zero."""
    element = element_of(op.out.type)
    assert element is not None, "what is carried has elements"
    number: bool | int | float | complex = False if element is BOOL else 0
    if element.is_complex:
        number = 0j
    elif element.is_float:
        number = 0.0
    op.out.replace_all_uses_with(Builder.before_op(op).constant(number, op.out.type))
    op.erase()


class Junction:
    """Leads edges through one new block, from which each path goes where its edge led before.

    The block's arguments are those of all places that the edges led to, then the selector among these if there are
    several.
    """

    def __init__(self, region: Region, edges: Sequence[EdgeOut]) -> None:
        self.targets = list(dict.fromkeys(edge.dest for edge in edges))
        self.block = region.add_block(Block())
        self._slots: dict[Block, list[BlockArgument]] = {}
        for target in self.targets:
            self._slots[target] = [self.block.add_argument(a.type, a.name, a.location) for a in target.arguments]
        self.selector: BlockArgument | None = None
        if len(self.targets) > 1:
            self.selector = self.block.add_argument(BOOL if len(self.targets) == 2 else I32)

    def forwarded(self, edge: EdgeOut) -> list[Value]:
        """What an edge forwards to the block, made in front of its branch."""
        b, dest, values = edge.builder(), edge.dest, edge.values
        found: list[Value] = []
        for target in self.targets:
            found += values if target is dest else undefined(b, (a.type for a in self._slots[target]))
        if self.selector is not None:
            found.append(self._choice(b, self.targets.index(dest)))
        return found

    def _choice(self, b: Builder, index: int) -> Value:
        return b.boolean(index == 0) if len(self.targets) == 2 else b.int32(index)

    def fork(self, b: Builder, values: Sequence[Value]) -> None:
        """Go on where the values, in the order of the block's arguments, say."""
        parts: list[list[Value]] = []
        start = 0
        for target in self.targets:
            count = len(self._slots[target])
            parts.append(list(values[start : start + count]))
            start += count
        if len(self.targets) == 1:
            b(Branch(parts[0], self.targets[0]))
        elif len(self.targets) == 2:
            b(ConditionalBranch(values[start], parts[0], parts[1], self.targets[0], self.targets[1]))
        else:
            counts = tuple(len(part) for part in parts)
            flat = [value for part in parts for value in part]
            b(Switch(values[start], flat, tuple(range(len(parts) - 1)), counts, self.targets))
