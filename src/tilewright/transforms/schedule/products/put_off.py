"""What is computed of accumulators for nothing but the last product of a loop, which is begun an iteration later.

    %rest = .. %acc, %factor ..      yield .., (tile.mma %p, .., %rest)

It may be put off until the first products of the next iteration have begun: the unit multiplies meanwhile. In its place
the loop hands on what it is computed of, which takes no more registers if all of that but the accumulators is lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import scf, tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.transforms.schedule.products.loops import is_inside
from tilewright.transforms.tile_values import tile_type


class PutOff(Struct, frozen=True):
    """Operations in their order, and what they are computed of that is another one in each iteration."""

    ops: Sequence[Operation] = ()
    needs: Sequence[Value] = ()


def put_off(loop: scf.For, late: tile.Mma, carried: Value) -> PutOff:
    """What is put off of a loop whose last product hands its accumulators on as `carried`; nothing, if that takes
    registers."""
    found, whole = set[Operation](), tile_type(late.acc).size
    body = list(loop.body.entry)
    for op in reversed(body[:-1]):
        is_known = PURE in op.definition.traits and isinstance(op, Elementwise | MovesElements)
        if is_known and op.results and all(_leads(value, late, found) for value in op.results):
            found.add(op)
    ops = [op for op in body if op in found]
    needs = list(dict.fromkeys(value for op in ops for value in op.operands if _is_needed(value, loop, found)))
    if carried not in needs or any(user not in found for user in carried.uses):
        return PutOff()
    others = sum(tile_type(value).size for value in needs if value is not carried)
    return PutOff(ops, needs) if others < whole else PutOff()


def _leads(value: Value, late: tile.Mma, found: set[Operation]) -> bool:
    """Whether a value is used for the accumulators of the late product alone."""
    users = list(value.uses)
    as_factor = value is late.lhs or value is late.rhs
    return bool(users) and not as_factor and all(user is late or user in found for user in users)


def _is_needed(value: Value, loop: scf.For, found: set[Operation]) -> bool:
    return value.defining_op not in found and is_inside(value, loop)
