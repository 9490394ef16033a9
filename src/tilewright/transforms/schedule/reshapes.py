"""Reshapes that layouts cannot follow: elements go to their column-major numbers in shared memory, and are read there.

before:  %r = tile.reshape %t -> tile<12x42xf32, ..>                      (%t is a tile<56x9xf32, ..>)
after:   lane.store %t, %a ..    team.barrier    %r = lane.load %b ..    (%a and %b are views of memref<f32x504,local>)
"""

from __future__ import annotations

from math import prod

from tilewright.dialects import team
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.memref import Expand
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout
from tilewright.ir.types import AddressSpace, MemrefType, packed_strides
from tilewright.transforms import emit
from tilewright.transforms.schedule.conversions import Buffers, read, write
from tilewright.transforms.schedule.threads import Threads

Held = tuple[tuple[int, ...], Layout]
"""A shape, and who holds its elements."""


def reshape(build: Builder, threads: Threads, value: Value, source: Held, target: Held, buffer: Buffers) -> Value:
    """The fragment of the same elements in the other shape."""
    (shape, layout), (wanted, result) = source, target
    memory, used = buffer(MemrefType(fragment_of(value).element, (prod(shape),), (1,), AddressSpace.LOCAL))
    if used:
        build(team.Barrier(fence_local=True))
    write(build, threads, value, layout, _viewed(build, memory, shape))
    build(team.Barrier(fence_local=True))
    return read(build, threads, result, _viewed(build, memory, wanted))


def _viewed(build: Builder, memory: Value, shape: tuple[int, ...]) -> Value:
    """Numbered elements in a shape."""
    if len(shape) == 1:
        return memory
    type_ = MemrefType(emit.memref_type(memory).element, shape, packed_strides(shape), AddressSpace.LOCAL)
    return build(Expand(memory, [], 0, shape, result_types=[type_])).out
