"""What a user says about the tiles: `block=128x128x64 warp=64x32x32 matrix=16x16x16 pad=8 vector=8 size=512x512x64`."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct, structs

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.transforms.matmul_stages.codes import SCHEDULE

Tile = tuple[int, int, int]
"""Rows, columns and summed elements: m x n x k."""

_ENTRY: Final = re.compile(r"\S+")
_TILE: Final = re.compile(r"([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_MATRICES: Final = ((16, 16, 16), (32, 8, 16), (8, 32, 16))


class Schedule(Struct, frozen=True):
    """Parameters of all stages: `block` is the tile of a block, `warp` that of a warp, `matrix` that of an instruction.

    `pad` are the elements that a row of a shared buffer is longer than its tile, `vector` those that one thread copies
    at once. `size` are the extents that the product has where its types leave them open; a kernel is of one size.
    """

    block: Tile = (128, 128, 64)
    warp: Tile = (64, 32, 32)
    matrix: Tile = (16, 16, 16)
    pad: int = 8
    vector: int = 8
    size: Tile | None = None

    @property
    def warps(self) -> int:
        """Warps of a block: each has its part of the rows and columns."""
        return (self.block[0] // self.warp[0]) * (self.block[1] // self.warp[1])

    @property
    def fragments(self) -> Tile:
        """How many matrices a warp's tile is long, in each direction."""
        m, n, k = (w // i for w, i in zip(self.warp, self.matrix, strict=True))
        return m, n, k

    def __str__(self) -> str:
        given = ((key, value) for key, value in structs.asdict(self).items() if value is not None)
        return " ".join(f"{key}={_spelled(value)}" for key, value in given)


_KEYS: Final = tuple(structs.asdict(Schedule()))


def _spelled(value: int | Tile) -> str:
    return str(value) if isinstance(value, int) else spelled(value)


def spelled(tile: tuple[int, ...]) -> str:
    """A tile as it is written."""
    return "x".join(map(str, tile))


def parse_schedule(source: Source, report: Report) -> Schedule:
    """The schedule that a text says; what it leaves out is as in `Schedule`. What is wrong is in `report`."""
    found: dict[str, int | Tile] = {}
    places: dict[str, SourceRange] = {}
    for entry in _ENTRY.finditer(source.text):
        place = SourceRange(source, *entry.span())
        key, equals, value = entry[0].partition("=")
        if key not in _KEYS or not equals:
            finding = report.error(SCHEDULE, place, f"{entry[0][:80]!r} is no entry of a schedule")
            finding.hint(f"entries are KEY=VALUE; keys are {', '.join(_KEYS)}")
            meant = nearest(key, _KEYS)
            if meant is not None and key != meant:
                finding.hint(f"did you mean {meant}?")
            continue
        if key in found:
            report.error(SCHEDULE, place, f"{key} is given twice")
        number = _value(key, value)
        if number is None:
            wanted = "a number" if key in ("pad", "vector") else "three extents, such as 64x32x32,"
            report.error(SCHEDULE, place, f"{key} takes {wanted} greater than 0, not {value[:80]!r}")
            continue
        found[key], places[key] = number, place
    schedule = structs.replace(Schedule(), **found)
    if not report.has_errors:
        _check(schedule, places, SourceRange(source, 0, len(source.text)), report)
    return schedule


def _value(key: str, text: str) -> int | Tile | None:
    if key in ("pad", "vector"):
        number = int(text) if _NUMBER.fullmatch(text) else None
        return number if number is not None and (number > 0 or key == "pad") else None
    match = _TILE.fullmatch(text)
    if match is None or min(map(int, match.groups())) < 1:
        return None
    return int(match[1]), int(match[2]), int(match[3])


def _check(schedule: Schedule, places: dict[str, SourceRange], whole: SourceRange, report: Report) -> None:
    """A block consists of whole warps, and there are instructions for the matrices."""
    if any(n % m for n, m in zip(schedule.block, schedule.warp, strict=True)):
        place = places.get("warp") or places.get("block") or whole
        said = f"block={spelled(schedule.block)} does not consist of whole tiles warp={spelled(schedule.warp)}"
        report.error(SCHEDULE, place, said)
    if schedule.matrix not in _MATRICES:
        known = ", ".join(map(spelled, _MATRICES))
        place = places.get("matrix", whole)
        report.error(
            SCHEDULE, place, f"there are no instructions for {spelled(schedule.matrix)}; there are for {known}"
        )
