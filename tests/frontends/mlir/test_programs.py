"""Programs in all the forms that the stock tool prints, against NumPy, in the interpreter and on the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from frontends.mlir.cases import CASES
from frontends.mlir.forms import PASSES, PRINTED, PROGRAMS, parts_of


def test_there_is_a_case_for_each_program_and_most_are_printed_in_many_forms() -> None:
    assert {p.stem for p in PROGRAMS} == set(CASES)
    assert len(PRINTED) >= 100
    assert {parts_of(p)[0] for p in PRINTED} == set(CASES)
    assert {parts_of(p)[1] for p in PRINTED} == set(PASSES)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("path", [*PROGRAMS, *PRINTED], ids=lambda p: p.stem)
def test_it_computes_what_numpy_does(path: Path, target: str, rng: np.random.Generator) -> None:
    case = CASES[path.stem.partition(".")[0]]
    program = tw.compile(path, target=target, cache=False)
    arguments = case.arguments(rng)
    expected = case.expected(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments))
    inputs = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
    program.f[1](*arguments)
    for given, found, wanted in zip(inputs, arguments, expected, strict=True):
        _compare(found, given if wanted is None else wanted, 0.0 if wanted is None else case.tolerance)


def _compare(found: Any, wanted: Any, tolerance: float) -> None:
    if np.asarray(wanted).dtype.kind in "iu":
        assert np.array_equal(found, wanted)
    else:
        largest = float(np.max(np.abs(np.asarray(wanted, np.float64))))
        assert np.max(np.abs(np.asarray(found, np.float64) - np.asarray(wanted, np.float64))) <= 4 * tolerance * largest
