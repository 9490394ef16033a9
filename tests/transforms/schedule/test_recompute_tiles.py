"""recompute-tiles: what is loaded late or again, and what must stay."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.interpreter import interpret
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.recompute_tiles import RecomputeTiles
from transforms.support import filecheck, kernel, names, run

ATTRIBUTES = "subgroup_size = 32, work_group_size = [32, 1]"


def norm(size: int, between: str = "") -> str:
    """y = x / sum(x) * w, w loaded at the beginning."""
    return f"""%z = arith.constant {{value = 0}} -> index
    %x = tile.load %X, %z -> tile<{size}xf32> %w = tile.load %W, %z -> tile<{size}xf32>
    {between}
    %s = tile.reduce %x {{kind = "add", dim = 0}} -> tile<f32> %t = tile.item %s -> f32
    %b = tile.splat %t -> tile<{size}xf32> %d = arith.div %x, %b -> tile<{size}xf32>
    %q = arith.mul %d, %w -> tile<{size}xf32> tile.store %q, %Y, %z"""


def text(size: int, between: str = "") -> str:
    parameters = ", ".join(f"%{name}: memref<f32x{size}>" for name in "XWY")
    module = kernel(parameters, norm(size, between), ATTRIBUTES)
    found = run(module, ChooseSchedule(), RecomputeTiles())
    x, w = np.random.default_rng(1).random((2, size), np.float32)
    y = np.zeros(size, np.float32)
    interpret(module.kernels[0], [x, w, y])
    if not between:
        np.testing.assert_allclose(y, x / x.sum() * w, rtol=1e-5)
    return found


def test_what_there_is_room_for_stays() -> None:
    filecheck(text(512), "%x = tile.load %X\n%w = tile.load %W\ntile.reduce\n! tile.load\ntile.store")


def test_what_is_needed_late_is_loaded_late() -> None:
    """32 registers of x and 32 of w: w waits."""
    filecheck(text(1024), "%x = tile.load %X\n! %W\ntile.reduce\n! %X\n%w = tile.load %W\ntile.store")


def test_what_does_not_fit_is_loaded_again() -> None:
    filecheck(text(2048), "tile.load %X\n! %W\ntile.reduce\ntile.load %X\ntile.load %W\ntile.store")


@pytest.mark.parametrize("between", ["tile.store %x, %W, %z", "team.barrier {fence_global = true}"])
def test_nothing_is_loaded_behind_what_writes_or_synchronises(between: str) -> None:
    found = text(2048, between)
    assert found.count("tile.load") == 2
    filecheck(found, "tile.load %X\ntile.load %W\ntile.reduce\n! tile.load\ntile.store %{{.*}}, %Y")


def test_kernels_that_do_not_take_lanes_are_left_alone() -> None:
    module = kernel("%X: memref<f32x2048>, %W: memref<f32x2048>, %Y: memref<f32x2048>", norm(2048), ATTRIBUTES)
    run(module, RecomputeTiles())
    assert names(module)["tile.load"] == 2


ALONE = "subgroup_size = 32, work_group_size = [1024, 1]"
SHARED = 227 << 10


def spilled(between: str = "", shared: int = SHARED, attributes: str = ALONE) -> str:
    """The same of 64 elements a thread, where a block may have so much shared memory."""
    parameters = ", ".join(f"%{name}: memref<f32x65536>" for name in "XWY")
    module = kernel(parameters, norm(65536, between), attributes)
    return run(module, ChooseSchedule(), RecomputeTiles(GenericSchedulePolicy(shared_bytes=shared)))


def test_blocks_alone_keep_in_shared_memory_what_does_not_fit() -> None:
    """14 pieces of 16 bytes a thread, as much as there is; two registers of 16 stay."""
    expected = "tile.load %X\ngpu.spill %x {bytes = 229376}\n! %W\ntile.reduce\n! %X\ntile.load %W\ntile.store"
    filecheck(spilled(), expected)


@pytest.mark.parametrize("between", ["tile.store %x, %W, %z", "team.barrier {fence_global = true}"])
def test_what_cannot_be_loaded_again_waits_too(between: str) -> None:
    found = spilled(between)
    assert found.count("tile.load") == 2
    assert "gpu.spill %x" in found


@pytest.mark.parametrize(
    ("shared", "attributes"),
    [(0, ALONE), (128 << 10, ALONE), (SHARED, ALONE.replace("1024", "512").replace("f32", "f16"))],
    ids=["none", "little", "of several blocks"],
)
def test_no_spills_without_room(shared: int, attributes: str) -> None:
    """Half of a tile in registers would be too much of them."""
    if "512" in attributes:
        module = kernel("%X: memref<f32x32768>, %W: memref<f32x32768>, %Y: memref<f32x32768>", norm(32768), attributes)
        found = run(module, ChooseSchedule(), RecomputeTiles(GenericSchedulePolicy(shared_bytes=shared)))
    else:
        found = spilled(shared=shared)
    assert "gpu.spill" not in found
    filecheck(found, "tile.load %X\ntile.reduce\ntile.load %X\ntile.load %W\ntile.store")


def test_what_is_behind_a_barrier_waits_and_memory_is_used_again() -> None:
    """The quotient is stored behind a barrier; x is not needed any more when it is formed."""
    late = norm(65536).replace("tile.store %q", "team.barrier {fence_global = true} tile.store %q")
    module = kernel("%X: memref<f32x65536>, %W: memref<f32x65536>, %Y: memref<f32x65536>", late, ALONE)
    found = run(module, ChooseSchedule(), RecomputeTiles(GenericSchedulePolicy(shared_bytes=SHARED)))
    filecheck(found, "gpu.spill %x {bytes = 229376}\ngpu.spill %q {bytes = 229376}\nteam.barrier\ntile.store")


def test_tiles_that_wait_at_the_same_time_do_not_share_memory() -> None:
    """There is room for one of the two; the other one is loaded again."""
    two = """%z = arith.constant {value = 0} -> index
    %x = tile.load %X, %z -> tile<65536xf32> %w = tile.load %W, %z -> tile<65536xf32>
    %d = arith.mul %x, %w -> tile<65536xf32>
    %s = tile.reduce %d {kind = "add", dim = 0} -> tile<f32> %t = tile.item %s -> f32
    %b = tile.splat %t -> tile<65536xf32> %e = arith.div %x, %b -> tile<65536xf32>
    %q = arith.mul %e, %w -> tile<65536xf32> tile.store %q, %Y, %z"""
    module = kernel("%X: memref<f32x65536>, %W: memref<f32x65536>, %Y: memref<f32x65536>", two, ALONE)
    found = run(module, ChooseSchedule(), RecomputeTiles(GenericSchedulePolicy(shared_bytes=SHARED)))
    filecheck(found, "tile.load %X\ngpu.spill %x\ntile.load %W\n! gpu.spill\ntile.reduce\ntile.load %W\ntile.store")
