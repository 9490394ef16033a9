"""What a kernel does with each item: a straight line of tiles that are loaded, multiplied, computed with and stored."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, memref, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import Elementwise, root_of
from tilewright.ir.types import BOOL, AddressSpace, MemrefType, ScalarType, TileType
from tilewright.transforms.aliasing import lie_in_arrays, views_may_overlap
from tilewright.transforms.lane_accesses import WORD
from tilewright.transforms.pack_items.batches import by_stride, dense_strides, distance
from tilewright.transforms.schedule.known import has_tile
from tilewright.transforms.tile_values import tile_type

Access = tile.Load | tile.Store

_ON_TILES: Final = (Elementwise, arith.Constant, tile.Load, tile.Store, tile.Splat, tile.Mma)
_MOST_OPERATIONS: Final = 512
"""On tiles: what an item does is written out."""

LATE_LOAD: Final = "a load behind a store to an array that it may overlap"
"""What need not be in the way."""
_SAME: Final = "a load behind a store to memory that may be the same"
_MOST_GAPS: Final = 2
"""Times as many elements as are needed that are read at most."""

PIECE: Final = 16
"""Bytes of the widest access; slabs begin at multiples of it."""

SECTOR: Final = 32
"""Bytes that memory moves at least."""

_LOCAL: Final = "local memory"


class Transfer(Struct, frozen=True, eq=False):
    """A tile between global memory and the shared memory of an item.

    `order` are its modes from that of neighbours on. `is_fixed`: it is the same memory for all items. `is_dense`: it
    has no gaps; `apart` elements behind the first one is that of the next item, if a chunk of items lies in a row and
    may be moved as such, gaps included (these are read but not written); else 0.
    """

    op: Access
    order: tuple[int, ...]
    is_fixed: bool
    is_dense: bool
    apart: int

    @staticmethod
    def of(op: Access) -> Transfer:
        """How a load or store is done for each item."""
        type_ = op.memref.type
        assert isinstance(type_, MemrefType)
        shape, order, apart = tile_type(tile_of(op)).shape, by_stride(type_), distance(op.memref, op.indices)
        dense = dense_strides(shape, order)
        is_dense = all(n == 1 or have == want for n, have, want in zip(shape, type_.strides, dense, strict=True))
        is_fixed = isinstance(op, tile.Load) and apart == 0
        in_a_row = is_dense and apart == prod(shape)
        if isinstance(op, tile.Load) and apart:
            in_a_row = _has_small_gaps(shape, type_.strides, order, apart)
        return Transfer(op, order, is_fixed, is_dense, apart or 0 if in_a_row else 0)

    @property
    def is_row(self) -> bool:
        """Whether items lie in a row."""
        return self.apart > 0

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements, of its tile in shared memory if it is moved with its gaps."""
        assert isinstance(self.op.memref.type, MemrefType)
        dense = dense_strides(self.shape, self.order)
        if not self.is_row or self.is_dense:
            return dense
        return tuple(stride or 0 for stride in self.op.memref.type.strides)

    @property
    def has_gaps(self) -> bool:
        """Whether what lies behind the last element of an item belongs to the row."""
        return self.is_row and self.apart > prod(self.shape)

    @property
    def value(self) -> Value:
        """The tile."""
        return tile_of(self.op)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return tile_type(self.value).shape

    @property
    def element(self) -> ScalarType:
        """Its elements."""
        return tile_type(self.value).element

    @property
    def bytes(self) -> int:
        """Of its elements."""
        return prod(self.shape) * self.element.bytes

    @property
    def in_halves(self) -> bool:
        """Whether it is loaded item by item, in an odd number of halves of a word.

        Half of the items begin in the middle of a word then. In shared memory they do so too: all but one element are
        copied by words.
        """
        odd = prod(self.shape) % 2 == 1 < prod(self.shape) and self.element.bytes * 2 == WORD
        return odd and isinstance(self.op, tile.Load) and self.is_dense and not self.is_fixed

    @property
    def reach(self) -> int:
        """Elements from the first one of an item to behind its last one, in a row."""
        return 1 + sum((n - 1) * stride for n, stride in zip(self.shape, self.strides, strict=True))

    @property
    def row_bytes(self) -> int:
        """From an item to the next one in a row."""
        return self.apart * self.element.bytes


class Items(Struct, frozen=True, eq=False):
    """The operations of a kernel in order, and its transfers; so many items are `joined` to one along their last mode.

    A product with a factor that is the same for all items is one of joined tiles: what is read of that factor serves
    more columns, and so do whole matrix instructions. If they are `panelled`, factors that are the same for all items
    or computed lie in panels: what a thread multiplies of them for a term lies side by side.
    """

    operations: list[Operation]
    transfers: dict[Operation, Transfer]
    joined: int = 1
    panelled: bool = False

    @staticmethod
    def of(kernel: Kernel) -> Items | str:
        """What a kernel does with each item; in words what keeps it from being packed."""
        operations = list(kernel.body.entry)
        reason = _LOCAL if any(map(_is_local, kernel.parameters)) else None
        reason = reason or next(filter(None, map(_obstacle, operations)), None)
        reason = reason or _late_load(operations) or _moved_address(operations)
        if reason is not None:
            return reason
        transfers: dict[Operation, Transfer] = {op: Transfer.of(op) for op in operations if isinstance(op, Access)}
        if all(transfer.is_fixed for transfer in transfers.values()):
            return "work-groups that work on the same memory"
        return Items([op for op in operations if not isinstance(op, team.Barrier)], transfers)

    @property
    def loads(self) -> list[Transfer]:
        """What is loaded, in order."""
        return [transfer for op, transfer in self.transfers.items() if isinstance(op, tile.Load)]

    @property
    def stores(self) -> list[Transfer]:
        """What is stored, in order."""
        return [transfer for op, transfer in self.transfers.items() if isinstance(op, tile.Store)]

    @property
    def products(self) -> list[tile.Mma]:
        """The products, in order."""
        return [op for op in self.operations if isinstance(op, tile.Mma)]

    def shape(self, value: Value) -> tuple[int, ...]:
        """The extents of a tile, of joined items if it differs from item to item."""
        shape = tile_type(value).shape
        op = value.defining_op
        if self.joined == 1 or (op in self.transfers and self.transfers[op].is_fixed):
            return shape
        return (*shape[:-1], shape[-1] * self.joined)

    @property
    def lie_dense(self) -> bool:
        """Whether all that is moved differs from item to item, and lies in a row without gaps."""
        return all(transfer.is_row and transfer.is_dense for transfer in self.transfers.values())

    @property
    def can_join(self) -> bool:
        """Whether items that follow each other are one of more columns: their tiles do so, and only these."""
        fixed = {transfer.value for transfer in self.transfers.values() if transfer.is_fixed}
        last = [transfer for transfer in self.transfers.values() if not transfer.is_fixed]
        products = all(op.lhs in fixed and op.rhs not in fixed and op.acc not in fixed for op in self.products)
        elsewhere = any(not isinstance(op, tile.Mma) for value in fixed for op in value.uses)
        in_a_row = all(transfer.is_row and transfer.is_dense and transfer.order == (0, 1) for transfer in last)
        tiles = [value.type for op in self.operations for value in op.results if isinstance(value.type, TileType)]
        return products and not elsewhere and in_a_row and all(type_.rank == 2 for type_ in tiles)

    def is_moving(self, value: Value) -> bool:
        """Whether a tile is loaded for each item."""
        op = value.defining_op
        return op in self.transfers and not self.transfers[op].is_fixed

    @property
    def last_reader(self) -> Operation | None:
        """The last operation that reads what is loaded for each item."""
        return next((op for op in reversed(self.operations) if any(map(self.is_moving, op.operands))), None)

    def panel_mode(self, value: Value) -> int | None:
        """The mode along which threads hold a factor that lies in panels; None if it lies otherwise.

        It is a left or a right factor of products of one shape, and read for nothing else unless it is held as they
        are: what is the same for all items, or computed.
        """
        transfer = None if value.defining_op is None else self.transfers.get(value.defining_op)
        if not self.panelled or (transfer is not None and not transfer.is_fixed):
            return None
        products = [product for product in self.products if value in (product.lhs, product.rhs)]
        modes = {mode for each in products for mode, factor in enumerate((each.lhs, each.rhs)) if factor is value}
        shapes = {self.shape(each.out) for each in products}
        multiplied = all(isinstance(use, tile.Mma) and use.acc is not value for use in value.uses)
        is_held_alike = multiplied or self.shape(value) in shapes
        return modes.pop() if len(modes) == len(shapes) == 1 and is_held_alike else None

    @property
    def factors(self) -> set[Value]:
        """The tiles that are multiplied."""
        return {value for op in self.products for value in (op.lhs, op.rhs)}


def is_batch(kernel: Kernel) -> bool:
    """Whether a kernel computes products, and the work-groups along x can be told apart."""
    operations = list(kernel.walk())
    along_x = any(isinstance(op, team.GroupId) and op.dim == 0 for op in operations)
    return along_x and any(isinstance(op, tile.Mma) for op in operations)


def behind(values: Iterable[Value]) -> set[Operation]:
    """The operations that compute values."""
    found: set[Operation] = set()
    pending = list(values)
    while pending:
        op = pending.pop().defining_op
        if op is not None and op not in found:
            found.add(op)
            pending += op.operands
    return found


def tile_of(op: Access) -> Value:
    """What is loaded or stored."""
    return op.out if isinstance(op, tile.Load) else op.value


def is_held(value: Value) -> bool:
    """Whether the elements of a tile are in registers at some time: not if it is loaded and only multiplied."""
    if not isinstance(value.type, TileType):
        return False
    multiplied = all(isinstance(op, tile.Mma) and op.acc is not value for op in value.uses)
    return not (isinstance(value.defining_op, tile.Load) and multiplied)


def _has_small_gaps(
    shape: tuple[int, ...], strides: tuple[int | None, ...], order: tuple[int, ...], apart: int
) -> bool:
    """Whether items follow each other, elements at their own places, with less between them than they have."""
    reached = 1
    for mode in order:
        stride = strides[mode]
        if shape[mode] > 1:
            if stride is None or stride < reached or (reached == 1 and stride != 1):
                return False
            reached = stride * (shape[mode] - 1) + reached
    return reached <= apart <= _MOST_GAPS * prod(shape)


def _obstacle(op: Operation) -> str | None:
    if op.regions:
        return op.name
    if isinstance(op, team.Barrier | team.GroupId | team.NumGroups):
        return None
    if op.definition.dialect == "team":
        return op.name
    if not has_tile(op):
        return None if isinstance(op, memref.Load) or PURE in op.definition.traits else op.name
    if not isinstance(op, _ON_TILES) or (
        isinstance(op, Elementwise) and op.definition.dialect not in ("arith", "math")
    ):
        return op.name
    for value in (*op.operands, *op.results):
        if isinstance(value.type, TileType) and _unknown(value.type):
            return f"a {value.type}"
    if isinstance(op, Access):
        return _unknown_access(op)
    if isinstance(op, tile.Mma) and any(tile_type(value).element is BOOL for value in op.operands):
        return f"a product of {BOOL}"
    return None


def _unknown(type_: TileType) -> bool:
    return type_.rank not in (1, 2) or not type_.size or type_.element.is_complex


def _is_local(memory: Value) -> bool:
    """Whether it is the work-group's own."""
    return isinstance(memory.type, MemrefType) and memory.type.space is AddressSpace.LOCAL


def _unknown_access(op: Access) -> str | None:
    type_ = op.memref.type
    assert isinstance(type_, MemrefType)
    if _is_local(op.memref):
        return _LOCAL
    if any(op.check):
        return "tiles that go over an edge"
    return f"memory of {BOOL}" if type_.element is BOOL else None


def _late_load(operations: list[Operation]) -> str | None:
    """All items are loaded before any is stored: nothing may be read that the same item has written."""
    if sum(has_tile(op) for op in operations) > _MOST_OPERATIONS:
        return f"more than {_MOST_OPERATIONS} operations on tiles"
    written: list[Value] = []
    met: list[tuple[Value, Value]] = []
    for op in operations:
        if isinstance(op, tile.Store):
            written.append(op.memref)
        elif isinstance(op, tile.Load | memref.Load):
            met += [(op.memref, view) for view in written if views_may_overlap(op.memref, view)]
    if not met:
        return None
    return LATE_LOAD if all(lie_in_arrays(root_of(x), root_of(y)) for x, y in met) else _SAME


def _moved_address(operations: list[Operation]) -> str | None:
    """Where a store goes is computed when it begins: memory that says so may not have been written by then."""
    stores = [op for op in operations if isinstance(op, tile.Store)]
    for op in behind(value for store in stores for value in (store.memref, *store.indices)):
        if isinstance(op, memref.Load) and any(views_may_overlap(op.memref, store.memref) for store in stores):
            return "a store to memory that may say where stores go"
    return None
