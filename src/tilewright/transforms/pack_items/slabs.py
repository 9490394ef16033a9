"""Shared memory of a chunk: a slab for each tile that is loaded, stored or multiplied, with a slot for each item.

Joined items share a slot, their columns behind each other.

Slabs of loaded rows lie as the memory does, and begin where all banks do: of a sector whose halves come to lie in two
sectors of shared memory, copies of 16 bytes a lane ask the second cache twice. Once what is in a slab is dead, its
bytes may be another's: where items of a chunk are worked on one after the other, only slot by slot.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import gcd, prod
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.dialects import tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import AddressSpace, MemrefType, ScalarType
from tilewright.transforms.lane_accesses import most_in_a_bank
from tilewright.transforms.pack_items.batches import dense_strides
from tilewright.transforms.pack_items.items import PIECE, Items, Transfer
from tilewright.transforms.pack_items.tilings import Run, Tiling
from tilewright.transforms.tile_values import tile_type

BANKS_BYTES: Final = 128
"""Of all banks of shared memory."""
_ITEMS_APART: Final = 4
"""Pieces of which the distance of items in panels is no multiple: so many items are in different banks."""
LANES_OF_ROW: Final = 4
"""Of a matrix instruction: they hold k of the same row."""


class Panels(Struct, frozen=True):
    """`count` strips of a factor, each of which has `held` elements along `mode`: those that a thread multiplies.

    They lie side by side for each term, in whole pieces: `wide` elements, of which threads read `parts`, each by its
    first one and how many there are. What is the same for all items they read with the zeros behind it. Panels begin
    `apart` elements from each other, an odd number of pieces: what threads read at the same time is in different banks.
    """

    mode: int
    held: int
    wide: int
    count: int
    apart: int
    parts: tuple[tuple[int, int], ...]


class Slab(Struct, frozen=True):
    """Tiles of `shape`, the modes of `order` from that of neighbours on, `pitch` bytes from item to item.

    `strides` are in elements. A slab `is_fixed` that holds one tile for all items of the block; `offset` counts from
    the beginning of what is the block's, else of what is the crew's. A tile may lie in `panels`; strides are in one. If
    a slab `is_shifted` the first element of an item is the second half of a word where it is that in global memory.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]
    strides: tuple[int, ...]
    element: ScalarType
    pitch: int
    is_fixed: bool
    offset: int = 0
    panels: Panels | None = None
    is_shifted: bool = False

    def in_panels(self, mode: int, held: int, count: int) -> Slab:
        """The same tiles in so many panels of `held` elements along a mode."""
        size, piece = self.element.bytes, PIECE // self.element.bytes
        wide = -(-held // piece) * piece
        apart = _in_pieces(wide * self.shape[1 - mode], self.element, is_odd=count > 1)
        pitch = count * apart * size
        pitch += 0 if pitch // PIECE % _ITEMS_APART else PIECE
        whole = wide if self.is_fixed else held - held % piece
        parts = tuple((first, side) for first, side in ((0, whole), (whole, held - whole)) if side > 0)
        strides = (1, wide) if mode == 0 else (wide, 1)
        panels = Panels(mode, held, wide, count, apart, parts)
        return replace(self, order=(mode, 1 - mode), strides=strides, pitch=pitch, panels=panels)

    def width(self, runs: Sequence[Run], starts: Sequence[int]) -> int:
        """Neighbours of one access: they begin at a multiple of their bytes, whoever accesses `runs` along the modes.

        `starts` divide where runs begin, 0 is one that begins at 0.
        """
        near, size = self.order[0], self.element.bytes
        if self.strides[near] != 1:
            return 1
        far = [s for k, s in enumerate(self.strides) if k != near and self.shape[k] > 1]
        piece = runs[near].piece
        apart = runs[near].step if piece < runs[near].extent else 0
        return gcd(piece, apart, starts[near], *far, self.pitch // size, PIECE // size)

    def memory(self, slots: int, crews: int, crew_bytes: int) -> MemrefType:
        """Its memory: the modes of the tile or of a panel, one for panels, unless it is fixed for slots and crews."""
        strides, size, panels = self.strides, self.element.bytes, self.panels
        shape = tuple(side + (self.is_shifted and mode == self.order[0]) for mode, side in enumerate(self.shape))
        if panels is not None:
            sides = (panels.wide if mode == panels.mode else side for mode, side in enumerate(shape))
            shape, strides = (*sides, panels.count), (*strides, panels.apart)
        if not self.is_fixed:
            shape, strides = (*shape, slots, crews), (*strides, self.pitch // size, crew_bytes // size)
        return MemrefType(self.element, shape, strides, AddressSpace.LOCAL)


class _Region(Struct):
    """Bytes of a crew that one slab after the other has; `free` is where in the program they are."""

    offset: int
    pitch: int
    free: int


class Slabs(Struct, frozen=True, eq=False):
    """Slabs by the operation whose tile they hold; bytes of each crew, and of the block besides."""

    of: dict[Operation, Slab]
    crew_bytes: int
    fixed_bytes: int

    def bytes_of(self, crews: int) -> int:
        """Shared memory of a block."""
        return self.fixed_bytes + crews * self.crew_bytes


class _Placing(Struct):
    """Slabs of `slots`; `in_passes` if they are not all worked on at a time."""

    slots: int
    in_passes: bool
    regions: list[_Region] = field(default_factory=list[_Region])
    found: dict[Operation, Slab] = field(default_factory=dict[Operation, Slab])
    top: int = 0
    fixed: int = 0

    def place(self, op: Operation, slab: Slab, birth: int, death: int) -> None:
        """Give a slab bytes that nobody else needs from `birth` to `death`."""
        if slab.is_fixed:
            self.found[op] = replace(slab, offset=self.fixed)
            self.fixed += _up(slab.pitch, BANKS_BYTES)
            return
        for region in self.regions:
            fits = region.pitch == slab.pitch or (region.pitch > slab.pitch and not self.in_passes)
            if region.free <= birth and fits:
                region.free = death
                self.found[op] = replace(slab, offset=region.offset)
                return
        self.regions.append(_Region(self.top, slab.pitch, death))
        self.found[op] = replace(slab, offset=self.top)
        self.top += _up(slab.pitch * self.slots, BANKS_BYTES)


def place_slabs(
    items: Items,
    count: int,
    in_passes: bool,
    rows: frozenset[Transfer],
    tilings: Mapping[tuple[int, ...], Tiling],
    *,
    kept: bool = False,
) -> Slabs:
    """The slabs of a chunk of `count` items, of which threads hold tiles by `tilings`.

    Where loads are `kept` nothing else takes their place, so that what comes next can be loaded before all is done.
    """
    placing = _Placing(count // items.joined, in_passes)
    padded = any(tiling.unit for tiling in tilings.values())
    position = {op: k for k, op in enumerate(items.operations)}

    def slab(op: Operation) -> Slab:
        found = slab_of(items, op, rows, padded=padded)
        transfer = items.transfers.get(op)
        if transfer is not None and transfer not in rows and not padded:
            found = replace(found, is_shifted=transfer.in_halves)
        mode = items.panel_mode(op.results[0]) if op.results and not padded else None
        if mode is None:
            return found
        shape = next(items.shape(each.out) for each in items.products if op.results[0] in (each.lhs, each.rhs))
        return found.in_panels(mode, tilings[shape].box[mode], tilings[shape].boxes[mode])

    def last_use(value: Value) -> int:
        return max((position[use] for use in value.uses if use in position), default=-1)

    # what nobody asks for is not loaded
    for transfer in (transfer for transfer in items.loads if transfer.value.uses):
        last = len(items.operations) + 1 if kept else last_use(transfer.value)
        placing.place(transfer.op, slab(transfer.op), -1, last)
    for k, op in enumerate(items.operations):
        if isinstance(op, tile.Store):
            placing.place(op, slab(op), k, len(items.operations))
        elif op not in items.transfers and op.results and op.results[0] in items.factors:
            placing.place(op, slab(op), k, last_use(op.results[0]))
    return Slabs(placing.found, placing.top, placing.fixed)


def slab_of(items: Items, op: Operation, rows: Collection[Transfer], *, padded: bool) -> Slab:
    """The slab of what an operation loads, stores or computes, at no place yet."""
    transfer = items.transfers.get(op)
    if transfer is None:
        type_, shape = tile_type(op.results[0]), items.shape(op.results[0])
        order, element = tuple(range(type_.rank)), type_.element
    else:
        shape, order, element = items.shape(transfer.value), transfer.order, transfer.element
        if transfer in rows:
            pitch = items.joined * transfer.row_bytes
            return Slab(shape, order, transfer.strides, element, pitch, transfer.is_fixed)
    box, is_fixed = list(shape), transfer is not None and transfer.is_fixed
    if padded and is_fixed and _fills_banks(element):
        box[order[0]] += _apart(shape, order, element)
    elif padded and is_wide(shape, order, element):
        # of matrices rows of 16 bytes lie side by side, of what lanes read in pairs those of four
        box[order[0]] += (BANKS_BYTES // 2 if _fills_banks(element) else PIECE) // element.bytes
    return Slab(shape, order, dense_strides(tuple(box), order), element, _up(prod(box) * element.bytes), is_fixed)


def _in_pieces(extent: int, element: ScalarType, *, is_odd: bool) -> int:
    """At least so many elements, in whole pieces; what lies an odd number of them apart is in different banks."""
    piece = PIECE // element.bytes
    return (-(-extent // piece) | is_odd) * piece


def is_padded(transfer: Transfer) -> bool:
    """Whether a tile is padded where matrix instructions read it."""
    return is_wide(transfer.shape, transfer.order, transfer.element)


def is_wide(shape: tuple[int, ...], order: tuple[int, ...], element: ScalarType) -> bool:
    """Whether pieces beside each other along all modes but that of neighbours are of the same banks."""
    return len(shape) > 1 and shape[order[0]] * element.bytes % BANKS_BYTES == 0


def _apart(shape: tuple[int, ...], order: tuple[int, ...], element: ScalarType) -> int:
    """Elements between rows of neighbours, of which lanes of a matrix instruction read four in each of four rows."""
    near, far = (shape[mode] for mode in order)
    rows, _ = strides_along_k(far, PIECE // element.bytes, element)
    banks = BANKS_BYTES // element.bytes

    def passes(padding: int) -> int:
        begin = rows * (near + padding)
        return most_in_a_bank([lane + k * begin for lane in range(LANES_OF_ROW) for k in range(LANES_OF_ROW)], banks)

    return min(range(0, LANES_OF_ROW * PIECE // element.bytes, PIECE // element.bytes), key=passes)


def strides_along_k(depth: int, registers: int, element: ScalarType) -> tuple[int, int]:
    """Of lanes and registers of a matrix instruction that is not loaded by matrices, so many registers a step.

    Each lane takes a run of all k, or of each step where lanes read all banks with four rows; single ones if four lanes
    do not divide them.
    """
    if _fills_banks(element) and depth % (LANES_OF_ROW * registers) == 0:
        return registers, 1
    return (1, LANES_OF_ROW) if depth % LANES_OF_ROW else (depth // LANES_OF_ROW, 1)


def _fills_banks(element: ScalarType) -> bool:
    """Whether all banks are read by lanes that hold four rows of a factor, one element each."""
    return element.bytes * LANES_OF_ROW * LANES_OF_ROW == BANKS_BYTES


def _up(size: int, unit: int = PIECE) -> int:
    return -(-size // unit) * unit
