"""Kernels of the old language in which work-items meet: checked runs find a race exactly where there is one.

The old text and the upgraded one are checked alike, and compiled code survives what races. The seed of a failing kernel
is in the message.
"""

from __future__ import annotations

import random

import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.arguments import arrays, spilled
from generators.old_kernels import GROUPS, OldKernel, generate
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.frontends import old_tensor_language
from tilewright.languages import Std

from .variants import rotation

KERNELS = count("RANDOM_OLD_RACES", 30, 3000)
CHUNKS = 5
MEETING = 0.8
"""The others are free of races, whatever they do."""


def finds_race(text: str, kernel: OldKernel, std: Std) -> bool:
    """Whether a checked run reports a race."""
    program = tw.compile(text, target="interpreter", std=std, checked=True)
    try:
        program[kernel.name][GROUPS](*kernel.copy_arguments())
    except KernelError as error:
        if error.diagnostics[0].code == "R020":
            return True
        raise
    return False


def check(kernel: OldKernel, number: int) -> None:
    upgraded = old_tensor_language.upgrade(Source("old.tl", kernel.text), Report())
    assert upgraded is not None
    texts: dict[Std, str] = {"old": kernel.text, "new": upgraded}
    for std, text in texts.items():
        found = finds_race(text, kernel, std)
        assert found == kernel.races, f"the {std} text {'races' if found else 'does not race'}"
    if kernel.races:
        variant, arguments = rotation(number)[0], kernel.copy_arguments()
        target = f"cpu:{variant.features.value}"
        program = tw.compile(kernel.text, target=target, level=variant.level, std="old", cache=False)
        program[kernel.name][GROUPS](*arguments)
        assert not [name for name, array in arrays(arguments) if spilled(array)], "bytes around an argument are written"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_races_are_found_where_they_are(chunk: int, ran: Ran) -> None:
    racing, numbers = 0, range(chunk, KERNELS, CHUNKS)
    for number in numbers:
        seed = SEED + number
        kernel = generate(random.Random(seed), meeting=MEETING)
        try:
            check(kernel, number)
        except Exception as error:
            raise AssertionError(f"seed {seed} fails: {type(error).__name__}: {error}\n{kernel.text}") from error
        racing += kernel.races
    ran(racing, "kernels of the old tensor language that race")
    ran(len(numbers) - racing, "kernels of the old tensor language that do not, checked")
