"""Loads, stores and atomic updates of tiles and cooperative matrices: one box of memory for each team."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilewright.dialects import tile, tl
from tilewright.interpreter.blocks import load_box, store_box, update_box
from tilewright.interpreter.memory import Lanes, View
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.tiles import bind, empty_tiles, shaped_type, teams, tile_of
from tilewright.interpreter.views import view_of_item
from tilewright.ir.core import Operation, Value


def _place(w: WorkGroup, memref: Value, indices: Sequence[Value], team: int) -> tuple[View, list[int]]:
    """The view and position that a team uses."""
    found = w.memref(memref)
    if w.mask is None:
        assert isinstance(found, View)
        return found, [int(w.scalar(i)) for i in indices]
    rows = w.mask.reshape(w.subgroups, w.subgroup_size)[team]
    item = team * w.subgroup_size + int(np.argmax(rows))
    view = found.views[item] if isinstance(found, Lanes) else view_of_item(found, item)
    return view, [int(w.spread(w.scalar(i))[item]) for i in indices]


class _As:
    """Let only one subgroup be active."""

    def __init__(self, w: WorkGroup, team: int) -> None:
        self.w, self.team = w, team

    def __enter__(self) -> None:
        w = self.w
        self.mask = w.mask
        if w.mask is not None:
            only = np.zeros_like(w.mask)
            span = slice(self.team * w.subgroup_size, (self.team + 1) * w.subgroup_size)
            only[span] = w.mask[span]
            w.mask = only

    def __exit__(self, *args: object) -> None:
        self.w.mask = self.mask


def _load_tiles(
    w: WorkGroup,
    op: Operation,
    out: Value,
    memref: Value,
    indices: Sequence[Value],
    check: Sequence[bool],
    transpose: bool = False,
    atomic: bool = False,
) -> None:
    result, type_ = empty_tiles(w, out), shaped_type(out)
    shape = type_.shape[::-1] if transpose else type_.shape
    for team in teams(w):
        view, start = _place(w, memref, indices, team)
        with _As(w, team):
            box = load_box(w, view, start, shape, check, op.location, result.dtype, atomic)
        result[team] = box.T if transpose else box
    bind(w, out, result)


def _store_tiles(
    w: WorkGroup,
    op: Operation,
    value: Value,
    memref: Value,
    indices: Sequence[Value],
    check: Sequence[bool],
    transpose: bool = False,
    atomic: bool = False,
) -> None:
    tiles = tile_of(w, value)
    for team in teams(w):
        view, start = _place(w, memref, indices, team)
        with _As(w, team):
            store_box(w, view, start, tiles[team].T if transpose else tiles[team], check, op.location, atomic)


def _update_tiles(
    w: WorkGroup,
    op: tile.AtomicRmw | tl.CoopAtomicRmw,
    value: Value,
    indices: Sequence[Value],
    check: Sequence[bool],
    transpose: bool = False,
) -> None:
    tiles, old = tile_of(w, value), empty_tiles(w, op.out)
    for team in teams(w):
        view, start = _place(w, op.memref, indices, team)
        with _As(w, team):
            given = tiles[team].T if transpose else tiles[team]
            box = update_box(w, view, start, given, check, op.kind.update, value.type.format, op.location)
        old[team] = box.T if transpose else box
    bind(w, op.out, old)


def _tile_load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.Load)
    _load_tiles(w, op, op.out, op.memref, op.indices, op.check)


def _tile_store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.Store)
    _store_tiles(w, op, op.value, op.memref, op.indices, op.check)


def _tile_atomic_load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.AtomicLoad)
    _load_tiles(w, op, op.out, op.memref, op.indices, op.check, atomic=True)


def _tile_atomic_store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.AtomicStore)
    _store_tiles(w, op, op.value, op.memref, op.indices, op.check, atomic=True)


def _tile_rmw(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile.AtomicRmw)
    _update_tiles(w, op, op.value, op.indices, op.check)


def _checks(op: Operation, transpose: bool) -> tuple[bool, bool]:
    """Which memory modes are tested: rows are mode 0, or mode 1 if transposed."""
    checked = op.attributes.get("checked", tl.Checked.NONE)
    rows = checked in (tl.Checked.ROWS, tl.Checked.BOTH)
    columns = checked in (tl.Checked.COLUMNS, tl.Checked.BOTH)
    return (columns, rows) if transpose else (rows, columns)


def _coop_load(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.CoopLoad | tl.CoopAtomicLoad)
    atomic = isinstance(op, tl.CoopAtomicLoad)
    _load_tiles(w, op, op.out, op.memref, [op.x, op.y], _checks(op, op.transpose), op.transpose, atomic)


def _coop_store(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.CoopStore | tl.CoopAtomicStore)
    atomic = isinstance(op, tl.CoopAtomicStore)
    _store_tiles(w, op, op.matrix, op.memref, [op.x, op.y], _checks(op, op.transpose), op.transpose, atomic)


def _coop_rmw(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tl.CoopAtomicRmw)
    _update_tiles(w, op, op.matrix, [op.x, op.y], _checks(op, op.transpose), op.transpose)


def handlers() -> dict[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        tile.Load: _tile_load,
        tile.Store: _tile_store,
        tile.AtomicLoad: _tile_atomic_load,
        tile.AtomicStore: _tile_atomic_store,
        tile.AtomicRmw: _tile_rmw,
        tl.CoopLoad: _coop_load,
        tl.CoopStore: _coop_store,
        tl.CoopAtomicLoad: _coop_load,
        tl.CoopAtomicStore: _coop_store,
        tl.CoopAtomicRmw: _coop_rmw,
    }
