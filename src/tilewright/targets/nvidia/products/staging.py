"""Factors on their way into shared memory: 16 bytes at a time by asynchronous copies where memory allows.

What is loaded as it is goes past the registers. Bounds cost nothing there: what lies outside is filled with zeros.
Elements that are converted or computed first, or lie where no copy may begin, are stored one by one.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, constant, i32, i64
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia.async_copies import copy_async
from tilewright.targets.nvidia.buffers import Coordinates
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.elements import Elements, tile_type
from tilewright.targets.nvidia.memory import address, store_element
from tilewright.targets.nvidia.products.choice import Source, source_of
from tilewright.targets.nvidia.values import GLOBAL, View
from tilewright.transforms.facts import alignment, stride_divisor
from tilewright.transforms.schedule.products.factors import PIECE, SLAB, Factor

_MOST_UNROLLED: Final = 16
_TURNS: Final = 8
"""Rows that are swizzled in different ways."""
_COPIED: Final = (4, 8, 16)
"""Bytes that one asynchronous copy moves."""


def stage(ctx: KernelContext, value: core.Value, factor: Factor, outer_dim: int, target: Value) -> None:
    """Begin to bring a factor to its place in shared memory; `outer_dim` is its dimension along m or n."""
    source = source_of(value)
    # what has been loaded when it was its turn is in shared memory; the memref may hold something else by now
    waits = source is not None and source.load.out in ctx.deferred
    if source is None or not waits or tile_type(source.load.out).element is not factor.element:
        _one_by_one(ctx, value, factor, outer_dim, target)
        return
    copy = _Copy(ctx, factor, outer_dim, source)
    whole = copy.may_take(PIECE)
    if whole is not None and whole.text == "true":
        copy.begin(target, PIECE)
    elif whole is None:
        _by_elements(ctx, copy, value, outer_dim, target)
    else:
        with ctx.b.if_else(whole, likely=True) as branch:
            with branch.then():
                copy.begin(target, PIECE)
            with branch.otherwise():
                _by_elements(ctx, copy, value, outer_dim, target)


def _by_elements(ctx: KernelContext, copy: _Copy, value: core.Value, outer_dim: int, target: Value) -> None:
    if copy.factor.element.bytes in _COPIED and copy.view.pointer.type == GLOBAL:
        copy.begin(target, copy.factor.element.bytes)
    else:
        _one_by_one(ctx, value, copy.factor, outer_dim, target)


def _one_by_one(ctx: KernelContext, value: core.Value, factor: Factor, outer_dim: int, target: Value) -> None:
    """Compute and store each element."""
    b, have = ctx.b, tile_type(value).element.name
    element = ELEMENTS[factor.element.name]
    near = factor.outer if factor.along_outer else factor.depth
    with ctx.per_work_item(), _each(ctx, factor.outer * factor.depth, unrolled=False) as numbers:
        for number in numbers:
            row, column = b.udiv(number, i64(near)), b.urem(number, i64(near))
            outer, deep = (column, row) if factor.along_outer else (row, column)
            where: Coordinates = (outer, deep) if outer_dim == 0 else (deep, outer)
            found = ctx.arith.cast(Elements(ctx).at(value, where), have, factor.element.name)
            at = _offset(ctx, factor, row, b.mul(column, i64(element.bytes)))
            store_element(ctx, element, found, b.offset(target, at))


def _offset(ctx: KernelContext, factor: Factor, row: Value, byte: Value) -> Value:
    """Where a byte of a row lies in the factor's shared memory."""
    b = ctx.b
    if not factor.swizzled:
        return b.add(b.mul(row, i64(factor.pitch)), byte)
    slab = b.mul(b.lshr(byte, i64(SLAB.bit_length() - 1)), i64(factor.slab_bytes))
    turned = b.xor(b.and_(byte, i64(SLAB - 1)), b.mul(b.and_(row, i64(_TURNS - 1)), i64(PIECE)))
    return b.add(slab, b.add(b.mul(row, i64(SLAB)), turned))


@contextmanager
def _each(ctx: KernelContext, total: int, unrolled: bool) -> Generator[list[Value]]:
    """The numbers of this thread below a total, written out or as a loop."""
    if unrolled:
        yield [ctx.b.add(ctx.thread, i64(k)) for k in range(0, total, ctx.threads)]
        return
    with ctx.b.loop(ctx.thread, i64(total), ctx.threads, loop_metadata=ctx.not_unrolled(), hint="piece") as loop:
        yield [loop.index]


class _Copy:
    """Asynchronous copies of a loaded matrix, whose dimension `near` is along the rows in shared memory."""

    def __init__(self, ctx: KernelContext, factor: Factor, outer_dim: int, source: Source) -> None:
        self._ctx, self.factor, self._load = ctx, factor, source.load
        self.view: View = ctx.view(source.load.memref)
        outer, deep = source.dims[outer_dim], source.dims[1 - outer_dim]
        self._near, self._far = (outer, deep) if factor.along_outer else (deep, outer)
        self._starts = [ctx.scalar(index) for index in source.load.indices]

    @property
    def _checks(self) -> tuple[bool, bool]:
        check = self._load.check or (False, False)
        return check[self._near], check[self._far]

    def may_take(self, bytes_: int) -> Value | None:
        """Whether copies of so many bytes are aligned, for all threads alike; None if they never are."""
        b, size = self._ctx.b, self.factor.element.bytes
        if self.view.strides[self._near].integer != 1 or self.view.pointer.type != GLOBAL:
            return None
        steps = stride_divisor(self._load.memref, self._far) * size
        proven = math.gcd(alignment(self._load.memref, self._load.indices), steps)
        condition = self._ctx.flag(True)
        if proven % bytes_:
            first = b.cast("ptrtoint", address(self._ctx, self.view, self._starts), "i64")
            both = b.or_(first, b.mul(self.view.strides[self._far], i64(size)))
            condition = b.icmp("eq", b.and_(both, i64(bytes_ - 1)), i64(0))
        if self._checks[0] and self._starts[self._near].integer != 0:
            # a piece of which the first elements lie outside is none
            condition = b.and_(condition, b.icmp("sge", self._starts[self._near], i64(0)))
        return condition

    def begin(self, target: Value, bytes_: int) -> None:
        """Begin all copies of the threads of the block, of so many bytes each."""
        size = self.factor.element.bytes
        across = self.factor.row_bytes // bytes_
        total = across * self.factor.rows
        unrolled = total % self._ctx.threads == 0 and total // self._ctx.threads <= _MOST_UNROLLED
        with self._ctx.per_work_item(), _each(self._ctx, total, unrolled) as numbers:
            for number in numbers:
                self._piece(target, number, across, bytes_, bytes_ // size)

    def _piece(self, target: Value, number: Value, across: int, bytes_: int, elements: int) -> None:
        b = self._ctx.b
        row, column = b.udiv(number, i64(across)), b.urem(number, i64(across))
        indices = list(self._starts)
        indices[self._near] = b.add(indices[self._near], b.mul(column, i64(elements)))
        indices[self._far] = b.add(indices[self._far], row)
        place = b.offset(target, _offset(self._ctx, self.factor, row, b.mul(column, i64(bytes_))))
        source = address(self._ctx, self.view, indices)
        copy_async(self._ctx, place, source, bytes_, self._given(indices, elements))

    def _given(self, indices: list[Value], elements: int) -> Value | None:
        """Bytes of a piece that lie inside; None if all do."""
        b, size = self._ctx.b, self.factor.element.bytes
        near, far = self._checks
        if not (near or far):
            return None
        inside = constant("i32", elements * size)
        if near:
            left = b.sub(self.view.sizes[self._near], indices[self._near])
            some = b.smin(b.smax(left, i64(0)), i64(elements))
            if elements == 1:
                some = b.select(b.icmp("slt", indices[self._near], i64(0)), i64(0), some)
            inside = b.trunc(b.mul(some, i64(size)), "i32")
        if far:
            there = b.icmp("ult", indices[self._far], self.view.sizes[self._far])
            inside = b.select(there, inside, i32(0))
        return inside
