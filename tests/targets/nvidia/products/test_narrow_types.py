"""Products that units form of fewer bits: floats of 8 bits, and f32 where a caller lets factors be rounded to tf32."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TEXTS, ZEROS
from targets.nvidia.products.test_levels import check as check_level
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_products import check, emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.machine.cuda.architecture import Architecture
from tilewright.numerics.precision import Precision
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

ORDERS = list(itertools.product((False, True), repeat=2))
SMALL = ("f8E4M3FN", "f8E5M2")


@pytest.mark.covering(2)
@pytest.mark.parametrize("element", SMALL)
@pytest.mark.parametrize("transposed", ORDERS)
@pytest.mark.parametrize("is_fast", [False, True])
@pytest.mark.parametrize("extents", [(64, 64, 384), (40, 72, 176)])
def test_floats_of_8_bits(
    element: str, transposed: tuple[bool, bool], is_fast: bool, extents: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """They are converted to f16 in registers unless sums may be fast; threads read one factor that does not lie along
    k, which the device copies as it does others; of two they turn one on its way."""
    product = TEXTS.Product(extents, element, "f32", transposed, fast=is_fast)
    code = emitted(TEXTS.tile_ir_product(product, (64, 64, 128), ZEROS))
    taken = code[1].facts[SCHEDULE]
    exact = f"m16n8k32.row.col.{'e4m3' if element == 'f8E4M3FN' else 'e5m2'}.f16/"
    turned = "" if transposed == (False, True) else ".turned"
    assert (f"wgmma.m64n64k32.f32.{element}{turned}/" if is_fast else exact) in taken
    pitches = (extents[2 * (not transposed[0])], extents[1 + transposed[1]])
    has_maps = transposed != (True, False) and not any(pitch % 16 for pitch in pitches)
    assert ("copies=tensor" in taken) == (is_fast and has_maps)
    check(code, product, (64, 64), "C", rng)


@pytest.mark.parametrize(
    ("element", "is_fast", "transposed"),
    [("f8E4M3FN", False, (False, True)), ("f8E5M2", True, (False, True)), ("f8E4M3FN", True, (True, True))],
)
def test_every_level_means_the_product(
    element: str, is_fast: bool, transposed: tuple[bool, bool], rng: np.random.Generator
) -> None:
    product = TEXTS.Product((64, 64, 256), element, "f32", transposed, fast=is_fast)
    for module in some(levels(TEXTS.tile_ir_product(product, (64, 64, 128)), Architecture.SM_90A), rng):
        check_level(module, product, (64, 64), "C", rng)


def test_sums_of_wider_types_are_never_fast() -> None:
    texts = [
        TEXTS.tile_ir_product(TEXTS.Product((64, 64, 128), "f16", "f32", fast=each), (64, 64, 64))
        for each in (False, True)
    ]
    assert emitted(texts[0])[0] == emitted(texts[1])[0]


def between(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[Any]:
    """Numbers of 13 bits, some of which lie in the middle between two of tf32."""
    return (rng.choice([-1, 1], shape) * (rng.integers(4096, 8192, shape) / 4096)).astype(np.float32)


def to_tf32(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rounded to ten bits of the fraction, ties to even."""
    power = np.exp2(10 - np.floor(np.log2(np.abs(numbers))))
    return np.rint(numbers.astype(np.float64) * power) / power


@pytest.mark.covering(2)
@pytest.mark.parametrize(("architecture", "transposed"), list(itertools.product(Architecture, ORDERS)))
@pytest.mark.parametrize("language", ["tile ir", "tensor language"])
@pytest.mark.parametrize("extents", [(64, 128, 96), (41, 72, 36)])
def test_factors_are_rounded_to_nearest(
    architecture: Architecture,
    transposed: tuple[bool, bool],
    language: str,
    extents: tuple[int, int, int],
    rng: np.random.Generator,
) -> None:
    """Whoever rounds, the device's copies or threads: sums are exact, so every tie shows."""
    product, (m, n, k) = TEXTS.Product(extents, "f32", "f32", transposed), extents
    is_tile_ir = language == "tile ir"
    text = TEXTS.tile_ir_product(product, (64, 64, 32), ZEROS) if is_tile_ir else TEXTS.gemm_product(product, (64, 64))
    llvm, kernel = emitted(text, architecture, precision=Precision.TF32)
    turned = sum(each != along for each, along in zip(transposed, (not is_tile_ir, is_tile_ir), strict=True))
    newer = ("wgmma.m64n64k8.f32.tf32/", "wgmma.m64n64k8.f32.tf32.turned/", "m16n8k8.row.col.tf32.rn/")[turned]
    unit = newer if architecture is Architecture.SM_90A else "m16n8k8.row.col.tf32/"
    taken = kernel.facts[SCHEDULE]
    assert unit in taken
    # rows of m elements begin anywhere
    has_maps = is_tile_ir and not (transposed[0] and m % 4)
    assert ("copies=tensor" in taken) == (has_maps and "wgmma" in taken)
    a, b = between(rng, (m, k)), rng.integers(-2, 3, (k, n)).astype(np.float32)
    order = "C" if is_tile_ir else "F"
    factors = [np.array(x.T if turned else x, order=order) for x, turned in zip((a, b), transposed, strict=True)]
    expected = (to_tf32(a) @ b).astype(np.float32)
    assert not np.array_equal(expected, a @ b)
    given = Launch([*factors, np.full((m, n), np.nan, np.float32, order)], {2: expected}, (-(-m // 64), -(-n // 64), 1))
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found
    if is_tile_ir:
        for module in some(levels(text, architecture, precision=Precision.TF32), rng):
            found = faults(given, {2: interpreted(module, given)[2]})
            assert not found, found


def test_factors_are_rounded_for_no_unit(rng: np.random.Generator) -> None:
    """Tiles that are too short for units of tf32."""
    text = TEXTS.tile_ir_product(TEXTS.Product((32, 32, 12), "f32", "f32"), (32, 32, 4))
    llvm, kernel = emitted(text, precision=Precision.TF32)
    assert "32x32x4:fma.f32/" in kernel.facts[SCHEDULE]
    a, b = between(rng, (32, 12)), rng.integers(-2, 3, (12, 32)).astype(np.float32)
    given = Launch([a, b, np.full((32, 32), np.nan, np.float32)], {2: (to_tf32(a) @ b).astype(np.float32)}, (1, 1, 1))
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@pytest.mark.covering(2)
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda each: each.value)
@pytest.mark.parametrize("signs", [("signed", "unsigned"), ("unsigned", "signed"), ("unsigned", "unsigned")])
@pytest.mark.parametrize(("extents", "tiles"), [((64, 64, 256), (64, 64, 128)), ((40, 72, 52), (64, 64, 128))])
@pytest.mark.parametrize("transposed", [(False, True), (False, False)])
def test_bytes_without_sign(
    architecture: Architecture,
    signs: tuple[str, str],
    extents: tuple[int, int, int],
    tiles: tuple[int, int, int],
    transposed: tuple[bool, bool],
    rng: np.random.Generator,
) -> None:
    """Units take them as they are in memory, whatever the program widens, and on every level all mean the same."""
    m, n, k = extents
    text = TEXTS.tile_ir_product(TEXTS.Product(extents, "i8", "i32", transposed), tiles, ZEROS)
    text = text.replace("signed signed", " ".join(signs))
    llvm, kernel = emitted(text, architecture)
    # rows of the instruction are those of the transposed matrices
    names = [{"signed": "s8", "unsigned": "u8"}[each] for each in signs]
    if architecture is Architecture.SM_90A and not transposed[1]:
        # then they are those of the right factor, which threads read where it runs ahead
        names.reverse()
    turned = ".turned" if architecture is Architecture.SM_90A and not transposed[1] and k > tiles[2] else ""
    assert f".{names[0] if names[0] == names[1] else '.'.join(names)}{turned}/" in kernel.facts[SCHEDULE]
    a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((m, k), (k, n)))
    left, right = (x.view(np.uint8) if sign == "unsigned" else x for x, sign in zip((a, b), signs, strict=True))
    expected = (left.astype(np.int64) @ right).astype(np.int32)
    given = Launch(
        [a, np.ascontiguousarray(b.T) if transposed[1] else b, np.full((m, n), -1, np.int32)],
        {2: expected},
        (-(-m // tiles[0]), -(-n // tiles[1]), 1),
    )
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found
    for module in some(levels(text, architecture), rng):
        found = faults(given, {2: interpreted(module, given)[2]})
        assert not found, found


def test_bytes_without_sign_by_no_unit(rng: np.random.Generator) -> None:
    """What is too short for units is widened as the program says."""
    product = TEXTS.Product((32, 32, 24), "i8", "i32")
    text = TEXTS.tile_ir_product(product, (32, 32, 8)).replace("signed signed", "unsigned signed")
    llvm, kernel = emitted(text)
    assert "32x32x8:fma.i32/" in kernel.facts[SCHEDULE]
    a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((32, 24), (24, 32)))
    expected = (a.view(np.uint8).astype(np.int64) @ b).astype(np.int32)
    given = Launch([a, b, np.full((32, 32), -1, np.int32)], {2: expected}, (1, 1, 1))
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_products_of_mixed_signs_want_newer_assemblers() -> None:
    """Others are for older drivers too."""
    text = TEXTS.tile_ir_product(TEXTS.Product((64, 64, 128), "i8", "i32", (False, True)), (64, 64, 128))
    for signs, version in (("signed signed", "8.0"), ("unsigned unsigned", "8.0"), ("signed unsigned", "8.4")):
        ptx = compile_to_ptx(emitted(text.replace("signed signed", signs))[0], Architecture.SM_90A)
        assert f".version {version}\n" in ptx
        assemble(ptx, Architecture.SM_90A)


@needs_ptxas
@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("element", "tiles", "unit"),
    [
        ("i8", (128, 256, 128), "m64n256k32.s32.s8.s8"),
        ("f8E4M3FN", (128, 128, 128), "m64n128k32.f32.e4m3.e4m3"),
        ("f8E5M2", (128, 128, 128), "m64n128k32.f32.e5m2.e5m2"),
        ("f32", (128, 128, 32), "m64n128k8.f32.tf32.tf32"),
    ],
)
@pytest.mark.usefixtures("users_ptx")
def test_products_overlap_and_nothing_is_spilled(element: str, tiles: tuple[int, int, int], unit: str) -> None:
    total = "i32" if element == "i8" else "f32"
    product = TEXTS.Product((256, 256, 512), element, total, (False, True), fast=total == "f32")
    llvm, kernel = emitted(TEXTS.tile_ir_product(product, tiles), schedule="divide=1x1", precision=Precision.TF32)
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    for instruction in (unit, "cp.async.bulk.tensor.2d", "wgmma.wait_group.sync.aligned \t1;"):
        assert instruction in ptx, instruction
    resources = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0
