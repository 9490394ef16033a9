"""GEMM in all sizes 1..17, four element types, four transposes, beta in {0, 1, 2}: every element, exactly.

With dynamic extents, all 235,824 products run at level 0, one launch for all sizes; a sample of the sizes at level 2,
whose code forks and joins threads for every such product, small as it may be. Static extents need code of their own for
each product: TILEWRIGHT_RANDOM_GEMM_SHAPES of the 19,652 shapes and types, with random transposes and beta.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from effort import SEED, Ran, count, thorough
from generators.arguments import Array
from generators.element_types import DTYPES
from generators.gemms import (
    BETAS,
    ELEMENTS,
    LARGEST,
    TRANSPOSES,
    Product,
    every_shape,
    factors,
    group,
    poison,
    results,
)

SHAPES = count("RANDOM_GEMM_SHAPES", 30, 4000)
SAMPLE = 1 if thorough() else 0.06  # of the sizes, at level 2
CHUNKS = 12
BATCH = 10

KERNEL = """
func @k(%alpha: {t}, %A: group<memref<{t}x?x?>x?>, %B: group<memref<{t}x?x?>x?>, %beta: {t},
        %C: group<memref<{t}x?x?>x?>) {{
    %g = group_id.x : index
    %a = load %A[%g] : memref<{t}x?x?>
    %b = load %B[%g] : memref<{t}x?x?>
    %c = load %C[%g] : memref<{t}x?x?>
    gemm{transposes} %alpha, %a, %b, %beta, %c
}}
"""


@pytest.mark.covering(2)
@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("transposes", TRANSPOSES)
@pytest.mark.parametrize("dtype", ELEMENTS)
def test_dynamic_extents(dtype: str, transposes: str, level: int, ran: Ran) -> None:
    kernel = tw.compile(KERNEL.format(t=dtype, transposes=transposes), level=level, cache=False, std="new").k
    rng = np.random.default_rng(SEED)
    element, shapes, layout = DTYPES[dtype], every_shape(), results()
    chosen = np.full(len(shapes), True) if level == 0 else rng.random(len(shapes)) < SAMPLE
    m, n, k = (np.ascontiguousarray(sizes) for sizes in shapes[chosen].T)
    left, right = (rng.integers(-3, 4, (LARGEST, LARGEST)) for _ in range(2))
    a, a_memory = factors(dtype, left, transposes[1] == "t", m, k)
    b, b_memory = factors(dtype, right, transposes[3] == "t", k, n)
    before = a_memory.tobytes(), b_memory.tobytes()
    places, sources = (words[chosen[layout.owners]] for words in (layout.places, layout.sources))
    products = np.stack([left[:, :depth] @ right[:depth, :] for depth in range(1, LARGEST + 1)]).ravel()[sources]
    for beta in BETAS:
        old = rng.integers(-3, 4, places.size)
        c = np.full(layout.size, poison(dtype))
        want = c.copy()
        if beta:
            c[places] = old.astype(element)
        want[places] = (products + beta * old).astype(element)
        target = group(dtype, c, layout.offsets[chosen], (m, n), layout.strides[chosen])
        kernel[len(m)](element.type(1), a, b, element.type(beta), target)
        wrong = np.flatnonzero(_differ(c, want))
        assert not wrong.size, f"seed {SEED}, beta {beta}: {wrong.size} elements, first {_shape_at(int(wrong[0]))}"
    assert (a_memory.tobytes(), b_memory.tobytes()) == before
    ran(len(m) * len(BETAS), f"small products with dynamic extents at level {level}")


def _differ(have: Array, want: Array) -> NDArray[np.bool_]:
    """Where values differ; poison equals itself."""
    return np.asarray((have != want) & ~((have != have) & (want != want)))


def _shape_at(place: int) -> str:
    number = int(np.searchsorted(results().offsets, place, "right")) - 1
    m, n, k = every_shape()[number].tolist()
    return f"in or behind the result of m={m} n={n} k={k}"


def _static_products() -> list[Product]:
    rnd = random.Random(SEED)
    sizes = range(1, LARGEST + 1)
    every = list(itertools.product(sizes, sizes, sizes, ELEMENTS))
    chosen = rnd.sample(every, min(SHAPES, len(every)))
    return [Product(m, n, k, t, rnd.choice(TRANSPOSES), rnd.choice(BETAS)) for m, n, k, t in chosen]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_static_extents(chunk: int, ran: Ran) -> None:
    rng = np.random.default_rng(SEED + chunk)
    products = _static_products()[chunk::CHUNKS]
    for start in range(0, len(products), BATCH):
        batch = products[start : start + BATCH]
        program = tw.compile("".join(p.text(f"k{i}") for i, p in enumerate(batch)), cache=False, std="new")
        for i, product in enumerate(batch):
            a, b, c, want = product.arguments(rng)
            program[f"k{i}"][1](a, b, c)
            assert np.array_equal(c, want), f"seed {SEED}: {product}"
    ran(len(products), "small products with static extents")
