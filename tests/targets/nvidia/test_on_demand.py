"""Which large tiles lie nowhere, and are computed where somebody asks for a part of them."""

from __future__ import annotations

import random

import pytest

from generators.tiles import TileKernel
from tilewright.dialects import arith, tile
from tilewright.transforms.schedule.slicing.on_demand import OnDemand

from .test_ragged import module_of

# Loads that wait until somebody asks

LOAD = "%z = arith.constant {value = 0} -> index\n%a = tile.load %A, %z, %z {step = 0} -> tile<4x4xf32>\n"


def waits(body: str) -> bool:
    """Whether the load of `%A` does not go to memory of its own."""
    parameters = [*(f"%{name}: memref<f32x4x4>" for name in "ABC")]
    text = TileKernel(random.Random(0), (8, 1), 8, parameters, [LOAD + body]).text
    text = text.replace('sym_name = "k"', 'sym_name = "k", parameter_attributes = [{}, {}, {"noalias" = true}]')
    (load,) = [op for op in module_of(text).walk() if isinstance(op, tile.Load)]
    return OnDemand(lambda value: True, lambda value: False).takes(load)


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


# What is computed again, and what is kept

DIVIDE = "".join(f"%x{k + 1} = arith.div %x{k}, %x0 -> tile<4x4xf32>\n" for k in range(5))
STORED = "tile.store %x{0}, %{1}, %z, %z\n"
FOUR, FIVE, OTHER = STORED.format(4, "B"), STORED.format(5, "B"), STORED.format(5, "C")
IN_LOOP = "scf.for %z, %z {operand_segments = [1, 1, 0, 0]} (%i: index) {\n" + FIVE + "}\n"
JOINED = "%p = tile.permute %x5 {order = [1, 0]} -> tile<4x4xf32>\n%y = arith.add %x5, %p -> tile<4x4xf32>\n"


@pytest.mark.parametrize(
    ("rest", "kept"),
    [
        (FIVE, False),
        (FOUR + STORED.format(4, "C"), False),
        (FIVE + OTHER, True),
        (JOINED + "tile.store %y, %B, %z, %z", False),
        (JOINED + "tile.store %y, %B, %z, %z\n" + "tile.store %y, %C, %z, %z", True),
        (IN_LOOP, True),
    ],
    ids=["one reader", "little", "two readers", "two ways to one reader", "two ways to two readers", "a loop"],
)
def test_what_takes_long_is_computed_once(rest: str, kept: bool) -> None:
    parameters = [*(f"%{name}: memref<f32x4x4>" for name in "ABC")]
    body = LOAD.replace("%a =", "%x0 =") + DIVIDE + rest
    module = module_of(TileKernel(random.Random(0), (8, 1), 8, parameters, [body]).text)
    divisions = [op for op in module.walk() if isinstance(op, arith.Div)]
    on_demand = OnDemand(lambda value: True, lambda value: False)
    assert [on_demand.takes(op) for op in divisions] == [*[True] * 4, not kept]


def test_what_memory_has_costs_nothing() -> None:
    parameters = [*(f"%{name}: memref<f32x4x4>" for name in "ABC")]
    body = LOAD.replace("%a =", "%x0 =") + DIVIDE + FIVE + OTHER
    module = module_of(TileKernel(random.Random(0), (8, 1), 8, parameters, [body]).text)
    first, *_, last = (op for op in module.walk() if isinstance(op, arith.Div))
    assert OnDemand(lambda value: True, lambda value: value is first.out).takes(last)
