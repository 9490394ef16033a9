"""Reductions and scans by a region: all lines at once, element after element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects import scf, tile_combine
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.tiles import bind, tile_of
from tilewright.ir.core import Operation, Region, Value

Array = NDArray[Any]


def _accumulated(
    w: WorkGroup, tiles: Sequence[Value], body: Region, dim: int, reverse: bool = False, starts: Sequence[Value] = ()
) -> list[list[Array]]:
    """The accumulated values after each element, by tile."""
    lines = [np.moveaxis(tile_of(w, t), dim + 1, 0) for t in tiles]
    extent = len(lines[0])
    order = range(extent - 1, -1, -1) if reverse else range(extent)
    found: list[list[Array]] = [[] for _ in tiles]
    before = [np.broadcast_to(w.scalar(v), line[0].shape) for v, line in zip(starts, lines, strict=bool(starts))]
    for k in order:
        elements = [line[k] for line in lines]
        if before:
            for i, element in enumerate(elements):
                w.values[body.entry.arguments[2 * i]] = element
                w.values[body.entry.arguments[2 * i + 1]] = before[i]
            w.run(body.entry)
            elements = [np.broadcast_to(w.scalar(v), e.shape) for v, e in zip(scf.yielded(body), elements, strict=True)]
        for i, element in enumerate(elements):
            found[i].append(element)
        before = elements
    return found


def _reduce(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile_combine.ReduceBy)
    for out, steps in zip(op.outs, _accumulated(w, op.tiles, op.body, op.dim), strict=True):
        bind(w, out, steps[-1])


def _scan(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, tile_combine.ScanBy)
    found = _accumulated(w, op.tiles, op.body, op.dim, op.reverse, op.starts)
    for out, steps in zip(op.outs, found, strict=True):
        ordered = steps[::-1] if op.reverse else steps
        bind(w, out, np.moveaxis(np.stack(ordered), 0, op.dim + 1))


def handlers() -> dict[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {tile_combine.ReduceBy: _reduce, tile_combine.ScanBy: _scan}
