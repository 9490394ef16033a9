"""Along which dimension the tile that a branch yields lies in its buffer."""

from __future__ import annotations

import re

import numpy as np
import pytest

from targets.cpu.entry import Entry

TILE = "tile<64x64xf32>"
BYTES = 64 * 64 * 4
TURNED = f"%u = tile.permute %t {{order = [1, 0]}} -> {TILE} %w = arith.add %u, %u -> {TILE} "


@pytest.mark.parametrize(
    ("body", "buffers"),
    [
        # as it is stored: what is loaded is transposed on its way into the two buffers of the branch
        (f"{TURNED} tile.store %w, %y, %o, %o", 2),
        # as it is loaded: it is stored both ways, and once transposed through a buffer of its own
        (f"{TURNED} tile.store %w, %y, %o, %o tile.store %t, %z, %o, %o", 3),
    ],
)
def test_tiles_of_branches_lie_as_they_are_stored(body: str, buffers: int, rng: np.random.Generator) -> None:
    entry = Entry(f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: memref<f32x64x64>, %y: memref<f32x64x64>, %z: memref<f32x64x64>, %c: bool) {{
      %o = arith.constant {{value = 0}} -> index
      %t = scf.if %c -> {TILE} {{
        %a = tile.load %x, %o, %o -> {TILE}
        scf.yield %a
      }} {{
        %n = arith.constant {{value = 3.0}} -> {TILE}
        scf.yield %n
      }}
      {body}
    }} }}""")
    arrays = {name: np.asfortranarray(rng.random((64, 64), np.float32)) for name in "xyz"}
    for taken in (True, False):
        entry({**arrays, "c": np.bool_(taken)})

        assert np.array_equal(arrays["y"], 2 * arrays["x"].T if taken else np.full((64, 64), 6))

    kept = entry.info.local_bytes + sum(map(int, re.findall(r"alloca \[(\d+) x i8\]", entry.text)))
    assert kept // BYTES == buffers
