"""Structured control flow: scalars, fragments and register tiles travel as phis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from tilewright.dialects import scf
from tilewright.dialects.lane import fragment_of
from tilewright.ir import core
from tilewright.ir.types import ScalarType
from tilewright.targets.llvm.emitter import Value, boolean, i64
from tilewright.targets.llvm.trips import trip_count
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia.context import KernelContext, OpLowering, is_tile
from tilewright.targets.nvidia.lanes import HALF_BITS, in_elements, narrow_words, packed, slots_of, words_of
from tilewright.targets.nvidia.values import (
    Fragment,
    Lowered,
    Operand,
    RegisterTile,
    Words,
    of_parts,
    parts_of,
)
from tilewright.transforms.tile_values import tile_type

_TRUTHS: Final = {"true": True, "false": False}
"""Constants, as LLVM writes them."""


def flatten(lowered: Lowered) -> list[Value]:
    """The LLVM values that a number, register tile or fragment consists of."""
    if isinstance(lowered, Words):
        return list(lowered.words)
    if isinstance(lowered, RegisterTile | Fragment):
        return [part for slot in lowered.slots for part in parts_of(slot)]
    assert isinstance(lowered, Operand)
    return parts_of(lowered)


def rebuild(like: Lowered, values: Sequence[Value]) -> Lowered:
    """The number, register tile or fragment of these values, in the form of another one."""
    if isinstance(like, Words):
        return Words(tuple(values), like.element)
    if isinstance(like, RegisterTile | Fragment):
        width = len(values) // max(len(like.slots), 1)
        slots = tuple(of_parts(list(values[i : i + width])) for i in range(0, len(values), width))
        return replace(like, slots=slots)
    return of_parts(list(values))


class Carried:
    """The values that a loop carries or a branch gives, as phis."""

    def __init__(self, ctx: KernelContext) -> None:
        self._ctx = ctx

    def flat(self, values: Sequence[core.Value], like: Sequence[Lowered]) -> list[Value]:
        """The phis' values, in the form of others."""
        return [part for value, form in zip(values, like, strict=True) for part in flatten(self._in_form(value, form))]

    def _in_form(self, value: core.Value, like: Lowered) -> Lowered:
        """What a value was lowered to; in words or element by element as another fragment is."""
        found = self._form(value)
        if isinstance(like, Words) and not isinstance(found, Words):
            return Words(words_of(self._ctx, value), like.element)
        if isinstance(like, Fragment) and isinstance(found, Words):
            return Fragment(slots_of(self._ctx, value))
        return found

    def bind(self, values: Sequence[core.Value], like: Sequence[Lowered], flat: Sequence[Value]) -> None:
        """Bind IR values to LLVM values in the form of `like`."""
        rest = list(flat)
        for value, form in zip(values, like, strict=True):
            count = len(flatten(form))
            found = rebuild(form, rest[:count])
            if isinstance(found, Words) and is_tile(value):
                found = RegisterTile(tile_type(value), tuple(in_elements(self._ctx, found)))
            self._ctx.bind(value, found)
            del rest[:count]

    def forms(self, values: Sequence[core.Value]) -> list[Lowered]:
        """What values were lowered to; whole words of narrow elements stay together."""
        return [self._form(value) for value in values]

    def _form(self, value: core.Value) -> Lowered:
        ctx, found = self._ctx, self._ctx.values[value]
        if isinstance(found, RegisterTile) and value in ctx.products.layouts:
            element = ELEMENTS[found.type.element.name]
            slots = [slot for slot in found.slots if isinstance(slot, Value)]
            return Words(packed(ctx, slots, element), element) if element.bits == HALF_BITS else found
        if isinstance(found, Fragment) and (element := narrow_words(fragment_of(value))) is not None:
            return Words(words_of(ctx, value), element)
        return found


def _wide(ctx: KernelContext, value: core.Value) -> Value:
    return ctx.b.sext(ctx.scalar(value), "i64")


def _trips(ctx: KernelContext, op: scf.For) -> tuple[Value, Value, Value]:
    """First index, step and number of trips in 64 bits."""
    lower, upper = _wide(ctx, op.lower), _wide(ctx, op.upper)
    step = i64(1) if op.step is None else _wide(ctx, op.step)
    known = [lower.integer, upper.integer, step.integer]
    if None in known:
        return lower, step, trip_count(ctx.b, lower, upper, step)
    first, last, by = (k or 0 for k in known)
    return lower, step, i64(len(range(first, last, by)) if by > 0 else 0)


def _for(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, scf.For)
    assert isinstance(op.index.type, ScalarType)
    b, inits = ctx.b, op.inits
    carried = Carried(ctx)
    forms = carried.forms(inits)
    if op.step is not None and ctx.scalar(op.step).integer is None:
        _stride(ctx, op, carried, forms)
        return
    lower, step, trips = _trips(ctx, op)
    unroll = ctx.not_unrolled() if op.unroll is False else ""
    given = [part for form in forms for part in flatten(form)]
    with ctx.arena.frame(), b.loop(i64(0), trips, 1, given, loop_metadata=unroll) as loop:
        wide = b.add(lower, b.mul(loop.index, step))
        ctx.bind(op.index, b.trunc(wide, f"i{op.index.type.bits}"))
        carried.bind(op.carried, forms, loop.carried)
        with ctx.arena.frame():
            ctx.lower_block(op.body.entry)
            results = scf.yielded(op.body)
            loop.yield_(*carried.flat(results, forms))
    carried.bind(op.outs, forms, loop.results)


def _stride(ctx: KernelContext, op: scf.For, carried: Carried, forms: Sequence[Lowered]) -> None:
    """A loop by steps that nobody knows, which counts down what is left: the number of trips would be a division.

    ptxas calls a function for those of 64 bits, and keeps nothing in uniform registers behind it.
    """
    assert op.step is not None
    assert isinstance(op.index.type, ScalarType)
    b, lower, upper, step = ctx.b, _wide(ctx, op.lower), _wide(ctx, op.upper), _wide(ctx, op.step)
    runs = b.and_(b.icmp("slt", lower, upper), b.icmp("sgt", step, i64(0)))
    left = b.select(runs, b.sub(upper, lower), i64(0))
    given = [part for form in forms for part in flatten(form)]
    with ctx.arena.frame(), b.while_loop([lower, left, *given]) as loop:
        wide, left, *others = loop.carried
        b.leave_unless(loop, b.icmp("ne", left, i64(0)))
        ctx.bind(op.index, b.trunc(wide, f"i{op.index.type.bits}"))
        carried.bind(op.carried, forms, others)
        with ctx.arena.frame():
            ctx.lower_block(op.body.entry)
            results = scf.yielded(op.body)
            following = b.sub(left, b.intrinsic("llvm.umin", "i64", [left, step]))
            loop.yield_(b.add(wide, step), following, *carried.flat(results, forms))
    carried.bind(op.outs, forms, loop.results[2:])


def _while(ctx: KernelContext, op: core.Operation) -> None:
    """Tested at the bottom; the condition is the same in all threads."""
    assert isinstance(op, scf.While)
    b, inits = ctx.b, op.inits
    carried = Carried(ctx)
    forms = carried.forms(inits)
    with b.while_loop([boolean(True), *carried.flat(inits, forms)]) as loop:
        b.leave_unless(loop, loop.carried[0])
        carried.bind(op.carried, forms, loop.carried[1:])
        with ctx.arena.frame():
            ctx.lower_block(op.body.entry)
            again, *results = scf.yielded(op.body)
            condition = ctx.scalar(again)
            loop.yield_(condition, *carried.flat(results, forms))
    carried.bind(op.outs, forms, loop.results[1:])


def _if(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, scf.If)
    condition = ctx.scalar(op.condition)
    if condition.text in _TRUTHS:
        _taken(ctx, op, op.then if _TRUTHS[condition.text] else op.orelse)
        return
    carried = Carried(ctx)
    forms: list[Lowered] = []
    with ctx.b.if_else(condition) as branch:
        for side, region in ((branch.then, op.then), (branch.otherwise, op.orelse)):
            if region is None:
                continue
            with side(), ctx.arena.frame():
                ctx.lower_block(region.entry)
                results = scf.yielded(region)
                # what the other branch gives has the form of the first one's
                forms = forms or carried.forms(results)
                branch.yield_(*carried.flat(results, forms))
    if op.outs:
        carried.bind(op.outs, forms, branch.results)


def _taken(ctx: KernelContext, op: scf.If, region: core.Region | None) -> None:
    """The only branch that is ever taken."""
    if region is None:
        return
    with ctx.arena.frame():
        ctx.lower_block(region.entry)
    carried, results = Carried(ctx), scf.yielded(region)
    forms = carried.forms(results)
    carried.bind(op.outs, forms, carried.flat(results, forms))


def _yield(ctx: KernelContext, op: core.Operation) -> None:
    """The operation around the region takes the values."""


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {scf.For: _for, scf.If: _if, scf.While: _while, scf.Yield: _yield}
