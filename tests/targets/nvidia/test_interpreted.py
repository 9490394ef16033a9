"""Every case, scheduled for the device, gives the right answer in the interpreter: what a GPU must do, without one."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.machine.cuda.architecture import Architecture

from .case import Case, faults
from .lane_level import interpreted
from .test_kernels import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_right_answers(case: Case, rng: np.random.Generator) -> None:
    launch = case.prepare(rng)
    found = faults(launch, interpreted(case.lowered(Architecture.SM_80), launch))
    assert not found, "; ".join(found)
