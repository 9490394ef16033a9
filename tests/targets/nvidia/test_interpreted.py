"""Every case, scheduled for the device, gives the right answer in the interpreter: what a GPU must do, without one."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.interpreter.engine import Argument, Group, interpret
from tilewright.machine.cuda.architecture import Architecture

from .case import Array, Case, GroupArgument, Launch, faults
from .test_kernels import CASES


def arguments_of(launch: Launch) -> list[Argument]:
    """Copies of the arguments in the interpreter's form."""
    return [Group(a.arrays, a.offset) if isinstance(a, GroupArgument) else a for a in launch.arguments]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_right_answers(case: Case, rng: np.random.Generator) -> None:
    launch = case.prepare(rng)
    kernel = case.lowered(Architecture.SM_80).kernels[0]
    arguments = arguments_of(launch)
    interpret(kernel, arguments, launch.grid)
    results: dict[int, Array | list[Array | None]] = {}
    for k, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            results[k] = argument
        elif isinstance(argument, Group):
            results[k] = list(argument.arrays)
    found = faults(launch, results)
    assert not found, "; ".join(found)
