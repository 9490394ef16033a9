"""Random kernels of the tensor language: the GPU gives the interpreter's answers, with and without optimisation."""

from __future__ import annotations

import random

import pytest

from effort import SEED, count
from generators.kernels import Generated, generate
from targets.nvidia.against_interpreter import Runner, disagreements
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

from .device import run_twice

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")

KERNELS = count("GPU_KERNELS", 200, 5000)
CHUNK = 20


@pytest.mark.parametrize("chunk", range(-(-KERNELS // CHUNK)))
def test_gpu_agrees_with_interpreter(chunk: int) -> None:
    for number in range(chunk * CHUNK, min(KERNELS, (chunk + 1) * CHUNK)):
        seed = SEED + number
        kernel = generate(random.Random(seed))
        faults = on_both_levels(kernel)
        assert not faults, f"seed {seed}: {'; '.join(faults)}\n{kernel.text}"


def on_both_levels(kernel: Generated) -> list[str]:
    """One line for each level and argument on which the GPU differs from the interpreter."""
    faults: list[str] = []
    for level in (0, 2):
        faults += [f"O{level}, {fault}" for fault in disagreements(kernel, runner(compiled(kernel.text, level)))]
    return faults


def runner(artifact: Artifact) -> Runner:
    """Launches on the first device, twice each."""
    return lambda launch, number: run_twice(driver.open_device(), artifact, launch, number)


def compiled(text: str, level: int) -> Artifact:
    """The kernel for the device of this machine."""
    architecture = Architecture.of_capability(driver.open_device().description.capability)
    report = Report()
    module = read_module(Source("<generated>", text), report)
    return compile_module(module, NvidiaTarget(architecture), CompileOptions(level), report)
