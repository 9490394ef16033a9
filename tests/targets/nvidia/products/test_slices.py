"""Products whose tiles several blocks compute in slices: on the emulator and in the interpreter, by launches, as asked
for, and where the model does so."""

from __future__ import annotations

import random

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from effort import SEED, Ran, count
from targets.nvidia.case import faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TEXTS, TOTALS
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_products import emitted
from targets.nvidia.products.test_random import Drawn, drawn
from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics import CompileError

PRODUCTS = count("RANDOM_SLICED_PRODUCTS", 2, 200)


def tile_ir_products(number: int) -> list[tuple[int, Drawn]]:
    """So many, and their seeds."""
    found = list[tuple[int, Drawn]]()
    for seed in range(SEED, SEED + 40 * number):
        case = drawn(seed)
        if "cuda_tile" in case.text and len(found) < number:
            found.append((seed, case))
    return found


def test_random_products_in_slices(ran: Ran) -> None:
    """In place of whole tiles, or beside them for few work-groups: then both are run."""
    for seed, case in tile_ir_products(PRODUCTS):
        choose, rng = random.Random(seed), np.random.default_rng(seed)
        way = choose.choice(("2x1", "1x2", "2x2", "4x1", "1x4"))
        asked = f"divide={way}{choose.choice(('', '/9'))}"
        llvm, kernel = emitted(case.text, case.architecture, schedule=asked)
        assert asked in kernel.facts[SCHEDULE].split()
        assert (kernel.steps is None) is (kernel.parts is not None)
        for form in (kernel, replace(kernel, steps=None)):
            found = faults(case.given, Emulated(Program(llvm), (form,)).run(case.given))
            assert not found, f"seed {seed}, {asked}, emulated: {found}\n{case.text}"
        if kernel.steps is None and kernel.facts[SCHEDULE].startswith("lanes"):
            for module in some(levels(case.text, case.architecture, asked), rng):
                found = faults(case.given, {2: interpreted(module, case.given)[2]})
                assert not found, f"seed {seed}, {asked}, interpreted: {found}\n{case.text}"
    ran(PRODUCTS, "products in slices on the emulated device")


def blocks(kernel: KernelInfo, grid: tuple[int, int, int]) -> tuple[int, int, int]:
    """Those of a launch, whose plan no argument changes."""
    parts = kernel.parts
    assert kernel.launch is not None
    return kernel.launch.blocks(grid, 1 if parts is None else parts.count(grid, lambda _: 0))


@pytest.mark.parametrize(
    ("grid", "expected"),
    [((8, 8, 1), (16, 8, 1)), ((8, 8, 2), (8, 8, 2)), ((4, 8, 1), (8, 8, 1)), ((16, 16, 1), (16, 16, 1))],
)
def test_a_launch_has_no_more_blocks_than_the_program_led_to_expect(
    grid: tuple[int, int, int], expected: tuple[int, int, int]
) -> None:
    """Of larger grids a block computes several slices."""
    text = TEXTS.tile_ir_product(TEXTS.Product((1024, 1024, 64), "f16", "f32"), (128, 128, 64))
    assert blocks(emitted(text, schedule="divide=1x2")[1], grid) == expected


def test_few_work_groups_take_code_of_their_own() -> None:
    text = TEXTS.open_product(TEXTS.Product((0, 0, 0), "f16", "f32", rounded="f16"), (128, 128, 64))
    wide = TEXTS.open_product(TEXTS.Product((0, 0, 0), "f16", "f32", rounded="f16"), (128, 256, 64))
    of_wide = emitted(wide, schedule="divide=2x2/33 threads=256")[1]
    assert of_wide.steps is not None
    assert [plan.threads[0] for plan in (of_wide.launch, of_wide.steps.kernels[0].launch) if plan] == [256, 128]
    kernel = emitted(text, schedule="divide=1x2/66")[1]
    assert "roles=yes" in kernel.facts[SCHEDULE], "whole tiles are as they would be"
    assert kernel.steps is not None
    for grid, takes in (((6, 11, 1), True), ((67, 1, 1), False), ((1, 1, 1), True)):
        assert kernel.steps.suit(grid, lambda _: 0) is takes
    (step,) = kernel.steps.kernels
    assert "divide=1x2" in step.facts[SCHEDULE].split()
    assert "product=128x64x64:wgmma.m64n128k16.f32.f16/1x1/8" in step.facts[SCHEDULE], "each block is alone"
    assert blocks(step, (6, 11, 1)) == (12, 11, 1)
    again = emitted(text, schedule=kernel.facts[SCHEDULE])[1]
    assert (again.facts, again.steps) == (kernel.facts, kernel.steps), "the line gives both again"
    assert "divide" not in emitted(text)[1].facts[SCHEDULE], "nobody has that who does not ask"


def test_why_not() -> None:
    text = TEXTS.tile_ir_product(TEXTS.Product((256, 256, 256), "f16", "f32"), (128, 128, 64))
    for asked, reason in (
        ("divide=3x1", "no 3 equal slices make 128 elements"),
        ("divide=2x1 spread=no", "it is no grid"),
    ):
        with pytest.raises(CompileError, match=f"divide=[23]x1 does not fit kernel product: .*{reason}"):
            tw.compile(text, target="nvidia:sm_90a", schedule=asked, cache=False)


def test_arrays_that_lie_apart_have_slices() -> None:
    """Of a store that is behind a load in the order of tokens, so that a slice may have to wait for another one."""
    text = TEXTS.tile_ir_product(TEXTS.Product((256, 256, 64), "f16", "f32"), (128, 128, 64))
    text = text.replace("%x, %x_done", "%x, %read").replace("(%acc = %zeros)", "(%acc = %zeros, %t = %begun)")
    text = text.replace("    %sum = for", "    %begun = make_token : token\n    %sum, %end = for")
    text = text.replace("-> (tile<128x128xf32>) {", "-> (tile<128x128xf32>, token) {")
    text = text.replace("continue %next : tile<128x128xf32>", "continue %next, %read : tile<128x128xf32>, token")
    text = text.replace("%cv[%bx, %by] :", "%cv[%bx, %by] token = %end :")
    (careful,) = tw.compile(text, target="nvidia:sm_90a", cache=False).artifact.kernels
    assert "# no slices: arrays may overlap" in careful.facts[SCHEDULE]
    assert careful.apart is not None
    assert "divide=2x2" in careful.apart.facts[SCHEDULE].split()


SQUARES = {
    ("f16", 1024, (128, 128, 64)): "1x2",
    ("f16", 1024, (128, 256, 64)): "2x2",
    ("f16", 512, (128, 128, 64)): "2x2",
    ("f16", 1280, (128, 128, 64)): None,
    ("f32", 1024, (128, 128, 32)): "1x2",
    ("f32", 1280, (128, 128, 32)): "1x2",
    ("f64", 1024, (128, 128, 16)): "2x2",
    ("f64", 1280, (128, 128, 16)): None,
    ("i8", 1024, (128, 128, 128)): "1x2",
}


@pytest.mark.parametrize(("element", "size", "tiles"), SQUARES)
def test_where_multiprocessors_had_nothing_to_do(element: str, size: int, tiles: tuple[int, int, int]) -> None:
    """The fastest ways that were measured on an H200."""
    total = TOTALS[element]
    product = TEXTS.Product((size,) * 3, element, total, rounded=element if element in ("f16", "bf16") else "")
    text = TEXTS.tile_ir_product(product, tiles)
    program = tw.compile(text, target="nvidia:sm_90a", cache=False)
    (kernel,) = program
    found = [word for word in kernel.schedule.split() if word.startswith("divide=")]
    wanted = SQUARES[element, size, tiles]
    assert found == ([f"divide={wanted}"] if wanted else [])
    if wanted:
        again = tw.compile(text, target="nvidia:sm_90a", schedule=kernel.schedule, cache=False)
        assert again.text("ptx") == program.text("ptx")
