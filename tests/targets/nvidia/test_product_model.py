"""Tiles of products of known extents: those that were fastest on an H200 or an H100 are chosen."""

from __future__ import annotations

import pytest

import tilewright as tw
from tilewright.ir.schedules import Schedule, Tiles
from tilewright.ir.types import F16, F32, TF32, MemrefType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.group_tiles import WARPGROUP_TILES
from tilewright.targets.nvidia.measured_tiles import Cost, MeasuredTile
from tilewright.targets.nvidia.modelled_tiles import ModelledTile
from tilewright.targets.nvidia.policy import NvidiaTilePolicy
from tilewright.targets.nvidia.product_model import Chosen, chosen_tile, tile_of_lines


def chosen(m: int, n: int, k: int, many: int = 1, element: str = "f16") -> Chosen:
    sums = "f32" if element == "f16" else element
    return chosen_tile((m, n, k), many, element, element, sums, Architecture.SM_90A)


@pytest.mark.parametrize(
    ("size", "tile", "microseconds"),
    [
        (768, "128x64x64 product=128x64x64:wgmma.m64n128k16.f32.f16/1x1/8", 8.2),
        (1280, "104x128x64", 11.8),
        (1536, "144x128x64", 15.5),
        (2048, "256x128x64", 28.2),
        (2304, "112x192x64 roles=yes pingpong=yes", 39.4),
        (3328, "168x128x64 roles=yes pingpong=yes", 101.9),
        (3840, "176x128x64 roles=yes pingpong=yes", 150.0),
        (4096, "256x128x64", 184.0),
        (5632, "192x256x64", 453.0),
        (8192, "192x128x64 roles=yes pingpong=yes", 1450.0),
    ],
)
def test_squares(size: int, tile: str, microseconds: float) -> None:
    """Of factors both of which have rows along k."""
    types = ("f16", "f16", "f32", Architecture.SM_90A)
    found = chosen_tile((size, size, size), 1, *types, by_machine=True)
    assert f"tile={tile}" in found.schedule
    assert abs(found.seconds * 1e6 - microseconds) < 0.1 * microseconds
    assert "roles" not in chosen_tile((size, size, size), 1, *types).schedule
    assert "roles" not in chosen_tile((size, size, size), 1, *types, by_machine=True, whole_sectors=False).schedule


@pytest.mark.parametrize(
    ("size", "tile"),
    [
        (1536, "threads=256 tile=160x128x64 swizzle=64"),
        (2304, "threads=384 tile=224x192x64 swizzle=64"),
        (3328, "threads=256 tile=224x128x64 roles=yes swizzle=64 cluster=1x2"),
        (3840, "threads=128 tile=192x128x64 roles=yes pingpong=yes"),
    ],
)
def test_slabs_along_n_are_whole_or_half(size: int, tile: str) -> None:
    """Others would load as much as the next whole one; so is it along m, where the left factor is by columns."""
    types = ("f16", "f16", "f32", Architecture.SM_90A)
    assert chosen_tile((size, size, size), 1, *types, turned=(True, True), by_machine=True).schedule == tile


@pytest.mark.parametrize(
    ("size", "tile", "microseconds"),
    [
        (2304, "threads=128 tile=128x168x64 roles=yes pingpong=yes order=12", 40.0),
        (2560, "threads=256 tile=128x200x64", 52.5),
        (3840, "threads=128 tile=128x176x64 roles=yes pingpong=yes order=12", 154.0),
        (4864, "threads=256 tile=256x144x64 roles=yes cluster=1x2", 311.0),
    ],
)
def test_tiles_the_other_way_round(size: int, tile: str, microseconds: float) -> None:
    """H100: rows of the right factor run along n, so any eighth row is the last of a tile, if the device stores the
    result. A launch that computes nothing took 5.1 us there, from which 2 are taken at 2304."""
    types = ("f16", "f16", "f32", Architecture.SM_90A)
    found = chosen_tile((size, size, size), 1, *types, turned=(True, False), by_machine=True)
    assert found.schedule == tile
    assert abs(found.seconds * 1e6 - microseconds) < 0.05 * microseconds
    others = (
        chosen_tile((size, size, size), 1, *types, turned=turned, by_machine=stored)
        for turned, stored in (((True, True), True), ((True, False), False), ((False, False), True))
    )
    assert all(other.schedule != tile for other in others)


@pytest.mark.parametrize(
    ("extents", "tile"), [((4352, 4352), "256 tile=192x256x64"), ((1536, 3584), "384 tile=224x192x64")]
)
def test_tiles_of_more_rows(extents: tuple[int, int], tile: str) -> None:
    """Of two groups of warps with 128 each, of three with 64."""
    types = ("f16", "f16", "f32", Architecture.SM_90A)
    assert chosen_tile((*extents, 4352), 1, *types, by_machine=True).schedule == f"threads={tile}"


@pytest.mark.parametrize(
    ("size", "result", "tile"),
    [
        (3840, "f16", "128 tile=176x128x64 roles=yes pingpong=yes"),
        (4352, "f32", "128 tile=192x128x64 roles=yes pingpong=yes"),
        (4608, "f32", "256 tile=256x128x64 roles=yes cluster=1x2"),
        (2816, "f16", "256 tile=240x128x64"),
        (2816, "f32", "128 tile=160x128x64 roles=yes pingpong=yes"),
        (6400, "f16", "128 tile=128x192x64 roles=yes pingpong=yes"),
        (13312, "f16", "256 tile=256x128x64 roles=yes cluster=1x2"),
        (2048, "f32", "256 tile=256x128x64"),
        (2304, "f32", "128 tile=168x128x64 roles=yes pingpong=yes"),
        (4096, "f32", "256 tile=256x128x64 roles=yes cluster=1x2"),
        (6144, "f32", "128 tile=176x128x64 roles=yes pingpong=yes"),
    ],
)
def test_what_leaves_the_law(size: int, result: str, tile: str) -> None:
    """Tiles by turns hide the stores of what is wider than factors, and are limited by loads where it is not; those
    whose blocks do not keep step are not for long products. H100, what was fastest or near it."""
    found = chosen_tile((size, size, size), 1, "f16", result, "f32", Architecture.SM_90A, by_machine=True)
    assert found.schedule == f"threads={tile}"


@pytest.mark.parametrize(
    ("size", "turned", "result", "tile"),
    [
        (2816, (True, True), "f32", "256 tile=256x128x64"),
        (2816, (True, False), "f32", "128 tile=128x160x64 roles=yes pingpong=yes"),
        (7680, (True, False), "f16", "128 tile=128x176x64 roles=yes pingpong=yes order=12"),
        (16384, (True, False), "f32", "128 tile=128x192x64 roles=yes pingpong=yes"),
        (14336, (False, False), "f16", "128 tile=128x192x64 roles=yes pingpong=yes"),
        (12288, (False, False), "f16", "128 tile=176x128x64 roles=yes pingpong=yes"),
    ],
)
def test_what_leaves_it_where_rows_run_along_n(size: int, turned: tuple[bool, bool], result: str, tile: str) -> None:
    """Stores of short slabs wait as others do; tiles by turns the other way round are for some long products, tiles of
    three groups and pairs of two are not. H200 and H100, what was fastest or near it."""
    types = ("f16", result, "f32", Architecture.SM_90A)
    assert chosen_tile((size, size, size), 1, *types, turned=turned, by_machine=True).schedule == f"threads={tile}"


def test_blocks_of_a_cluster_wait_for_what_follows() -> None:
    """Of 256 x 128 at 4096, four tiles each: .3 % faster by pairs, .6 % slower where gelu follows."""
    types = ("f16", "f16", "f32", Architecture.SM_90A)
    plain, gelu = (chosen_tile((4096, 4096, 4096), 1, *types, by_machine=True, operations=count) for count in (0, 12))
    assert plain.schedule == f"{gelu.schedule} roles=yes cluster=1x2"
    alone = MeasuredTile(256, 128, Cost(2.0, 1.0))
    assert alone.followed(12) == alone


def test_long_layers_are_at_the_limit_of_power() -> None:
    """Of 8192 with bias and gelu, on a warm H200: 184 x 256 1.04 times as fast as 192 x 128 by turns, 256 x 184 too.
    Shorter ones take what they take alone, and so do much longer ones."""
    types = ("f16", "f16", "f32", Architecture.SM_90A)

    def chosen(size: int, turned: bool, operations: int) -> str:
        sizes = (size, size, size)
        return chosen_tile(sizes, 1, *types, turned=(turned, False), by_machine=True, operations=operations).schedule

    assert chosen(8192, False, 12) == "threads=256 tile=184x256x64"
    assert chosen(8192, True, 12) == "threads=256 tile=256x184x64"
    assert chosen(8192, False, 0) == "threads=128 tile=192x128x64 roles=yes pingpong=yes"
    assert all(chosen(size, False, 12) == "threads=256 tile=256x128x64" for size in (2048, 4096))
    assert "pingpong=yes" in chosen(10240, False, 12)
    short = [chosen_tile((2048, 2048, 2048), 1, *types, by_machine=True, operations=count) for count in (0, 12)]
    assert short[0] == short[1]
    tile = MeasuredTile(128, 256, Cost(3.0, 1.0), Cost(5.0, 2.0))
    slower = 0.915 + 12.0 * (128 + 256) / (128 * 256)
    assert (tile.heated().alone, tile.heated().shared) == (Cost(3.0, slower), Cost(5.0, 2 * slower))


def test_tf32_by_turns() -> None:
    """Of 2048, where nothing hides the stores of one wave; not of 4096, nor where the program shares otherwise."""

    def chosen(size: int, shares: bool, turned: bool = False) -> tuple[int, int, bool | None]:
        tile = tile_of_lines(TF32, (size, size, size), (turned, False), Architecture.SM_90A, shares=shares)
        assert tile is not None
        return tile.along, tile.rows, tile.wishes.pingpong

    assert chosen(2048, True) == (128, 128, True)
    assert chosen(2048, False)[2] is None
    assert chosen(2048, True, turned=True)[2] is None
    assert chosen(4096, True) == (256, 128, None)


def test_wide_results_and_power() -> None:
    """Of five waves each has to wait for its stores; and no device makes more than its power lets it."""
    types = ("f32", Architecture.SM_90A)
    size = (4608, 4608, 4608)
    narrow, wide = (chosen_tile(size, 1, "f16", result, *types, by_machine=True) for result in ("f16", "f32"))
    assert narrow.schedule == wide.schedule
    assert 3e-6 < wide.seconds - narrow.seconds < 5e-6
    tile = MeasuredTile(128, 128, Cost(9.5, 0.1), rate=1e14)
    assert tile.seconds(4096, 4096, 4096, 1) == 2 * 4096**3 / 1e14
    assert tile.seconds(4096, 4096, 64, 1) == tile.busy(4096, 4096, 64, 1)


@pytest.mark.parametrize(
    ("size", "tile", "microseconds"),
    [
        (1000, "128x64x64 product=128x64x64:wgmma.m64n128k16.f32.f16/1x1/5 cluster=1x2", 9.5),
        (3000, "192x192x64 cluster=1x2", 84.1),
        (4104, "176x192x64 cluster=2x1", 209.0),
    ],
)
def test_split_sectors_are_for_clusters(size: int, tile: str, microseconds: float) -> None:
    """Where the right factor is by rows; other blocks of a cluster may lie beyond the edge, and cost as much."""
    sizes, rest = (size, size, size), ("f16", "f16", "f32", Architecture.SM_90A)
    found = chosen_tile(sizes, 1, *rest, whole_sectors=False, turned=(True, False))
    assert found.schedule.endswith(f"tile={tile}")
    assert abs(found.seconds * 1e6 - microseconds) < 0.03 * microseconds
    assert "cluster" not in chosen_tile(sizes, 1, *rest, whole_sectors=False).schedule
    tall = MeasuredTile(128, 64, Cost(1.5, 0.36), cluster=(1, 2))
    # 34 times 4 tiles are more than multiprocessors
    assert tall.seconds(64 * 33, 128 * 4, 64, 1) == 2 * tall.seconds(64 * 32, 128 * 4, 64, 1)


@pytest.mark.parametrize(
    ("element", "size", "many", "said"),
    [
        ("f64", 64, 2048, "tile=64x64x16 product=64x64x16:m16n8k8.row.col.f64/2x2/6"),
        ("f64", 256, 128, "threads=256 tile=128x128x16 persistent=yes"),
        ("f64", 1024, 1, "threads=128 tile=64x64x16"),
        ("f64", 1025, 1, "threads=256 tile=96x96x32"),
        ("f32", 64, 2048, "threads=64 tile=64x64x32"),
        ("f32", 256, 128, "tile=128x128x32 product=128x128x32:fma.f32/2x2/2"),
        ("f32", 1024, 1, "threads=128 tile=128x64x16"),
        ("f32", 4096, 1, "tile=128x128x32"),
    ],
)
def test_short_products_of_many_have_tiles_of_their_own(element: str, size: int, many: int, said: str) -> None:
    assert chosen(size, size, size, many, element).schedule.endswith(said)


@pytest.mark.parametrize(("terms", "streams"), [(8192, False), (1 << 18, True)])
def test_blocks_share_terms_where_that_pays_for_the_launch(terms: int, streams: bool) -> None:
    """Much of the last wave is missing, with each other tile too."""
    sizes, rest = (8704, 8704, terms), ("f16", "f16", "f32", Architecture.SM_90A)
    found = chosen_tile(sizes, 1, *rest, turned=(True, False), streams=True)
    assert ("stream=yes" in found.schedule) == streams
    assert "stream" not in chosen_tile(sizes, 1, *rest, turned=(True, False)).schedule
    assert "stream" not in chosen_tile(sizes, 2, *rest, turned=(True, False), streams=True).schedule


@pytest.mark.parametrize(
    ("turned", "tile"),
    [((False, False), "256x128x32"), ((True, False), "128x256x32"), ((False, True), "256x128x32")],
)
def test_long_sides_are_the_columns_of_instructions(turned: tuple[bool, bool], tile: str) -> None:
    """Of tf32: rows are those of the factor that threads read."""
    found = chosen_tile((4096, 4096, 4096), 1, "tf32", "f32", "f32", Architecture.SM_90A, turned=turned)
    assert found.schedule == f"threads=256 tile={tile}"
    assert abs(found.seconds * 1e6 - 365) < 30


def test_threads_multiply_what_units_do_not_take() -> None:
    found = chosen_tile((4096, 4096, 4096), 1, "tf32", "f32", "f32", Architecture.SM_90A, turned=(True, True))
    assert found.seconds > 5e-4


def test_few_terms_are_for_blocks_that_share_a_multiprocessor() -> None:
    found = chosen(8192, 8192, 128)
    assert found.schedule == "threads=128 tile=128x128x64"
    assert abs(found.seconds * 1e6 - 48) < 5


def test_what_memory_takes() -> None:
    """134 MB of the one large factor."""
    assert chosen(16, 8192, 4096, many=2).seconds > 34e-6
    assert 30e-6 < chosen(16, 8192, 8192).seconds < 40e-6
    assert "x16x" in chosen(16, 8192, 8192).schedule
    by_rows = chosen_tile((8192, 16, 8192), 1, "f16", "f16", "f32", Architecture.SM_90A, turned=(True, False))
    assert "tile=16x64x128 swizzle=32" in by_rows.schedule
    assert abs(by_rows.seconds * 1e6 - 36.6) < 1


def test_a_batch_is_as_many_tiles() -> None:
    types = ("f16", "f16", "f32", Architecture.SM_90A)
    of_many = chosen_tile((256, 256, 256), 128, *types, turned=(True, False), by_machine=True)
    assert of_many.schedule == "threads=128 tile=128x128x64"
    assert chosen(64, 64, 64, many=4096).seconds > 1.7 * chosen(64, 64, 64, many=2048).seconds


@pytest.mark.parametrize("found", [tile for tile in WARPGROUP_TILES if tile.depth == 64 and not tile.more])
def test_the_model_takes_what_was_measured(found: MeasuredTile) -> None:
    """A tile of 2560 terms, with rows along k of the factor along n; products with 144 columns are turned."""
    model = ModelledTile(found.along, found.rows, found.threads, found.along)
    assert abs(model.tile(40) / (found.once + found.alone.of(40)) - 1) < 1 / 7


def test_waves() -> None:
    """One that is partially filled shares the cache among fewer, and takes no less than its products."""
    tile = ModelledTile(96, 192, 384, 96)
    one, few, whole, more = (tile.seconds(192, 96 * count, 4096, 1) for count in (1, 66, 132, 133))
    assert one == few < whole
    assert abs(more - whole - one) < 1e-12
    pair, single = (ModelledTile(96, 64, 128, 96).seconds(64, 96 * 132 * count, 4096, 1) for count in (2, 1))
    assert single < pair < 2 * single
    assert tile.of_split_sectors(2).step() > tile.step()


@pytest.mark.parametrize(
    ("size", "turned", "line"),
    [
        (1664, (True, False), "threads=256 tile=96x256x64 swizzle=64"),
        (1536, (False, False), "threads=384 tile=96x192x64"),
        (2304, (True, False), "threads=256 tile=192x256x64"),
        (8192, (True, False), "threads=256 tile=256x128x64"),
    ],
)
def test_any_tiles(size: int, turned: tuple[bool, bool], line: str) -> None:
    """Those that nobody has measured are taken where the model expects more of them, when they are asked for."""
    extents, types = (size, size, size), ("bf16", "f32", "f32")
    found = chosen_tile(extents, 1, *types, Architecture.SM_90A, turned=turned, tiles=Tiles.ANY)
    usual = chosen_tile(extents, 1, *types, Architecture.SM_90A, turned=turned, tiles=Tiles.MEASURED)
    assert usual == chosen_tile(extents, 1, *types, Architecture.SM_90A, turned=turned)
    assert found.schedule == line
    assert usual.schedule in [tile.schedule("bf16") for tile in WARPGROUP_TILES]
    assert 0.9 * usual.seconds < found.seconds <= usual.seconds


@pytest.mark.parametrize("element", ["f32", "f64", "i8", "bf16"])
def test_nothing_to_multiply(element: str) -> None:
    assert chosen(0, 5, 0, element=element).seconds > 0


@pytest.mark.parametrize(
    ("size", "beta", "sharing"), [(1024, 0, []), (1000, 0, ["cluster=1x2"]), (1000, 1, ["cluster=1x2"])]
)
def test_gemm_shares_what_the_model_says(size: int, beta: int, sharing: list[str]) -> None:
    """As products of open extents do."""
    matrix = f"memref<f16x{size}x{size}>"
    text = f"""func @product(%A: {matrix}, %B: {matrix}, %C: memref<f32x{size}x{size}>) {{
    %one = constant 1.0 : f16
    %beta = constant {beta}.0 : f32
    gemm.n.n %one, %A, %B, %beta, %C
}}"""
    found = tw.compile(text, target="nvidia:sm_90a").product.schedule
    assert [each for each in found.split() if each.startswith(("stream=", "cluster="))] == sharing
    asked = NvidiaTilePolicy(architecture=Architecture.SM_90A)
    types = [MemrefType(element, (size, size), (1, size)) for element in (F16, F16, F32)]
    assert asked.gemm_sharing(*types) == Schedule()
