"""Products of bf16 through dot products of pairs: the instruction's own arithmetic bit for bit, float64 by norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from effort import Ran, count
from generators.element_types import DTYPES
from targets.cpu.collective import Collective
from tilewright.machine.processor import machine
from tilewright.machine.units import EXACT_UNITS, lacking
from tilewright.numerics import floats
from tilewright.numerics.formats import F32
from tilewright.settings.product_units import Unit

Array = NDArray[Any]
BF16 = DTYPES["bf16"]
HAS_UNIT = not lacking(machine(), Unit.BF16)
TERMS = 256
"""Of a tile, few enough for one run of terms."""

needs_unit = pytest.mark.skipif(not HAS_UNIT, reason="this machine has no vdpbf16ps")


def kernel(units: frozenset[Unit], terms: int = TERMS) -> Collective:
    """`C := A B + C` for matrices of any extents, A and B by rows or columns."""
    shapes = {"A": (256, terms), "B": (terms, 256), "C": (256, 256)}
    loads = "\n".join(
        f"%{name} = tile.load %p{name}, %z, %z {{check = [true, true]}} -> "
        f"tile<{m}x{n}x{'f32' if name == 'C' else 'bf16'}>"
        for name, (m, n) in shapes.items()
    )
    return Collective(
        "%pA: memref<bf16x?x?,strided<1,?>>, %pB: memref<bf16x?x?,strided<1,?>>, %pC: memref<f32x?x?,strided<1,?>>",
        f"""%z = arith.constant {{value = 0}} -> index
        {loads}
        %r = tile.mma %A, %B, %C -> tile<256x256xf32>
        tile.store %r, %pC, %z, %z {{check = [true, true]}}""",
        units=units,
    )


def model(a: Array, b: Array, c: Array) -> Array:
    """Pairs of terms in order, of each the second term first; subnormal numbers are zeros; then what C held."""
    m, k = a.shape
    x, y = (np.zeros(shape, np.float32) for shape in ((m, k + k % 2), (k + k % 2, b.shape[1])))
    x[:, :k], y[:k] = a, b
    total = np.zeros(c.shape, np.float32)
    for term in range(0, k, 2):
        for t in (term + 1, term):
            left, right = np.broadcast_arrays(x[:, t, None], y[None, t])
            total = floats.multiply_add(F32, left, right, total, flush=True)
    with np.errstate(all="ignore"):
        return c + total


def values(rng: np.random.Generator, shape: tuple[int, int], wild: bool) -> Array:
    """Numbers of one size, or of all sizes down to subnormal ones, with infinities and NaN."""
    found = rng.standard_normal(shape)
    if wild:
        found *= 2.0 ** rng.integers(-133, 66, shape)
        found = np.where(rng.random(shape) < 0.01, rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan], shape), found)
    with np.errstate(all="ignore"):
        return np.asfortranarray(found.astype(BF16))


@needs_unit
@pytest.mark.parametrize("wild", [False, True])
def test_every_bit_is_that_of_the_instruction(wild: bool, rng: np.random.Generator, ran: Ran) -> None:
    run = kernel(EXACT_UNITS | {Unit.BF16})
    assert "dpbf16ps" in run.text
    most = count("RANDOM_BF16", 60, 2000)
    for _ in range(most):
        m, n, k = (int(rng.integers(1, end)) for end in (40, 40, TERMS))
        a, b = values(rng, (m, k), wild), values(rng, (k, n), wild)
        c = np.asfortranarray(rng.standard_normal((m, n)).astype(np.float32))
        with np.errstate(all="ignore"):
            wanted = model(a, b, c)
        run({"pA": a, "pB": b, "pC": c})
        np.testing.assert_array_equal(c, wanted, err_msg=str((m, n, k)))
    ran(most, "products of bf16 by pairs")


@pytest.mark.parametrize("units", [EXACT_UNITS, EXACT_UNITS | {Unit.BF16}], ids=["vector", "bf16"])
@pytest.mark.parametrize("size", [(33, 70, 64), (129, 65, 1027), (1, 1, 1), (17, 16, 5999)])
def test_near_to_exact(units: frozenset[Unit], size: tuple[int, int, int], rng: np.random.Generator) -> None:
    m, n, k = size
    run = kernel(units, 6000)
    a, b = values(rng, (m, k), False), values(rng, (k, n), False)
    c = np.asfortranarray(rng.standard_normal((m, n)).astype(np.float32))
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    run({"pA": a, "pB": b, "pC": c})
    assert np.linalg.norm(c - exact) <= 2e-6 * np.linalg.norm(exact)


def test_subnormal_factors_count_where_nobody_asked_for_the_unit() -> None:
    """The languages keep subnormal numbers; the unit does not."""
    a = np.full((32, 64), 2.0**-130, BF16, "F")
    b = np.full((64, 32), 2.0**100, BF16, "F")
    found = {}
    for units in (EXACT_UNITS, EXACT_UNITS | {Unit.BF16}):
        c = np.zeros((32, 32), np.float32, "F")
        kernel(units)({"pA": a, "pB": b, "pC": c})
        found[units] = set(c.ravel().tolist())
    assert found[EXACT_UNITS] == {2.0**-24}
    assert found[EXACT_UNITS | {Unit.BF16}] == ({0.0} if HAS_UNIT else {2.0**-24})
