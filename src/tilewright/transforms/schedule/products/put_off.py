"""What an iteration of a loop with several products computes for nobody but the next one: it may be put off until the
first products of that have begun, for the unit multiplies meanwhile.

before:  %part = tile.reduce %e   %n = .. %l, %f, %part ..   %rest = .. %acc, %f ..   yield %n, (tile.mma %p, .., %rest)
after:   (begin the first products)   %n = .. %l, %f, (gpu.sum_lanes %part) ..   %rest = .. %acc, %f ..
         (begin the last one of the iteration before)  ..  %part = gpu.sum_own %e   yield %l, %acc, %f, %part

In its place the loop hands on what it is computed of: lines, which take few registers. Lanes wait for each other when
they add up what they have of a line, so sums that are handed on are put off too.

That is so where groups of warps take turns at the unit: where they do not, products of another group come between the
first ones of a group and its last one, for which the next factor waits, and attention of widths 128 and 256 was slower
for it on an H200. In turn it gains under a mask over many keys, and nothing if accumulators alone are put off
(`benchmarks/gpu/attention.py` has these widths and lengths).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from tilewright.dialects import gpu_sums, scf, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import AtomicKind
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.layouts import Owner
from tilewright.ir.types import F32, TileType
from tilewright.transforms.schedule.products.ahead import needs_nothing
from tilewright.transforms.schedule.products.around import Side
from tilewright.transforms.schedule.products.chains import sums_of
from tilewright.transforms.schedule.products.loops import is_inside
from tilewright.transforms.schedule.products.plan import ProductPlan
from tilewright.transforms.schedule.threads import copies
from tilewright.transforms.tile_values import tile_type

Plans = Mapping[tile.Mma, ProductPlan]


class PutOff(Struct, frozen=True):
    """Operations in their order, and what they `need` that is another value in each iteration.

    Those of `sums` make the accumulators that the late product adds to; those of `lines`, which nobody waits for, what
    the loop hands on at some `places`.
    """

    sums: Sequence[Operation] = ()
    lines: Sequence[Operation] = ()
    needs: Sequence[Value] = ()
    places: Sequence[int] = ()

    @property
    def ops(self) -> Sequence[Operation]:
        """All of them."""
        return [*self.sums, *self.lines]

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
    cut = frozenset(op for op in loop.body.entry if isinstance(op, tile.Reduce) and _is_cut(op, late, plans))
    given = loop.carried[list(end.operands).index(late.out)]
    most = tile_type(late.acc).size - 1

    def takes_few(ops: set[Operation]) -> bool:
        # of a sum its parts are handed on, as many
        needs = [*_needs(loop, ops - cut), *(op.out for op in cut & ops)]
        lines = [value.type for value in needs if value is not given]
        return sum(type_.size if isinstance(type_, TileType) else most for type_ in lines) <= most

    sums = _only_for(late, late.acc, cut)
    is_scaled = given in _needs(loop, sums - cut) and all(user in sums for user in given.uses)
    sums = sums if is_scaled and takes_few(sums) else set[Operation]()
    lines, places = set[Operation](), list[int]()
    for place, value in enumerate(end.operands):
        more = _only_for(end, value, cut)
        if not cut.isdisjoint(more) and takes_few(more):
            lines |= more
            places.append(place)
    first, behind = ({_cut(op) if isinstance(op, tile.Reduce) else op for op in ops} for ops in (sums, lines))
    body = list(loop.body.entry)
    needs = _needs(loop, first | behind)
    return PutOff([op for op in body if op in first], [op for op in body if op in behind], needs, places)


def _only_for(user: Operation, value: Value, cut: frozenset[Operation]) -> set[Operation]:
    """What of a loop computes a value for one user alone, which uses it once: element by element, from sums that are
    cut, and what is there."""
    is_alone = list(value.uses) == [user] and list(user.operands).count(value) == 1
    found, work = set[Operation](), [value] if is_alone else []
    while work:
        out = work.pop()
        op = out.defining_op
        if op is None or op.block is not user.block or not (op in cut or _is_elementwise(op)):
            continue
        if out is value or all(each in found for each in out.uses):
            found.add(op)
            # what is summed up is computed where it is
            work += [] if op in cut else op.operands
    return found


def _is_elementwise(op: Operation) -> bool:
    return PURE in op.definition.traits and isinstance(op, Elementwise | MovesElements)


def _needs(loop: scf.For, ops: Collection[Operation]) -> list[Value]:
    """What operations are computed of that others make, or the loop carries."""
    body = [op for op in loop.body.entry if op in ops]
    used = dict.fromkeys(value for op in body for value in op.operands)
    return [value for value in used if value.defining_op not in ops and is_inside(value, loop)]


def _is_cut(op: tile.Reduce, late: tile.Mma, plans: Plans) -> bool:
    """Whether lanes alone share lines of what is added up, and have the sums where the late product has its lines."""
    product = sums_of(op.tile)
    if product is None or product not in plans or op.kind is not AtomicKind.ADD or tile_type(op.out).element is not F32:
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
