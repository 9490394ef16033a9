"""Control flow that carries large tiles: they stay in one place, which what follows overwrites."""

from __future__ import annotations

from tilewright.dialects import scf
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import root_of
from tilewright.transforms.carried_values import Control
from tilewright.transforms.schedule.slicing.memory import Memory, reserve
from tilewright.transforms.tile_values import tile_type


def begin(memory: Memory, op: Control, numbers: list[int]) -> None:
    """Give what an operation carries, by their numbers, places in front of it."""
    build = Builder.before_op(op)
    for number in numbers:
        out = op.outs[number]
        place = reserve(build, tile_type(out)) if isinstance(op, scf.If) else memory.copy(build, op.inits[number])
        memory.lies(out, place)
        if not isinstance(op, scf.If):
            memory.lies(op.carried[number], place)


def finish(memory: Memory, op: Control, numbers: list[int]) -> None:
    """Put what regions yield into those places; all is read before the first is overwritten."""
    for region in op.regions:
        end = region.entry.last
        assert end is not None
        build = Builder.before_op(end)
        values = {number: _yields(op, end)[number] for number in numbers}
        places = {number: memory.find(op.outs[number]) for number in numbers}
        own = {root_of(place) for place in places.values() if place is not None}
        sources: dict[int, Value] = {}
        for number, value in values.items():
            place, found = places[number], memory.find(value)
            assert place is not None
            if found is None and isinstance(op, scf.If):
                memory.fill(build, value, place)
            elif found is None or root_of(found) is not root_of(place):
                stays = found is not None and root_of(found) not in own
                sources[number] = found if found is not None and stays else memory.copy(build, value)
        for number, source in sources.items():
            place = places[number]
            assert place is not None
            memory.move(build, values[number], source, place)


def _yields(op: Control, end: Operation) -> list[Value]:
    """What a region carries on, behind the condition of a loop."""
    return list(end.operands)[isinstance(op, scf.While) :]
