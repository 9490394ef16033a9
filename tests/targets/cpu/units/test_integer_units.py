"""Products of integers through product units: bit for bit those of NumPy, for all signs, sizes, strides and orders."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from effort import Ran, count
from targets.cpu.collective import Collective
from targets.cpu.units.ways import Way, ways
from tilewright.machine.processor import FeatureSet, machine
from tilewright.machine.units import EXACT_UNITS
from tilewright.settings.product_units import Unit

Array = NDArray[np.generic]
SIGNS = [(left, right) for left in "su" for right in "su"]
WAYS = ways(Unit.VECTOR, Unit.VNNI, Unit.AMX_INT8)
EACH_ORDER = (("c", "f"), ("f", "c"), ("s", "s"))
ALL_ORDERS = (*EACH_ORDER, ("f", "f"), ("c", "c"))
EXTENT = 2048
"""Of the tiles; matrices end before."""


def kernel(
    signs: tuple[str, str],
    way: Way,
    elements: tuple[str, str] = ("i8", "i8"),
    layouts: tuple[str, str, str] = ("", "", ""),
    terms: int = EXTENT,
    level: FeatureSet = FeatureSet.HOST,
) -> Collective:
    """`C := A B + C` for matrices of any extents, with elements of A and B read as signed or unsigned ones."""
    shapes = {"A": (256, terms), "B": (terms, 256), "C": (256, 256)}
    types = dict(zip("ABC", (*elements, "i32"), strict=True))
    loads = "\n".join(
        f"%{name} = tile.load %p{name}, %z, %z {{check = [true, true]}} -> tile<{m}x{n}x{types[name]}>"
        + (f"\n%w{name} = arith.ucast %{name} -> tile<{m}x{n}xi32>" if name in "AB" and sign == "u" else "")
        for (name, (m, n)), sign in zip(shapes.items(), (*signs, "s"), strict=True)
    )
    factors = ", ".join(f"%{'w' if sign == 'u' else ''}{name}" for name, sign in zip("AB", signs, strict=True))
    return way.collective(
        ", ".join(f"%p{n}: memref<{types[n]}x?x?{layout}>" for n, layout in zip("ABC", layouts, strict=True)),
        f"""%z = arith.constant {{value = 0}} -> index
        {loads}
        %r = tile.mma {factors}, %C -> tile<256x256xi32>
        tile.store %r, %pC, %z, %z {{check = [true, true]}}""",
        level,
    )


def numbers(rng: np.random.Generator, element: str, sign: str, shape: tuple[int, int]) -> Array:
    """Any bits, the extreme numbers often."""
    bits = int(element[1:])
    low, high = (0, 1 << bits) if sign == "u" else (-(1 << bits - 1), 1 << bits - 1)
    values = rng.integers(low, high, shape)
    ends = rng.random(shape)
    values = np.where(ends < 0.1, low, np.where(ends > 0.9, high - 1, values))
    return np.asfortranarray(values.astype(f"{'u' if sign == 'u' else ''}int{bits}"))


def expected(a: Array, b: Array, c: Array) -> Array:
    """Exactly, then modulo 2^32. Doubles hold the sums: 6000 products of shorts are below 2^43."""
    return ((a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + c.astype(np.int64)).astype(np.int32)


def check(run: Collective, a: Array, b: Array, c: Array, note: object) -> None:
    """Compare one call; what lies around C stays."""
    around = np.full((c.shape[0] + 3, c.shape[1] + 2), 77, np.int32, order="F")
    target = around[1:-2, 1:-1]
    target[...] = c
    run({"pA": a, "pB": b, "pC": target})
    np.testing.assert_array_equal(target, expected(a, b, c), err_msg=str(note))
    target[...] = 77
    assert (around == 77).all(), note


@pytest.mark.covering(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("signs", SIGNS, ids="".join)
def test_every_tail(signs: tuple[str, str], way: Way, rng: np.random.Generator, ran: Ran) -> None:
    run = kernel(signs, way, layouts=("", "", ",strided<1,?>"))
    instruction = {Unit.VNNI: "vpdpbusd", Unit.AMX_INT8: f"tdpb{signs[1]}{signs[0]}d"}
    assert all((word in run.text) == (unit is way.unit) for unit, word in instruction.items())
    sizes = list(product(range(1, 18), range(1, 18), range(1, 71)))
    most = count("RANDOM_TAILS", 200, len(sizes))
    chosen: list[int] = rng.permutation(len(sizes))[:most].tolist()
    for m, n, k in (sizes[number] for number in chosen):
        a, b = numbers(rng, "i8", signs[0], (m, k)), numbers(rng, "i8", signs[1], (k, n))
        check(run, a, b, numbers(rng, "i32", "s", (m, n)), (m, n, k))
    ran(most, "products of integers with tails")


# Factors are packed each by itself: where their elements differ, each meets each order.
ORDERS = {("i8", "i8"): ALL_ORDERS, ("i16", "i16"): ALL_ORDERS, ("i8", "i16"): EACH_ORDER, ("i16", "i8"): EACH_ORDER}


@pytest.mark.covering(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("elements", "orders"), [(e, o) for e, orders in ORDERS.items() for o in orders], ids=str)
def test_orders_strides_and_runs(
    elements: tuple[str, str], orders: tuple[str, str], way: Way, rng: np.random.Generator
) -> None:
    """Factors by columns, by rows, or with gaps everywhere; runs of terms that end anywhere."""
    layouts = {"f": ",strided<1,?>", "c": ",strided<?,1>", "s": ",strided<?,?>"}
    run = kernel(("s", "s"), way, elements, (layouts[orders[0]], layouts[orders[1]], ",strided<1,?>"), 6000)
    for m, n, k in [(33, 15, 130), (70, 29, 1025), (129, 65, 5999)]:
        a, b = (_laid(numbers(rng, e, "s", s), o) for e, s, o in zip(elements, [(m, k), (k, n)], orders, strict=True))
        check(run, a, b, numbers(rng, "i32", "s", (m, n)), (m, n, k))


def _laid(matrix: Array, order: str) -> Array:
    if order != "s":
        return np.array(matrix, order="F" if order == "f" else "C")
    wide = np.zeros((2 * matrix.shape[0], 3 * matrix.shape[1]), matrix.dtype)
    wide[::2, ::3] = matrix
    return wide[::2, ::3]


@pytest.mark.covering(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("signs", SIGNS, ids="".join)
def test_the_extremes_do_not_saturate(signs: tuple[str, str], way: Way) -> None:
    run = kernel(signs, way)
    ends = {"s": (np.int8, (-128, 127)), "u": (np.uint8, (0, 255))}
    for x, y in product(ends[signs[0]][1], ends[signs[1]][1]):
        a, b = np.full((20, 999), x, ends[signs[0]][0], "F"), np.full((999, 40), y, ends[signs[1]][0], "F")
        c = np.full((20, 40), np.iinfo(np.int32).max, np.int32, "F")
        run({"pA": a, "pB": b, "pC": c})
        np.testing.assert_array_equal(c, expected(a, b, np.full_like(c, np.iinfo(np.int32).max)))


@pytest.mark.parametrize("way", ways(Unit.VECTOR, Unit.VNNI))
def test_pairs_of_the_lowest_shorts_wrap(way: Way) -> None:
    run = kernel(("s", "s"), way, ("i16", "i16"))
    a, b = np.full((20, 130), -32768, np.int16, "F"), np.full((130, 40), -32768, np.int16, "F")
    c = np.zeros((20, 40), np.int32, "F")
    run({"pA": a, "pB": b, "pC": c})
    np.testing.assert_array_equal(c, expected(a, b, np.zeros_like(c)))


@pytest.mark.covering(2)
@pytest.mark.parametrize("level", [FeatureSet.GENERIC, FeatureSet.AVX2])
@pytest.mark.parametrize("signs", SIGNS, ids="".join)
def test_targets_without_units_take_vectors(
    signs: tuple[str, str], level: FeatureSet, rng: np.random.Generator
) -> None:
    if machine().lacks(level):
        pytest.skip(f"this machine has no {level.value}")
    run = kernel(signs, Way(Unit.VNNI), level=level)
    assert "vpdp" not in run.text
    a, b = numbers(rng, "i8", signs[0], (67, 300)), numbers(rng, "i8", signs[1], (300, 45))
    check_plain = np.asfortranarray(numbers(rng, "i32", "s", (67, 45)))
    wanted = expected(a, b, check_plain)
    run({"pA": a, "pB": b, "pC": check_plain})
    np.testing.assert_array_equal(check_plain, wanted)


def test_exact_units_are_used_unasked() -> None:
    assert {Unit.VNNI, Unit.AMX_INT8} <= EXACT_UNITS
