"""Packing the factors of a large product: what the microkernel reads lies in the order in which it reads it.

`packing.py` says what a panel is; there is one function a module for all panels that are packed alike, and one for
panels that lie beside each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from msgspec import Struct
from msgspec.structs import replace

from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.expressions.nodes import Bound, Memory, Table, natural_dim
from tilewright.targets.cpu.large_products.interleaved import InterleavedPacking
from tilewright.targets.cpu.large_products.lines import LinePacking
from tilewright.targets.cpu.large_products.packing import RUN_GRAIN, Format, PlainPacking
from tilewright.targets.cpu.large_products.rows import RowPacking
from tilewright.targets.cpu.large_products.work import element_address
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Callee, Value, i64


class Corner(Struct, frozen=True):
    """Where a panel begins in its factor."""

    line: Value
    term: Value


def pack(
    ctx: KernelContext, machine: Machine, source: Memory, form: Format, corner: Corner, depth: Value, to: Value
) -> None:
    """Fill the panel at `to` with `depth` terms of a factor that is checked in both dimensions."""
    arguments = _arguments(ctx, machine, source, form, corner, [to, depth])
    ctx.b.call_void(_packer(ctx, machine, source, form, arguments), arguments)


def pack_panels(
    ctx: KernelContext,
    machine: Machine,
    source: Memory,
    form: Format,
    corner: Corner,
    depth: Value,
    to: Value,
    count: Value,
    step: int,
) -> None:
    """Fill `count` panels, `step` bytes apart from `to` on, the first of which begins at a corner."""
    b = ctx.b
    if natural_dim(source) == form.line and not source.tables:
        arguments = _arguments(ctx, machine, source, form, corner, [to, depth, count])
        b.call_void(_beside(ctx, machine, source, form, step, arguments), arguments)
        return
    with b.loop(i64(0), count, hint="panel") as panel:
        line = b.add(corner.line, b.mul(panel.index, i64(form.height)))
        place = b.gep("i8", to, b.mul(panel.index, i64(step)))
        pack(ctx, machine, source, form, Corner(line, corner.term), depth, place)


def _arguments(
    ctx: KernelContext, machine: Machine, source: Memory, form: Format, corner: Corner, others: list[Value]
) -> list[Value]:
    """What packing functions take: where the corner is, `others`, strides, ends and tables as they are from there."""
    b = ctx.b
    at = (corner.line, corner.term) if form.line == 0 else (corner.term, corner.line)
    # where a table tells it, the way to the corner is in its entries
    origin = tuple(i64(0) if source.table(dim) else first for dim, first in enumerate(at))
    pointer = Evaluator(b, ctx.arith, machine).address(replace(source, tables=()), origin)
    arguments = [pointer, *others, *source.strides]
    for bound, first in zip(source.bounds, at, strict=True):
        assert bound is not None
        arguments += [b.sub(bound.low, first), b.sub(bound.high, first)]
    for dim, first in enumerate(at):
        table = source.table(dim)
        if table is not None:
            arguments += [b.gep("i64", table.pointer, first), b.urem(b.add(table.phase, first), i64(table.run))]
    return arguments


def _packer(ctx: KernelContext, machine: Machine, source: Memory, form: Format, arguments: list[Value]) -> Callee:
    """The function that packs a panel, one a module for all factors alike."""
    strides = [str(s.integer) if s.integer is not None else "n" for s in source.strides]
    grains = {form.line: form.height, 1 - form.line: RUN_GRAIN * form.packing.group}
    tables = [(dim, table, gcd(table.grain, grains[dim])) for dim, table in enumerate(source.tables) if table]
    strides += [f"t{dim}.{table.run}.{grain}" for dim, table, grain in tables]
    name = f"pack.{source.type.element}.{form.packing}.{form.line}.{form.height}.{form.row}.{'.'.join(strides)}"
    known = ctx.module.defined(name)
    if known is not None:
        return known
    names = ("source", "target", "depth", "s0", "s1", "low0", "high0", "low1", "high1")
    names += tuple(f"{word}{dim}" for dim, _, _ in tables for word in ("table", "phase"))
    parameters = [(value.type, word) for value, word in zip(arguments, names, strict=True)]
    function = ctx.module.function(name, "void", parameters, linkage="internal", attributes=machine.attributes)
    pointer, target, depth, s0, s1, *limits = function.arguments
    moved: list[Table | None] = [None] * len(source.tables)
    for k, (dim, table, grain) in enumerate(tables):
        moved[dim] = Table(limits[4 + 2 * k], table.run, limits[5 + 2 * k], grain)
    inner = replace(_from_corner(source, pointer, (s0, s1), limits), tables=tuple(moved))
    b = Builder(function)
    _body(form)(b, Arithmetic(b, machine.flags), machine, inner, form, target, depth).emit()
    b.ret()
    return function.callee


def _from_corner(source: Memory, pointer: Value, strides: Sequence[Value], limits: Sequence[Value]) -> Memory:
    """A factor from a corner on, as a packing function has it: constant strides stay so, `limits` are its ends."""
    return replace(
        source,
        pointer=pointer,
        strides=tuple(v if v.integer is not None else p for v, p in zip(source.strides, strides, strict=True)),
        bounds=(Bound(limits[0], limits[1]), Bound(limits[2], limits[3])),
        span=None,
    )


def _beside(
    ctx: KernelContext, machine: Machine, source: Memory, form: Format, step: int, arguments: list[Value]
) -> Callee:
    """The function that packs panels whose lines are neighbours in memory: few terms of all of them come before more.

    So memory is read in long rows. Lines of memory that lie some power of two apart share few places of the first
    cache, and each has to stay there for several panels.
    """
    strides = [str(s.integer) if s.integer is not None else "n" for s in source.strides]
    name = f"beside{step}.{source.type.element}.{form.packing}.{form.line}.{form.height}.{'.'.join(strides)}"
    known = ctx.module.defined(name)
    if known is not None:
        return known
    names = ("source", "target", "depth", "count", "s0", "s1", "low0", "high0", "low1", "high1")
    parameters = [(value.type, word) for value, word in zip(arguments, names, strict=True)]
    function = ctx.module.function(name, "void", parameters, linkage="internal", attributes=machine.attributes)
    pointer, target, depth, count, s0, s1, *limits = function.arguments
    b = Builder(function)
    arith = Arithmetic(b, machine.flags)
    inner = _from_corner(source, pointer, (s0, s1), limits)

    def panel(number: Value) -> PlainPacking:
        distance = b.mul(b.mul(number, i64(form.height)), inner.strides[form.line])
        moved = replace(inner, pointer=element_address(b, inner.type.element, pointer, distance))
        return _body(form)(b, arith, machine, moved, form, b.gep("i8", target, b.mul(number, i64(step))), depth)

    whole = panel(i64(0)).whole_runs(count)
    length = panel(i64(0)).run_length
    with b.loop(i64(0), whole, length, hint="k") as term, b.loop(i64(0), count, hint="panel") as loop:
        panel(loop.index).unchecked_run(term.index)
    rest = b.sub(depth, whole)
    with b.if_then(b.icmp("sgt", rest, i64(0))), b.loop(i64(0), count, hint="panel") as loop:
        words = b.mul(b.udiv(whole, i64(form.packing.group)), i64(form.height * form.packing.parts * form.word.bytes))
        place = b.gep("i8", target, b.add(b.mul(loop.index, i64(step)), words))
        corner = Corner(b.mul(loop.index, i64(form.height)), whole)
        pack(replace(ctx, b=b, arith=arith), machine, inner, form, corner, rest, place)
    b.ret()
    return function.callee


def _body(form: Format) -> type[PlainPacking]:
    """What emits the body of a packing function."""
    if form.row:
        return LinePacking
    if form.packing.group == 1:
        return PlainPacking
    return RowPacking if form.packing.words > 1 else InterleavedPacking


def bounded(b: Builder, tile: Memory) -> Memory:
    """The tile with every dimension checked: nothing beyond its own extents exists."""
    bounds: list[Bound | None] = []
    for extent, old in zip(tile.type.shape, tile.bounds, strict=True):
        if old is None:
            bounds.append(Bound(i64(0), i64(extent)))
        else:
            bounds.append(Bound(b.smax(old.low, i64(0)), b.smin(old.high, i64(extent))))
    return replace(tile, bounds=tuple(bounds), span=None)
