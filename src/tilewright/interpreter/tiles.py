"""Tiles and cooperative matrices.

A tile of the work-group is an array of its shape; in SPMD regions a first axis runs over the subgroups, each of which
owns one. Cooperative matrices are tiles of subgroups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects import gpu_sums, scf, tile, tl
from tilewright.dialects.memref import AtomicKind
from tilewright.interpreter.collectives import matmul
from tilewright.interpreter.scalars import accumulated, reduced
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.units import by_unit
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import C64, F64, CoopMatrixType, ScalarType, TileType
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.conversions import convert

Array = NDArray[Any]


def shaped_type(value: Value) -> TileType | CoopMatrixType:
    assert isinstance(value.type, TileType | CoopMatrixType)
    return value.type


def teams(w: WorkGroup) -> list[int]:
    """Numbers of the active subgroups; the work-group alone is number 0."""
    return [0] if w.mask is None else [int(s) for s in w.active_subgroups]


def tile_of(w: WorkGroup, value: Value) -> Array:
    """The tile, with an axis over teams in front."""
    found, type_ = w.scalar(value), shaped_type(value)
    if found.ndim == len(type_.shape):
        count = 1 if w.mask is None else w.subgroups
        return np.broadcast_to(found, (count, *type_.shape))
    return found


def bind(w: WorkGroup, value: Value, per_team: Array) -> None:
    """Bind a tile that has an axis over teams."""
    w.values[value] = np.asarray(per_team[0]) if w.mask is None else per_team


def empty_tiles(w: WorkGroup, value: Value) -> Array:
    type_ = shaped_type(value)
    count = 1 if w.mask is None else w.subgroups
    return np.zeros((count, *type_.shape), dtype_of(type_.element.format))


def _nothing(w: WorkGroup, op: Operation) -> None:
    """A hint."""


def _per_team_scalar(w: WorkGroup, value: Value) -> Array:
    """A uniform scalar as one entry a team."""
    return w.scalar(value).reshape(1) if w.mask is None else w.per_subgroup(w.scalar(value))


def _splat(w: WorkGroup, op: Operation) -> None:
    out = op.results[0]
    values = _per_team_scalar(w, op.operands[0])
    rank = len(shaped_type(out).shape)
    bind(w, out, np.broadcast_to(values.reshape(-1, *(1,) * rank), empty_tiles(w, out).shape))


def _item(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.Item)
    values = tile_of(w, op.tile).reshape(-1)
    w.values[op.out] = values[0] * 1 if w.mask is None else np.repeat(values, w.subgroup_size)
    w.values[op.out] = np.asarray(w.values[op.out])


def _mapped(change: Callable[[Any, Array], Array]) -> Handler:
    """An operation that changes one tile, given with an axis over teams in front."""

    def handler(w: WorkGroup, op: Operation) -> None:
        bind(w, op.results[0], np.asarray(change(op, tile_of(w, op.operands[0]))))

    return handler


def moved(w: WorkGroup, op: Operation) -> None:
    """Elements of the operands in other places."""
    assert isinstance(op, MovesElements)
    out = empty_tiles(w, op.results[0])
    for move in op.moves():
        source, rank = tile_of(w, op.operands[move.operand]), len(move.shape)
        positions = np.ix_(*map(np.arange, move.shape))
        at = [np.asarray(index).reshape(np.shape(index) or (1,) * rank) for index in move.at(positions)]
        found = source[(slice(None), *at)] if at else source.reshape(-1, *(1,) * rank)
        out[(slice(None), *(slice(s, s + n) for s, n in zip(move.start, move.shape, strict=True)))] = found
    bind(w, op.results[0], out)


def _reinterpret(op: tile.Reinterpret, tiles: Array) -> Array:
    return np.ascontiguousarray(tiles).view(dtype_of(shaped_type(op.out).element.format))


def _reduce(op: tile.Reduce, tiles: Array) -> Array:
    return reduced(tiles, op.kind, op.dim + 1)


def _sum_own(op: gpu_sums.SumOwn, tiles: Array) -> Array:
    """All of a line: on tiles nobody can tell what a thread has of it."""
    return reduced(tiles, AtomicKind.ADD, op.dim + 1)


def _sum_lanes(op: gpu_sums.SumLanes, tiles: Array) -> Array:
    return tiles


def _scan(op: tile.Scan, tiles: Array) -> Array:
    return accumulated(tiles, op.kind, op.dim + 1)


def _coop_reduce(op: tl.CoopReduce, tiles: Array) -> Array:
    axis = 2 if op.row else 1
    return np.expand_dims(reduced(tiles, op.kind, axis), axis)


def _iota(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.Iota)
    empty = empty_tiles(w, op.out)
    shape = [1] * empty.ndim
    shape[op.dim + 1] = -1
    positions = np.arange(empty.shape[op.dim + 1], dtype=np.int64).reshape(shape)
    bind(w, op.out, np.broadcast_to(positions, empty.shape).astype(empty.dtype))


def product(a: Array, b: Array, acc: Array, element: ScalarType) -> Array:
    """`a b + acc`, at least as precise as in `element`, rounded to it once."""
    wide = C64 if element.is_complex else F64 if element.is_float else element
    dtype = dtype_of(wide.format)
    with np.errstate(all="ignore"):
        found = matmul(a.astype(dtype), b.astype(dtype)) + acc.astype(dtype)
        return np.asarray(convert(wide.format, element.format, found))


def _mma(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.Mma)
    element, factors = shaped_type(op.out).element, (shaped_type(op.lhs).element, shaped_type(op.rhs).element)
    tiles = tile_of(w, op.lhs), tile_of(w, op.rhs), tile_of(w, op.acc)
    unit = by_unit(w.units, factors, element)
    with np.errstate(all="ignore"):
        bind(w, op.out, product(*tiles, element) if unit is None else unit(*tiles))


def _mul_add(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.CoopMulAdd)
    inner = product(tile_of(w, op.a), tile_of(w, op.b), tile_of(w, op.c), shaped_type(op.c).element)
    with np.errstate(all="ignore"):
        bind(w, op.out, convert(op.c.type.format, op.out.type.format, inner))


def _scale(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.CoopScale)
    tiles = tile_of(w, op.matrix)
    factor = _per_team_scalar(w, op.scalar).reshape(-1, 1, 1)
    work = np.float32 if tiles.dtype.itemsize == 2 and tiles.dtype.kind not in "iu" else tiles.dtype
    with np.errstate(all="ignore"):
        bind(w, op.out, (factor.astype(work) * tiles.astype(work)).astype(tiles.dtype))


def share(rows: int, columns: int, size: int) -> tuple[Array, Array]:
    """Row and column of component v (first axis) of work-item p (second axis); language reference 1.11.

    Columns at or beyond `columns` are padding.
    """
    i = min(rows, size)
    per_block = -(-i * columns // size)
    blocks = rows // i
    p = np.arange(size)
    row = np.concatenate([np.broadcast_to(p % i + k * i, (per_block, size)) for k in range(blocks)])
    column = np.concatenate([p // i + np.arange(per_block)[:, None] * (size // i) for _ in range(blocks)])
    return row, column


def _share_of(w: WorkGroup, value: Value, index: int) -> tuple[Array, Array, Array]:
    """Rows, columns (clipped) and validity of one component, for the work-items of a subgroup."""
    rows, columns = shaped_type(value).shape
    row, column = share(rows, columns, w.subgroup_size)
    return row[index], np.minimum(column[index], columns - 1), column[index] < columns


def _share_extract(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.ShareExtract | tl.CoopExtract)
    source = op.operands[0]
    row, column, valid = _share_of(w, source, op.index)
    picked = tile_of(w, source)[:, row, column]
    w.values[op.out] = np.where(valid, picked, np.zeros((), picked.dtype)).reshape(-1)


def _share_insert(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.ShareInsert | tl.CoopInsert)
    source = op.operands[1]
    row, column, valid = _share_of(w, source, op.index)
    tiles = tile_of(w, source).copy()
    values = w.spread(w.scalar(op.value)).reshape(w.subgroups, w.subgroup_size)
    tiles[:, row[valid], column[valid]] = values[:, valid]
    w.values[op.out] = tiles


def _apply(w: WorkGroup, op: Operation) -> None:
    """The region once per component, by the work-item that holds it."""
    assert isinstance(op, tile.Map | tl.CoopApply)
    if w.mask is None:
        _map_of_group(w, op.operands[0], op.body, op.out)
        return
    source, body = op.operands[0], op.body
    rows, columns = shaped_type(source).shape
    row, column = share(rows, columns, w.subgroup_size)
    tiles = tile_of(w, source)
    out, mask = tiles.copy(), w.mask
    i, j, v = body.entry.arguments
    for index in range(len(row)):
        valid = column[index] < columns
        clipped = np.minimum(column[index], columns - 1)
        w.mask = mask & np.tile(valid, w.subgroups)
        w.values[i] = np.tile(row[index], w.subgroups).astype(np.int32)
        w.values[j] = np.tile(clipped, w.subgroups).astype(np.int32)
        w.values[v] = tiles[:, row[index], clipped].reshape(-1)
        w.run(body.entry)
        found = w.spread(w.scalar(scf.yielded(body)[0])).reshape(w.subgroups, w.subgroup_size)
        out[:, row[index][valid], clipped[valid]] = found[:, valid]
    w.mask = mask
    w.values[op.out] = out


def _map_of_group(w: WorkGroup, source: Value, body: Region, out: Value) -> None:
    tiles = w.scalar(source)
    result = np.empty_like(tiles)
    *positions, element = body.entry.arguments
    for at in np.ndindex(tiles.shape):
        for argument, position in zip(positions, at, strict=True):
            w.values[argument] = np.asarray(position, np.int32)
        w.values[element] = np.asarray(tiles[at])
        w.run(body.entry)
        result[at] = w.scalar(scf.yielded(body)[0])
    w.values[out] = result


def handlers() -> dict[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        tile.Prefetch: _nothing,
        tile.Splat: _splat,
        tile.Item: _item,
        tile.Reinterpret: _mapped(_reinterpret),
        tile.Iota: _iota,
        tile.Mma: _mma,
        tile.Reduce: _mapped(_reduce),
        tile.Scan: _mapped(_scan),
        gpu_sums.SumOwn: _mapped(_sum_own),
        gpu_sums.SumLanes: _mapped(_sum_lanes),
        tile.Map: _apply,
        tile.ShareExtract: _share_extract,
        tile.ShareInsert: _share_insert,
        tl.CoopPrefetch: _nothing,
        tl.CoopConstruct: _splat,
        tl.CoopExtract: _share_extract,
        tl.CoopInsert: _share_insert,
        tl.CoopScale: _scale,
        tl.CoopMulAdd: _mul_add,
        tl.CoopReduce: _mapped(_coop_reduce),
        tl.CoopApply: _apply,
    }
