"""The places in a kernel that report to the host, as code and runtime both see them.

They travel in the kernel's facts, so that an artefact is all that a launch needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final

from msgspec import Struct

from tilewright.artifacts.parameters import REPORTS
from tilewright.artifacts.places import SourcePlace, location_of, place_from_json, place_to_json
from tilewright.artifacts.symbols import reports_symbol
from tilewright.diagnostics import Location
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.reports import Check, Claim, Report, ReportKind
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import F64, TileType, element_of

HEAD_WORDS: Final = 2
"""Words of a list's head: the latest record, and how many records there was no memory for."""

RECORD_WORDS: Final = 5
"""Words of a record in front of its values: next record, site, three coordinates of the work-group."""


DEVICE_HEAD_WORDS: Final = 4
"""Words in front of the records of a device: how many words were claimed, the first word of records that found no room,
how many these were, and how many checks failed."""

DEVICE_RECORD_WORDS: Final = 4
"""Words of a device's record in front of its values: site, three coordinates of the work-group."""

_DEVICE_WORDS: Final = 1 << 20
"""Room for the records of a launch on a device."""

Site = Report | Claim | Check


class ReportedValue(Struct, frozen=True):
    """One value of a report: its dimensions from the outermost on, whether it is f64, the width of its integers."""

    shape: tuple[int, ...]
    is_float: bool
    bits: int


class ReportSite(Struct, frozen=True):
    """One `team.report` or `team.claim` of a kernel, or one `team.check`, which has a code instead of a kind."""

    kind: ReportKind | None
    text: str
    location: Location
    values: tuple[ReportedValue, ...]
    code: str = ""


def sites_of(kernel: Kernel) -> list[Site]:
    """The reports and checks of a kernel; a record names its site by the number in this list."""
    return [op for op in kernel.walk() if isinstance(op, Site)]


def numbered_sites(kernel: Kernel) -> Mapping[Operation, int]:
    """The numbers by which records name sites."""
    return {op: number for number, op in enumerate(sites_of(kernel))}


def head_words(with_checks: bool) -> int:
    """Words of a list's head. Behind what all have, checks count how many of them failed: the first leaves a record."""
    return HEAD_WORDS + with_checks


def site_facts(kernel: Kernel) -> Mapping[str, str]:
    """The facts that say what a kernel reports; none if it does not."""
    sites = sites_of(kernel)
    if not sites:
        return {}
    return {REPORTS: json.dumps({"head": reports_symbol(kernel.sym_name), "sites": [_to_json(op) for op in sites]})}


def read_sites(facts: Mapping[str, str]) -> tuple[str, tuple[ReportSite, ...]] | None:
    """The head's symbol and the sites; None for a kernel without."""
    text = facts.get(REPORTS)
    if text is None:
        return None
    found: Any = json.loads(text)
    return str(found["head"]), tuple(_from_json(entry) for entry in found["sites"])


def device_words(sites: Sequence[ReportSite]) -> int:
    """Words that a launch on a device reserves for records: of checks, only the first that fails leaves one."""
    if any(site.kind is not None for site in sites):
        return _DEVICE_WORDS
    return max(DEVICE_RECORD_WORDS + value_words(site) for site in sites)


def value_words(site: ReportSite) -> int:
    """Words that the values of a site take in a record."""
    return sum(prod(value.shape) for value in site.values)


def _to_json(op: Site) -> dict[str, object]:
    where = place_to_json(SourcePlace.of(op.location))
    kind = {"code": op.code} if isinstance(op, Check) else {"kind": op.kind.value}
    return {**kind, "text": op.text, "values": _values(op), "where": where}


def _values(op: Site) -> list[tuple[Sequence[int], bool, int]]:
    """Shape, whether they are f64, and width of each value."""
    if isinstance(op, Claim):
        return list(zip(op.shapes, op.floats, op.bits, strict=True))
    bits = (0,) * len(op.values) if isinstance(op, Check) else op.bits
    return [(_shape(v), element_of(v.type) is F64, width) for v, width in zip(op.values, bits, strict=True)]


def _shape(value: Value) -> Sequence[int]:
    return value.type.shape[::-1] if isinstance(value.type, TileType) else ()


def _from_json(entry: Any) -> ReportSite:
    values = tuple(ReportedValue(tuple(shape), is_float, bits) for shape, is_float, bits in entry["values"])
    location = location_of(place_from_json(entry["where"]))
    kind = ReportKind(entry["kind"]) if "kind" in entry else None
    return ReportSite(kind, str(entry["text"]), location, values, str(entry.get("code", "")))
