"""Operations of dialects that are not registered here, their locations, and the file that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec import Struct

from tilewright.diagnostics import UNKNOWN, Location, Report, SourceRange
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.mlir.opaque_text import Alias
from tilewright.ir.mlir.spelling import LocationAttribute
from tilewright.ir.specs import Definition
from tilewright.ir.types import Type

MODULE = "builtin.module"


class OpaqueOperation(Operation):
    """An operation that is not registered: it has any operands, results, regions and successors, and unknown effects.

    `properties` is what stands in `<..>`, usually a dictionary; `attributes` are the others.
    """

    __slots__ = ("name", "properties")

    properties: Attribute
    definition: ClassVar[Definition]

    def __init__(
        self,
        name: str,
        operands: Iterable[Value] = (),
        result_types: Iterable[Type] = (),
        attributes: dict[str, Attribute] | None = None,
        regions: Iterable[Region] = (),
        successors: Sequence[Block] = (),
        location: Location = UNKNOWN,
        properties: Attribute = None,
    ) -> None:
        super().__init__(operands, result_types, attributes, regions, successors, location)
        self.name = name
        self.properties = properties

    def copy_into(self, mapping: dict[Value, Value], late: list[Operation]) -> Operation:
        copy = super().copy_into(mapping, late)
        assert isinstance(copy, OpaqueOperation)
        copy.name, copy.properties = self.name, self.properties
        return copy

    def lookup(self, name: str) -> Attribute:
        """An attribute, wherever it stands: versions of MLIR before 17 print properties among the others."""
        if isinstance(self.properties, dict) and name in self.properties:
            return self.properties[name]
        return self.attributes.get(name)


def _unchecked(op: Operation, report: Report) -> None:
    """Nothing is declared about an operation that is not registered."""


OpaqueOperation.definition = Definition("opaque", OpaqueOperation, opaque=True)
OpaqueOperation.definition.check = _unchecked


class WrittenLocation(Location):
    """Where an operation or argument stands in what was read, together with where it says that it comes from."""

    __slots__ = ("place", "written")

    def __init__(self, place: Location, written: LocationAttribute) -> None:
        self.place = place
        self.written = written

    def ranges(self) -> tuple[SourceRange, ...]:
        return self.place.ranges()

    def __str__(self) -> str:
        return str(self.place)


Resources = dict[str, dict[str, dict[str, str | bool]]]
"""What stands between `{-#` and `#-}`: sections, in them dialects or tools, in them entries."""


class MlirFile(Struct):
    """What a text of MLIR holds: a module, the aliases that it names, and the resources at its end.

    `locations`: operations say where they come from.
    """

    module: Operation
    aliases: tuple[Alias, ...] = ()
    resources: Resources = {}
    locations: bool = False
