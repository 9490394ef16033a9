"""merge-barriers, and reductions that are done together: threads wait for each other no more than they must."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.emulated import emulated
from targets.nvidia.test_ragged import lowered
from tilewright.dialects import team

N, ROUNDS = 256, 3
SUM = 'tile.reduce {} {{kind = "{}", dim = 0}} -> tile<1xi32>'
TWO = f"%p = {SUM.format('%r', 'add')} %q = {SUM.format('%w', 'add')}"
OF_TWO_KINDS = TWO.replace("add", "max", 1)
IN_TURN = f"""%p = {SUM.format("%r", "add")} %line = tile.broadcast %p {{shape = [{N}]}} -> tile<{N}xi32>
  %all = tile.reshape %line -> tile<{N}x1xi32> %x = arith.add %w, %all -> tile<{N}x1xi32>
  %q = {SUM.format("%x", "add")}"""


def text(reductions: str) -> str:
    """Of each of some rows of B and of their squares; what is found is added to each element for C."""
    row, column = f"tile<{N}xi32>", f"tile<{N}x1xi32>"
    spread = " ".join(f"%{n}s = tile.broadcast %{n} {{shape = [{N}]}} -> {row}" for n in "pq")
    return f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [64, 1]}}
    (%B: memref<i32x{N}x{ROUNDS}>, %C: memref<i32x{N}x{ROUNDS}>) {{
      %z = arith.constant {{value = 0}} -> index  %n = arith.constant {{value = {ROUNDS}}} -> index
      %one = arith.constant {{value = 1}} -> index
      scf.for %z, %n, %one {{operand_segments = [1, 1, 1, 0]}} (%i: index) {{
        %r = tile.load %B, %z, %i -> {column}  %w = arith.mul %r, %r -> {column}
        {reductions} {spread}  %v = tile.reshape %r -> {row}
        %s = arith.add %v, %ps -> {row} %t = arith.sub %s, %qs -> {row}
        %u = tile.reshape %t -> {column}  tile.store %u, %C, %z, %i }} }} }}"""


@pytest.mark.parametrize(("reductions", "barriers"), [(TWO, 2), (OF_TWO_KINDS, 4), (IN_TURN, 4)])
def test_what_is_reduced_together_is_waited_for_once(reductions: str, barriers: int) -> None:
    """In a round all wait until nobody reads what the last one left, and until all have written; a race is an error."""
    module = lowered(text(reductions))
    found = [op for op in module.walk() if isinstance(op, team.Barrier)]
    assert len(found) == barriers
    assert all(op.fence_local for op in found), "what is reduced goes through shared memory"
    b = np.arange(N * ROUNDS, dtype=np.int32).reshape((N, ROUNDS), order="F")
    c = np.full((N, ROUNDS), -7, np.int32, order="F")
    first = b.max(0) if reductions is OF_TWO_KINDS else b.sum(0)
    second = (b * b).sum(0) + (N * first if reductions is IN_TURN else 0)
    arrays = emulated(module).run(Launch([b, c], {1: c}))
    np.testing.assert_array_equal(arrays[1], b + first - second)
