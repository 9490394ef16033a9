"""Random kernels on arrays that may be too small: launches refuse nothing that the interpreter runs to its end."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.kernels import generate
from tilewright.artifacts.parameters import MemrefParameter, Parameter, ScalarParameter
from tilewright.interpreter import KernelError
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.constraint_check import ConstraintCheck

KERNELS = count("RANDOM_SMALL_KERNELS", 40, 5000)
VARIANTS = 3


def changed(parameter: Parameter, argument: object, choose: random.Random, unused_parts: bool) -> object:
    """An argument, or a smaller array or another number in its place.

    Where arrays have `unused_parts` for work-groups that are not launched, the inner extents stay: what is behind them
    is such a part's, where the interpreter, which goes by addresses, lets a work-group write.
    """
    if isinstance(parameter, MemrefParameter) and argument is not None and choose.random() < 0.4:
        dynamic = [mode for mode, extent in enumerate(parameter.shape) if extent is None]
        if unused_parts:
            dynamic = [mode for mode in dynamic if mode == len(parameter.shape) - 1]
        if dynamic:
            array, mode = cast("AnyArray", argument), choose.choice(dynamic)
            kept = range(choose.randrange(array.shape[mode] + 1))
            return np.asfortranarray(np.take(array, kept, axis=mode))
    if type(argument) is int and choose.random() < 0.3:
        return choose.randrange(6)
    return argument


def test_what_is_refused_is_undefined(monkeypatch: pytest.MonkeyPatch, ran: Ran) -> None:
    for seed in range(SEED, SEED + KERNELS):
        kernel, choose = generate(random.Random(seed)), random.Random(seed)
        call = tw.compile(kernel.text, target="interpreter", std="new").k
        for _ in range(VARIANTS):
            grid = choose.choice([1, 2, 3, 5])
            given = kernel.copy_arguments()
            unused = grid < math.prod(kernel.grid)
            arguments = [changed(p, a, choose, unused) for p, a in zip(call.info.passed, given, strict=True)]
            # a launch does not look at factors: what they take out is refused all the same
            factors = [a for p, a in zip(call.info.passed, arguments, strict=True) if isinstance(p, ScalarParameter)]
            # refused, nothing has run; a copy may be aligned otherwise
            if not all(factors) or outcome(call[grid], arguments) != "UndefinedLaunch":
                continue
            with monkeypatch.context() as unchecked:
                unchecked.setattr(ConstraintCheck, "check", accept)
                assert outcome(call[grid], arguments) == "KernelError", f"seed {seed}, grid {grid}\n{kernel.text}"
    ran(KERNELS, "kernels of the tensor language on arrays that may be too small")


def outcome(call: Callable[..., None], arguments: Sequence[object]) -> str:
    """The name of the error that a launch ends with."""
    try:
        call(*arguments)
    except (KernelError, tw.LaunchError) as error:
        return type(error).__name__
    return "none"


def accept(*_: object) -> None:
    """A check that lets everything through."""
