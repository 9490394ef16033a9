"""How a kernel is run, in one line that is printed, kept on the kernel and taken as an option.

    schedule = [lanes | packed] {threads=N | groups=N | chunk=CHUNK | tile=MxNxK | product=PRODUCT |
               spread=[yes | no] | copies=[threads | tensor] | stores=[threads | tensor] |
               persistent=[yes | no] | pairs=[yes | no] | order=N | turns=[yes | no] | reuse=[yes | no] |
               overlap=[yes | no] | held=[yes | no] | roles=[yes | no] | pingpong=[yes | no] |
               swizzle=[32 | 64 | 128] | tiles=[measured | any] | cluster=MxN |
               stream=[yes | no] | resident=N | dependent=[yes | no] | maps=[yes | no] |
               divide=MxN[/N] | joined=[yes | no]} [# reason]
    CHUNK    = ITEMSxTEAM/CREW
    PRODUCT  = MxNxK:INSTRUCTION[/WARPSxWARPS[/STAGES]]

`lanes` is the way over layouts and lanes, `packed` that of small items of which a block treats many. `threads` are
those of a block, or of each of the work-groups that share one, which are `groups` of one warp; `tile` the tiles of
products whose extents the compiler chooses. A `chunk` of packed items is treated by a crew of threads of the block, a
team of them an item.
A `product` tells of all with tiles of these extents by which instruction they multiply, how many warps share m and n,
and for how many iterations of a loop factors are in shared memory at a time, 1 if they are loaded when they are needed.
`spread` says whether a work-group's tiles are divided among blocks, as many as a launch finds good. `copies` says who
brings factors to shared memory ahead of products: all threads, or the machine's unit for tensors, which one asks;
`stores` who stores sums: threads from their registers, or that unit, from slabs of shared memory. If
`persistent`, there are as many blocks as the device runs at a time: each goes on from tile to tile, and what it
multiplies next is on its way while it stores. With `pairs`, lanes beside each other are of two packed items by turns.
The work-groups of a grid run by bands of `order` along x, or blocks
take the tiles of one work-group by bands of as many. If groups of
warps take `turns`, one computes what it multiplies next while another one multiplies. With `reuse`, products of a loop
that multiply the same tile read one copy of it in shared memory; with `overlap`, the first product of each iteration is
begun in the one before, so that products go on while threads compute; with `held`, what all iterations of a loop
multiply stays in registers. None of these is chosen unless it is asked for. With `roles`, a producer warp beside the
work-group issues the copies of what its loops multiply, and its registers go to those that compute. With `pingpong`
beside that, two work-groups of a block take tiles by turns: one stores its accumulators while the other multiplies.
Rows of factors that groups of warps read from shared memory are cut into slabs of 128, 64 or 32 bytes, the most of
these that divides them. Along m or n that is no less than `swizzle`, or 128, of which the last one may be a part: 160
elements of 16 bits are three slabs of 128 bytes, the last one half empty, or five of 64. `tiles` says
among which the compiler chooses those of products whose extents it knows: those that have been measured, or any of
which its model knows what they take, of which factors are in slabs of 64 bytes too.
A `cluster` of blocks, so many along m by so many along n of products, whose tiles are neighbours, runs at a time: of a
factor that several of them multiply each copies a share, to all of them. `cluster=1x1`, as if nothing were said, has
each block copy for itself.
A `dependent` launch is begun while the one before it in its stream ends (programmatic dependent launch): all threads
wait for that one before they touch memory, and the next launch may begin as soon as all blocks of this one have.
Tiles of results are divided into so many slices along their first by so many along their second mode of more than one
element (`divide=2x1`), each of which a block computes. With `divide=2x1/66` launches of at most so many work-groups do
so, by code of their own. `divide=1x1` leaves tiles whole.
If work-groups are `joined`, launches on grids that suit that take code of their own, whose blocks compute two that
follow each other as one, with tiles twice as large: the extent along that mode is even, and there are enough.
With `maps`, launches are refused whose matrices the machine cannot copy by itself: there is no second way for them, in
which threads do, and no test for it. Where threads copy in any case, for warps that multiply by themselves, those are
refused that threads do not copy 16 bytes at a time; with `maps=none` these copy elements of 4 and 8 bytes one by one,
wherever rows begin, and have no other way.
The reason says more of what was chosen, or why a kernel does not take the better way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, cast

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.ir.swizzles import SWIZZLED_LINES

Tile = tuple[int, int, int]
"""m, n, k."""


class Way(Enum):
    """From tiles to LLVM text."""

    LANES = "lanes"
    PACKED = "packed"


class Copies(Enum):
    """Who copies the factors that a loop loads ahead."""

    THREADS = "threads"
    TENSOR = "tensor"


class Tiles(Enum):
    """Among which tiles of products the compiler chooses."""

    MEASURED = "measured"
    ANY = "any"


class Maps(Enum):
    """What becomes of launches with matrices of which the machine copies no boxes, where it copies those of others.

    They are refused, or threads copy: in the same code behind a test, or in code of their own.
    """

    DEMANDED = "yes"
    TESTED = "no"
    APART = "apart"
    NONE = "none"
    """Of factors that threads copy for warps which multiply by themselves: none begins with all rows at 16 bytes."""


class ProductChoice(Struct, frozen=True):
    """How products of one extent are computed. What is None is not said."""

    tile: Tile
    instruction: str
    warps: tuple[int, int] | None = None
    stages: int | None = None

    def __str__(self) -> str:
        parts = [self.instruction]
        if self.warps is not None:
            parts.append(spelled(self.warps))
        if self.stages is not None:
            parts.append(str(self.stages))
        return f"{spelled(self.tile)}:{'/'.join(parts)}"

    def allows(self, taken: ProductChoice) -> bool:
        """Whether all that this says is what was taken."""
        return (
            (self.tile, self.instruction) == (taken.tile, taken.instruction)
            and self.warps in (None, taken.warps)
            and self.stages in (None, taken.stages)
        )


class Chunk(Struct, frozen=True):
    """Items that `crew` threads of a block treat together, `team` of them an item, or so many that are `joined`."""

    items: int
    team: int
    crew: int
    joined: int = 1

    @property
    def shares(self) -> tuple[int, int, int]:
        """Threads of a team and of a crew, and items of a team: all but how many items there are."""
        return (self.team, self.crew, self.joined)

    def __str__(self) -> str:
        return f"{self.items}x{self.team}/{self.crew}" + (f":{self.joined}" if self.joined > 1 else "")


class Slices(Struct, frozen=True):
    """Slices of results along their first and their second mode of more than one element; by launches of at most so
    many work-groups, if that is said, while others have whole tiles."""

    parts: tuple[int, int]
    groups: int | None = None

    @property
    def are_all(self) -> bool:
        """Whether all launches compute slices."""
        return self.groups is None and self.parts != (1, 1)

    def __str__(self) -> str:
        return spelled(self.parts) + (f"/{self.groups}" if self.groups is not None else "")


class Schedule(Struct, frozen=True):
    """What a line says; what it does not say is None, and chosen by the target's model."""

    way: Way | None = None
    threads: int | None = None
    tile: Tile | None = None
    products: tuple[ProductChoice, ...] = ()
    reason: str = ""
    spread: bool | None = None
    groups: int | None = None
    copies: Copies | None = None
    chunk: Chunk | None = None
    persistent: bool | None = None
    order: int | None = None
    stores: Copies | None = None
    turns: bool | None = None
    reuse: bool | None = None
    overlap: bool | None = None
    held: bool | None = None
    roles: bool | None = None
    pingpong: bool | None = None
    swizzle: int | None = None
    tiles: Tiles | None = None
    cluster: tuple[int, int] | None = None
    stream: bool | None = None
    resident: int | None = None
    dependent: bool | None = None
    maps: Maps | None = None
    pairs: bool | None = None
    divide: Slices | None = None
    joined: bool | None = None

    @property
    def depends(self) -> bool:
        """Whether launches are `dependent`: by default where blocks share tiles whose factors the device copies.

        H200, products of f16 back to back, of 1024, 1536, 2048, 4096: 13, 3, 4, 1 % faster. What only moves memory
        is 10 % slower with it.
        """
        if self.dependent is not None:
            return self.dependent
        return bool(self.spread) and self.copies is Copies.TENSOR

    def product(self, tile: Tile) -> ProductChoice | None:
        """What is said of products of these extents."""
        return next((product for product in self.products if product.tile == tile), None)

    def __str__(self) -> str:
        parts = [] if self.way is None else [self.way.value]
        for key in KEYS:
            if key == _PRODUCT:
                parts += [f"{key}={product}" for product in self.products]
            elif (said := getattr(self, key)) is not None:
                parts.append(f"{key}={_said(said)}")
        parts += [f"# {self.reason}"] if self.reason else []
        return " ".join(parts)


def _said(value: object) -> str:
    """A value as `_Key` reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return spelled(cast("tuple[int, ...]", value))
    return str(value.value if isinstance(value, Enum) else value)


UNSAID: Final[Mapping[str, None]] = dict.fromkeys(
    (
        "copies",
        "stores",
        "persistent",
        "pairs",
        "order",
        "turns",
        "reuse",
        "overlap",
        "held",
        "roles",
        "pingpong",
        "swizzle",
        "cluster",
        "stream",
        "maps",
    )
)
"""What is chosen for products of certain tiles, threads and instructions."""


def changed(schedule: Schedule, move: Schedule) -> Schedule:
    """A schedule with what a move says instead; what was chosen for what it replaces is not said any more."""
    if move.way not in (None, schedule.way):
        return move
    kept = replace(schedule, reason="")
    if move.tile is not None:
        kept = replace(kept, products=(), **UNSAID)
    if move.threads not in (None, schedule.threads):
        kept = replace(kept, products=(), chunk=None, groups=None, resident=None, **UNSAID)
    if move.divide not in (None, schedule.divide):
        kept = replace(kept, products=(), spread=None, **UNSAID)
    of = {product.tile: product for product in move.products}
    if any(product.instruction != of.get(product.tile, product).instruction for product in kept.products):
        kept = replace(kept, **UNSAID)
    products = (*(product for product in kept.products if product.tile not in of), *move.products)
    new = {name: found for name in move.__struct_fields__ if (found := getattr(move, name)) not in (None, "")}
    return replace(kept, **{**new, "products": products})


class Offers(Struct):
    """What passes could have chosen for kernels and have not: one thing instead of another each, the nearest first.

    By name of the kernel. What does not fit together is refused as it is when a caller asks for it.
    """

    of: dict[str, dict[Schedule, None]] = field(default_factory=dict[str, dict[Schedule, None]])

    def add(self, kernel: str, moves: Iterable[Schedule]) -> None:
        """Take some for a kernel."""
        self.of.setdefault(kernel, {}).update(dict.fromkeys(moves))

    def only(self, kernel: str, moves: Iterable[Schedule]) -> None:
        """Take these in place of all so far, which the way that a kernel takes has no use for."""
        self.of[kernel] = dict.fromkeys(moves)


def spelled(extents: tuple[int, ...]) -> str:
    """Extents as they are written."""
    return "x".join(map(str, extents))


class ScheduleError(ValueError):
    """An entry that says nothing; `start` and `end` are where it stands in the line, `hint` what would be right."""

    def __init__(self, message: str, start: int, end: int, hint: str = "") -> None:
        super().__init__(message)
        self.start, self.end, self.hint = start, end, hint


class _Key(NamedTuple):
    """How the value of a key is read: None for what is no value; and what there is to say of values."""

    read: Callable[[str], object | None]
    takes: str


def _of_words(values: Mapping[str, object]) -> _Key:
    return _Key(values.get, " or ".join(values))


def _of_numbers(pattern: re.Pattern[str], takes: str, make: Callable[..., object]) -> _Key:
    def read(text: str) -> object | None:
        match = pattern.fullmatch(text)
        return None if match is None else make(*(int(number) for number in match.groups() if number is not None))

    return _Key(read, f"{takes} greater than 0")


def _together(*numbers: int) -> tuple[int, ...]:
    return numbers


def _slices(first: int, second: int, groups: int | None = None) -> Slices:
    return Slices((first, second), groups)


_WORD: Final = re.compile(r"\S+")
_NUMBER: Final = re.compile(r"([1-9][0-9]{0,8})")
_PAIR: Final = re.compile(rf"{_NUMBER.pattern}x{_NUMBER.pattern}")
_TRIPLE: Final = re.compile(rf"{_PAIR.pattern}x{_NUMBER.pattern}")
_SHARES: Final = re.compile(rf"{_PAIR.pattern}/{_NUMBER.pattern}(?::{_NUMBER.pattern})?")
_SLICES: Final = re.compile(rf"{_PAIR.pattern}(?:/{_NUMBER.pattern})?")
_INSTRUCTION: Final = re.compile(r"[a-zA-Z0-9_.]+")
_COUNT: Final = _of_numbers(_NUMBER, "a number", int)
_TILE: Final = _of_numbers(_TRIPLE, "three extents, such as 64x64x32,", _together)
_CHUNK: Final = _of_numbers(_SHARES, "items, threads an item and threads of a crew, such as 16x4/32,", Chunk)
_CLUSTER: Final = _of_numbers(_PAIR, "blocks along m and n, such as 2x1,", _together)
_DIVIDE: Final = _of_numbers(
    _SLICES, "slices along the modes of results, such as 2x1 or, of few work-groups, 2x1/66,", _slices
)
_TRUTH: Final = _of_words({"yes": True, "no": False})
_WHO: Final = _of_words({each.value: each for each in Copies})
_FIRST: Final[Mapping[str, _Key]] = {"threads": _COUNT, "groups": _COUNT, "chunk": _CHUNK, "tile": _TILE}
_PRODUCT: Final = "product"
_THEN: Final[Mapping[str, _Key]] = {
    "spread": _TRUTH,
    "copies": _WHO,
    "stores": _WHO,
    "persistent": _TRUTH,
    "pairs": _TRUTH,
    "order": _COUNT,
    **dict.fromkeys(("turns", "reuse", "overlap", "held", "roles", "pingpong"), _TRUTH),
    "swizzle": _of_words({str(line): line for line in SWIZZLED_LINES}),
    "tiles": _of_words({each.value: each for each in Tiles}),
    "cluster": _CLUSTER,
    "stream": _TRUTH,
    "resident": _COUNT,
    "dependent": _TRUTH,
    "maps": _of_words({each.value: each for each in Maps}),
    "divide": _DIVIDE,
    "joined": _TRUTH,
}
_KEYS: Final = {**_FIRST, **_THEN}
"""All that a line has once: fields of `Schedule`."""
KEYS: Final = (*_FIRST, _PRODUCT, *_THEN)
"""In the order in which a line is spelled."""
_SHOWN: Final = 80


def parse_line(line: str) -> Schedule:
    """The schedule that a line spells. Raises `ScheduleError`."""
    said, _, reason = line.partition("#")
    way: Way | None = None
    found: dict[str, Any] = {}
    products: list[ProductChoice] = []
    for number, word in enumerate(_WORD.finditer(said)):
        start, end = word.span()
        key, equals, value = word[0].partition("=")
        if not number and word[0] in (each.value for each in Way):
            way = Way(word[0])
        elif key not in KEYS or not equals:
            hint = (
                f"a schedule is {' or '.join(each.value for each in Way)}, then KEY=VALUE; keys are {', '.join(KEYS)}"
            )
            if equals and (meant := nearest(key, KEYS)):
                hint = did_you_mean(meant)
            raise ScheduleError(f"{word[0][:_SHOWN]!r} is no entry of a schedule", start, end, hint)
        elif key != _PRODUCT:
            if key in found:
                raise ScheduleError(f"{key} is given twice", start, end)
            found[key] = _KEYS[key].read(value)
            if found[key] is None:
                raise ScheduleError(f"{key} takes {_KEYS[key].takes}, not {value[:_SHOWN]!r}", start, end)
        else:
            product = _product(value, start, end)
            if any(other.tile == product.tile for other in products):
                raise ScheduleError(f"products of {spelled(product.tile)} are given twice", start, end)
            products.append(product)
    return Schedule(way, products=tuple(products), reason=reason.strip(), **found)


def with_note(told: str, note: str) -> str:
    """A note behind what a kernel tells: as the reason of a schedule, or on a line of its own."""
    try:
        parse_line(told)
    except ScheduleError:
        return f"{told}\n# {note}"
    return f"{told}, {note}" if "#" in told else f"{told} # {note}".strip()


def _product(text: str, start: int, end: int) -> ProductChoice:
    extents, _, how = text.partition(":")
    instruction, *more = how.split("/")
    tile = cast("Tile | None", _TILE.read(extents))
    warps = _PAIR.fullmatch(more[0]) if more else None
    stages = more[1] if len(more) > 1 else None
    valid = (
        tile is not None
        and _INSTRUCTION.fullmatch(instruction)
        and (warps is not None or not more)
        and (stages is None or _NUMBER.fullmatch(stages))
        and len(more) <= 2
    )
    if tile is None or not valid:
        hint = "such as product=128x128x64:m16n8k16.row.col.f32.f32/2x2/3; warps and stages may be left out"
        said = f"product takes extents, an instruction, warps along m and n, and stages, not {text[:_SHOWN]!r}"
        raise ScheduleError(said, start, end, hint)
    pair = None if warps is None else (int(warps[1]), int(warps[2]))
    return ProductChoice(tile, instruction, pair, None if stages is None else int(stages))


def in_common(choices: Iterable[ProductChoice]) -> tuple[ProductChoice, ...]:
    """One choice for each extents: what all of these share, nothing where they multiply by different instructions."""
    found: dict[Tile, ProductChoice | None] = {}
    for choice in choices:
        other = found.setdefault(choice.tile, choice)
        if other is None or other.instruction != choice.instruction:
            found[choice.tile] = None
            continue
        warps = choice.warps if choice.warps == other.warps else None
        stages = choice.stages if warps is not None and choice.stages == other.stages else None
        found[choice.tile] = ProductChoice(choice.tile, choice.instruction, warps, stages)
    return tuple(choice for choice in found.values() if choice is not None)
