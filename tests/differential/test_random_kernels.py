"""Random kernels: interpreter = CPU without optimisation = CPU with all of it, with whatever instructions it has.

Each kernel meets one of these in turn, and two of them in thorough runs.

The seed of a failing kernel and its text are in the message.
"""

from __future__ import annotations

import random
import re

import pytest

from effort import SEED, Ran, count
from generators.kernels import generate
from tilewright.frontends.tensor_language.parser import INSTRUCTIONS

from .compare import disagreements
from .variants import taken

KERNELS = count("RANDOM_KERNELS", 400, 5000)
CHUNK = 25
RACING = 0.03
MNEMONIC = re.compile(r"(?:^ *|= )([a-z]\w+)", re.MULTILINE)
REFUSED = {"cmp", "math", "arith", "group_size", "hadamard_product"}
"""Words of the old language and of early drafts, known only to say what would be right."""


@pytest.mark.parametrize("chunk", range(-(-KERNELS // CHUNK)))
def test_targets_agree(chunk: int, ran: Ran) -> None:
    racing, numbers = 0, range(chunk * CHUNK, min(KERNELS, (chunk + 1) * CHUNK))
    for number in numbers:
        seed = SEED + number
        kernel = generate(random.Random(seed), racing=RACING)
        racing += kernel.races
        try:
            found = disagreements(kernel, taken(number))
        except Exception as error:
            raise AssertionError(f"seed {seed} fails: {type(error).__name__}: {error}\n{kernel.text}") from error
        assert not found, f"seed {seed}: {found}\n{kernel.text}"
    ran(len(numbers) - racing, "kernels of the tensor language")
    ran(racing, "kernels of the tensor language that race")


def test_every_mnemonic_is_generated() -> None:
    """The rarest are in one of 300 kernels."""
    missing = set(INSTRUCTIONS) - REFUSED
    for number in range(20_000):
        missing -= set(MNEMONIC.findall(generate(random.Random(SEED + number)).text))
        if not missing:
            break
    assert not missing
