"""early-loads: which loads move up to those before them, and what they must stay behind."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.interpreter import interpret
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.early_loads import EarlyLoads
from transforms.support import filecheck, kernel, run

ATTRIBUTES = "subgroup_size = 32, work_group_size = [32, 1]"


def text(size: int, between: str = "", index: str = "%z") -> str:
    """y = 2 x + w, where w is what lies there behind `between`."""
    module = kernel(
        ", ".join(f"%{name}: memref<f32x{size}>" for name in "XWY"),
        f"""%z = arith.constant {{value = 0}} -> index %one = arith.constant {{value = 1}} -> index
        %x = tile.load %X, %z -> tile<{size}xf32> %d = arith.add %x, %x -> tile<{size}xf32>
        {between}
        %i = arith.sub %one, %one -> index
        %w = tile.load %W, {index} -> tile<{size}xf32> %s = arith.add %d, %w -> tile<{size}xf32>
        tile.store %s, %Y, %z""",
        ATTRIBUTES,
    )
    found = run(module, ChooseSchedule(), EarlyLoads())
    x, w = np.random.default_rng(1).random((2, size), np.float32)
    y = np.zeros(size, np.float32)
    interpret(module.kernels[0], [x, w.copy(), y])
    np.testing.assert_array_equal(y, x + x + (x + x if "%W" in between else w))
    return found


def test_loads_come_before_what_is_computed_of_the_first() -> None:
    filecheck(
        text(512, index="%i"), "%x = tile.load %X\n! arith.add\n%i = arith.sub\n%w = tile.load %W\n%d = arith.add"
    )


def test_more_than_registers_have_room_for_is_loaded_late() -> None:
    filecheck(text(1024), "tile.load %X\narith.add %x\ntile.load %W")


@pytest.mark.parametrize(
    "between",
    [
        "tile.store %d, %W, %z",
        "team.barrier {fence_global = true}",
        '%r = tile.reduce %d {kind = "add", dim = 0} -> tile<f32>',
    ],
)
def test_nothing_moves_over_what_writes_synchronises_or_waits_for_others(between: str) -> None:
    name = between.rpartition("= ")[2].split()[0] if between.startswith("%") else between.split()[0]
    filecheck(text(512, between), f"tile.load %X\narith.add %x\n{name}\ntile.load %W")
