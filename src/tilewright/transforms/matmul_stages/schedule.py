"""What a user says about the tiles: `block=128x128x64 warp=64x32x32 matrix=16x16x16 pad=8 vector=8 size=512x512x64`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, structs

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.dialects.matrix_instructions import TABLE, MatrixInstruction, instructions_of
from tilewright.ir.types import ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.matmul_stages.codes import SCHEDULE

Tile = tuple[int, int, int]
"""Rows, columns and summed elements: m x n x k."""

_ENTRY: Final = re.compile(r"\S+")
_TILE: Final = re.compile(r"([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_WORDS: Final[Mapping[str, Mapping[str, str | bool]]] = {
    "precision": {"tf32": "tf32"},
    "swizzle": {"yes": True, "no": False},
}
_FROM_ZERO: Final = ("pad", "ahead")
_NUMBERS: Final = ("pad", "vector", "shared", "buffers", "ahead", "order")


class Schedule(Struct, frozen=True):
    """Parameters of all stages: `block` is the tile of a block, `warp` that of a warp, `matrix` that of an instruction.

    `pad` are the elements that a row of a shared buffer is longer than its tile, `vector` those that one thread copies
    at once. `size` are the extents that the product has where its types leave them open; a kernel is of one size.
    `shared` are the bytes of shared memory that a block may have: by default what every device has.
    `buffers` are the places that each factor has there: with 2 and more, tiles are copied as many steps ahead less one.
    `ahead` are the slices along k, a matrix deep, whose fragments are read ahead of their products.
    `order` are the rows of tiles that blocks go down before they go on to the next column; with 1 they go along a row.
    `swizzle` says that pieces of rows lie where lanes that read rows together meet different banks (`swizzled`); rows
    have no padding then.
    `precision` tf32 lets factors of f32 be rounded to that, for which there are tensor cores. What is not `given` suits
    f16; `suited` says what suits other types.
    """

    block: Tile = (128, 128, 64)
    warp: Tile = (64, 32, 32)
    matrix: Tile = (16, 16, 16)
    pad: int = 8
    vector: int = 8
    shared: int = 48 * 1024
    buffers: int = 1
    ahead: int = 0
    order: int = 1
    swizzle: bool = False
    size: Tile | None = None
    precision: str | None = None
    given: frozenset[str] = frozenset()

    @property
    def warps(self) -> int:
        """Warps of a block: each has its part of the rows and columns."""
        return (self.block[0] // self.warp[0]) * (self.block[1] // self.warp[1])

    @property
    def fragments(self) -> Tile:
        """How many matrices a warp's tile is long, in each direction."""
        m, n, k = (w // i for w, i in zip(self.warp, self.matrix, strict=True))
        return m, n, k

    def suited(self, factors: tuple[ScalarType, ScalarType], factor: ScalarType, total: ScalarType) -> Schedule:
        """The schedule for types of factors, in memory and in registers, and of sums: what is not given takes about as
        much room as for f16.

        Without tensor cores each lane has whole rows and columns of a matrix in registers, so that is not deep.
        """
        bytes_, least = (choose(each.bytes for each in factors) for choose in (max, min))
        tiles = _TILES.get(bytes_) if self.given.isdisjoint(("block", "warp")) else None
        block, warp = tiles or (self.block, self.warp)
        fitting = {
            "block": block,
            "warp": warp,
            "matrix": (*self.matrix[:2], self._depth(factor, total, warp[2])),
            "pad": 0 if self.swizzle else _PIECE // least,
            "vector": min(self.vector, _PIECE // bytes_),
        }
        return structs.replace(self, **{key: value for key, value in fitting.items() if key not in self.given})

    def _depth(self, factor: ScalarType, total: ScalarType, most: int) -> int:
        """How many summed elements a matrix has that a warp multiplies at once."""
        found = instructions_of(factor, factor, total.accumulator, Architecture.SM_80)
        if found and found[0].is_scalar and self.precision is None:
            return math.gcd(_DEPTH_OF_LANES, most)
        return self.matrix[2] if factor.bytes < 4 else math.gcd(_DEPTH_OF_WORDS, most)

    def __str__(self) -> str:
        return " ".join(f"{key}={_spelled(getattr(self, key))}" for key in _KEYS if key in self.given)


_TILES: Final[Mapping[int, tuple[Tile, Tile]]] = {
    4: ((64, 64, 32), (32, 32, 16)),
    8: ((64, 64, 16), (32, 32, 16)),
}
"""Of a block and a warp, by bytes of an element, where they are not those of f16."""
_DEPTH_OF_LANES: Final = 4
_DEPTH_OF_WORDS: Final = 8
_PIECE: Final = 16
"""Bytes that a thread copies at once, to multiples of as many."""
_KEYS: Final = tuple(key for key in structs.asdict(Schedule()) if key != "given")


def _spelled(value: int | str | Tile) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | str) else spelled(value)


def spelled(tile: tuple[int, ...]) -> str:
    """A tile as it is written."""
    return "x".join(map(str, tile))


def parse_schedule(source: Source, report: Report) -> Schedule:
    """The schedule that a text says; what it leaves out is as in `Schedule`. What is wrong is in `report`."""
    found: dict[str, int | str | Tile] = {}
    places: dict[str, SourceRange] = {}
    for entry in _ENTRY.finditer(source.text):
        place = SourceRange(source, *entry.span())
        key, equals, value = entry[0].partition("=")
        if key not in _KEYS or not equals:
            finding = report.error(SCHEDULE, place, f"{entry[0][:80]!r} is no entry of a schedule")
            finding.hint(f"entries are KEY=VALUE; keys are {', '.join(_KEYS)}")
            meant = nearest(key, _KEYS)
            if meant and key not in meant:
                finding.hint(did_you_mean(meant))
            continue
        if key in found:
            report.error(SCHEDULE, place, f"{key} is given twice")
        number = _value(key, value)
        if number is None:
            report.error(SCHEDULE, place, f"{key} takes {_wanted(key)}, not {value[:80]!r}")
            continue
        found[key], places[key] = number, place
    schedule = structs.replace(Schedule(), given=frozenset(found), **found)
    if not report.has_errors:
        _check(schedule, places, SourceRange(source, 0, len(source.text)), report)
    return schedule


def _wanted(key: str) -> str:
    if key in _WORDS:
        return " or ".join(_WORDS[key])
    return f"{'a number' if key in _NUMBERS else 'three extents, such as 64x32x32,'} greater than 0"


def _value(key: str, text: str) -> int | str | Tile | None:
    if key in _WORDS:
        return _WORDS[key].get(text)
    if key in _NUMBERS:
        number = int(text) if _NUMBER.fullmatch(text) else None
        return number if number is not None and (number > 0 or key in _FROM_ZERO) else None
    match = _TILE.fullmatch(text)
    if match is None or min(map(int, match.groups())) < 1:
        return None
    return int(match[1]), int(match[2]), int(match[3])


def _check(schedule: Schedule, places: dict[str, SourceRange], whole: SourceRange, report: Report) -> None:
    """A block consists of whole warps, there are instructions for the matrices, and places for what is read ahead."""
    if any(n % m for n, m in zip(schedule.block, schedule.warp, strict=True)):
        place = places.get("warp") or places.get("block") or whole
        said = f"block={spelled(schedule.block)} does not consist of whole tiles warp={spelled(schedule.warp)}"
        report.error(SCHEDULE, place, said)
    if schedule.ahead and schedule.buffers == 1:
        said = f"ahead={schedule.ahead}: with one place in memory the tile of the next step is not there to be read"
        report.error(SCHEDULE, places.get("ahead", whole), said).hint('give "buffers=2" or more')
    if schedule.swizzle and schedule.pad and "pad" in schedule.given:
        said = f"pad={schedule.pad}: rows that are swizzled have no padding"
        report.error(SCHEDULE, places["pad"], said).hint('leave "pad" or "swizzle" out')
    if not any(divides(each, schedule.matrix) for each in TABLE):
        place, said = places.get("matrix", whole), f"there are no instructions for {spelled(schedule.matrix)}"
        known = ", ".join(dict.fromkeys(spelled(each.shape) for each in TABLE))
        report.error(SCHEDULE, place, f"{said}; there are for multiples of {known}, rows and columns in any order")


def divides(instruction: MatrixInstruction, matrix: Tile) -> bool:
    """Whether a matrix consists of whole ones of an instruction, or of its transpose."""
    m, n, k = matrix
    rows, columns, depth = instruction.shape
    upright, turned = (m % rows == 0 and n % columns == 0), (m % columns == 0 and n % rows == 0)
    return (upright or turned) and k % depth == 0
