"""Which tiles are computed once because several places read them, and how often that is asked."""

from __future__ import annotations

import re

import numpy as np
import pytest

from targets.cpu.entry import Entry
from tilewright.ir import core
from tilewright.targets.cpu.tiles import sharing

TYPE = "tile<8xf32>"


def _kernel(body: str) -> Entry:
    return Entry(f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: memref<f32x8>, %y: memref<f32x8>, %z: memref<f32x8>) {{
      %o = arith.constant {{value = 0}} -> index
      %a0 = tile.load %x, %o -> {TYPE}
      {body}
    }} }}""")


def _divisions(body: str) -> int:
    return _kernel(body).text.count("fdiv ")


@pytest.mark.parametrize(
    ("body", "divisions"),
    [
        # read by two stores
        (f"%d = arith.div %a0, %a0 -> {TYPE} tile.store %d, %y, %o tile.store %d, %z, %o", 1),
        # read twice by one
        (f"%d = arith.div %a0, %a0 -> {TYPE} %s = arith.add %d, %d -> {TYPE} tile.store %s, %y, %o", 1),
        # by two stores, by way of an operation that is no code of its own
        (
            f"""%d = arith.div %a0, %a0 -> {TYPE} %s = arith.add %d, %d -> {TYPE}
            tile.store %s, %y, %o tile.store %d, %z, %o""",
            1,
        ),
    ],
)
def test_costly_tiles_are_computed_once(body: str, divisions: int) -> None:
    vectors = _divisions(f"%d = arith.div %a0, %a0 -> {TYPE} tile.store %d, %y, %o")
    assert vectors
    assert _divisions(body) == divisions * vectors


def test_cheap_tiles_are_computed_where_they_are_read() -> None:
    once = f"%d = arith.add %a0, %a0 -> {TYPE} tile.store %d, %y, %o"
    vectors = _kernel(once).text.count("fadd ")
    assert vectors
    assert _kernel(f"{once} tile.store %d, %z, %o").text.count("fadd ") == 2 * vectors


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[core.Operation]:
    """The operations about which it was asked whether they read an operand in place, each time."""
    found: list[core.Operation] = []
    plain = sharing._reads_in_place  # pyright: ignore[reportPrivateUsage]

    def counted(op: core.Operation, part: core.Value) -> bool:
        found.append(op)
        return plain(op, part)

    monkeypatch.setattr(sharing, "_reads_in_place", counted)
    return found


def test_long_chains_are_walked_once(asked: list[core.Operation]) -> None:
    count = 100
    chain = "\n".join(f"%a{k + 1} = arith.div %a{k}, %a{k} -> {TYPE}" for k in range(count))
    _kernel(f"{chain} tile.store %a{count}, %y, %o")
    assert len(asked) <= 5 * count


@pytest.mark.parametrize("stores", [1, 2])
@pytest.mark.parametrize("rows", [1, 512])
def test_what_is_repeated_is_computed_once_for_each_element(rows: int, stores: int, rng: np.random.Generator) -> None:
    small, wide = f"tile<{rows}x1xf32>", "tile<512x9xf32>"
    second = "tile.store %s, %z, %o, %o" if stores == 2 else ""
    entry = Entry(f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: memref<f32x{rows}x1>, %y: memref<f32x512x9>, %z: memref<f32x512x9>) {{
      %o = arith.constant {{value = 0}} -> index
      %a = tile.load %x, %o, %o -> {small}
      %b = tile.broadcast %a -> {wide}
      %n = arith.constant {{value = 3.0}} -> {wide}
      %d = arith.div %b, %n -> {wide}
      %s = math.sqrt %d -> {wide}
      %y0 = tile.load %y, %o, %o -> {wide}
      %p = arith.mul %s, %y0 -> {wide}
      tile.store %p, %y, %o, %o
      {second}
    }} }}""")
    arrays = {
        name: np.asfortranarray(rng.random(size, np.float32))
        for name, size in (("x", (rows, 1)), ("y", (512, 9)), ("z", (512, 9)))
    }
    root = np.broadcast_to(np.sqrt(arrays["x"] / np.float32(3)), (512, 9))
    expected = {"y": root * arrays["y"], "z": root if stores == 2 else arrays["z"].copy()}

    entry(arrays)

    assert all(np.array_equal(arrays[name], value) for name, value in expected.items())
    assert ("fdiv <" in entry.text) is (rows > 1)
    # a column is copied, which the store may overwrite, and one computed, never the tile
    kept = entry.info.local_bytes + sum(map(int, re.findall(r"alloca \[(\d+) x i8\]", entry.text)))
    assert (2 * 512 * 4 if rows > 1 else 0) <= kept < 512 * 9 * 4
    assert rows > 1 or entry.text.count("fdiv ") == 1
