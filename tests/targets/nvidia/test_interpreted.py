"""Every case that is given as tiles gives the right answer in the interpreter: what a GPU must do, without one.

Those of the tensor language are interpreted in test_emulated.py, as scheduled for the device.
"""

from __future__ import annotations

import numpy as np
import pytest

from .case import Case, faults
from .lane_level import interpreted
from .test_kernels import CASES


@pytest.mark.parametrize("case", [case for case in CASES if not case.language], ids=lambda c: c.name)
def test_right_answers(case: Case, rng: np.random.Generator) -> None:
    launch = case.prepare(rng)
    found = faults(launch, interpreted(case.module(), launch))
    assert not found, "; ".join(found)
