"""Who a thread is among those that treat a chunk, and the scalars and views of the program for an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from tilewright.dialects import team
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.pack_items.items import behind
from tilewright.transforms.pack_items.plan import Plan


class Threads(Struct, frozen=True, eq=False):
    """Numbers of a thread: in its block and its crew, of its crew and team, in its team; the first item of its chunk.

    `works` says whether it is of a team at all; None if all are. Others have the numbers of threads that are.
    """

    thread: Value
    lane: Value
    crew: Value
    team: Value
    rank: Value
    works: Value | None
    first: Value
    last: Value

    @staticmethod
    def of(build: Builder, plan: Plan) -> Threads:
        """At the beginning of what a thread does."""
        local, warp = build(team.SubgroupLocalId()).out, build(team.SubgroupLinearId()).out
        thread = emit.add(build, local, emit.mul(build, warp, build.int32(plan.crew if plan.crews > 1 else 32)))
        lane, crew = (local, warp) if plan.crews > 1 else (thread, build.int32(0))
        if plan.pairs:
            place = emit.quotient(build, lane, 2)
            pair = emit.quotient(build, place, plan.team)
            rank = emit.sub(build, place, emit.mul(build, pair, build.int32(plan.team)))
            number = emit.add(build, emit.mul(build, pair, build.int32(2)), emit.rem(build, lane, build.int32(2)))
        else:
            number = emit.quotient(build, lane, plan.team)
            rank = emit.sub(build, lane, emit.mul(build, number, build.int32(plan.team)))
        working = plan.teams * plan.team
        works = None
        if working < plan.crew:
            works = emit.less(build, lane, build.int32(working))
            number = emit.minimum(build, number, build.int32(plan.teams - 1))
        thread, lane, crew, number, rank = (emit.to_index(build, found) for found in (thread, lane, crew, number, rank))
        first = emit.add(build, build(team.GroupId(0)).out, emit.mul(build, crew, build.index(plan.items_apart[1])))
        last = emit.sub(build, build(team.NumGroups(0)).out, build.index(1))
        return Threads(thread, lane, crew, number, rank, works, first, last)

    def slot(self, build: Builder, plan: Plan, number: Value) -> Value:
        """The item of the chunk that the team works on in a pass."""
        return emit.add(build, self.team, emit.mul(build, number, build.index(plan.teams)))

    def item(self, build: Builder, slot: Value) -> Value:
        """The work-group of a slot; behind the end of the grid the last one."""
        return emit.minimum(build, emit.add(build, self.first, slot), self.last)


def of_item(build: Builder, roots: Iterable[Value], item: Value) -> Mapping[Value, Value]:
    """Scalars and views of the program for an item, as are needed for `roots`."""
    needed = behind(roots)
    found: dict[Value, Value] = {}
    block = next((op.block for op in needed), None)
    for op in block or ():
        if op not in needed:
            continue
        if isinstance(op, team.GroupId) and op.dim == 0:
            found[op.out] = item
            continue
        new = build(
            type(op).of_parts(
                [found.get(value, value) for value in op.operands],
                [value.type for value in op.results],
                dict(op.attributes),
            )
        )
        new.places = op.places
        found.update(zip(op.results, new.results, strict=True))
    return found
