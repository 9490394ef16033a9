"""Loops whose step only a launch knows: as many trips as Python's ranges have, without a division."""

from __future__ import annotations

import re

import numpy as np
import pytest

from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.cases import TEXTS
from targets.nvidia.products.test_clusters import check, given_for
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from tilewright.machine.cuda.architecture import Architecture

TEXT = """func @trips(%from: {0}, %to: {0}, %step: {0}, %out: memref<i64x2>) {{
    %zero = constant 0 : index
    %one = constant 1 : index
    %count, %sum = for %i=%from,%to,%step init(%n=%zero, %s=%zero) -> (index, index) {{
        %m = add %n, %one : index
        %wide = cast %i : index
        %t = add %s, %wide : index
        yield (%m, %t)
    }}
    %c = cast %count : i64
    %t = cast %sum : i64
    store %c, %out[%zero]
    store %t, %out[%one]
}}
"""
LEAST, MOST = -(1 << 63), (1 << 63) - 1


@pytest.mark.parametrize("number", ["i8", "i64"])
def test_trips_are_those_of_ranges(number: str) -> None:
    llvm, kernel = emitted(TEXT.format(number))
    assert "div i64" not in llvm
    program, type_ = Program(llvm), np.dtype(f"int{number[1:]}").type
    bounds = [(0, 10, 3), (0, 9, 3), (5, 5, 1), (6, 5, 1), (0, 5, -1), (0, 5, 0), (25, 127, 100), (-128, 127, 127)]
    if number == "i64":
        bounds += [(LEAST, MOST, 1 << 62), (LEAST, MOST, MOST), (MOST - 1, MOST, MOST), (LEAST, LEAST + 2, 1)]
    for lower, upper, step in bounds:
        trips = range(lower, upper, step) if step > 0 else range(0)
        total = (sum(trips) + (1 << 63)) % (1 << 64) - (1 << 63)
        given = Launch(
            [type_(lower), type_(upper), type_(step), np.full(2, -7, np.int64)], {3: np.array([len(trips), total])}
        )
        found = faults(given, Emulated(program, (kernel,)).run(given))
        assert not found, (lower, upper, step, found)


def test_tiles_of_products_need_no_division_of_64_bits_and_few_products() -> None:
    """ptxas calls a function for a division, and keeps nothing in uniform registers behind it; where rows of a result
    begin is computed once, not behind the test of each element."""
    text = TEXTS.whole_product(("?", "?", "?"), "f16", "f16", (False, False))
    llvm, _ = emitted(text, schedule="threads=128 tile=128x64x64")
    assert "elect.sync" in llvm
    assert re.search(r"div i32 \S+, %", llvm)
    assert not re.search(r"(div|rem) i64 %\S+, %", llvm)
    assert len(re.findall(r"mul i64 -?8, %", llvm)) <= 12


def test_blocks_find_their_tiles(rng: np.random.Generator) -> None:
    """Of open extents, in a band of eight tiles and one of two."""
    extents = (600, 136, 64)
    text = TEXTS.whole_product(("?", "?", "?"), "f16", "f32", (False, False))
    module = next(levels(text, Architecture.SM_90A, "tile=64x64x64 copies=tensor"))
    check(module, given_for(extents, "n.n", rng), parts=4)
