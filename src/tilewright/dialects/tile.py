"""The tile level: what a team computes on immutable tiles. The one level where optimisation happens.

A tile is owned by the team of the region around it: by the work-group in a collective region, by the subgroup inside
`team.spmd`. Elementwise arithmetic is that of `arith` and `math`, which take tiles; control flow is `scf`; views of
memory are `memref` values. No operation knows a source language or a machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects import tile_rules
from tilewright.dialects.memref import AtomicKind, Scope, Semantics
from tilewright.ir.definition import (
    CONVERGENT,
    PURE,
    RECURSIVE_EFFECTS,
    SPMD_ONLY,
    Operation,
    Region,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    region,
    result,
)
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.index_map import Move, along, fixed, renumbered
from tilewright.ir.interfaces import AccessedBox, AccessesBox, MovesElements
from tilewright.ir.types import INDEX_ONLY, MEMREF, NUMBER, SCALAR, TILE, ScalarType, TileType, Type


def _shape(value: Value) -> tuple[int, ...]:
    assert isinstance(value.type, TileType)
    return value.type.shape


def _element(op: Operation) -> Type:
    type_ = op.operands[0].type
    return type_.element if isinstance(type_, TileType) else type_


class Load(AccessesBox, name="tile.load"):
    """Element (r0, r1, ..) of the result is `memref[i0 + r0, i1 + r1, ..]`; tile rank = order of the memref.

    `check[k]` tests `0 <= i_k + r_k < extent_k`; elements outside read as zero. Unchecked dimensions are in bounds.
    `unordered` is a promise: nothing in front of it in the work-group writes what it reads.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    unordered: bool = optional_attribute(bool, default=False)
    out: Value = result(TILE)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, _shape(self.out), self.out, False, self.check)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])

    def verify(self, report: Report) -> None:
        tile_rules.access(self, report, self.memref, self.indices, self.check, self.out)


class Store(AccessesBox, name="tile.store"):
    """Writes element (r0, ..) to `memref[i0 + r0, ..]`; where `check[k]`, elements outside are not written.

    `unordered` is a promise: nothing in front of it in the work-group accesses what it writes.
    """

    value: Value = operand(TILE)
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    unordered: bool = optional_attribute(bool, default=False)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, _shape(self.value), self.value, True, self.check)

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])

    def verify(self, report: Report) -> None:
        tile_rules.access(self, report, self.memref, self.indices, self.check, self.value)


class AtomicLoad(AccessesBox, name="tile.atomic_load"):
    """As `tile.load`, atomic per element."""

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    scope: Scope = optional_attribute(Scope, default=Scope.DEVICE)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(TILE)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, _shape(self.out), self.out, False, self.check)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[0])]

    def verify(self, report: Report) -> None:
        tile_rules.access(self, report, self.memref, self.indices, self.check, self.out)


class AtomicStore(AccessesBox, name="tile.atomic_store"):
    """As `tile.store`, atomic per element."""

    value: Value = operand(TILE)
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    scope: Scope = optional_attribute(Scope, default=Scope.DEVICE)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, _shape(self.value), self.value, True, self.check)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[1])]

    def verify(self, report: Report) -> None:
        tile_rules.access(self, report, self.memref, self.indices, self.check, self.value)


class AtomicRmw(AccessesBox, name="tile.atomic_rmw"):
    """Updates each element atomically; the result holds the old values, 0 where nothing was accessed."""

    value: Value = operand(TILE, var="T")
    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    kind: AtomicKind = attribute(AtomicKind)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    scope: Scope = optional_attribute(Scope, default=Scope.DEVICE)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(var="T")

    def box(self) -> AccessedBox:
        return AccessedBox(self.memref, self.indices, _shape(self.value), self.value, True, self.check, self.kind)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[1])]

    def verify(self, report: Report) -> None:
        tile_rules.access(self, report, self.memref, self.indices, self.check, self.value)
        tile_rules.update_kind(self, report, self.kind, self.value.type)


class Prefetch(Operation, name="tile.prefetch"):
    """Hint: the box of `shape` at `indices` will be needed in cache `level` (0 nearest), perhaps to `write` it.

    Never faults.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    level: int = attribute(int)
    shape: tuple[int, ...] = attribute(tuple)
    write: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.HINT)]

    def verify(self, report: Report) -> None:
        tile_rules.box(self, report, self.memref, self.indices, self.shape)


class Splat(Operation, name="tile.splat", traits=(PURE,)):
    """Every element is the scalar (in an SPMD region: dynamically uniform)."""

    value: Value = operand(SCALAR)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        tile_rules.same_element(self, report, self.value, self.out)


class Item(Operation, name="tile.item", traits=(PURE,)):
    """The element of a tile with one element."""

    tile: Value = operand(TILE)
    out: Value = result(SCALAR, infer=_element)

    def verify(self, report: Report) -> None:
        tile_rules.single(self, report, self.tile)


class Broadcast(MovesElements, name="tile.broadcast", traits=(PURE,)):
    """Stretches dimensions of extent 1 to those of the result; ranks are equal."""

    tile: Value = operand(TILE)
    out: Value = result(TILE)

    def moves(self) -> Sequence[Move]:
        shape = _shape(self.out)
        ends = enumerate(_shape(self.tile))
        return [Move.of_all([fixed(0, len(shape)) if n == 1 else along(k, len(shape)) for k, n in ends], shape)]

    def verify(self, report: Report) -> None:
        tile_rules.broadcast(self, report, self.tile, self.out)


class Reshape(MovesElements, name="tile.reshape", traits=(PURE,)):
    """The same elements in another shape, numbered with the first dimension fastest (column-major)."""

    tile: Value = operand(TILE)
    out: Value = result(TILE)

    def moves(self) -> Sequence[Move]:
        return [Move.of_all(renumbered(_shape(self.tile), _shape(self.out)), _shape(self.out))]

    def verify(self, report: Report) -> None:
        tile_rules.reshape(self, report, self.tile, self.out)


class Reinterpret(Operation, name="tile.reinterpret", traits=(PURE,)):
    """The bits of integers in a row as integers of another width, low bits first."""

    tile: Value = operand(TILE)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        tile_rules.reinterpret(self, report, self.tile, self.out)


def _permuted(op: Operation) -> Type:
    type_, order = op.operands[0].type, op.attributes["order"]
    assert isinstance(type_, TileType)
    assert isinstance(order, tuple)
    dims = [int(str(k)) for k in order]
    is_order = sorted(dims) == list(range(type_.rank))
    layout = type_.layout.permute(dims) if is_order and type_.layout is not None else None
    return TileType(tuple(type_.shape[k] for k in dims), type_.element, layout)


class Permute(MovesElements, name="tile.permute", traits=(PURE,)):
    """Dimension k of the result is dimension `order[k]` of the operand."""

    tile: Value = operand(TILE)
    order: tuple[int, ...] = attribute(tuple)
    out: Value = result(TILE, infer=_permuted)

    def moves(self) -> Sequence[Move]:
        rank = len(self.order)
        return [Move.of_all([along(self.order.index(k), rank) for k in range(rank)], _shape(self.out))]

    def verify(self, report: Report) -> None:
        tile_rules.permutation(self, report, self.order, self.tile)


class Extract(MovesElements, name="tile.extract", traits=(PURE,)):
    """The box of the result's shape at static `offsets`."""

    tile: Value = operand(TILE)
    offsets: tuple[int, ...] = attribute(tuple)
    out: Value = result(TILE)

    def moves(self) -> Sequence[Move]:
        shape = _shape(self.out)
        return [Move.of_all([along(k, len(shape), offset) for k, offset in enumerate(self.offsets)], shape)]

    def verify(self, report: Report) -> None:
        tile_rules.extract(self, report, self.tile, self.offsets, self.out)


class Cat(MovesElements, name="tile.cat", traits=(PURE,)):
    """Tiles side by side along dimension `dim`."""

    tiles: list[Value] = operands(TILE)
    dim: int = attribute(int)
    out: Value = result(TILE)

    def moves(self) -> Sequence[Move]:
        return [self._part(number) for number in range(len(self.tiles))]

    def _part(self, number: int) -> Move:
        shapes = [_shape(tile) for tile in self.tiles]
        before, rank = sum(shape[self.dim] for shape in shapes[:number]), len(shapes[number])
        start = tuple(before if k == self.dim else 0 for k in range(rank))
        return Move(number, tuple(along(k, rank) for k in range(rank)), start, shapes[number])

    def verify(self, report: Report) -> None:
        tile_rules.cat(self, report, self.tiles, self.dim, self.out)


class Iota(Operation, name="tile.iota", traits=(PURE,)):
    """Element (.., r, ..) is its own position r along dimension `dim`; integer elements."""

    dim: int = attribute(int)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        tile_rules.iota(self, report, self.dim, self.out)


class Mma(Operation, name="tile.mma", traits=(PURE,)):
    """Matrix product added to an accumulator: `lhs` m x k, `rhs` k x n, `acc` and result m x n.

    Operands are cast to acc's element type (exact), products and sums formed in it. Types that are only stored (i8,
    i16, bf16, f16) are none to sum in: products into them are formed in i32 and f32. The order of summation over k is
    unspecified and multiply-adds may be contracted, so float results may differ in the last bits. `fast` lets units
    form sums of floats of 8 bits in fewer bits than acc's type has, as their accumulators are; who has none does not.
    """

    lhs: Value = operand(TILE)
    rhs: Value = operand(TILE)
    acc: Value = operand(TILE, var="T")
    fast: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        tile_rules.mma(self, report, self.lhs, self.rhs, self.acc)


def _without_dim(op: Operation) -> Type:
    type_, dim = op.operands[0].type, op.attributes["dim"]
    assert isinstance(type_, TileType)
    assert isinstance(dim, int)
    return tile_rules.reduced(type_, dim)


class Reduce(Operation, name="tile.reduce", traits=(PURE,)):
    """Sum, maximum or minimum along dimension `dim`, which vanishes; no order of summation."""

    tile: Value = operand(TILE)
    kind: AtomicKind = attribute(AtomicKind)
    dim: int = attribute(int)
    out: Value = result(TILE, infer=_without_dim)

    def verify(self, report: Report) -> None:
        tile_rules.dimension(self, report, self.dim, self.tile)
        tile_rules.update_kind(self, report, self.kind, self.tile.type)


class Scan(Operation, name="tile.scan", traits=(PURE,)):
    """Inclusive prefix sum, maximum or minimum along dimension `dim`."""

    tile: Value = operand(TILE, var="T")
    kind: AtomicKind = attribute(AtomicKind)
    dim: int = attribute(int)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        tile_rules.dimension(self, report, self.dim, self.tile)
        tile_rules.update_kind(self, report, self.kind, self.tile.type)


class Map(Operation, name="tile.map", traits=(RECURSIVE_EFFECTS,)):
    """New element = what the region yields for (i, j, .., v): positions as i32, then the element; in no order."""

    tile: Value = operand(TILE, var="T")
    body: Region = region()
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        tile_rules.mapped(self, report, self.tile, self.body)


class ShareExtract(Operation, name="tile.share_extract", traits=(PURE, SPMD_ONLY)):
    """Component `index` of this work-item's share of a subgroup's 2-d tile (language reference 1.11).

    With S work-items and an M x N tile: I = min(M, S), J = ceil(I N / S) S / I, K = M / I. Component `u + k I J / S` of
    work-item p is the element (p mod I + k I, floor(p / I) + u S / I); columns >= N read as 0.
    """

    tile: Value = operand(TILE)
    index: int = attribute(int)
    out: Value = result(NUMBER, infer=_element)

    def verify(self, report: Report) -> None:
        tile_rules.share(self, report, self.tile, self.index, self.out)


class ShareInsert(Operation, name="tile.share_insert", traits=(PURE, SPMD_ONLY, CONVERGENT)):
    """A copy of the tile with component `index` of each work-item's share replaced by its `value`."""

    value: Value = operand(NUMBER)
    tile: Value = operand(TILE, var="T")
    index: int = attribute(int)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        tile_rules.share(self, report, self.tile, self.index, self.value)


def tile(element: ScalarType, *shape: int) -> TileType:
    """A tile type."""
    return TileType(shape, element)
