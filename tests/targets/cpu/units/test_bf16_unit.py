"""Products through dot products of pairs of bf16: the instruction's own arithmetic bit for bit, float64 by norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from effort import Ran, count
from generators.element_types import DTYPES
from targets.cpu.collective import Collective
from targets.cpu.units.ways import Way, ways
from tilewright.machine.units import EXACT_UNITS
from tilewright.numerics.dot_units import dot_pairs, dot_rows, dot_split_rows
from tilewright.settings.product_units import Unit

Array = NDArray[Any]
WAYS = ways(Unit.BF16, Unit.AMX_BF16, Unit.AMX_F16)
TERMS = 256
"""Of a tile, few enough for one run of terms."""
SUMS = {Unit.BF16: dot_pairs, Unit.AMX_BF16: dot_rows, Unit.AMX_F16: dot_split_rows}


def element(way: Way) -> str:
    """Of both factors."""
    return "f16" if way.unit is Unit.AMX_F16 else "bf16"


def kernel(way: Way, terms: int = TERMS) -> Collective:
    """`C := A B + C` for matrices of any extents, A and B by rows or columns."""
    shapes = {"A": (256, terms), "B": (terms, 256), "C": (256, 256)}
    loads = "\n".join(
        f"%{name} = tile.load %p{name}, %z, %z {{check = [true, true]}} -> "
        f"tile<{m}x{n}x{'f32' if name == 'C' else element(way)}>"
        for name, (m, n) in shapes.items()
    )
    return way.collective(
        ", ".join(
            f"%p{n}: memref<{t}x?x?,strided<1,?>>"
            for n, t in zip("ABC", (element(way), element(way), "f32"), strict=True)
        ),
        f"""%z = arith.constant {{value = 0}} -> index
        {loads}
        %r = tile.mma %A, %B, %C -> tile<256x256xf32>
        tile.store %r, %pC, %z, %z {{check = [true, true]}}""",
    )


def model(unit: Unit, a: Array, b: Array, c: Array) -> Array:
    """What the unit's instruction computes, then what C held."""
    with np.errstate(all="ignore"):
        return c + SUMS[unit](a.astype(np.float32), b.astype(np.float32))


def values(rng: np.random.Generator, shape: tuple[int, int], wild: bool, type_: str) -> Array:
    """Numbers of one size, or of all sizes down to subnormal ones, with infinities and NaN."""
    found = rng.standard_normal(shape)
    if wild:
        found *= 2.0 ** rng.integers(*((-133, 66) if type_ == "bf16" else (-25, 16)), shape)
        found = np.where(rng.random(shape) < 0.01, rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan], shape), found)
    with np.errstate(all="ignore"):
        return np.asfortranarray(found.astype(DTYPES[type_]))


@pytest.mark.covering(1)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wild", [False, True])
def test_every_bit_is_that_of_the_instruction(wild: bool, way: Way, rng: np.random.Generator, ran: Ran) -> None:
    run = kernel(way)
    assert ("avx512bf16.dpbf16ps" if way.unit is Unit.BF16 else "x86.tdpbf16ps") in run.text
    most = count("RANDOM_BF16", 25, 2000) // (1 if way.unit is not Unit.AMX_F16 else 4)
    for _ in range(most):
        m, n, k = (int(rng.integers(1, end)) for end in (40, 40, TERMS))
        a, b = (values(rng, shape, wild, element(way)) for shape in ((m, k), (k, n)))
        c = np.asfortranarray(rng.standard_normal((m, n)).astype(np.float32))
        with np.errstate(all="ignore"):
            wanted = model(way.unit, a, b, c)
        run({"pA": a, "pB": b, "pC": c})
        np.testing.assert_array_equal(c, wanted, err_msg=str((m, n, k)))
    ran(most, f"products of {element(way)} by {way}")


@pytest.mark.covering(1)
@pytest.mark.parametrize("way", ways(Unit.VECTOR, Unit.BF16, Unit.AMX_BF16, Unit.AMX_F16))
@pytest.mark.parametrize("size", [(33, 70, 64), (129, 65, 1027), (1, 1, 1), (17, 16, 5999)])
def test_near_to_exact(way: Way, size: tuple[int, int, int], rng: np.random.Generator) -> None:
    m, n, k = size
    if way.emulated:
        m, n, k = min(m, 66), min(n, 38), min(k, 133)
    run = kernel(way, 6000)
    a, b = (values(rng, shape, False, element(way)) for shape in ((m, k), (k, n)))
    c = np.asfortranarray(rng.standard_normal((m, n)).astype(np.float32))
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    run({"pA": a, "pB": b, "pC": c})
    assert np.linalg.norm(c - exact) <= 2e-6 * np.linalg.norm(exact)


@pytest.mark.parametrize("way", ways(Unit.VECTOR, Unit.BF16, Unit.AMX_BF16))
def test_subnormal_factors_count_where_nobody_asked_for_the_unit(way: Way) -> None:
    """The languages keep subnormal numbers; the units of bf16 do not."""
    a = np.full((32, 64), 2.0**-130, DTYPES["bf16"], "F")
    b = np.full((64, 32), 2.0**100, DTYPES["bf16"], "F")
    c = np.zeros((32, 32), np.float32, "F")
    kernel(way)({"pA": a, "pB": b, "pC": c})
    assert set(c.ravel().tolist()) == ({2.0**-24} if way.unit in EXACT_UNITS else {0.0})


def test_units_that_flush_are_used_only_where_asked_for() -> None:
    assert not {Unit.BF16, Unit.AMX_BF16} & EXACT_UNITS


@pytest.mark.parametrize("way", ways(Unit.AMX_F16))
def test_products_of_all_numbers_of_f16(way: Way, rng: np.random.Generator) -> None:
    """They are exact, subnormal ones too, and those of infinities, zeros and NaN."""
    some = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 65504.0, -65504.0, 2.0**-24, -(2.0**-14), 3 * 2.0**-24]
    patterns = rng.permutation(np.arange(1 << 16, dtype=np.uint16)).view(np.float16)[: 2 * (256 - len(some))]
    a, b = (np.append(half, np.array(some, np.float16)) for half in np.split(patterns, 2))
    c = np.zeros((256, 256), np.float32, "F")
    kernel(way)({"pA": a[:, None], "pB": b[None, :], "pC": c})
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(c, np.outer(a.astype(np.float32), b.astype(np.float32)))
    # the special ones among others: whether a sum is infinite or NaN is told by exact arithmetic
    a, b = (values(rng, shape, True, "f16") for shape in ((64, 70), (70, 64)))
    c = np.zeros((64, 64), np.float32, "F")
    kernel(way)({"pA": a, "pB": b, "pC": c})
    with np.errstate(all="ignore"):
        exact = a.astype(np.float64) @ b.astype(np.float64)
    for same in (np.isnan, np.isposinf, np.isneginf):
        np.testing.assert_array_equal(same(c), same(exact))
