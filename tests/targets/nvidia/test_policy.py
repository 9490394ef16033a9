"""Tiles of products: those of large extents where there are enough of them to keep a device busy; tiles of sums."""

from __future__ import annotations

from math import isqrt

import pytest

from tilewright.dialects import team, tl
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel
from tilewright.ir.types import F16, F32, F64, I8, Extent, MemrefType, ScalarType, memref
from tilewright.machine.cuda.architecture import Architecture
from tilewright.numerics.precision import Precision
from tilewright.targets.nvidia.model import SPREADING, WARPGROUP_TILES
from tilewright.targets.nvidia.policy import NvidiaTeamPolicy, NvidiaTilePolicy
from tilewright.transforms.product_tiles import multiplied_types


def tile(
    element: ScalarType, m: int | None, n: int | None, policy: NvidiaTilePolicy, k: int = 4096
) -> tuple[int, int, int]:
    a, b, c = (MemrefType(element, shape, (1, shape[0])) for shape in ((m, k), (k, n), (m, n)))
    return policy.gemm_tile(a, b, c)


@pytest.mark.parametrize(
    ("element", "extent", "wanted"),
    [
        (F32, 1024, (64, 64, 32)),
        (F32, 2048, (128, 128, 32)),
        (F64, 1024, (64, 64, 16)),
        (F64, 2048, (128, 128, 16)),
        (F64, 1536, (64, 64, 16)),
        (F16, 1024, (64, 64, 64)),
        (F16, 1152, (128, 128, 64)),
        (I8, 1536, (128, 128, 128)),
        (F32, 192, (64, 64, 32)),
        (F32, None, (64, 64, 32)),
    ],
)
def test_tiles_by_how_many_there_are(element: ScalarType, extent: int | None, wanted: tuple[int, int, int]) -> None:
    assert tile(element, extent, extent, NvidiaTilePolicy()) == wanted


@pytest.mark.parametrize(
    ("extent", "wanted", "threads"),
    [
        (1024, (128, 64), 128),
        (1792, (128, 200), 256),
        (2048, (256, 128), 256),
        (2560, (128, 200), 256),
        (3072, (192, 128), 128),
        (4096, (256, 128), 256),
        (5632, (192, 256), 256),
        (6144, (192, 256), 256),
        (7168, (256, 128), 256),
        (8192, (192, 128), 128),
    ],
)
def test_tiles_of_groups_of_warps_have_their_threads(extent: int, wanted: tuple[int, int], threads: int) -> None:
    """As was measured; where threads are said, tiles are those for as many."""
    policy = NvidiaTilePolicy(architecture=Architecture.SM_90A, shares=True)
    assert tile(F16, extent, extent, policy, extent)[:2] == wanted
    kernel = Kernel("f", new_region()[0])
    a, b, c = (kernel.body.entry.add_argument(MemrefType(F16, (extent, extent), (1, extent)), name) for name in "ABC")
    build = Builder.at_end(kernel.body.entry)
    build(tl.Gemm(build.constant(1.0, F16), a, b, build.constant(0.0, F16), c))
    team_policy = NvidiaTeamPolicy(architecture=Architecture.SM_90A)
    assert team_policy.work_group_size(kernel, 32) == (threads, 1)
    kernel.work_group_size = (128, 1)
    rows, columns, _ = tile(F16, extent, extent, policy.of(kernel), extent)
    assert rows * columns <= 192 * 128


@pytest.mark.parametrize(
    ("transposed", "wanted", "threads"),
    [((False, False), (128, 256), 256), ((True, False), (256, 128), 256), ((False, True), (128, 128), 128)],
)
def test_rounded_products_have_tiles_of_what_multiplies_them(
    transposed: tuple[bool, bool], wanted: tuple[int, int], threads: int
) -> None:
    """Of f32 that is multiplied in tf32; groups of warps take one turned factor. Exact products stay as they are."""
    kernel = Kernel("f", new_region()[0])
    a, b, c = (kernel.body.entry.add_argument(MemrefType(F32, (4096, 4096), (1, 4096)), name) for name in "ABC")
    build = Builder.at_end(kernel.body.entry)
    alpha, beta = build.constant(1.0, F32), build.constant(0.0, F32)
    op = build(tl.Gemm(alpha, a, b, beta, c, transpose_a=transposed[0], transpose_b=transposed[1]))
    policy = NvidiaTilePolicy(architecture=Architecture.SM_90A, precision=Precision.TF32)
    team_policy = NvidiaTeamPolicy(architecture=Architecture.SM_90A, precision=Precision.TF32)
    assert policy.gemm_tile(*multiplied_types(op))[:2] == wanted
    assert team_policy.work_group_size(kernel, 32) == (threads, 1)
    assert NvidiaTeamPolicy(architecture=Architecture.SM_90A).work_group_size(kernel, 32) == (128, 1)


@pytest.mark.parametrize(
    ("extents", "wanted"),
    [
        ((4096, 4096, 96), (128, 128, 32)),
        ((4096, 4096, 128), (128, 128, 64)),
        ((4096, 4096, 32), (128, 128, 16)),
        ((4096, 4096, 8), (128, 128, 16)),
        ((256, 256, 96), (64, 64, 64)),
        ((96, 8192, 4096), (96, 64, 64)),
        ((8192, 104, 4096), (128, 104, 64)),
        # what tiles of 64 leave of both would be tiles of few rows and columns
        ((96, 104, 4096), (64, 64, 64)),
        ((100, 8192, 4096), (64, 64, 64)),
    ],
)
def test_few_terms_and_narrow_results(extents: tuple[int, int, int], wanted: tuple[int, int, int]) -> None:
    """Of groups of warps: some steps of which the next one is on its way, sides as they are."""
    m, n, k = extents
    assert tile(F16, m, n, NvidiaTilePolicy(architecture=Architecture.SM_90A), k) == wanted
    assert tile(F16, m, n, NvidiaTilePolicy(), k)[2] == 64


def test_a_long_way_between_tiles_is_for_many_steps() -> None:
    """Of few steps along k those are better whose blocks share a multiprocessor."""
    assert [WARPGROUP_TILES.best(2048, 2048, steps).rows for steps in (16, 64, None)] == [128, 256, 256]


def test_open_extents_are_large_where_they_are_known_to_be() -> None:
    kernel = Kernel("f", new_region()[0])
    usual = NvidiaTilePolicy()
    assert usual.of(kernel) == usual
    kernel.step_of = "g"
    assert tile(F32, None, None, usual.of(kernel)) == (128, 128, 32)
    # what is narrow stays so
    assert tile(F32, None, 64, usual.of(kernel)) == (128, 64, 32)
    assert tile(F32, None, None, NvidiaTilePolicy((32, 32, 32)).of(kernel)) == (32, 32, 32)


def test_other_work_groups_keep_a_device_busy_too() -> None:
    kernel = Kernel("f", new_region()[0])
    assert tile(F32, 256, 256, NvidiaTilePolicy().of(kernel)) == (64, 64, 32)
    Builder.at_end(kernel.body.entry)(team.GroupId(0))
    policy = NvidiaTilePolicy().of(kernel)
    assert tile(F32, 256, 256, policy) == (128, 128, 32)
    # 9 tiles have fewer elements than 4 larger ones
    assert tile(F32, 192, 192, policy) == (64, 64, 32)
    assert tile(F32, 100, 256, policy)[0] == 64


def test_large_tiles_of_open_extents_are_for_more_than_half_of_a_device() -> None:
    """On fewer multiprocessors a product with tiles of a quarter is sooner done."""
    side = isqrt(SPREADING.wide_tiles) * 128
    for extents in ((side, side), (128 * (SPREADING.wide_tiles - 1), 128)):
        assert tile(F32, *extents, NvidiaTilePolicy()) == (64, 64, 32)
    assert tile(F32, 128 * SPREADING.wide_tiles, 128, NvidiaTilePolicy()) == (128, 128, 32)


@pytest.mark.parametrize(
    ("element", "shape", "strides", "dim", "wanted"),
    [
        (F32, (8192, 8192), (1, 8192), 1, (32, 128)),
        (F16, (8192, 8192), (1, 8192), 1, (64, 64)),
        (F64, (8192, 8192), (1, 8192), 1, (32, 64)),
        (F32, (8192, 8192), (8192, 1), 1, (4, 1024)),
        (F32, (8192, 8192), (1, 8192), 0, (1024, 4)),
        (F32, (None, None), (1, None), 1, (32, 128)),
        (F32, (5, 8192), (1, 5), 1, (8, 512)),
        (F32, (8192, 9), (1, 8192), 1, (256, 16)),
        (F32, (8192, 9), (9, 1), 1, (256, 16)),
        (F32, (3, 2), (1, 3), 1, (4, 2)),
    ],
)
def test_tiles_of_sums(
    element: ScalarType, shape: tuple[Extent, Extent], strides: tuple[Extent, Extent], dim: int, wanted: tuple[int, int]
) -> None:
    assert NvidiaTilePolicy().reduction_tile(memref(element, shape, strides), dim) == wanted
