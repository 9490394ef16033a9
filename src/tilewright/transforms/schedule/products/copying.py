"""Asynchronous copies of a work-group as what each of its threads copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane_products
from tilewright.dialects.builder import Builder
from tilewright.dialects.gpu_products import memref_of
from tilewright.ir.core import Value
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.factors import TURNED_ROWS
from tilewright.transforms.schedule.spreading import Teams, Wishes, spread_layout
from tilewright.transforms.schedule.threads import Threads, copies, register_steps

_PLAIN: Final = 3
"""Modes of the box of a copy where rows are in one piece: along a row, rows, stages."""


def lower_copy(build: Builder, threads: Threads, op: gpu.CopyAsync, values: Sequence[Value]) -> None:
    """The copies of a thread; `values` are what the operands became."""
    order = memref_of(op.memref).order
    view, indices, target, places = values[0], values[1 : 1 + order], values[1 + order], values[2 + order :]
    box = op.shape[:-1]
    teams = _equal_teams(threads.teams)
    steps = _source_steps(op)
    for start, part in _parts(box, op.width):
        layout = _turned(part, teams) if _is_turned(op) else _layout(part, op.width, teams)
        at = [emit.add(build, threads.coordinate(layout, k), build.index(first)) for k, first in enumerate(start)]
        sources = list(indices)
        for mode, step, coordinate in zip(op.modes, steps, at, strict=True):
            sources[mode] = emit.add(build, sources[mode], emit.mul(build, coordinate, build.index(step)))
        targets = [*(emit.add(build, place, k) for place, k in zip(places, at, strict=False)), places[-1]]
        written = register_steps(layout)
        read = tuple((extent, op.modes[mode], stride * steps[mode]) for extent, mode, stride in written)
        condition = _copies_here(threads, layout, teams)
        begin = build if condition is None else emit.open_if(build, condition)
        begin(lane_products.CopyAsync(view, sources, target, targets, read, written, op.width, tuple(op.check)))


def _equal_teams(teams: Teams) -> Teams:
    """As many warps as share rows evenly; others copy nothing."""
    return Teams(teams.lanes, 1 << (teams.warps.bit_length() - 1))


def _copies_here(threads: Threads, layout: Layout, teams: Teams) -> Value | None:
    """Whether a thread copies at all, and before others that hold the same; None if all do."""
    head, first = threads.head, threads.is_first(copies(layout))
    if teams == threads.teams:
        return first
    works = emit.less(head, threads.number(Owner.WARP), head.index(teams.warps))
    return works if first is None else emit.both(head, works, first)


def _parts(box: tuple[int, ...], width: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """A box as boxes whose extents are powers of two, in copies of `width` elements along the first dimension."""
    runs = [[(width * start, width * extent) for start, extent in _powers(box[0] // width)]]
    runs += [list(_powers(extent)) for extent in box[1:]]
    for found in product(*runs):
        yield tuple(start for start, _ in found), tuple(extent for _, extent in found)


def _powers(extent: int) -> Iterator[tuple[int, int]]:
    """Where the powers of two begin that make up a number, the largest first, and these."""
    start = 0
    for bit in reversed(range(extent.bit_length())):
        if extent >> bit & 1:
            yield start, 1 << bit
            start += 1 << bit


def _source_steps(op: gpu.CopyAsync) -> list[int]:
    """How far along its mode of the source a step along each mode of the target goes."""
    shape, reached = memref_of(op.target).shape, dict[int, int]()
    found: list[int] = []
    for number, mode in enumerate(op.modes):
        found.append(reached.get(mode, 1))
        reached[mode] = found[-1] * (shape[number] or 1)
    return found


def _is_turned(op: gpu.CopyAsync) -> bool:
    """Whether rows of the target are columns of the source, in which neighbours lie."""
    strides = memref_of(op.memref).strides
    return len(op.shape) == _PLAIN and strides[op.modes[0]] != 1 and strides[op.modes[1]] == 1


def _turned(box: tuple[int, ...], teams: Teams) -> Layout:
    """Elements dealt to lanes along columns, a sector of each, then along rows; then to warps."""
    left, strides, digits = list(box), [1, 1], list[Digit]()

    def deal(owner: Owner, count: int, dim: int) -> int:
        extent = min(count, left[dim])
        digits.append(Digit(owner, extent, dim, strides[dim]))
        left[dim] //= extent
        strides[dim] *= extent
        return count // extent

    rest = deal(Owner.LANE, min(TURNED_ROWS, teams.lanes), 1) * (teams.lanes // min(TURNED_ROWS, teams.lanes))
    for owner, count in ((Owner.LANE, rest), (Owner.WARP, teams.warps)):
        digits.append(Digit(owner, deal(owner, deal(owner, count, 0), 1)))
    for dim in range(2):
        deal(Owner.REG, left[dim], dim)
    return Layout(box, tuple(digits))


def _layout(box: tuple[int, ...], width: int, teams: Teams) -> Layout:
    """Copies of `width` elements dealt to lanes along rows, which may be cut into slabs, then to warps."""
    near, far, *slabs = box
    order = (0, 2, 1) if slabs else (0, 1)
    pieces = spread_layout((near // width, *slabs, far), teams, Wishes())
    digits = [Digit(Owner.REG, width, 0, 1)]
    for digit in pieces.digits:
        wide = digit.stride * width if digit.dim == 0 else digit.stride
        digits.append(Digit(digit.owner, digit.extent, digit.dim, wide))
    turned = Layout((near, *slabs, far), tuple(digits)).permute(order)
    assert turned.shape == box, "extents of parts are powers of two"
    return turned
