"""Random kernels: interpreter = CPU without optimisation = CPU with all of it.

The seed of a failing kernel and its text are in the message.
"""

from __future__ import annotations

import os
import random

import pytest

from generators.kernels import generate

from .compare import disagreements

KERNELS = int(os.environ.get("TILEWRIGHT_RANDOM_KERNELS", "2000"))
CHUNK = 50
SEED = int(os.environ.get("TILEWRIGHT_RANDOM_SEED", "0")) or random.SystemRandom().randrange(1 << 40)


@pytest.mark.parametrize("chunk", range(-(-KERNELS // CHUNK)))
def test_targets_agree(chunk: int) -> None:
    for number in range(chunk * CHUNK, min(KERNELS, (chunk + 1) * CHUNK)):
        seed = SEED + number
        kernel = generate(random.Random(seed))
        try:
            found = disagreements(kernel, [("cpu", 0), ("cpu", 2)])
        except Exception as error:
            raise AssertionError(f"seed {seed} fails: {type(error).__name__}: {error}\n{kernel.text}") from error
        assert not found, f"seed {seed}: {found}\n{kernel.text}"
