"""Which version a module needs, and what for; how a text says which one it is of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Location
from tilewright.dialects.cuda_tile.attributes import CodedEnum
from tilewright.dialects.cuda_tile.base import TileOperation, generic_name
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.dialects.cuda_tile.types import Version, since
from tilewright.ir.specs import operand_segments
from tilewright.ir.types import Type

VERSION: Final = "tilewright.version"
"""Attribute of a printed module whose version is later than 13.3: later versions relax some rules."""


class Requirement(Struct, frozen=True):
    """Something that versions before `version` do not have."""

    version: Version
    what: str
    location: Location


def lowest_version(module: TileModule) -> Version:
    """The lowest version that can express a verified module."""
    return max((r.version for r in requirements(module)), default=Version.V13_1)


def version_of_text(module: TileModule) -> Version:
    """The version of a text that does not say it: 13.3, or the one that has all that occurs there.

    The rules of 13.3 hold as long as nothing is later.
    """
    return max((r.version for r in newer_contents(module, Version.V13_3)), default=Version.V13_3)


def requirements(module: TileModule) -> Iterator[Requirement]:
    """Everything in a verified module that is newer than 13.1."""
    yield from newer_contents(module, Version.V13_1)
    for op in module.walk():
        if isinstance(op, TileOperation) and (later := op.later_use()):
            yield Requirement(Version.V13_4, f"{later} of {op.name.removeprefix('cuda_tile.')}", op.location)


def newer_contents(module: TileModule, known: Version) -> Iterator[Requirement]:
    """What occurs in a module and is newer than a version."""
    for op in module.walk():
        if isinstance(op, TileOperation):
            yield from _operation(op, known)


def _operation(op: TileOperation, known: Version) -> Iterator[Requirement]:
    spec = op.spec
    name = op.name.removeprefix("cuda_tile.")
    if spec.since > known:
        yield Requirement(spec.since, name, op.location)
    for field, version in spec.newer.items():
        if version > known and _is_used(op, field):
            yield Requirement(version, f"{generic_name(type(op), field)} of {name}", op.location)
    for value in op.attributes.values():
        if isinstance(value, CodedEnum) and value.since > known:
            yield Requirement(value.since, f"{value.value} of {name}", op.location)
        elif isinstance(value, Type) and since(value) > known:
            yield Requirement(since(value), f"the type {value}", op.location)
    arguments = [a for region in op.regions for block in region.blocks for a in block.arguments]
    for value in (*op.results, *arguments):
        if since(value.type) > known:
            yield Requirement(since(value.type), f"the type {value.type}", value.location)


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
