"""Scalars of joined items: a thread holds columns of several, of which each has its own.

before:  %f = memref.load %s[%group_id]      %t = tile.splat %f : tile<56x9xf32>
after:   %f0 = memref.load %s[%item0]  %f1 = memref.load %s[%item1]  ..
         %t = lane.pick (fills of %f0, %f1, ..) : a register of a column holds what is its item's
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from tilewright.dialects import lane, team
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import FragmentType, TileType
from tilewright.transforms import emit
from tilewright.transforms.pack_items.items import behind
from tilewright.transforms.pack_items.slots import Box
from tilewright.transforms.pack_items.threads import Threads, of_item


class ColumnScalars(Struct, frozen=True, eq=False):
    """The scalars that the operations of an item want, for the `joined` items of a slot."""

    threads: Threads
    joined: int
    scalars: Sequence[Value]
    slot: Value
    same: dict[Value, Value] = field(default_factory=dict[Value, Value])
    known: dict[tuple[int, ...], list[Mapping[Value, Value]]] = field(
        default_factory=dict[tuple[int, ...], list[Mapping[Value, Value]]]
    )

    def load(self, build: Builder, operations: Iterable[tuple[Operation, Box]]) -> None:
        """Begin with those of all operations on such boxes, so that nobody waits for memory later."""
        for op, box in operations:
            if any(_differs(value) for value in op.operands if not isinstance(value.type, TileType)):
                self._columns(build, box)

    def of(self, build: Builder, op: Operation, box: Box) -> dict[Value, Value]:
        """The scalar operands of an operation on tiles: one, or registers with that of the item of their column."""
        scalars = [value for value in op.operands if not isinstance(value.type, TileType)]
        each = [value for value in scalars if _differs(value)]
        rest = [value for value in scalars if value not in each]
        if rest:
            self.same.update(of_item(build, rest, self.threads.first))
        found = {value: self.same.get(value, value) for value in rest}
        for value in each:
            rows, columns = box.tiling.box
            fills = [self._filled(build, number[value]) for number in self._columns(build, box)]
            places = tuple(column for column in range(columns) for _ in range(rows))
            found[value] = build(lane.Pick(fills, places)).out
        return found

    @staticmethod
    def _filled(build: Builder, value: Value) -> Value:
        return build(lane.Fill(value, result_types=[FragmentType(1, emit.scalar_type(value.type))])).out

    def _columns(self, build: Builder, box: Box) -> list[Mapping[Value, Value]]:
        """The scalars for each column of a thread's box; behind the last item they are that one's."""
        shape = box.tiling.shape
        if shape not in self.known:
            run, width = box.tiling.runs[1], shape[1] // self.joined
            places = [column // run.piece * run.step + column % run.piece for column in range(run.extent)]
            first = emit.mul(build, self.slot, build.index(self.joined))
            each = [value for value in self.scalars if _differs(value)]
            found: list[Mapping[Value, Value]] = []
            for place in places:
                column = emit.add(build, box.starts[1], build.index(place))
                item = emit.add(build, first, emit.quotient(build, column, width))
                found.append(of_item(build, each, self.threads.item(build, item)))
            self.known[shape] = found
        return self.known[shape]


def _differs(value: Value) -> bool:
    """Whether a scalar may differ from item to item."""
    return any(isinstance(op, team.GroupId) and op.dim == 0 for op in behind([value]))
