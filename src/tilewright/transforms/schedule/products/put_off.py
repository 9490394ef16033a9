"""What an iteration of a loop with several products computes for nobody but the next one: it may be put off until the
first products of that have begun, for the unit multiplies meanwhile.

before:  %acc, %l = .. the loop carries    %part = tile.reduce %e    %rest = .. %acc, %f ..    %n = .. %l, %f, %part ..
         yield (tile.mma %p, .., %rest), %n           (the product is begun an iteration later)
after:   (begin the first products)  %rest = .. %acc, %f ..   %n = .. %l, %f, (gpu.sum_lanes %part) ..   (begin the last)
         ..  %part = gpu.sum_own %e   yield %acc, %l, %f, %part

In its place the loop hands on what it is computed of: lines, which take few registers. Lanes wait for each other when
they add up what they have of a line, so sums that are handed on are put off too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.dialects import gpu_sums, scf, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.layouts import Owner
from tilewright.ir.types import F32
from tilewright.transforms.schedule.products.ahead import needs_nothing
from tilewright.transforms.schedule.products.around import Side
from tilewright.transforms.schedule.products.chains import sums_of
from tilewright.transforms.schedule.products.loops import is_inside
from tilewright.transforms.schedule.products.plan import ProductPlan
from tilewright.transforms.schedule.threads import copies
from tilewright.transforms.tile_values import tile_type

Plans = Mapping[tile.Mma, ProductPlan]


class PutOff(Struct, frozen=True):
    """Operations in their order, and what they are computed of that is another one in each iteration. They make the
    accumulators that the late product adds to, if it says so, and what the loop hands on at some `places`."""

    ops: Sequence[Operation] = ()
    needs: Sequence[Value] = ()
    makes_sums: bool = False
    places: Sequence[int] = ()

    def handed_on(self, loop: scf.For, known: Mapping[Value, Value]) -> Mapping[Value, Value]:
        """What has been put off stands for what the loop carries, where `known` has it for an iteration."""
        values = scf.yielded(loop.body)
        return {loop.carried[place]: known[values[place]] for place in self.places}


def put_off(loop: scf.For, late: tile.Mma, plans: Plans, ahead: frozenset[Side]) -> PutOff:
    """What is put off of a loop whose last product, `late`, is begun an iteration later. Its sums of lines are cut in
    two steps (`gpu_sums.py`)."""
    begins = [op for op in plans if op.block is loop.body.entry and op is not late and needs_nothing(op, loop, ahead)]
    end = loop.body.entry.last
    if not begins or not isinstance(end, scf.Yield):
        return PutOff()
    found = _only_for(loop, late, late.acc)
    given = loop.carried[list(end.operands).index(late.out)]
    makes_sums = given in _needs(loop, found) and all(user in found for user in given.uses)
    ops, places = found if makes_sums else set[Operation](), list[int]()
    for place, value in enumerate(end.operands):
        more = _only_for(loop, end, value)
        sums = [op for op in more if isinstance(op, tile.Reduce)]
        if value is not late.out and sums and all(_is_cut(op, late, plans) for op in sums):
            ops |= more
            places.append(place)
    # of a sum its parts are handed on, as many
    lines = [op.out for op in ops if isinstance(op, tile.Reduce)]
    lines += _needs(loop, {op for op in ops if not isinstance(op, tile.Reduce)})
    handed = sum(tile_type(value).size for value in dict.fromkeys(lines) if value is not given)
    if not ops or handed >= tile_type(late.acc).size:
        return PutOff()
    ops = {_cut(op) if isinstance(op, tile.Reduce) else op for op in ops}
    return PutOff([op for op in loop.body.entry if op in ops], _needs(loop, ops), makes_sums, places)


def _only_for(loop: scf.For, user: Operation, value: Value) -> set[Operation]:
    """What of a loop computes a value for one user alone, element by element, from lines and what is carried."""
    found, work = set[Operation](), [value] * (list(value.uses) == [user] and list(user.operands).count(value) == 1)
    while work:
        out = work.pop()
        op = out.defining_op
        if op is None or op.block is not loop.body.entry or not _is_known(op):
            continue
        if out is value or all(each in found for each in out.uses):
            found.add(op)
            # what is summed up is computed where it is
            work += [] if isinstance(op, tile.Reduce) else op.operands
    return found


def _is_known(op: Operation) -> bool:
    is_sum = isinstance(op, tile.Reduce) and op.kind is AtomicKind.ADD and tile_type(op.out).element is F32
    return is_sum or (PURE in op.definition.traits and isinstance(op, Elementwise | MovesElements))


def _needs(loop: scf.For, ops: set[Operation]) -> list[Value]:
    """What operations are computed of that others make, or the loop carries."""
    body = [op for op in loop.body.entry if op in ops]
    used = dict.fromkeys(value for op in body for value in op.operands)
    return [value for value in used if value.defining_op not in ops and is_inside(value, loop)]


def _is_cut(op: tile.Reduce, late: tile.Mma, plans: Plans) -> bool:
    """Whether lanes alone share lines: those of accumulators, which the late product has of the same threads."""
    product = sums_of(op.tile)
    if product not in plans:
        return False
    layout = plans[product].layout
    others = {place.digit.owner for place in layout.along(op.dim)} - {Owner.REG, Owner.LANE}
    return not others and not copies(layout) and layout.reduce_dim(op.dim) == plans[late].layout.reduce_dim(op.dim)


def _cut(op: tile.Reduce) -> gpu_sums.SumLanes:
    """The second step of a sum, which stands for it."""
    build = Builder.before_op(op)
    found = build(gpu_sums.SumLanes(build(gpu_sums.SumOwn(op.tile, op.dim)).out))
    op.out.replace_all_uses_with(found.out)
    op.erase()
    return found
