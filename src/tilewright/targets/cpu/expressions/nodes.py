"""What a tile is while code is generated: an expression that is computed block by block where it is stored.

A tile in memory (`Memory`), in registers (`Registers`), or an operation on other tiles. Expressions cost nothing until
a block of them is computed (`evaluation/evaluate.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.expressions.blocks import Piece
from tilewright.targets.cpu.expressions.fragments import Fragments
from tilewright.targets.cpu.expressions.graph import reachable
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.llvm.emitter import Complex, Value, i64

_FARTHEST: Final = -(1 << 62)


class Bound(Struct, frozen=True):
    """Positions r of a dimension that exist: `low <= r < high`; the others read as zero and are not written."""

    low: Value
    high: Value

    @staticmethod
    def below(high: Value) -> Bound:
        """All in front of one."""
        return Bound(i64(_FARTHEST), high)

    @property
    def begins(self) -> bool:
        """Whether some positions may be in front of those that exist."""
        return self.low.integer != _FARTHEST


class Table(Struct, frozen=True):
    """Where positions of a dimension lie that no stride tells, in elements: position r at the i64 `pointer[r]`.

    Runs of `run` positions lie the dimension's stride apart; position 0 is the one of number `phase` in its run, and a
    multiple of `grain` from a run's start on (0: it is one). One may read some positions behind the end.
    """

    pointer: Value
    run: int
    phase: Value
    grain: int = 0


class Memory(Struct, frozen=True, eq=False):
    """Element (r0, ..) lies at `pointer + sum r_k strides_k` (in elements); for some k maybe `tables_k[r_k]` instead.

    `span`: how many elements from `pointer` on may be read in any case, where that is known. `distant`: it is no memory
    of the work-group's own, so it may be in no cache. `padding`: so many positions behind the last one along the
    contiguous dimension are nobody's, they may be read and written. `exceeds`: whether the memory that the tile is a
    part of is larger than the caches, and what is written there is not soon read; None if that is not known to be so.
    `following`: how many elements further on, in memory that may be in no cache, the next tile of a loop begins.
    `ends`: for each dimension maybe a position from which on nobody reads what is written here.
    """

    type: TileType
    pointer: Value
    strides: tuple[Value, ...]
    bounds: tuple[Bound | None, ...]
    span: int | None = None
    distant: bool = False
    padding: int = 0
    tables: tuple[Table | None, ...] = ()
    exceeds: Value | None = None
    following: int | None = None
    ends: tuple[Value | None, ...] = ()

    def table(self, dim: int) -> Table | None:
        """The table of a dimension, if it has one."""
        return self.tables[dim] if self.tables else None

    @property
    def checked(self) -> bool:
        """Whether some elements may not exist."""
        return any(bound is not None for bound in self.bounds)


class Registers(Struct, frozen=True, eq=False):
    """A tile of one or two dimensions held in vectors along dimension `vector`."""

    type: TileType
    vector: int
    pieces: tuple[Piece, ...]
    fragments: Fragments


class Splat(Struct, frozen=True, eq=False):
    """Every element is the same scalar."""

    type: TileType
    operand: Operand


class Elementwise(Struct, frozen=True, eq=False):
    """An operation of `arith` or `math` on each element; an operand that is a scalar in the IR is a `Splat`."""

    type: TileType
    op: core.Operation
    operands: tuple[Expression, ...]


class Converted(Struct, frozen=True, eq=False):
    """The source in another element type; integers that are not `signed` are read as unsigned ones."""

    type: TileType
    source: Expression
    signed: bool = True


class Broadcast(Struct, frozen=True, eq=False):
    """Dimensions of extent 1 stretched."""

    type: TileType
    source: Expression


class Permute(Struct, frozen=True, eq=False):
    """Dimension k is dimension `order[k]` of the source."""

    type: TileType
    source: Expression
    order: tuple[int, ...]


class Extract(Struct, frozen=True, eq=False):
    """A box of the source at static offsets."""

    type: TileType
    source: Expression
    offsets: tuple[int, ...]


class Reshaped(Struct, frozen=True, eq=False):
    """The source's elements in another shape, numbered with the first dimension fastest.

    Memory as a matrix, or a matrix that is stored as more dimensions. Large products take it as it is; for all else it
    is put together in a buffer first.
    """

    type: TileType
    source: Expression


class Reverse(Struct, frozen=True, eq=False):
    """Positions along `dims` counted from the end."""

    type: TileType
    source: Expression
    dims: tuple[int, ...]


class Iota(Struct, frozen=True, eq=False):
    """Each element is its position along a dimension."""

    type: TileType
    dim: int


class Product(Struct, frozen=True, eq=False):
    """`acc + lhs rhs`, which the operation `op` of the program is."""

    type: TileType
    lhs: Expression
    rhs: Expression
    acc: Expression
    op: core.Operation | None = None


class Reduction(Struct, frozen=True, eq=False):
    """All elements along a dimension combined by the commutative operation `word` of `arith`."""

    type: TileType
    source: Expression
    word: str
    dim: int


class Gathered(Struct, frozen=True, eq=False):
    """Each element lies at its own address (`i64`); where the mask is false it is zero and not read."""

    type: TileType
    addresses: Expression
    mask: Expression | None


Expression = (
    Memory
    | Registers
    | Splat
    | Elementwise
    | Converted
    | Broadcast
    | Permute
    | Extract
    | Reshaped
    | Reverse
    | Iota
    | Product
    | Reduction
    | Gathered
)


def sources(tile: Expression) -> tuple[Expression, ...]:
    """The operands of an expression."""
    match tile:
        case Elementwise():
            return tile.operands
        case Converted() | Broadcast() | Permute() | Extract() | Reshaped() | Reverse() | Reduction():
            return (tile.source,)
        case Product():
            return (tile.lhs, tile.rhs, tile.acc)
        case Gathered():
            return (tile.addresses,) if tile.mask is None else (tile.addresses, tile.mask)
        case Memory() | Registers() | Splat() | Iota():
            return ()


class Substitution:
    """Takes expressions to the same ones over other LLVM values; parts that occur several times stay one.

    `known` says what some parts become.
    """

    __slots__ = ("_change", "_known")

    def __init__(self, change: Callable[[Value], Value], known: dict[Expression, Expression] | None = None) -> None:
        self._change = change
        self._known: dict[Expression, Expression] = dict(known or {})

    def tile(self, tile: Expression) -> Expression:
        """The expression over the changed values."""
        known = self._known.get(tile)
        if known is None:
            known = self._known[tile] = self._mapped(tile)
        return known

    def _mapped(self, tile: Expression) -> Expression:
        match tile:
            case Memory():
                bounds = [None if b is None else Bound(self._change(b.low), self._change(b.high)) for b in tile.bounds]
                strides = tuple(map(self._change, tile.strides))
                tables = tuple(None if t is None else self._table(t) for t in tile.tables)
                pointer = self._change(tile.pointer)
                exceeds = None if tile.exceeds is None else self._change(tile.exceeds)
                ends = tuple(None if end is None else self._change(end) for end in tile.ends)
                return replace(
                    tile,
                    pointer=pointer,
                    strides=strides,
                    bounds=tuple(bounds),
                    tables=tables,
                    exceeds=exceeds,
                    ends=ends,
                )
            case Registers():
                return replace(tile, fragments=[[self.operand(x) for x in row] for row in tile.fragments])
            case Splat():
                return replace(tile, operand=self.operand(tile.operand))
            case Elementwise():
                return replace(tile, operands=tuple(map(self.tile, tile.operands)))
            case Product():
                return replace(tile, lhs=self.tile(tile.lhs), rhs=self.tile(tile.rhs), acc=self.tile(tile.acc))
            case Converted() | Broadcast() | Permute() | Extract() | Reshaped() | Reverse() | Reduction():
                return replace(tile, source=self.tile(tile.source))
            case Gathered():
                mask = None if tile.mask is None else self.tile(tile.mask)
                return replace(tile, addresses=self.tile(tile.addresses), mask=mask)
            case Iota():
                return tile

    def _table(self, table: Table) -> Table:
        return replace(table, pointer=self._change(table.pointer), phase=self._change(table.phase))

    def operand(self, operand: Operand) -> Operand:
        """The operand with its values changed."""
        if isinstance(operand, Complex):
            return Complex(self._change(operand.re), self._change(operand.im))
        return self._change(operand)


def leaves(tile: Expression) -> Iterator[Expression]:
    """The memory, registers and scalars that an expression is made of, once each."""
    return (part for part in subexpressions(tile) if not sources(part))


def subexpressions(tile: Expression) -> Iterator[Expression]:
    """The tile and all it is made of, once each."""
    return reachable(tile, sources)


def lane_bytes(tile: Expression) -> int:
    """Bytes of the widest component computed with on the way to the tile."""
    return max(part.type.element.component.bytes for part in subexpressions(tile))


def first_long_dim(shape: Sequence[int]) -> int:
    """Where vectors run if no elements are neighbours: the first dimension of more than one, else the first."""
    return next((dim for dim, extent in enumerate(shape) if extent > 1), 0)


def unconverted(tile: Expression) -> Expression:
    """What a tile is converted from; the tile itself if it is not converted."""
    return tile.source if isinstance(tile, Converted) else tile


def natural_dim(tile: Expression) -> int | None:
    """The dimension along which the tile's elements are neighbours, where there is one."""
    return _natural_dim(tile, {})


def _natural_dim(tile: Expression, known: dict[Expression, int | None]) -> int | None:
    if tile not in known:
        known[tile] = _found_dim(tile, known)
    return known[tile]


def _run(tile: Memory, dim: int) -> int:
    """How many positions of a dimension lie its stride apart."""
    table = tile.table(dim)
    return tile.type.shape[dim] if table is None else table.run


def _found_dim(tile: Expression, known: dict[Expression, int | None]) -> int | None:
    match tile:
        case Memory():
            units = [k for k, stride in enumerate(tile.strides) if stride.integer == 1 and tile.type.shape[k] > 1]
            return max(units, key=lambda k: _run(tile, k), default=None)
        case Registers():
            return tile.vector
        case Elementwise():
            return next((d for d in (_natural_dim(part, known) for part in tile.operands) if d is not None), None)
        case Broadcast():
            dim = _natural_dim(tile.source, known)
            return None if dim is None or tile.source.type.shape[dim] == 1 else dim
        case Permute():
            dim = _natural_dim(tile.source, known)
            return None if dim is None else tile.order.index(dim)
        case Extract() | Reverse() | Converted():
            return _natural_dim(tile.source, known)
        case Product():
            dim = _natural_dim(tile.acc, known)
            rows = dim is None and _natural_dim(tile.lhs, known) != 0 and _natural_dim(tile.rhs, known) == 1
            return 1 if rows else dim
        case Reduction():
            dim = _natural_dim(tile.source, known)
            return None if dim is None or dim == tile.dim else dim - (dim > tile.dim)
        case Gathered():
            return _natural_dim(tile.addresses, known)
        case Splat() | Iota() | Reshaped():
            return None
