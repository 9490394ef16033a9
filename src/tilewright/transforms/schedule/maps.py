"""Maps by regions that do more than compute: each element by itself, by one of the threads that hold it."""

from __future__ import annotations

from tilewright.dialects import lane, scf, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.types import I32
from tilewright.transforms import emit
from tilewright.transforms.schedule.atomics import for_all_holders, guarded
from tilewright.transforms.schedule.fragments import splat
from tilewright.transforms.schedule.lowering import Lowering
from tilewright.transforms.schedule.ragged import ragged_dims
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import register_steps
from tilewright.transforms.tile_values import layout_of, tile_type


def mapped(low: Lowering, build: Builder, op: tile.Map) -> Value:
    """The fragment of the result, its region once for each register."""
    outer = {
        v: low.new(v) for inner in op.body.entry for each in inner.walk() for v in each.operands if v in low.values
    }
    layout = layout_of(op.tile)

    def act(here: Builder) -> Value:
        found: list[Value] = []
        ragged, shape = ragged_dims(layout, tile_type(op.tile).shape), tile_type(op.tile).shape
        for register, offset in enumerate(lane.offsets(register_steps(layout), len(shape))):
            at = [emit.add(here, low.threads.coordinate(layout, k), here.index(n)) for k, n in enumerate(offset)]
            tests = [(Predicate.LT, at[dim], here.index(shape[dim])) for dim in ragged]
            found += guarded(here, tests, lambda there, at=at, register=register: [element(there, at, register)])
        return picked(here, [splat(here, value, 1) for value in found], range(len(found)))

    def element(here: Builder, at: list[Value], register: int) -> Value:
        arguments = [
            *(emit.cast(here, position, I32) for position in at),
            here(lane.Item(low.new(op.tile), register)).out,
        ]
        values = outer | dict(zip(op.body.entry.arguments, arguments, strict=True))
        for inner in op.body.entry:
            if not isinstance(inner, scf.Yield):
                here(inner.clone(values))
        (result,) = scf.yielded(op.body)
        return values[result]

    return for_all_holders(build, low.threads, layout, low.buffer, act)
