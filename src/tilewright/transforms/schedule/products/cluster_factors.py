"""Which factors of a product the blocks of a cluster have in common: what does not depend on a block's place in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Final

from tilewright.dialects import scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_clusters import ROWS_TOGETHER, ClusterRank, cluster_of
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.definition import PURE
from tilewright.transforms.schedule.products.plan import ProductPlan
from tilewright.transforms.schedule.products.sources import source_of

_ANY: Final = frozenset((0, 1))


def shared_sides(loop: scf.For, op: tile.Mma, plans: Mapping[tile.Mma, ProductPlan]) -> frozenset[int] | str:
    """The factors that several blocks of a cluster multiply, 0 for the left one; why they cannot copy them together.

    Empty where there are no clusters. All blocks of a cluster must run the same iterations of the same loops.
    """
    cluster = cluster_of(loop)
    if cluster == (1, 1):
        return frozenset()
    bounds: list[Value] = []
    for each in (loop, *takewhile(lambda op: not isinstance(op, Kernel), loop.ancestors())):
        match each:
            case scf.For():
                bounds += [value for value in (each.lower, each.upper, each.step) if value is not None]
            case scf.If():
                bounds.append(each.condition)
            case _:
                return "the loop over terms stands in what blocks may run differently"
    if _places_of(bounds):
        return "blocks of a cluster do not run the same iterations"
    found: set[int] = set()
    for side, value in enumerate((op.lhs, op.rhs)):
        shares, source = cluster[1 - side], source_of(value, plans[op].instruction)
        if shares == 1 or source is None:
            continue
        if 1 - side in _places_of([source.load.memref, *source.load.indices]):
            return f"blocks beside each other along {'nm'[side]} have different {('left', 'right')[side]} factors"
        rows = (plans[op].lhs, plans[op].rhs)[side].rows
        if rows % (ROWS_TOGETHER * shares):
            return f"{rows} rows of a factor are no {shares} shares of {ROWS_TOGETHER} rows each"
        found.add(side)
    return frozenset(found)


def _places_of(values: Iterable[Value]) -> frozenset[int]:
    """Along which dimensions of a cluster values depend on a block's place in it."""
    found, seen, work = set[int](), set[Value](), list(values)
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        op = value.defining_op
        match op:
            case None:
                work += _handed(value)
            case ClusterRank():
                found.add(op.dim)
            case team.Part():
                return _ANY
            case _ if PURE in op.definition.traits and not op.regions:
                work += op.operands
            case _:
                return _ANY
        if op is None and isinstance(value, BlockArgument) and _is_unknown(value):
            return _ANY
    return frozenset(found)


def _handed(value: Value) -> list[Value]:
    """What the index of a loop is computed of; nothing for parameters, which all blocks share."""
    loop = value.block.parent_op if isinstance(value, BlockArgument) else None
    if isinstance(loop, scf.For) and value is loop.index:
        return [bound for bound in (loop.lower, loop.upper, loop.step) if bound is not None]
    return []


def _is_unknown(value: BlockArgument) -> bool:
    """Whether a value may be any: what loops carry."""
    parent = value.block.parent_op
    return not isinstance(parent, Kernel) and not (isinstance(parent, scf.For) and value is parent.index)
