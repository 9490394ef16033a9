"""What passes offer instead of the model's choice: it fits or is refused as a user's line is, and computes the same."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import tilewright as tw
from effort import Ran, count
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, offers_of, read_module
from tilewright.diagnostics import Report, Source
from tilewright.ir.schedules import Schedule, Way, changed, parse_line
from tilewright.targets import find_scheduled
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.targets.target import Target

from .case import faults
from .emulated import compiled
from .products.cases import TEXTS as TEXTS_OF_PRODUCTS
from .test_packing import Batch
from .test_schedules import HALVES, KNOWN, PRODUCT, SUMS, TILES, WIDE

TARGET = "nvidia:sm_90a"
CHUNKS = count("RANDOM_OFFERED_CHUNKS", 2, 200)
MOVES = count("RANDOM_OFFERED_MOVES", 2, 100)
NARROW = TILES.replace("tile=(1024)", "tile=(256)").replace("tile<1024xf32>", "tile<256xf32>")
"""Rows of one warp, of which a block has several."""
ONE_TILE = "tile=128x128x64"
"""Of all of `PRODUCT`'s result."""
BATCH = Batch("f32", (20, 9, 9)).text
TEXTS = {
    "sums": SUMS,
    "product": PRODUCT,
    "halves": HALVES,
    "known": KNOWN,
    "tiles": TILES,
    "wide": WIDE,
    "narrow": NARROW,
    "batch": BATCH,
}


def target(schedule: str = "") -> Target:
    return find_scheduled(TARGET, None, schedule)


def moves(text: str, schedule: str = "") -> dict[str, list[str]]:
    """By kernel, as lines."""
    found = offers_of(Source("k", text), target(schedule), CompileOptions(), Report()).of
    return {name: [str(move) for move in offered] for name, offered in found.items() if offered}


def lines(text: str, schedule: str) -> dict[str, str]:
    """What the kernels of a program say, whose code is made up to LLVM's text."""
    module = read_module(Source("k", text), Report())
    found = target(schedule)
    assert isinstance(found, NvidiaTarget)
    report = Report()
    lower_module(module, found, CompileOptions(), report)
    _, infos = emit_llvm(module, found.architecture)
    for kernel, info in zip((each for each in module.kernels if each.step_of is None), infos, strict=True):
        taken = parse_line(info.facts["schedule"])
        found.request.check_products(kernel, taken, taken.reason, report)
    report.raise_if_errors()
    return {info.name: info.facts["schedule"].partition("#")[0].strip() for info in infos}


def test_rows_and_streams_have_threads_and_resident_blocks() -> None:
    threads = [f"threads={count}" for count in (256, 64, 192, 96)]
    assert moves(TILES) == {"kernel": [*threads, *(f"resident={count}" for count in (4, 8, 12, 16))]}
    of_1024 = moves(WIDE, "threads=1024")["kernel"]
    assert "threads=512" in of_1024
    assert [move for move in of_1024 if "resident" in move] == ["resident=1", "resident=2"]
    assert moves(KNOWN) == {}, "work-items that know who they are have no choice"


def test_warps_share_blocks() -> None:
    assert lines(NARROW, "") == {"kernel": "lanes threads=32 groups=4"}
    assert {"groups=8", "groups=2"} <= set(moves(NARROW)["kernel"])
    assert {"groups=32", "groups=8"} <= set(moves(NARROW, "groups=16")["kernel"])
    assert "groups=64" not in moves(NARROW, "groups=32")["kernel"], "a block has 1024 threads at most"


def test_products_have_tiles_instructions_warps_and_stages() -> None:
    offered = moves(PRODUCT, ONE_TILE)["product"]
    assert {"threads=256", "tile=256x128x64", "tile=128x64x64", "tile=128x128x32"} <= set(offered)
    assert "product=128x128x64:m16n8k16.row.col.f32.f32/2x2" in offered
    assert "product=128x128x64:fma.f32/2x2" in offered
    staged = "product=128x128x64:wgmma.m64n128k16.f32.f16/1x1/"
    assert {staged + "2"} <= set(moves(PRODUCT, f"tile=128x128x64 {staged}1")["product"])


def test_products_of_open_extents_have_tiles() -> None:
    """Also while there is a second kernel with larger ones, which nobody asks for by name."""
    offered = moves(TEXTS_OF_PRODUCTS.whole_gemm(0, "f16", "f16", extent="?"))
    assert list(offered) == ["product"]
    assert {"tile=128x64x64", "tile=64x128x64"} <= set(offered["product"])


def test_factors_are_copied_by_threads_or_by_the_machine() -> None:
    deep = PRODUCT.replace("96", "256")
    (line,) = lines(deep, "").values()
    taken, other = ("tensor", "threads") if "copies=tensor" in line else ("threads", "tensor")
    assert f"copies={taken}" in line
    assert f"copies={other}" in moves(deep)["product"]


def test_packed_items_have_chunks_and_no_tiles() -> None:
    line = lines(BATCH, "")["k"]
    offered = [parse_line(move) for move in moves(BATCH)["k"]]
    assert parse_line(line).chunk is not None
    assert all(move.chunk is not None for move in offered[:-1])
    assert offered[-1].way is Way.LANES
    assert len({move.chunk for move in offered}) > 4


def test_spreading_can_be_left() -> None:
    assert "spread=no" in moves(SUMS)["add"]
    assert "spread=yes" in moves(SUMS, "spread=no")["add"]
    assert "spread=no" not in moves(PRODUCT, ONE_TILE)["product"]


def test_kernels_that_share_a_program_share_tiles() -> None:
    both = PRODUCT + PRODUCT.replace("@product", "@also")
    assert not any(move.startswith("tile=") for offered in moves(both).values() for move in offered)


@pytest.mark.covering(0)
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_offered_fits_or_is_refused(name: str, rng: np.random.Generator, ran: Ran) -> None:
    """A line with what was offered says so, and asked for again it is the same."""
    text = TEXTS[name]
    models, everything = lines(text, ""), moves(text)
    for kernel, model in models.items():
        whose = f"{kernel}: " if len(models) > 1 else ""
        offered = list(map(parse_line, everything.get(kernel, [])))
        for number in map(int, rng.permutation(len(offered))[:MOVES]):
            wanted = str(changed(parse_line(model), offered[number]))
            refused, taken = taken_of(text, whose + wanted, kernel)
            assert refused <= {"T009"}, wanted
            if not refused:
                assert said_in(offered[number], parse_line(taken)), (wanted, taken)
                assert lines(text, whose + taken)[kernel] == taken
            ran(1, "offered moves")


def taken_of(text: str, wanted: str, kernel: str) -> tuple[set[str], str]:
    """Codes of what is wrong with a schedule, or what was made of it."""
    try:
        return set(), lines(text, wanted)[kernel]
    except tw.CompileError as error:
        return {each.code for each in error.diagnostics}, ""


def said_in(move: Schedule, taken: Schedule) -> bool:
    """Whether a schedule has all that a move says."""
    named = [(move.way, taken.way), (move.threads, taken.threads), (move.groups, taken.groups)]
    named += [(move.chunk, taken.chunk), (move.tile, taken.tile), (move.spread, taken.spread)]
    named += [(move.copies, taken.copies)]
    products = all(any(product.allows(found) for found in taken.products) for product in move.products)
    return products and all(wanted is None or wanted == found for wanted, found in named)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    "batch",
    [Batch("f32", (20, 9, 9)), Batch("f64", (8, 8, 8), beta=1), Batch("f16", (16, 16, 16), ("rows", "fixed", "gaps"))],
    ids=["odd", "even", "half"],
)
def test_other_chunks_compute_the_same(batch: Batch, rng: np.random.Generator, ran: Ran) -> None:
    model = lines(batch.text, "")["k"]
    offered = [parse_line(move) for move in moves(batch.text)["k"]]
    chunks = [move for move in offered if move.chunk is not None]
    tried = rng.permutation(len(chunks))[:CHUNKS]
    for number in map(int, tried):
        check(batch, str(changed(parse_line(model), chunks[number])), rng, (1, 7))
    ran(len(tried), "offered chunks in the emulator")


def check(batch: Batch, wanted: str, rng: np.random.Generator, more: Sequence[int]) -> None:
    """That a schedule's code multiplies as NumPy does, for whole blocks and some work-groups more; or is refused."""
    if refused := taken_of(batch.text, wanted, "k")[0]:
        assert refused == {"T009"}, wanted
        return
    on = compiled(batch.text, schedule=wanted)
    plan = on.kernels[0].launch
    assert plan is not None
    assert on.kernels[0].facts["schedule"].startswith(wanted)
    for items in more:
        launch = batch.launch(rng, plan.items + items)
        assert not faults(launch, on.run(launch, schedule=random.Random(items))), (wanted, items)


def test_threads_of_no_whole_groups_of_warps_multiply_by_warps() -> None:
    """Groups of four warps multiply together; six warps were planned as one group, and the verifier found out."""
    taken = parse_line(lines(PRODUCT, "tile=96x128x64 threads=192")["product"])
    assert taken.threads == 192
    assert not taken.products[0].instruction.startswith("wgmma")
