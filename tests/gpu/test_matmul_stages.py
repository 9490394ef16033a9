"""The kernels that the stages of a product end in run on the GPU and give the right answer."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import faults
from targets.nvidia.test_matmul_stages import KERNELS, Kernel
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture

from .device import run

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_right_answers(kernel: Kernel, rng: np.random.Generator) -> None:
    context = driver.open_device()
    artifact = kernel.artifact(Architecture.of_capability(context.description.capability))
    launch = kernel.launch(rng)
    for _ in range(2):
        found = faults(launch, run(context, artifact, launch))
        assert not found, "; ".join(found)
