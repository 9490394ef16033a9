"""TLX on a GPU: random programs, and products that are too large for a multiprocessor's shared memory."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.tlx import generate
from targets.nvidia.test_tlx import product
from tilewright.machine.cuda import driver
from tilewright.runtime.nvidia.copies import DeviceCopies

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")

PROGRAMS = count("GPU_TLX_PROGRAMS", 60, 2000)


def launch(program: tw.Program, arguments: list[Any]) -> None:
    """Run the only kernel on copies of arrays, which are as it leaves them afterwards."""
    copies = DeviceCopies(driver.open_device(), arguments)
    (kernel,) = program
    kernel[1](*copies.arguments)
    copies.finish()


def test_random_programs(ran: Ran) -> None:
    for seed in range(SEED, SEED + PROGRAMS):
        program = generate(random.Random(seed))
        arguments: list[Any] = [a.copy() if isinstance(a, np.ndarray) else a for a in program.arguments]
        launch(tw.compile(program.text, target="nvidia", level=(2, 2, 0, 1)[seed % 4], cache=False), arguments)
        for number, (found, expected) in enumerate(zip(arguments, program.expected, strict=True)):
            assert np.array_equal(found, expected), f"seed {seed}, argument {number}\n{program.text}"
    ran(PROGRAMS, "TLX programs on the GPU")


@pytest.mark.parametrize("size", [65, 256, 512])
@pytest.mark.parametrize("where", ["apart", "in place"])
def test_large_products(rng: np.random.Generator, size: int, where: str) -> None:
    a, b = (rng.integers(-3, 4, (size, size)).astype(np.float32) for _ in range(2))
    c, wanted = (a if where == "in place" else np.zeros_like(a)), a @ b
    launch(tw.compile(product(size), target="nvidia", cache=False), [a, b, c])
    assert np.array_equal(c, wanted)
