"""Floor quotients by powers of two are shifts, below zero, too."""

from __future__ import annotations

import numpy as np
import pytest

from .case import Launch
from .emulated import emulated
from .test_ragged import lowered

LANES = 32


@pytest.mark.parametrize("divisor", [1, 3, 4])
def test_quotients_of_both_signs(divisor: int) -> None:
    module = lowered(f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32,
      work_group_size = [{LANES}, 1]}} (%A: memref<i64x{LANES}>) {{ team.spmd {{
      %l = team.subgroup_local_id -> i32 %i = arith.cast %l -> index %h = arith.constant {{value = 16}} -> index
      %x = arith.sub %i, %h -> index %d = arith.constant {{value = {divisor}}} -> index
      %q = arith.floor_div %x, %d -> index %n = arith.cast %q -> i64 memref.store %n, %A, %i }} }} }}""")
    found = emulated(module).run(Launch([np.zeros(LANES, np.int64)], {}))[0]
    np.testing.assert_array_equal(found, (np.arange(LANES) - 16) // divisor)
