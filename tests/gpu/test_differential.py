"""Random kernels of the tensor language: the GPU gives the interpreter's answers, with and without optimisation."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, count
from generators.kernels import Generated, generate
from targets.nvidia.case import Launch, mismatch
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

from .device import run

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")

KERNELS = count("GPU_KERNELS", 200, 5000)
CHUNK = 20
# Elementary functions differ by a few ulp, and sums of their results by the order of summation.
TOLERANCE = {
    "float32": 1e-5,
    "float64": 1e-13,
    "complex64": 1e-5,
    "complex128": 1e-13,
    "float16": 1e-2,
    "bfloat16": 5e-2,
}


@pytest.mark.parametrize("chunk", range(-(-KERNELS // CHUNK)))
def test_gpu_agrees_with_interpreter(chunk: int) -> None:
    for number in range(chunk * CHUNK, min(KERNELS, (chunk + 1) * CHUNK)):
        seed = SEED + number
        kernel = generate(random.Random(seed))
        faults = disagreements(kernel)
        assert not faults, f"seed {seed}: {'; '.join(faults)}\n{kernel.text}"


def disagreements(kernel: Generated) -> list[str]:
    """One line for each level and argument on which the GPU differs from the interpreter."""
    expected = kernel.copy_arguments()
    tw.compile(kernel.text, target="interpreter").k[1](*expected)
    faults: list[str] = []
    for level in (0, 2):
        arguments = kernel.copy_arguments()
        results = run(driver.open_device(), compiled(kernel.text, level), Launch(arguments, {}))
        for k, found in results.items():
            want = expected[k]
            assert isinstance(found, np.ndarray)
            assert isinstance(want, np.ndarray)
            tolerance = 0.0 if kernel.exact else TOLERANCE.get(found.dtype.name, 0.0)
            fault = mismatch(Launch([], {}, tolerance=tolerance), found, want)
            faults += [f"O{level}, argument {k}: {fault}"] if fault else []
    return faults


def compiled(text: str, level: int) -> Artifact:
    """The kernel for the device of this machine."""
    architecture = Architecture.of_capability(driver.open_device().description.capability)
    report = Report()
    module = read_module(Source("<generated>", text), report)
    return compile_module(module, NvidiaTarget(architecture), CompileOptions(level), report)
