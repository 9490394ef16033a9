"""Boxes of memory: whole memrefs for collectives, tiles and cooperative matrices with checked edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.interpreter.memory import View
from tilewright.interpreter.state import WorkGroup
from tilewright.numerics.formats import Format
from tilewright.numerics.updates import Update, updated

Array = NDArray[Any]


def grids(start: Sequence[int], shape: Sequence[int]) -> list[Array]:
    """Index arrays of the box, one a mode, that broadcast against each other."""
    return [
        (low + np.arange(extent, dtype=np.int64)).reshape(-1, *(1,) * (len(shape) - 1 - k))
        for k, (low, extent) in enumerate(zip(start, shape, strict=True))
    ]


def _positions(
    view: View, start: Sequence[int], shape: Sequence[int], check: Sequence[bool]
) -> tuple[list[Array], Array]:
    """Index arrays of the box, and which of its elements are accessed; a box without modes has one."""
    axes = grids(start, shape)
    keep = np.ones(tuple(shape) or (1,), bool)
    for index, extent, checked in zip(axes, view.shape, check, strict=True):
        if checked:
            keep &= (index >= 0) & (index < extent)
    return axes, keep


def load_box(
    w: WorkGroup,
    view: View,
    start: Sequence[int],
    shape: Sequence[int],
    check: Sequence[bool],
    where: Location,
    dtype: np.dtype[Any],
    atomic: bool = False,
) -> Array:
    """Elements of a box; 0 where a checked position lies outside."""
    axes, keep = _positions(view, start, shape, check or (False,) * len(shape))
    out = np.zeros(keep.shape, dtype)
    if keep.any():
        with _Selected(w, keep):
            out[...] = w.read(view, axes, where, atomic)
    return out.reshape(tuple(shape))


def store_box(
    w: WorkGroup,
    view: View,
    start: Sequence[int],
    values: Array,
    check: Sequence[bool],
    where: Location,
    atomic: bool = False,
) -> None:
    """Store a box; nothing where a checked position lies outside."""
    axes, keep = _positions(view, start, values.shape, check or (False,) * values.ndim)
    if keep.any():
        with _Selected(w, keep):
            w.write(view, axes, values, where, atomic)


def update_box(
    w: WorkGroup,
    view: View,
    start: Sequence[int],
    values: Array,
    check: Sequence[bool],
    update: Update,
    layout: Format,
    where: Location,
) -> Array:
    """Update a box atomically; old values, 0 where nothing was accessed."""
    old = load_box(w, view, start, values.shape, check, where, values.dtype, True)
    store_box(w, view, start, np.asarray(updated(layout, update, old, values)), check, where, True)
    return old


class _Selected:
    """Accesses by a subgroup (or the work-group) as one: elements take the place of work-items in masks."""

    def __init__(self, w: WorkGroup, keep: Array) -> None:
        self.w = w
        self.keep = keep

    def __enter__(self) -> None:
        w = self.w
        self.mask, self.who = w.mask, w.who
        if w.who is not None:
            w.who = np.full(self.keep.shape, _subgroup_as_one(w, int(w.who[np.argmax(w.active)])))
        w.mask = self.keep

    def __exit__(self, *args: object) -> None:
        self.w.mask, self.w.who = self.mask, self.who


def _subgroup_as_one(w: WorkGroup, item: int) -> int:
    """Who acts when the subgroup of a work-item does, and nobody says by which of its work-items: numbers below 0."""
    return item if w.subgroup_size == 1 else -1 - item // w.subgroup_size
