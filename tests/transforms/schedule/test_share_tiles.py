"""Tiles of the work-group that work-items use for themselves: in a loop, by subgroups of any size."""

from __future__ import annotations

import random

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.emulated import emulated
from targets.nvidia.test_ragged import lowered
from tilewright.interpreter.engine import interpret


def text(subgroup: int) -> str:
    """Each subgroup stores three times a row that all of them have loaded and doubled together."""
    head = f'sym_name = "k", subgroup_size = {subgroup}, work_group_size = [64, 1]'
    return f"""builtin.module {{ builtin.kernel {{{head}}}
    (%A: memref<i32x17x3>, %C: memref<i32x17x{64 // subgroup}x3>) {{
      %z = arith.constant {{value = 0}} -> index
      %one = arith.constant {{value = 1}} -> index
      %three = arith.constant {{value = 3}} -> index
      scf.for %z, %three, %one {{operand_segments = [1, 1, 1, 0]}} (%i: index) {{
        %a = tile.load %A, %z, %i -> tile<17x1xi32>
        %b = arith.add %a, %a -> tile<17x1xi32>
        team.spmd {{
          %s = team.subgroup_linear_id -> i32
          %j = arith.cast %s -> index
          %c = arith.add %b, %b -> tile<17x1xi32>
          %d = tile.reshape %c -> tile<17x1x1xi32>
          tile.store %d, %C, %z, %j, %i
        }}
      }} }} }}"""


@pytest.mark.parametrize("subgroup", [32, 8])
def test_all_subgroups_have_the_whole_tile(subgroup: int, rng: np.random.Generator) -> None:
    a = np.asfortranarray(rng.integers(-9, 9, (17, 3)), np.int32)
    c = np.zeros((17, 64 // subgroup, 3), np.int32, order="F")
    wanted = np.broadcast_to(4 * a[:, None, :], c.shape)
    module = lowered(text(subgroup))
    assert (module.kernels[0].schedule or "").startswith("lanes")
    arguments = [a, c.copy(order="F")]
    interpret(module.kernels[0], list(arguments), checked=True)
    np.testing.assert_array_equal(arguments[1], wanted)
    for seed in range(3):
        found = emulated(module).run(Launch([a, c], {}), schedule=random.Random(seed))[1]
        np.testing.assert_array_equal(np.asarray(found), wanted)


def test_products_leave_room_for_tiles_that_work_items_take() -> None:
    """Factors of 64 KiB a stage beside a tile of 128: the schedule says what is done, and why."""
    head = 'sym_name = "k", subgroup_size = 32, work_group_size = [256, 1]'
    schedule = (
        lowered(f"""builtin.module {{ builtin.kernel {{{head}}}
    (%A: memref<f32x128x64>, %B: memref<f32x64x128>, %C: memref<f32x128x128>, %D: memref<f64x128x128>) {{
      %z = arith.constant {{value = 0}} -> index
      %d = tile.load %D, %z, %z -> tile<128x128xf64>
      %a = tile.load %A, %z, %z -> tile<128x64xf32>
      %b = tile.load %B, %z, %z -> tile<64x128xf32>
      %n = arith.constant {{value = 0.0}} -> tile<128x128xf32>
      %s = tile.mma %a, %b, %n -> tile<128x128xf32>
      tile.store %s, %C, %z, %z
      team.spmd {{ tile.store %d, %D, %z, %z }} }} }}""")
        .kernels[0]
        .schedule
    )
    assert schedule is not None
    assert "product=" not in schedule
    assert "by no unit" in schedule
