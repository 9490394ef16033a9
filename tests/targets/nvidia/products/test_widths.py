"""Tiles whose sides are no powers of two: factors in slabs of 64 and 32 bytes, three groups of warps a block."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.cases import TEXTS, launch, moved
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.products.test_persistent import check, emulate
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.compiler import CompileOptions, read_module, target_passes
from tilewright.diagnostics import Report, Source
from tilewright.dialects import lane
from tilewright.dialects.gpu_products import memref_of
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.schedules import Offers, Schedule
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.lane_accesses import bank_conflicts

NN, NT, TN, TT = (False, False), (False, True), (True, False), (True, True)


def case(
    extents: tuple[int, int, int], element: str, transposed: tuple[bool, bool], rng: np.random.Generator
) -> tuple[str, Launch]:
    """A column-major product: its text, and arguments."""
    product = TEXTS.Product(extents, element, "f32", transposed, element)
    return TEXTS.whole_product(extents, element, element, transposed), launch(product, extents[:2], "F", rng)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("extents", "element", "transposed", "asked", "boxes"),
    [
        # five slabs of 64 bytes instead of three of 128, edges
        ((328, 136, 128), "f16", NN, "threads=128 tile=160x64x64 swizzle=64", [(32, 64), (64, 64)]),
        # three of 32 bytes for each of two groups of warps, rows of the right factor along n
        ((200, 128, 128), "bf16", NT, "threads=256 tile=96x64x64 swizzle=32 stores=threads", [(16, 64), (64, 64)]),
        # 16 columns in slabs of 32 bytes, as many as there are
        ((16, 136, 256), "f16", NN, "threads=128 tile=16x64x128 swizzle=32 stores=threads", [(16, 128), (64, 64)]),
        # rows along k of half a line, and of a line and a half
        ((136, 136, 64), "f16", TN, "threads=128 tile=64x64x32", [(32, 64), (32, 64)]),
        ((136, 136, 192), "bf16", NN, "threads=128 tile=64x64x96", [(64, 96), (32, 64)]),
        # three groups of warps
        ((136, 392, 128), "f16", TT, "threads=384 tile=64x192x64", [(64, 64), (64, 64)]),
    ],
)
def test_every_level_means_the_product(
    extents: tuple[int, int, int],
    element: str,
    transposed: tuple[bool, bool],
    asked: str,
    boxes: list[tuple[int, int]],
    rng: np.random.Generator,
) -> None:
    text, given = case(extents, element, transposed, rng)
    for module in some(levels(text, Architecture.SM_90A, asked), rng):
        check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    taken = kernel.facts[SCHEDULE]
    assert "copies=tensor" in taken
    assert ("stores=tensor" in taken) == ("stores" not in asked)
    assert "wgmma" in taken
    assert ("swizzle" in taken) == ("swizzle" in asked)
    assert kernel.launch is not None
    assert [found.box for found in kernel.launch.maps[:2]] == boxes
    emulate(llvm, kernel, given)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("extents", "transposed", "asked"),
    [
        ((320, 128, 128), NN, "threads=128 tile=160x64x64 swizzle=64"),
        # threads share no number of rows that divides the slabs'
        ((64, 384, 128), NT, "threads=384 tile=32x192x64 swizzle=64"),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_factors_that_begin_anywhere(
    extents: tuple[int, int, int], transposed: tuple[bool, bool], asked: str, side: int, rng: np.random.Generator
) -> None:
    """Threads bring them to the same slabs."""
    text, given = case(extents, "f16", transposed, rng)
    arguments, factor = list(given.arguments), given.arguments[side]
    assert isinstance(factor, np.ndarray)
    arguments[side] = moved(np.ascontiguousarray(factor.T), 1).T
    given = replace(given, arguments=arguments)
    llvm, kernel = emitted(text, schedule=asked)
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


def test_all_slabs_are_written_and_nothing_else(rng: np.random.Generator) -> None:
    """The level of lanes, where threads of three groups of warps bring factors to slabs, and rows behind those."""
    text, given = case((192, 384, 64), "f16", NT, rng)
    *_, lanes = levels(text, Architecture.SM_90A, "threads=384 tile=96x192x64 swizzle=64 copies=threads")
    check(read_back(lanes), given)


def test_nothing_is_written_behind_the_last_slab() -> None:
    """Where warps share five slabs unevenly. Behind them is what a product reads that is on its way."""
    text = TEXTS.whole_product((320, 128, 128), "f16", "f16", NN)
    *_, lanes = levels(text, Architecture.SM_90A, "threads=128 tile=160x64x64 swizzle=64")
    stores = [op for op in lanes.walk() if isinstance(op, lane.Store) and memref_of(op.memref).shape[2:3] == (5,)]
    # four of them two by two, then one that half of the warps have
    assert {(len(op.registers), tuple(op.check)) for op in stores} == {(1, ()), (0, (False, False, True, False))}


def test_what_does_not_fit() -> None:
    text = TEXTS.whole_product((2048, 2048, 2048), "f16", "f16", TN)
    target = NvidiaTarget(Architecture.SM_90A).scheduled("threads=256 tile=160x128x64 swizzle=64")
    report = Report()
    module = read_module(Source("product", text), report)
    PassManager(list(target_passes(target, CompileOptions()))).run(module, PassContext(report))
    report.raise_if_errors()
    with pytest.raises(Exception, match="swizzle=64 does not fit kernel product: no shorter slabs divide the rows"):
        target.generate(module, report)


@pytest.mark.parametrize(("tile", "offered"), [("160x128x64", {64, 32}), ("192x128x64", set[int]())])
def test_shorter_slabs_are_offered_where_rows_are_padded(tile: str, offered: set[int]) -> None:
    module = read_module(Source("product", TEXTS.whole_product((1920, 1920, 128), "f16", "f16", NN)), Report())
    target, offers = NvidiaTarget(Architecture.SM_90A).scheduled(f"threads=256 tile={tile}"), Offers()
    PassManager(list(target_passes(target, CompileOptions()))).run(module, PassContext(Report(), offers=offers))
    assert {move.swizzle for move in offers.of["product"]} - {None} == offered
    assert Schedule(swizzle=64) in offers.of["product"] or not offered


def test_any_tiles() -> None:
    """What the compiler takes does not depend on the option, unless it is any."""
    text = TEXTS.whole_product((1920, 1920, 1920), "f16", "f16", NN)
    usual, measured, any_ = (
        emitted(text, schedule=asked)[1].facts[SCHEDULE] for asked in ("", "tiles=measured", "tiles=any")
    )
    assert set(measured.split()) == {*usual.split(), "tiles=measured"}
    assert re.search(r"threads=384 product=160x192x64:.*swizzle=64 tiles=any", any_)


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_nothing_is_spilled() -> None:
    asked = "threads=384 tile=160x192x64 swizzle=64"
    llvm, _ = emitted(TEXTS.whole_product((1920, 1920, 1920), "f16", "f16", NN), schedule=asked)
    done = assemble(compile_to_ptx(llvm, Architecture.SM_90A), Architecture.SM_90A)
    assert all(each.spill_store_bytes == 0 for each in done.kernels.values())


@pytest.mark.parametrize("line", SWIZZLED_LINES)
def test_pieces_of_eight_rows_lie_in_different_banks(line: int) -> None:
    for piece in range(0, line, 16):
        assert bank_conflicts([SWIZZLED_LINES[line].place(line * row + piece) for row in range(8)], 16) == 1


def test_blocks_without_registers_for_sums() -> None:
    """128 of each thread are too few for an instruction with 112 sums (C7602)."""
    text = TEXTS.whole_product((1792, 2048, 1024), "f16", "f16", NN)
    found = emitted(text, schedule="threads=512 tile=224x256x64")[1].facts[SCHEDULE]
    assert ":wgmma" not in found
    assert "# not by wgmma: 224x256 sums are 112 for each of 512 threads with 128 registers" in found
