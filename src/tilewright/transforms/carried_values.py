"""Control flow that carries some of its values no more: loops and branches without results that went elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import scf
from tilewright.dialects.builder import Builder

Control = scf.For | scf.While | scf.If


def release(op: Control, numbers: Sequence[int]) -> None:
    """Let the operation take and yield values no more, by their numbers; its results and arguments are still there."""
    for region in op.regions:
        end = region.entry.last
        assert end is not None
        first = isinstance(op, scf.While)
        end.operands = [v for k, v in enumerate(list(end.operands)) if k - first not in numbers]
    if not isinstance(op, scf.If):
        before, inits = len(op.operands) - len(op.inits), len(op.inits) - len(numbers)
        op.operands = [v for k, v in enumerate(list(op.operands)) if k - before not in numbers]
        if isinstance(op, scf.For):
            op.attributes["operand_segments"] = (1, 1, before - 2, inits)


def without(op: Control, numbers: Sequence[int]) -> None:
    """Put the operation without them, which nothing uses any more, in its place."""
    kept = [out for k, out in enumerate(op.outs) if k not in numbers]
    new = type(op).of_parts(list(op.operands), [out.type for out in kept], dict(op.attributes))
    new.places, new.location = op.places, op.location
    regions, op.regions = op.regions, ()
    for region in regions:
        new.add_region(region)
        if not isinstance(op, scf.If):
            for number in reversed(numbers):
                region.entry.erase_argument(number + isinstance(op, scf.For))
    Builder.before_op(op)(new)
    for out, became in zip(kept, new.results, strict=True):
        became.name = out.name
        out.replace_all_uses_with(became)
    op.erase()
