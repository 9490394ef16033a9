"""Random products: types, tiles, extents that are up to 17 more or less than whole tiles, transposes, alpha and beta,
numbers that are none, gaps between lines; on lanes where they fit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from effort import SEED, Ran, count
from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import DTYPES, TEXTS, TOTALS, ZEROS
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.machine.cuda.architecture import Architecture

PRODUCTS = count("RANDOM_DEVICE_PRODUCTS", 4, 300)
OPEN = count("RANDOM_OPEN_PRODUCTS", 1, 200)
FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A text, what it multiplies, and what the results must be: `alpha A B + beta C`."""

    text: str
    architecture: Architecture
    given: Launch


def drawn(seed: int) -> Drawn:
    """The product of a number."""
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    element = choose.choice(list(TOTALS))
    transposed = (choose.random() < 0.5, choose.random() < 0.5)
    tile_ir = choose.random() < 0.5
    tm, tn, tk = (choose.choice(sizes) for sizes in ((16, 32, 64, 128), (16, 32, 64, 128), (16, 32, 64)))
    whole = tile_ir and choose.random() < 0.5
    m, n, k = (
        extent * choose.randrange(1, 4) if whole else max(extent * choose.randrange(3) + choose.randint(-17, 17), 1)
        for extent in (min(tm, 64), min(tn, 64), tk)
    )
    if whole:
        m, n = -(-m // tm) * tm, -(-n // tn) * tn
    product = TEXTS.Product((m, n, k), element, TOTALS[element], transposed)
    scale, keep = 1.0, 0.0
    if tile_ir:
        text = TEXTS.tile_ir_product(product, (tm, tn, tk), "" if whole else ZEROS)
    else:
        scale, keep = choose.choice((1.0, 2.0, -1.0)), choose.choice((0.0, 1.0, 3.0))
        text = TEXTS.gemm_product(product, (tm, tn), str(keep), str(scale))
    order = "C" if tile_ir else "F"
    gap = 0 if tile_ir else choose.choice((0, 0, 1, 3, 8))
    shapes = ((k, m) if transposed[0] else (m, k), (n, k) if transposed[1] else (k, n), (m, n))
    a, b, c = (
        _small(rng, shape, kind, order, gap)
        for shape, kind in zip(shapes, (element, element, TOTALS[element]), strict=True)
    )
    if element in FLOATS and choose.random() < 0.5:
        for x in (a, b):
            _put_specials(rng, x)
    wide = [x.astype(np.float64) for x in (a.T if transposed[0] else a, b.T if transposed[1] else b, c)]
    with np.errstate(invalid="ignore"):
        expected = scale * (wide[0] @ wide[1]) + keep * wide[2]
    given = Launch([a, b, c], {2: expected.astype(c.dtype)}, (-(-m // tm), -(-n // tn), 1))
    return Drawn(text, choose.choice(list(Architecture)), given)


def _small(
    rng: np.random.Generator, shape: tuple[int, int], element: str, order: str, gap: int
) -> npt.NDArray[np.generic]:
    """Small integers, whose sums are exact in any type, with so many elements between lines."""
    lines = (shape[0] + gap, shape[1]) if order == "F" else (shape[0], shape[1] + gap)
    whole = np.array(rng.integers(-4, 5, lines), DTYPES[element], order="F" if order == "F" else "C")
    return whole[: shape[0], : shape[1]]


def _put_specials(rng: np.random.Generator, x: npt.NDArray[Any]) -> None:
    """Some numbers of a matrix are infinite or none: what is beyond it may make none of others."""
    for value in (np.inf, -np.inf, np.nan):
        for _ in range(int(rng.integers(3))):
            x.flat[int(rng.integers(x.size))] = value


def test_random_products(ran: Ran) -> None:
    on_lanes = 0
    for seed in range(SEED, SEED + PRODUCTS):
        case = drawn(seed)
        llvm, kernel = emitted(case.text, case.architecture)
        found = faults(case.given, Emulated(Program(llvm), (kernel,)).run(case.given))
        assert not found, f"seed {seed}, emulated: {found}\n{case.text}"
        if kernel.facts[SCHEDULE].startswith("lanes"):
            on_lanes += 1
            *_, lanes = levels(case.text, case.architecture)
            found = faults(case.given, {2: interpreted(lanes, case.given)[2]})
            assert not found, f"seed {seed}, interpreted: {found}\n{case.text}"
    ran(PRODUCTS, "products on the emulated device")
    ran(on_lanes, "products on lanes in the interpreter")


def test_random_products_of_open_extents(ran: Ran) -> None:
    """By the launch for small ones and by that for large ones, which divide them among blocks."""
    for seed in range(SEED, SEED + OPEN):
        choose, rng = random.Random(seed), np.random.default_rng(seed)
        element, transposed = choose.choice(("f16", "f32", "f64", "i32")), choose.random() < 0.5
        m, n, k = (choose.randrange(1, longest) for longest in (170, 140, 60))
        a, b, c = (
            _small(rng, shape, element, "F", choose.choice((0, 1, 8)))
            for shape in ((k, m) if transposed else (m, k), (k, n), (m, n))
        )
        product = (a.T if transposed else a).astype(np.float64) @ b.astype(np.float64)
        given = Launch([a, b, c], {2: product.astype(c.dtype)}, (1, 1, 1))
        architecture = choose.choice(list(Architecture))
        llvm, info = emitted(TEXTS.whole_gemm(0, element, element, transposed, "?"), architecture)
        for kernel in (info, replace(info, steps=None)):
            found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
            assert not found, f"seed {seed}, {kernel.steps and 'large tiles'}: {found}"
    ran(OPEN, "products of open extents on the emulated device")
