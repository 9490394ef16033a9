"""Every case runs on the GPU and gives the right answer, twice for each level: a moving result would be a race."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Case, faults
from targets.nvidia.test_kernels import CASES
from targets.nvidia.test_large_subgroup_products import LONG_PRODUCTS
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture

from .device import run

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@pytest.mark.parametrize("case", [*CASES, *LONG_PRODUCTS], ids=lambda c: c.name)
def test_right_answers(case: Case, rng: np.random.Generator) -> None:
    context = driver.open_device()
    architecture = Architecture.of_capability(context.description.capability)
    for level in (0, 2):
        artifact = case.artifact(architecture, level)
        launch = case.prepare(rng)
        for _ in range(2):
            found = faults(launch, run(context, artifact, launch))
            assert not found, f"level {level}: {'; '.join(found)}"
