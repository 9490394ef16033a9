"""How many blocks in a row multiply the same factor in a program's own loop, and what is made of that."""

from __future__ import annotations

from itertools import groupby

import pytest

import tilewright as tw
from targets.nvidia.products.cases import TEXTS
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.compile_options import CompileOptions
from tilewright.compiler import read_module, target_passes
from tilewright.diagnostics import Report, Source
from tilewright.dialects import scf, tile
from tilewright.ir.passes import PassContext, PassManager
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.schedule.products.sharing_runs import longest_run

PRODUCT = TEXTS.Product((2048, 4096, 256), "f16", "f32", rounded="f16")
"""Sixteen rows of tiles of 128 x 128, and 32 columns."""


def run_of(text: str) -> int | None:
    module = read_module(Source("k", text), Report())
    for step in target_passes(NvidiaTarget(Architecture.SM_90A), CompileOptions()):
        if step.name == "choose-schedule":
            break
        PassManager([step]).run(module, PassContext())
    (product,) = (op for op in module.walk() if isinstance(op, tile.Mma))
    tiles = product.parent_op.parent_op if product.parent_op is not None else None
    assert isinstance(tiles, scf.For)
    return longest_run(product, tiles)


def expected(band: int) -> int:
    """Of 64 tiles by bands of so many rows, those beside each other in one row or column."""
    places = [(t // (band * 32) * band + t % (band * 32) % band, t % (band * 32) // band) for t in range(64)]
    return max(len(list(run)) for which in range(2) for _, run in groupby(place[which] for place in places))


@pytest.mark.parametrize("band", [1, 2, 4, 8, 16])
def test_bands_of_a_program(band: int) -> None:
    """Rows have 32 tiles. Sides take turns where few blocks in a row read the same."""
    text = TEXTS.tile_ir_product(PRODUCT, (128, 128, 64), band=band)
    assert run_of(text) == expected(band)
    _, kernel = emitted(text)
    assert ("pingpong=yes" in kernel.facts[SCHEDULE]) is (1 < band < 16)


def test_tiles_that_follow_each_other_in_a_block() -> None:
    """What blocks have at a time decides, not what follows in one: here each has a row of tiles."""
    text = TEXTS.tile_ir_product(PRODUCT, (128, 128, 64), band=1)
    own = """%thirty_two = constant <i32: 32> : tile<i32>
    %from = muli %first, %thirty_two : tile<i32>
    %to = addi %from, %thirty_two : tile<i32>
    %one_tile = constant <i32: 1> : tile<i32>
    for %t in (%from to %to, step %one_tile)"""
    assert run_of(text.replace("for %t in (%first to %tiles, step %count)", own)) == 64


def test_places_that_are_loaded_are_not_known() -> None:
    text = TEXTS.tile_ir_product(PRODUCT, (128, 128, 64), band=8)
    loaded = """%where = offset %ca, %t : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %half, %half_done = load_ptr_tko weak %where : tile<ptr<f16>> -> tile<f16>, token
    %by = ftoi %half signed : tile<f16> -> tile<i32>"""
    text = text.replace("%by = divi %within, %band unsigned : tile<i32>", loaded)
    assert run_of(text) is None
    with pytest.raises(tw.CompileError, match="pingpong=yes does not fit"):
        tw.compile(text, target="nvidia:sm_90a", schedule="roles=yes pingpong=yes")
