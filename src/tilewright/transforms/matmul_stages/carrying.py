"""Loops that carry values from iteration to iteration."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine
from tilewright.ir.core import Value
from tilewright.transforms.matmul_stages.nests import bounds, inside, make_loop, move_into, name_of


def carrying(loop: affine.For, inits: Sequence[Value]) -> affine.For:
    """The loop with other values that it carries, in its place; its body yields nothing yet.

    Those that it has carried before are its first ones, which nobody else uses then.
    """
    limits = bounds(loop)
    assert limits is not None, "stages make loops with one bound at each end"
    found = make_loop(name_of(loop), *limits, loop.stride, inits)
    Builder.before_op(loop)(found)
    block = found.body.entry
    block.append(affine.Yield([], location=loop.location))
    move_into(block, list(inside(loop)))
    before = (*loop.body.entry.arguments, *loop.outs)
    after = (*block.arguments[: 1 + len(loop.inits)], *found.outs[: len(loop.inits)])
    for value, replacement in zip(before, after, strict=True):
        value.replace_all_uses_with(replacement)
    for argument, value in zip(block.arguments[1:], inits, strict=True):
        argument.name = value.name
    loop.erase()
    return found


def hand_on(loop: affine.For, values: Sequence[Value]) -> None:
    """Let the next iteration have these values."""
    end = loop.body.entry.last
    assert end is not None
    end.operands = values
