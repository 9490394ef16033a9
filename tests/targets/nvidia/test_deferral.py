"""Which loads of the work-group may wait until their elements are asked for."""

from __future__ import annotations

import pytest

from tilewright.dialects import tile
from tilewright.targets.nvidia.deferral import deferred_tiles

from .case import Case, Launch, kernel

LOAD = "%z = arith.constant {value = 0} -> index\n%a = tile.load %A, %z, %z {step = 0} -> tile<4x4xf32>\n"


def waits(body: str) -> bool:
    """Whether the load of `%A` gets no buffer of its own."""
    parameters = "%A: memref<f32x4x4>, %B: memref<f32x4x4>, %C: memref<f32x4x4>"
    attributes = ', parameter_attributes = [{}, {}, {"noalias" = true}]'
    case = Case("deferral", kernel(parameters, LOAD + body, attributes=attributes), lambda _: Launch([], {}))
    (found,) = case.module().kernels
    (load,) = [op for op in found.walk() if isinstance(op, tile.Load)]
    return load.out in deferred_tiles(found)


@pytest.mark.parametrize(
    "body",
    [
        "tile.store %a, %A, %z, %z",
        "%b = arith.add %a, %a -> tile<4x4xf32>\ntile.store %b, %A, %z, %z",
        "%p = tile.permute %a {order = [1, 0]} -> tile<4x4xf32>\ntile.store %p, %C, %z, %z",
        "%p = tile.permute %a {order = [1, 0]} -> tile<4x4xf32>\ntile.store %p, %B, %z, %z {step = 0}",
        "%m = tile.mma %a, %a, %a -> tile<4x4xf32>\ntile.store %m, %A, %z, %z",
    ],
    ids=["in place", "in place after arithmetic", "noalias target", "one instruction", "read by a product"],
)
def test_loads_that_may_wait(body: str) -> None:
    assert waits(body)


@pytest.mark.parametrize(
    "body",
    [
        "%p = tile.permute %a {order = [1, 0]} -> tile<4x4xf32>\ntile.store %p, %A, %z, %z",
        "tile.store %a, %B, %z, %z",
        "tile.store %a, %C, %z, %z\ntile.store %a, %C, %z, %z",
        "team.barrier {fence_global = true}\ntile.store %a, %A, %z, %z",
        "%n = memref.size %A {mode = 0} -> index\nscf.for %z, %n {operand_segments = [1, 1, 0, 0]} (%i: index) {\n"
        "tile.store %a, %A, %z, %z\n}",
    ],
    ids=["transposed in place", "other parameter", "write before a reader", "barrier before a reader", "in a loop"],
)
def test_loads_that_may_not_wait(body: str) -> None:
    assert not waits(body)
