"""prefetch-work-groups: what later work-groups load, where their numbers tell the place."""

from __future__ import annotations

import pytest

from tilewright.transforms.prefetch_work_groups import PrefetchWorkGroups
from transforms.support import filecheck, kernel, run

PARAMETERS = "%A: group<memref<f32x16x8>x?>, %D: memref<f32x16x8x?>, %I: memref<indexx?>"
START = "%g = team.group_id {dim = 0} -> index %z = arith.constant {value = 0} -> index"
LOAD = "%x = tile.load %a, %z, %z -> tile<16x8xf32>"
SUBVIEW = (
    "%d = memref.subview %D, %g {static_offsets = [0, 0, none], static_sizes = [16, 8, 0], "
    "operand_segments = [1, 1, 0]} -> memref<f32x16x8>"
)


def text(body: str, ahead: int = 2048) -> str:
    return run(kernel(PARAMETERS, f"{START} {body}"), PrefetchWorkGroups(ahead))


def test_the_place_of_a_later_group() -> None:
    found = text(f"%a = memref.group_load %A, %g -> memref<f32x16x8> {SUBVIEW} {LOAD} tile.store %x, %d, %z, %z")
    filecheck(
        found,
        """%0 = team.num_groups
        arith.sub
        arith.constant {value = 4}
        %{{\\d+}} = arith.min
        memref.group_load %A, %g
        memref.group_load %A, %{{\\d+}}
        tile.prefetch
        tile.load %a
        ! prefetch""",
    )


def test_batches_in_one_piece_beside_a_group() -> None:
    found = text(
        f"%a = memref.group_load %A, %g -> memref<f32x16x8> {SUBVIEW} {LOAD} "
        "%y = tile.load %d, %z, %z -> tile<16x8xf32> %s = arith.add %x, %y -> tile<16x8xf32> tile.store %s, %d, %z, %z"
    )
    assert found.count("tile.prefetch") == 2
    filecheck(found, "arith.constant {value = 2}\ntile.prefetch\nmemref.subview %D\ntile.prefetch\ntile.load %d")


@pytest.mark.parametrize(("vector_bytes", "prefetches"), [(48, 2), (64, 0)])
def test_several_batches_in_one_piece_behind_many_multiply_adds(vector_bytes: int, prefetches: int) -> None:
    # 16 x 16 sums of 16 vectors of f32, or of 22 that are not full, and 11 terms
    view = "%{0} = memref.subview %{1}, %g {{static_offsets = [0, 0, none], static_sizes = [{2}, {3}, 0], "
    view += "operand_segments = [1, 1, 0]}} -> memref<f32x{2}x{3}> %{0}t = tile.load %{0}, %z, %z -> tile<{2}x{3}xf32>"
    body = (
        f"{view.format('d', 'D', 16, 11)} {view.format('e', 'E', 11, 16)} "
        "%n = arith.constant {value = 0.0} -> tile<16x16xf32> %s = tile.mma %dt, %et, %n -> tile<16x16xf32> "
        "tile.store %s, %F, %z, %z"
    )
    parameters = "%D: memref<f32x16x11x?>, %E: memref<f32x11x16x?>, %F: memref<f32x16x16>"
    passed = PrefetchWorkGroups(2048, vector_bytes=vector_bytes)
    assert run(kernel(parameters, f"{START} {body}"), passed).count("tile.prefetch") == prefetches


def test_one_batch_in_one_piece_is_left_to_the_caches() -> None:
    found = text(f"{SUBVIEW} %x = tile.load %d, %z, %z -> tile<16x8xf32> tile.store %x, %d, %z, %z")
    assert "tile.prefetch" not in found


def test_much_is_left_to_the_caches() -> None:
    body = f"%a = memref.group_load %A, %g -> memref<f32x16x8> {SUBVIEW} {LOAD} tile.store %x, %d, %z, %z"
    assert "tile.prefetch" not in run(kernel(PARAMETERS, f"{START} {body}"), PrefetchWorkGroups(2048, 256))


def test_places_read_from_memory_are_left() -> None:
    found = text(
        f"%i = memref.load %I, %g -> index %a = memref.group_load %A, %i -> memref<f32x16x8> {SUBVIEW} {LOAD} "
        "tile.store %x, %d, %z, %z"
    )
    assert "tile.prefetch" not in found


def test_what_all_work_groups_share_is_left() -> None:
    found = text(f"%a = memref.group_load %A, %z -> memref<f32x16x8> {SUBVIEW} {LOAD} tile.store %x, %d, %z, %z")
    assert "tile.prefetch" not in found
