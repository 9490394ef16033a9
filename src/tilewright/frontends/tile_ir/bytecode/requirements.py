"""Which version a module needs, and what for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.diagnostics import Location
from tilewright.dialects.cuda_tile.attributes import CodedEnum, Visibility
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.core import Global, TileModule
from tilewright.dialects.cuda_tile.types import Version, since
from tilewright.ir.specs import operand_segments


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that versions before `version` do not have."""

    version: Version
    what: str
    location: Location


def lowest_version(module: TileModule) -> Version:
    """The lowest version that can express a module."""
    return max((r.version for r in requirements(module)), default=Version.V13_1)


def requirements(module: TileModule) -> Iterator[Requirement]:
    """Everything that is newer than 13.1."""
    if module.producer is not None:
        yield Requirement(Version.V13_3, "a producer", module.location)
    for op in module.walk():
        if isinstance(op, Global):
            yield from _global(op)
        elif isinstance(op, TileOperation):
            yield from _operation(op)


def _global(op: Global) -> Iterator[Requirement]:
    if op.is_constant:
        yield Requirement(Version.V13_3, "a constant global", op.location)
    if op.symbol_visibility is not Visibility.PUBLIC:
        yield Requirement(Version.V13_3, "a private global", op.location)
    if since(op.type) > Version.V13_1:
        yield Requirement(since(op.type), f"the type {op.type}", op.location)


def _operation(op: TileOperation) -> Iterator[Requirement]:
    spec = op.spec
    name = op.name.removeprefix("cuda_tile.")
    if spec.since > Version.V13_1:
        yield Requirement(spec.since, name, op.location)
    for field, version in spec.newer.items():
        if _is_used(op, field):
            yield Requirement(version, f"{field} of {name}", op.location)
    for value in op.attributes.values():
        if isinstance(value, CodedEnum) and value.since > Version.V13_1:
            yield Requirement(value.since, f"{value.value} of {name}", op.location)
    later = op.later_use()
    if later:
        yield Requirement(Version.V13_4, f"{later} of {name}", op.location)
    arguments = [a for region in op.regions for block in region.blocks for a in block.arguments]
    for value in (*op.results, *arguments):
        version = since(value.type)
        if version > Version.V13_1:
            yield Requirement(version, f"the type {value.type}", value.location)


def _is_used(op: TileOperation, field: str) -> bool:
    """Whether a field has another content than what older versions imply."""
    d = op.definition
    if field in d.attributes:
        spec = d.attributes[field]
        return field in op.attributes and op.attributes[field] != spec.default
    if field in d.operands:
        start, end = operand_segments(op)[list(d.operands).index(field)]
        return end > start
    # A new result is left out where nobody uses it. Lists of results are the last ones.
    first = list(d.results).index(field)
    return any(r.uses for r in op.results[first:])
