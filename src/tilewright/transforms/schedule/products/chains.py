"""Products of which the accumulators, changed element by element, are factors of others: best they stay where they
are."""

from __future__ import annotations

from tilewright.dialects import scf, tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import TileType
from tilewright.transforms.tile_values import tile_type


def sums_of(factor: Value) -> tile.Mma | None:
    """The product of whose accumulators a factor is computed, each element from that at its place."""
    shape, seen = tile_type(factor).shape, set[Operation]()
    work = [factor]
    while work:
        value = work.pop()
        op = value.defining_op
        if isinstance(op, tile.Mma) and tile_type(op.out).shape == shape:
            return op
        if isinstance(op, scf.If):
            place = next(k for k, out in enumerate(op.outs) if out is value)
            work += [scf.yielded(region)[place] for region in op.regions if op not in seen]
        elif isinstance(op, Elementwise) and op not in seen:
            work += [value for value in op.operands if isinstance(value.type, TileType)]
        if op is not None:
            seen.add(op)
    return None


def lines_of(op: tile.Mma) -> int | None:
    """The dimension of the sums along which one group of warps should have them, as a factor of another product."""
    work, seen = [op.out], set[Operation]()
    while work:
        value = work.pop()
        for user in value.uses:
            if user in seen:
                continue
            branch = user.parent_op if isinstance(user, scf.Yield) else None
            if isinstance(branch, scf.If):
                work += [branch.outs[k] for k, given in enumerate(user.operands) if given is value]
            elif isinstance(user, Elementwise):
                seen.add(user)
                work += user.results
            elif isinstance(user, tile.Mma) and user is not op:
                for side, value in enumerate((user.lhs, user.rhs)):
                    if sums_of(value) is op:
                        return 1 - side
    return None
