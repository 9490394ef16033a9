"""How a kernel is run, in one line that is printed, kept on the kernel and taken as an option.

    schedule = [lanes | packed | elements] {threads=N | groups=N | chunk=CHUNK | tile=MxNxK | product=PRODUCT |
               spread=[yes | no] | copies=[threads | tensor] | stores=[threads | tensor] |
               persistent=[yes | no] | order=N | turns=[yes | no] | reuse=[yes | no] | overlap=[yes | no] |
               held=[yes | no] | swizzle=[32 | 64 | 128] | tiles=[measured | any] | cluster=MxN} [# reason]
    CHUNK    = ITEMSxTEAM/CREW
    PRODUCT  = MxNxK:INSTRUCTION[/WARPSxWARPS[/STAGES]]

`lanes` is the way over layouts and lanes, `packed` that of small items of which a block treats many, `elements` the
target's own emission. `threads` are those of a block, or of each of the work-groups that share one, which are `groups`
of one warp; `tile` the tiles of products whose extents the compiler chooses. A `chunk` of packed items is treated by
a crew of threads of the block, a team of them an item.
A `product` tells of all with tiles of these extents by which instruction they multiply, how many warps share m and n,
and for how many iterations of a loop factors are in shared memory at a time, 1 if they are loaded when they are needed.
`spread` says whether a work-group's tiles are divided among blocks, as many as a launch finds good. `copies` says who
brings factors to shared memory ahead of products: all threads, or the machine's unit for tensors, which one asks;
`stores` who stores sums: threads from their registers, or that unit, from slabs of shared memory. If
`persistent`, there are as many blocks as the device runs at a time: each goes on from tile to tile, and what it
multiplies next is on its way while it stores. The work-groups of a grid run by bands of `order` along x. If groups of
warps take `turns`, one computes what it multiplies next while another one multiplies. With `reuse`, products of a loop
that multiply the same tile read one copy of it in shared memory; with `overlap`, threads that compute with the sums of
one product wait for those of the next one no earlier than they use them; with `held`, what all iterations of a loop
multiply stays in registers. None of these is chosen unless it is asked for.
Rows of factors that groups of warps read from shared memory are cut into slabs of 128 bytes, or of the most of 128, 64
and 32 that divides them and is no less than `swizzle`: rows along m or n of 160 elements of 16 bits are three slabs of
128 bytes, the last one half empty, or five of 64. `tiles` says among which the compiler chooses those of products whose
extents it knows: those that have been measured, or any of which its model knows what they take, of which factors are in
slabs of 64 bytes too.
A `cluster` of blocks, so many along m by so many along n of products, whose tiles are neighbours, runs at a time: of a
factor that several of them multiply each copies a share, to all of them. `cluster=1x1`, as if nothing were said, has
each block copy for itself.
The reason says more of what was chosen, or why a kernel does not take the better way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.ir.swizzles import SWIZZLED_LINES

Tile = tuple[int, int, int]
"""m, n, k."""


class Way(Enum):
    """From tiles to LLVM text."""

    LANES = "lanes"
    PACKED = "packed"
    ELEMENTS = "elements"


class Copies(Enum):
    """Who copies the factors that a loop loads ahead."""

    THREADS = "threads"
    TENSOR = "tensor"


class Tiles(Enum):
    """Among which tiles of products the compiler chooses."""

    MEASURED = "measured"
    ANY = "any"


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
    """Items that `crew` threads of a block treat together, `team` of them an item."""

    items: int
    team: int
    crew: int

    def __str__(self) -> str:
        return f"{self.items}x{self.team}/{self.crew}"


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
    swizzle: int | None = None
    tiles: Tiles | None = None
    cluster: tuple[int, int] | None = None

    def product(self, tile: Tile) -> ProductChoice | None:
        """What is said of products of these extents."""
        return next((product for product in self.products if product.tile == tile), None)

    def __str__(self) -> str:
        parts = [] if self.way is None else [self.way.value]
        parts += [] if self.threads is None else [f"threads={self.threads}"]
        parts += [] if self.groups is None else [f"groups={self.groups}"]
        parts += [] if self.chunk is None else [f"chunk={self.chunk}"]
        parts += [] if self.tile is None else [f"tile={spelled(self.tile)}"]
        parts += [f"product={product}" for product in self.products]
        parts += [] if self.spread is None else [f"spread={'yes' if self.spread else 'no'}"]
        parts += [] if self.copies is None else [f"copies={self.copies.value}"]
        parts += [] if self.stores is None else [f"stores={self.stores.value}"]
        parts += [] if self.persistent is None else [f"persistent={'yes' if self.persistent else 'no'}"]
        parts += [] if self.order is None else [f"order={self.order}"]
        for key in ("turns", "reuse", "overlap", "held"):
            said: bool | None = getattr(self, key)
            parts += [] if said is None else [f"{key}={'yes' if said else 'no'}"]
        parts += [] if self.swizzle is None else [f"swizzle={self.swizzle}"]
        parts += [] if self.tiles is None else [f"tiles={self.tiles.value}"]
        parts += [] if self.cluster is None else [f"cluster={spelled(self.cluster)}"]
        parts += [f"# {self.reason}"] if self.reason else []
        return " ".join(parts)


_UNSAID: Final = dict.fromkeys(
    ("copies", "stores", "persistent", "order", "turns", "reuse", "overlap", "held", "swizzle", "cluster")
)
"""What is chosen for products of certain tiles, threads and instructions."""


def changed(schedule: Schedule, move: Schedule) -> Schedule:
    """A schedule with what a move says instead; what was chosen for what it replaces is not said any more."""
    if move.way not in (None, schedule.way):
        return move
    kept = replace(schedule, reason="")
    if move.tile is not None:
        kept = replace(kept, products=(), **_UNSAID)
    if move.threads not in (None, schedule.threads):
        kept = replace(kept, products=(), chunk=None, groups=None, **_UNSAID)
    of = {product.tile: product for product in move.products}
    if any(product.instruction != of.get(product.tile, product).instruction for product in kept.products):
        kept = replace(kept, **_UNSAID)
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


_WORD: Final = re.compile(r"\S+")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_PAIR: Final = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8})")
_TILE: Final = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8})x([1-9][0-9]{0,8})")
_CHUNK: Final = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8})/([1-9][0-9]{0,8})")
_INSTRUCTION: Final = re.compile(r"[a-zA-Z0-9_.]+")
KEYS: Final = (
    *("threads", "groups", "chunk", "tile", "product", "spread"),
    *("copies", "stores", "persistent", "order", "turns", "reuse", "overlap", "held", "swizzle", "tiles", "cluster"),
)
_PATTERNS: Final = {
    "tile": (_TILE, "three extents, such as 64x64x32,"),
    "chunk": (_CHUNK, "items, threads an item and threads of a crew, such as 16x4/32,"),
    "cluster": (_PAIR, "blocks along m and n, such as 2x1,"),
}
_TRUTHS: Final = {"yes": True, "no": False}
_COPIES: Final = {each.value: each for each in Copies}
_SWIZZLES: Final = {str(line): line for line in SWIZZLED_LINES}
_TILES: Final = {each.value: each for each in Tiles}
_WORDS: Final = {
    **dict.fromkeys(("spread", "persistent", "turns", "reuse", "overlap", "held"), tuple(_TRUTHS)),
    "tiles": tuple(_TILES),
    "swizzle": tuple(_SWIZZLES),
    **dict.fromkeys(("copies", "stores"), tuple(_COPIES)),
}
"""What keys take that take words."""
_SHOWN: Final = 80


def parse_line(line: str) -> Schedule:
    """The schedule that a line spells. Raises `ScheduleError`."""
    said, _, reason = line.partition("#")
    way: Way | None = None
    found: dict[str, str] = {}
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
            raise ScheduleError(f"{word[0][:_SHOWN]!r} is no entry of a schedule", start, end, hint)
        elif key != "product":
            if key in found:
                raise ScheduleError(f"{key} is given twice", start, end)
            _checked(key, value, start, end)
            found[key] = value
        else:
            product = _product(value, start, end)
            if any(other.tile == product.tile for other in products):
                raise ScheduleError(f"products of {spelled(product.tile)} are given twice", start, end)
            products.append(product)
    threads, groups, order = (int(found[key]) if key in found else None for key in ("threads", "groups", "order"))
    tile = _tile(found.get("tile", ""))
    spread = _TRUTHS.get(found.get("spread", ""))
    copies, stores = (_COPIES.get(found.get(key, "")) for key in ("copies", "stores"))
    chunk = _chunk(found.get("chunk", ""))
    persistent, turns, reuse, overlap, held = (
        _TRUTHS.get(found.get(key, "")) for key in ("persistent", "turns", "reuse", "overlap", "held")
    )
    cluster = _PAIR.fullmatch(found.get("cluster", ""))
    return Schedule(
        way,
        threads,
        tile,
        tuple(products),
        reason.strip(),
        spread,
        groups,
        copies,
        chunk,
        persistent,
        order,
        stores,
        turns,
        reuse,
        overlap,
        held,
        _SWIZZLES.get(found.get("swizzle", "")),
        _TILES.get(found.get("tiles", "")),
        None if cluster is None else (int(cluster[1]), int(cluster[2])),
    )


def _checked(key: str, value: str, start: int, end: int) -> None:
    if words := _WORDS.get(key):
        if value not in words:
            raise ScheduleError(f"{key} takes {' or '.join(words)}, not {value[:_SHOWN]!r}", start, end)
        return
    pattern, wanted = _PATTERNS.get(key, (_NUMBER, "a number"))
    if pattern.fullmatch(value) is None:
        raise ScheduleError(f"{key} takes {wanted} greater than 0, not {value[:_SHOWN]!r}", start, end)


def _tile(text: str) -> Tile | None:
    match = _TILE.fullmatch(text)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def _chunk(text: str) -> Chunk | None:
    match = _CHUNK.fullmatch(text)
    return None if match is None else Chunk(int(match[1]), int(match[2]), int(match[3]))


def _product(text: str, start: int, end: int) -> ProductChoice:
    extents, _, how = text.partition(":")
    instruction, *more = how.split("/")
    tile, warps = _tile(extents), _PAIR.fullmatch(more[0]) if more else None
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
