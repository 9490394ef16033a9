"""A random TLX program, run: what it computes against NumPy on logical tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilewright as tw
from generators.tlx import Generated
from tilewright.artifacts.parameters import Parameter, PointerParameter


def _as_wanted(argument: Any, parameter: Parameter) -> Any:
    """An array of which a kernel says nothing, since nothing of it is left there, as bytes."""
    return argument.view(np.int8) if isinstance(parameter, PointerParameter) and parameter.dtype == "i8" else argument


def check(seed: int, program: Generated, text: str, target: str, level: int = 2) -> None:
    """A text of a program, run."""
    arguments: list[Any] = [a.copy() if isinstance(a, np.ndarray) else a for a in program.arguments]
    kernel = next(iter(tw.compile(text, target=target, level=level, cache=False)))
    kernel(*(_as_wanted(a, p) for a, p in zip(arguments, kernel.info.parameters, strict=True)))
    for number, (found, expected) in enumerate(zip(arguments, program.expected, strict=True)):
        wrong = np.flatnonzero(np.asarray(found != expected))
        assert not wrong.size, f"seed {seed}, {target}, argument {number}, element {wrong[0]}\n{text}"
