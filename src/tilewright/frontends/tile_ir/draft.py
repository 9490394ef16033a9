"""An operation while it is being read: its parts arrive in the order of the text, not of the declaration."""

from __future__ import annotations

from msgspec import Struct, field

from tilewright.diagnostics import Location, SourceRange
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.ir.core import Attribute, Block, Operation, Place, Region, Value
from tilewright.ir.mlir.name_text import ResultName
from tilewright.ir.types import Type


class Draft(Struct):
    """What is known of an operation. `broken`: something in it was reported, so it is not built.

    `generic`: its name was quoted.
    """

    cls: type[TileOperation]
    start: int
    names: list[ResultName]
    operands: dict[str, list[Value]] = field(default_factory=dict[str, list[Value]])
    operand_places: dict[str, list[SourceRange]] = field(default_factory=dict[str, list[SourceRange]])
    types: dict[str, Type] = field(default_factory=dict[str, Type])
    results: list[Type] | None = None
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    places: dict[Place, Location] = field(default_factory=dict[Place, Location])
    regions: list[Region] = field(default_factory=list[Region])
    broken: bool = False
    generic: bool = False

    @property
    def named(self) -> int:
        """How many results have names."""
        return sum(name.count for name in self.names)

    def take_operand(self, group: str, value: Value | None, place: SourceRange) -> None:
        """Add an operand; None is one that is broken: its group is there all the same, and so is its type."""
        if value is None:
            self.broken = True
            self.operands.setdefault(group, [])
            return
        self.operands.setdefault(group, []).append(value)
        self.operand_places.setdefault(group, []).append(place)

    def build(self, location: Location) -> Operation:
        """The operation. Its results are those of `results`, else the types that were read or are inferred."""
        definition = self.cls.definition
        operands: list[Value] = []
        lengths: list[int] = []
        for key in definition.operands:
            group = self.operands.get(key, ())
            for place in self.operand_places.get(key, ()):
                self.places[("operand", len(operands))] = place
                operands.append(group[len(operands) - sum(lengths)])
            lengths.append(len(group))
        if definition.segmented:
            self.attributes["operand_segments"] = tuple(lengths)
        op = object.__new__(self.cls)
        Operation.__init__(op, operands, self.results or (), self.attributes, self.regions, (), location)
        op.places = self.places
        if self.results is None:
            self._infer(op)
        return op

    def _infer(self, op: Operation) -> None:
        for key, spec in op.definition.results.items():
            type_ = self.types.get(key)
            if type_ is None and spec.var is not None:
                type_ = self.types.get(spec.var)
            if type_ is None:
                assert spec.infer is not None, f"no type for {key} of {op.name}"
                type_ = spec.infer(op)
            op.add_result(type_)


class Argument(Struct, frozen=True):
    """An argument of a block as it is written. Attributes mean nothing, but a text that is printed keeps them."""

    name: str
    type: Type
    place: SourceRange
    attributes: dict[str, Attribute] = {}


def block_of(arguments: list[Argument]) -> Block:
    """A block with named arguments."""
    block = Block()
    for argument in arguments:
        block.add_argument(argument.type, plain_name(argument.name), argument.place)
    return block


def plain_name(text: str) -> str | None:
    """The name that a value keeps: none for numbers."""
    return None if text[1:].isdigit() else text[1:]
