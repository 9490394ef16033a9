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
def test_large_products(rng: np.random.Generator, size: int) -> None:
    """Wherever the result lies in the memory of the factors, and at the next element."""
    program = tw.compile(product(size), target="nvidia", cache=False)
    assert (program.k.info.apart is None) is (size == 65)
    count = size * size
    for place in (2 * count, 0, count, 2 * count - 1, -1 + count, 3 * count):
        memory = rng.integers(-3, 4, 4 * count).astype(np.float32)
        a, b, c = (memory[at : at + count].reshape(size, size) for at in (0, count, place))
        wanted = a @ b
        launch(program, [a, b, c])
        assert np.array_equal(c, wanted), place


def test_the_same_calls_with_arrays_that_lie_otherwise(rng: np.random.Generator) -> None:
    """Calls that no Python code sees any more take the form for their arrays."""
    torch = pytest.importorskip("torch")
    size, count = 256, 256 * 256
    kernel = tw.compile(product(size), target="nvidia", cache=False).k[1]
    memory = torch.zeros(3 * count, device="cuda")
    starts = [2 * count, 0, count, 2 * count - 1, 2 * count]
    for place in [*starts, *starts, *rng.permutation(starts * 4).tolist()]:
        memory.copy_(torch.from_numpy(rng.integers(-3, 4, 3 * count)))
        a, b, c = (memory[at : at + count].view(size, size) for at in (0, count, place))
        wanted = a.double() @ b.double()
        kernel(a, b, c)
        assert torch.equal(c.double(), wanted), place
