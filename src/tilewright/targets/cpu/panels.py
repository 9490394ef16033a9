"""Packing the factors of a large product: what the microkernel reads lies in the order in which it reads it.

The factor that becomes vectors is cut into panels as high as a register block, each panel one column after the other.
The factor that becomes scalars is copied as it lies: columns of neighbouring terms if those are adjacent in memory,
else panels as wide as a register block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tilewright.targets.cpu.blocks import Block, Piece, split_powers
from tilewright.targets.cpu.lanes import Lanes, plain_address, store_lanes
from tilewright.targets.cpu.tiles import AnyTile, Bound, Memory, lane_bytes, natural_dim
from tilewright.targets.llvm.emitter import Builder, Complex, Value, i64

if TYPE_CHECKING:
    from tilewright.targets.cpu.evaluate import Evaluator
    from tilewright.targets.cpu.roots import Roots

_STEP = 4
_GRAIN = 64

_Copy = Callable[["Evaluator", Memory, Memory, Value, Value], None]


def _panels(roots: Roots, tile: AnyTile, height: int, across: int, name: str) -> Memory:
    """Uninitialised panels of `height` positions along one dimension, side by side along `across`."""
    along = 1 - across
    extent, depth = tile.type.shape[along], _rounded(tile.type.shape[across], _GRAIN)
    flat = roots.workspace(tile.type.element, _rounded(extent, height) * depth, name)
    strides, steps = [i64(0)] * 2, [i64(0)] * 2
    strides[along], strides[across] = i64(1), i64(height)
    steps[along], steps[across] = i64(depth), i64(height)
    return Memory(tile.type, flat, tuple(strides), (None, None), panel_strides=tuple(steps))


def _rounded(number: int, grain: int) -> int:
    return -(-number // grain) * grain


def pack_panels(roots: Roots, tile: Memory, height: int, across: int, depth: Value, name: str) -> Memory:
    """Copy a factor, checked in all dimensions, into panels; beyond its ends they hold zeros up to `depth`."""
    target = _panels(roots, tile, height, across, name)
    lanes = roots.machine.lanes(lane_bytes(tile))
    transposed = natural_dim(tile) == across and height % lanes == 0
    step = lanes if transposed else _STEP
    pieces = split_powers(height, lanes)

    def copy(ev: Evaluator, source: Memory, packed: Memory, line: Value, k: Value) -> None:
        origin = (k, line) if across == 0 else (line, k)
        if transposed:
            _copy_transposed(ev, source, packed, origin, height, lanes, across)
            return
        block = Block(origin, 1 - across, pieces, across, step)
        ev.store(packed, block, ev.block(source, block))

    _pack(roots, tile, target, 1 - across, (height, step), depth, copy)
    return target


def _pack(
    roots: Roots, tile: Memory, target: Memory, line: int, steps: tuple[int, int], depth: Value, copy: _Copy
) -> None:
    """Call the packing function for such tiles, which is emitted once a module.

    It runs `copy` for lines and k in steps; where a step is not whole, elements are copied one by one.
    """
    ctx = roots.ctx
    traits = [_word(v) for v in (*tile.strides, *target.strides, *(target.panel_strides or ()))]
    name = f"pack.{tile.type.element}.{'x'.join(map(str, tile.type.shape))}.{line}.{steps[0]}.{'.'.join(traits)}"
    arguments = [tile.pointer, target.pointer, depth, *tile.strides]
    for bound in tile.bounds:
        assert bound is not None
        arguments += [bound.low, bound.high]
    callee = ctx.module.defined(name)
    if callee is None:
        names = ("source", "target", "depth", "s0", "s1", "low0", "high0", "low1", "high1")
        parameters = [(value.type, word) for value, word in zip(arguments, names, strict=True)]
        function = ctx.module.function(
            name, "void", parameters, linkage="internal", attributes=roots.machine.attributes
        )
        source_pointer, target_pointer, inner_depth, *rest = function.arguments
        strides = tuple(v if v.integer is not None else p for v, p in zip(tile.strides, rest[:2], strict=True))
        bounds = (Bound(rest[2], rest[3]), Bound(rest[4], rest[5]))
        inner = roots.inside_function(function)
        source = replace(tile, pointer=source_pointer, strides=strides, bounds=bounds, span=None)
        _emit_packing(inner, source, replace(target, pointer=target_pointer), line, steps, inner_depth, copy)
        inner.ctx.b.ret()
        callee = function.callee
    ctx.b.call_void(callee, arguments)


def _word(value: Value) -> str:
    return str(value.integer) if value.integer is not None else "n"


def _emit_packing(
    roots: Roots, source: Memory, target: Memory, line: int, steps: tuple[int, int], depth: Value, copy: _Copy
) -> None:
    b, (height, step) = roots.ctx.b, steps
    lines, along = source.bounds[line], source.bounds[1 - line]
    assert lines is not None
    assert along is not None
    full = b.and_(b.smax(b.smin(along.high, depth), i64(0)), i64(-step))
    starts = b.and_(b.icmp("sle", lines.low, i64(0)), b.icmp("sle", along.low, i64(0)))
    with b.loop(i64(0), lines.high, height, hint="line") as outer:
        whole = b.and_(starts, b.icmp("sle", b.add(outer.index, i64(height)), lines.high))
        first = b.select(whole, full, i64(0))
        with b.loop(i64(0), first, step, hint="k") as inner:
            copy(roots.evaluator(False), source, target, outer.index, inner.index)
        with b.loop(first, depth, hint="k") as inner, b.loop(i64(0), i64(height), hint="element") as element:
            _copy_element(roots.evaluator(), source, target, line, outer.index, element.index, inner.index)


def _copy_element(
    ev: Evaluator, source: Memory, target: Memory, line: int, start: Value, distance: Value, k: Value
) -> None:
    """One element, or zero if it does not exist."""
    b = ev.b
    at = b.add(start, distance)
    value = ev.scalar(source, (at, k) if line == 0 else (k, at))
    base = ev.address(target, (start, k) if line == 0 else (k, start))
    pointer = ev.advance(target, base, b.mul(distance, target.strides[line]))
    store_lanes(b, value, Lanes(target.type.element.name, pointer, i64(1), 1))


def _copy_transposed(
    ev: Evaluator, tile: AnyTile, target: Memory, origin: tuple[Value, Value], height: int, lanes: int, across: int
) -> None:
    """A square of `lanes` positions a time: rows are loaded, columns stored."""
    along = 1 - across
    for start in range(0, height, lanes):
        shifted = list(origin)
        shifted[along] = ev.b.add(origin[along], i64(start))
        rows = ev.block(tile, Block(tuple(shifted), across, (Piece(0, lanes, lanes),), along, lanes))
        columns = transpose(ev.b, [_real(row[0]) for row in rows])
        base = plain_address(ev.b, ev.address(target, origin))
        for k, column in enumerate(columns):
            pointer = ev.advance(target, base, i64(k * height + start))
            store_lanes(ev.b, column, Lanes(tile.type.element.name, pointer, i64(1), lanes))


def transpose(b: Builder, rows: list[Value]) -> list[Value]:
    """The columns of a square of vectors: log2(n) rounds of interleaving the first half with the second."""
    size = len(rows)
    low = [lane // 2 + (size if lane % 2 else 0) for lane in range(size)]
    high = [lane + size // 2 for lane in low]
    rounds = size.bit_length() - 1
    for _ in range(rounds):
        following: list[Value] = []
        for k in range(size // 2):
            following.append(b.shuffle(rows[k], rows[k + size // 2], low))
            following.append(b.shuffle(rows[k], rows[k + size // 2], high))
        rows = following
    return rows


def pack_scalars(roots: Roots, tile: Memory, width: int, depth_dim: int, depth: Value, name: str) -> Memory:
    """Copy the factor whose elements are used one by one."""
    if natural_dim(tile) != depth_dim:
        return pack_panels(roots, tile, width, depth_dim, depth, name)
    other = 1 - depth_dim
    row = _rounded(tile.type.shape[depth_dim], _GRAIN) + _GRAIN
    flat = roots.workspace(tile.type.element, (tile.type.shape[other] + width) * row, name)
    strides = [i64(0)] * 2
    strides[depth_dim], strides[other] = i64(1), i64(row)
    target = Memory(tile.type, flat, tuple(strides), (None, None))
    pieces = split_powers(_GRAIN, roots.machine.lanes(lane_bytes(tile)))

    def copy(ev: Evaluator, source: Memory, packed: Memory, line: Value, k: Value) -> None:
        block = Block((k, line) if depth_dim == 0 else (line, k), depth_dim, pieces)
        ev.store(packed, block, ev.block(source, block))

    _pack(roots, tile, target, other, (1, _GRAIN), depth, copy)
    return target


def bounded(b: Builder, tile: Memory) -> Memory:
    """The tile with every dimension checked: nothing beyond its own extents exists."""
    bounds: list[Bound | None] = []
    for dim, extent in enumerate(tile.type.shape):
        old = tile.bounds[dim]
        if old is None:
            bounds.append(Bound(i64(0), i64(extent)))
        else:
            bounds.append(Bound(b.smax(old.low, i64(0)), b.smin(old.high, i64(extent))))
    return replace(tile, bounds=tuple(bounds), span=None)


def _real(operand: Value | Complex) -> Value:
    assert isinstance(operand, Value)
    return operand
