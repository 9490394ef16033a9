"""Every case runs on the GPU and gives the right answer, twice for each level: a moving result would be a race."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Array, Case, Launch, mismatch
from targets.nvidia.test_kernels import CASES
from tilewright.targets.nvidia import driver
from tilewright.targets.nvidia.ptx import Architecture

from .device import run

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_right_answers(case: Case) -> None:
    context = driver.open_device()
    architecture = Architecture.of_capability(context.description.capability)
    for level in (0, 2):
        artifact = case.artifact(architecture, level)
        seed = int(np.random.default_rng().integers(1 << 31))
        launch = case.prepare(np.random.default_rng(seed))
        for _ in range(2):
            faults = wrong(launch, run(context, artifact, launch))
            assert not faults, f"seed {seed}, level {level}: {'; '.join(faults)}"


def wrong(launch: Launch, results: dict[int, Array | list[Array | None]]) -> list[str]:
    """Differences between results and expectations, by argument."""
    faults: list[str] = []
    for k, expected in launch.expected.items():
        found = results[k]
        pairs = [(found, expected)] if isinstance(found, np.ndarray) else list(zip(found, expected, strict=True))
        for f, e in pairs:
            if isinstance(f, np.ndarray) and isinstance(e, np.ndarray):
                fault = mismatch(launch, f, e)
                faults += [f"argument {k}: {fault}"] if fault else []
    return faults
