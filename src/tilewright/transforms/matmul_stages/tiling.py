"""Cuts loops into tiles, and puts loops in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine
from tilewright.ir.core import Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    bounds,
    inside,
    make_loop,
    move_access,
    move_into,
    name_of,
    nested,
    replaced,
    sums_of,
    variable,
)


def tile(matmul: Matmul, names: Sequence[str], sizes: Sequence[int], inside_tile: Sequence[str]) -> None:
    """The loops of these names, a perfect nest, count by `sizes`, around others that count within a tile.

    Bounds that only a launch knows are multiples. Raises `NotApplicable` for numbers that are none.
    """
    loops = matmul.chain(names, "tiles")
    outer: list[affine.For] = []
    inner: list[affine.For] = []
    parts: dict[Value, Linear] = {}
    for loop, size, name in zip(loops, sizes, inside_tile, strict=True):
        limits = bounds(loop)
        assert limits is not None, "stages make loops with one bound at each end"
        end = limits[1]
        if not end.terms and end.constant % size:
            said = f"the {end.constant} iterations over %{name_of(loop)} are no multiple of the tile's {size}"
            raise NotApplicable(loop, said)
        outer.append(make_loop(name_of(loop), Linear(), end, size))
        inner.append(make_loop(name, Linear(), Linear(size), loop.stride))
        matmul.mark(name, inner[-1])
        parts[variable(loop)] = Linear(0, ((variable(outer[-1]), 1), (variable(inner[-1]), 1)))
    body = list(inside(loops[-1]))
    innermost = nested(Builder.before_op(loops[0]), [*outer, *inner])
    move_into(innermost.block, body)
    substitute(body, parts)
    for name, loop in zip(names, outer, strict=True):
        matmul.mark(name, loop)
    loops[0].erase()


def substitute(ops: Sequence[Operation], parts: Mapping[Value, Linear]) -> None:
    """Put sums in the place of loop variables, in all subscripts."""
    for root in ops:
        for op in root.walk():
            if isinstance(op, affine.Load | affine.Store | affine.Apply):
                forms = sums_of(op.map, op.values if isinstance(op, affine.Apply) else op.indices)
                assert forms is not None, "subscripts are sums: stage 1 makes no others"
                move_access(op, [replaced(form, parts) for form in forms])


def reorder(loops: Sequence[affine.For], order: Sequence[int]) -> None:
    """Put the loops of a perfect nest in another order: the numbers of the old ones, outermost first."""
    body = list(inside(loops[-1]))
    block, behind = loops[0].block, loops[0].next
    assert block is not None
    for loop in loops:
        loop.detach()
    for op in body:
        op.detach()
    wanted = [loops[k] for k in order]
    block.insert(wanted[0], behind)
    for around, loop in pairwise(wanted):
        move_into(around.body.entry, [loop])
    move_into(wanted[-1].body.entry, body)
