"""Random kernels: interpreter = CPU without optimisation = CPU with all of it.

The seed of a failing kernel and its text are in the message.
"""

from __future__ import annotations

import random

import pytest

from effort import SEED, Ran, count
from generators.kernels import generate

from .compare import disagreements

KERNELS = count("RANDOM_KERNELS", 400, 5000)
CHUNK = 25


@pytest.mark.parametrize("chunk", range(-(-KERNELS // CHUNK)))
def test_targets_agree(chunk: int, ran: Ran) -> None:
    numbers = range(chunk * CHUNK, min(KERNELS, (chunk + 1) * CHUNK))
    for number in numbers:
        seed = SEED + number
        kernel = generate(random.Random(seed))
        try:
            found = disagreements(kernel, [("cpu", 0), ("cpu", 2)])
        except Exception as error:
            raise AssertionError(f"seed {seed} fails: {type(error).__name__}: {error}\n{kernel.text}") from error
        assert not found, f"seed {seed}: {found}\n{kernel.text}"
    ran(len(numbers), "kernels of the tensor language")
