"""The kernels that the stages of a product end in run on the GPU and give the right answer."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

import tilewright as tw
from targets.nvidia.case import faults
from targets.nvidia.test_matmul_stages import KERNELS, Kernel
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.nvidia.copies import DeviceCopies
from transforms.matmul_stages.test_open_extents import OPEN_BATCH, TILES

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


def test_a_batch_of_any_size(rng: np.random.Generator) -> None:
    program = tw.compile(OPEN_BATCH.text, target="nvidia", stages=TILES, cache=False)
    for entries in (3, 1):
        case = structs.replace(OPEN_BATCH, batch=(entries, 2))
        arguments = case.arguments(rng)
        given = [value.copy() for value in arguments]
        copies = DeviceCopies(driver.open_device(), given)
        program.f[case.grid(TILES)](*copies.arguments)
        copies.finish()
        for found, wanted in zip((given[2], given[6]), case.expected(arguments), strict=True):
            assert np.array_equal(found, wanted)
