"""assign-layouts: who holds what, and which kernels stay as they are."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from tilewright.dialects.builtin import Kernel
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.types import TileType
from tilewright.transforms.schedule.assign_layouts import AssignLayouts
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.known import tiles_of
from tilewright.transforms.schedule.spreading import Teams, Wishes, spread_layout
from transforms.support import kernel, run

WARPS = "subgroup_size = 32, work_group_size = [128, 1]"
START = "%z = arith.constant {value = 0} -> index\n"


def assigned(parameters: str, body: str, attributes: str = WARPS) -> Kernel:
    module = kernel(parameters, START + body, attributes)
    run(module, ChooseSchedule(), AssignLayouts())
    return module.kernels[0]


def layouts(found: Kernel) -> dict[str, Layout]:
    """By the name of the value."""
    assert found.schedule == "lanes threads=128", found.schedule
    tiles = [(value.name, value.type) for value in tiles_of(found)]
    return {str(n): t.layout for n, t in tiles if isinstance(t, TileType) and t.layout is not None}


@pytest.mark.parametrize(
    ("shape", "wishes", "text"),
    [
        ((1024,), Wishes(0, 4), "reg (4, 0, 1) (2, 0, 512); lane (32, 0, 4); warp (4, 0, 128)"),
        ((256, 4), Wishes(0, 4, frozenset({0})), "reg (4, 0, 1) (2, 0, 128); lane (32, 0, 4); warp (4, 1, 1)"),
        ((256, 4), Wishes(0, 4), "reg (4, 0, 1) (2, 1, 2); lane (32, 0, 4); warp (2, 0, 128) (2, 1, 1)"),
        ((4, 256), Wishes(1, 4), "reg (4, 1, 1) (2, 0, 2); lane (32, 1, 4); warp (2, 1, 128) (2, 0, 1)"),
        ((64,), Wishes(0, 4), "lane (32, 0, 1); warp (2, 0, 32) (2)"),
        ((), Wishes(), "lane (32); warp (4)"),
    ],
)
def test_elements_are_dealt_to_all_threads(shape: tuple[int, ...], wishes: Wishes, text: str) -> None:
    found = spread_layout(shape, Teams(32, 4), wishes)
    assert str(found) == f"#layout<{text}>"
    assert (found.count(Owner.LANE), found.count(Owner.WARP)) == (32, 4)


@pytest.mark.parametrize("shape", [*product((2, 4, 256), repeat=2), *product((1, 2, 32), repeat=3)], ids=str)
def test_no_thread_holds_an_element_twice(shape: tuple[int, ...]) -> None:
    for (along, across), width, warps in product(permutations(range(len(shape)), 2), (2, 4, 16), (1, 4)):
        found = spread_layout(shape, Teams(32, warps), Wishes(along, width, across=across))
        assert all(digit.dim is not None for digit in found.of(Owner.REG)), found
        assert (found.count(Owner.LANE), found.count(Owner.WARP)) == (32, warps)


def test_what_is_reduced_and_spread_again_follows() -> None:
    found = layouts(
        assigned(
            "%x: memref<f32x256x64>",
            "%v = tile.load %x, %z, %z -> tile<256x4xf32>\n"
            '%s = tile.reduce %v {kind = "add", dim = 0} -> tile<4xf32>\n'
            "%r = tile.reshape %s -> tile<1x4xf32> %b = tile.broadcast %r -> tile<256x4xf32>\n"
            "%q = arith.div %v, %b -> tile<256x4xf32> tile.store %q, %x, %z, %z",
        )
    )
    assert found["v"] == found["b"] == found["q"]
    assert found["s"] == found["v"].reduce_dim(0)
    assert found["r"] == found["v"].collapse(0)
    assert all(place.digit.owner is not Owner.WARP for place in found["v"].along(0)), "a row is a warp's own"


def test_loops_carry_one_layout() -> None:
    found = layouts(
        assigned(
            "%x: memref<f16x1024>, %n: index",
            "%v = tile.load %x, %z -> tile<1024xf16>\n"
            "%r = scf.for %z, %n, %v {operand_segments = [1, 1, 0, 1]} -> tile<1024xf16>\n"
            "(%k: index, %c: tile<1024xf16>) {\n"
            "%w = arith.add %c, %v -> tile<1024xf16> scf.yield %w }\n"
            "tile.store %r, %x, %z",
        )
    )
    assert len({found[name] for name in "vrcw"}) == 1
    assert found["v"].vector_width(0) == 8, "16 bytes of f16"


def test_the_schedule_says_why_not() -> None:
    found = assigned("%x: memref<f32x16384>", "%v = tile.load %x, %z -> tile<16384xf32> tile.store %v, %x, %z")
    assert (found.schedule or "").startswith("threads=128 # in parts: tiles of 16384 elements")
    assert all(isinstance(v.type, TileType) and v.type.layout is None for v in tiles_of(found))


def test_only_kernels_that_cannot_tell_get_other_threads() -> None:
    body = "%v = tile.load %x, %z -> tile<4096xf32> tile.store %v, %x, %z"
    found = assigned("%x: memref<f32x4096>", body, "subgroup_size = 32, work_group_size = [64, 1]")
    assert found.work_group_size == (64, 1)
    found = assigned("%x: memref<f32x4096>", body, "subgroup_size = 32, work_group_size = [64, 1], spread = true")
    assert found.work_group_size == (128, 1)
