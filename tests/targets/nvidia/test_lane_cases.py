"""Cases in the IR's own text by way of lanes, interpreted and emulated; test_emulated.py has those of the language."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tilewright.machine.cuda.architecture import Architecture

from .case import faults
from .cases_spmd import spmd_cases
from .emulated import emulated
from .lane_level import interpreted
from .test_kernels import CASES, words

ALL = {words(case): case for case in CASES if not case.language}
SPMD = {case.name for case in spmd_cases()}


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", ALL, ids=[case.name for case in ALL.values()])
def test_right_answers(kind: tuple[str, ...], rng: np.random.Generator) -> None:
    """A usual run takes each kind of kernel, each type and all takers; test_interpreted.py has all cases as tiles."""
    case = ALL[kind]
    module, seed = case.lowered(Architecture.SM_80), int(rng.integers(1 << 32))
    launch = case.prepare(np.random.default_rng(seed))
    found = faults(launch, interpreted(module, launch))
    assert not found, f"interpreted: {'; '.join(found)}"
    launch = case.prepare(np.random.default_rng(seed))
    # Work-items that act for themselves meet in any order; those of collective code only at barriers.
    schedule = random.Random(seed) if case.name in SPMD else None
    found = faults(launch, emulated(module).run(launch, schedule=schedule))
    assert not found, f"emulated: {'; '.join(found)}"
