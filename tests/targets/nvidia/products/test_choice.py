"""Products whose factors or sums are wanted in other ways than in a plain loop, on the emulated device."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Array, Launch, faults
from targets.nvidia.cases_tile_ir import entry
from targets.nvidia.emulated import compiled
from targets.nvidia.products.cases import DTYPES

SHAPE = (64, 64)
SUMS = "tile<64x64xf32>"


def matrices(**elements: str) -> str:
    """Views `%<name>w` of matrices of one tile, and the constants that all programs have."""
    found = (
        "%z = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
        f"%three = constant <i32: 3> : tile<i32>\n%none = constant <f32: 0.0> : {SUMS}\n"
    )
    for name, element in elements.items():
        found += (
            f"%{name}t = make_tensor_view %{name}, shape = [64, 64], strides = [64, 1] : {tensor(element)}\n"
            f"%{name}w = make_partition_view %{name}t : {partition(element)}\n"
        )
    return found


def tensor(element: str) -> str:
    return f"tensor_view<64x64x{element}, strides=[64,1]>"


def partition(element: str) -> str:
    return f"partition_view<tile=(64x64), {tensor(element)}>"


def load(name: str, element: str) -> str:
    """`%<name>v`"""
    types = f"{partition(element)}, tile<i32> -> tile<64x64x{element}>, token"
    return f"%{name}v, %{name}k = load_view_tko weak %{name}w[%z, %z] : {types}\n"


def store(value: str, name: str, element: str) -> str:
    types = f"tile<64x64x{element}>, {partition(element)}, tile<i32> -> token"
    return f"%{value}{name} = store_view_tko weak %{value}, %{name}w[%z, %z] : {types}\n"


def product(result: str, factors: tuple[str, str], total: str, element: str) -> str:
    factor = f"tile<64x64x{element}>"
    return f"%{result} = mmaf %{factors[0]}, %{factors[1]}, %{total} : {factor}, {factor}, {SUMS}\n"


def added(result: str, x: str, y: str) -> str:
    return f"%{result} = addf %{x}, %{y} rounding<nearest_even> : {SUMS}\n"


def three_times(carried: str, first: str, body: str, following: str, result: str) -> str:
    """A loop that carries one tile of sums."""
    return (
        f"%{result} = for %i in (%z to %three, step %one) : tile<i32> iter_values(%{carried} = %{first}) "
        f"-> ({SUMS}) {{\n{body}continue %{following} : {SUMS}\n}}\n"
    )


def check(text: str, arguments: list[Array], number: int, expected: Array) -> None:
    """Nothing differs and nothing races."""
    given = Launch([*arguments], {number: expected.astype(arguments[number].dtype)})
    found = faults(given, compiled(text).run(given))
    assert not found, found


def integers(rng: np.random.Generator, element: str) -> Array:
    return rng.integers(-4, 5, SHAPE).astype(DTYPES[element])


@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("inside", [False, True])
def test_factors_are_what_was_loaded(element: str, inside: bool, rng: np.random.Generator) -> None:
    """Whatever is stored where they came from, before the products or between them."""
    zeros = f"%none{element} = constant <{element}: 0.0> : tile<64x64x{element}>\n"
    overwrite = store(f"none{element}", "a", element)
    body = product("r", ("av", "bv"), "s", element) + (overwrite if inside else "")
    text = entry(
        "k",
        f"%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>, %c: tile<ptr<f32>>",
        matrices(a=element, b=element, c="f32")
        + (zeros + load("a", element) + load("b", element) + ("" if inside else overwrite))
        + three_times("s", "none", body, "r", "sums")
        + store("sums", "c", "f32")
        + "return",
    )
    a, b = integers(rng, element), integers(rng, element)
    check(text, [a, b, np.zeros(SHAPE, np.float32)], 2, 3 * (a.astype(np.float64) @ b.astype(np.float64)))


FACTORS = load("a", "f16") + load("d", "f32")
HALF, SINGLE = product("p", ("av", "av"), "none", "f16"), product("q", ("dv", "dv"), "none", "f32")
MEETINGS = {
    "in a store": (HALF + SINGLE + added("s", "p", "q") + store("s", "c", "f32"), (1, 1)),
    "in what a loop carries": (
        three_times("s", "none", HALF + SINGLE + added("t", "p", "q") + added("u", "t", "s"), "u", "sums")
        + store("sums", "c", "f32"),
        (3, 3),
    ),
    "before and in a loop": (
        HALF + three_times("s", "p", store("s", "c", "f32") + SINGLE, "q", "sums") + store("sums", "c", "f32"),
        (0, 1),
    ),
}
"""Programs in which sums of two products meet, and how many of each are in what they store."""


@pytest.mark.parametrize("where", MEETINGS)
def test_sums_that_instructions_spread_differently_meet(where: str, rng: np.random.Generator) -> None:
    body, (halves, singles) = MEETINGS[where]
    parameters = "%a: tile<ptr<f16>>, %d: tile<ptr<f32>>, %c: tile<ptr<f32>>"
    text = entry("k", parameters, matrices(a="f16", d="f32", c="f32") + FACTORS + body + "return")
    a, d = integers(rng, "f16"), integers(rng, "f32")
    expected = halves * (a.astype(np.float64) @ a.astype(np.float64)) + singles * (d.astype(np.float64) @ d)
    check(text, [a, d, np.zeros(SHAPE, np.float32)], 2, expected)
