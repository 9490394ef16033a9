"""Modes of extent 1 on the GPU: fused, expanded and sliced views of arrays with any stride there."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.unit_extents import FUSIONS, all_text, array_of, fusible
from targets.nvidia.case import Array, GroupArgument, Launch, faults
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

from .device import run

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    report = Report()
    module = read_module(Source("<extents>", all_text()), report)
    architecture = Architecture.of_capability(driver.open_device().description.capability)
    return compile_module(module, NvidiaTarget(architecture), CompileOptions(), report)


def check(artifact: Artifact, name: str, launch: Launch) -> None:
    """Launch a kernel by name."""
    number = [kernel.name for kernel in artifact.kernels].index(name)
    found = faults(launch, run(driver.open_device(), artifact, launch, number))
    layouts = [(a.shape, a.strides) for a in launch.arguments if isinstance(a, np.ndarray)]
    assert not found, f"{name} {layouts}: {'; '.join(found)}"


def blank(*shape: int) -> Array:
    """Poisoned."""
    return np.full(shape, np.nan, np.float32, order="F")


def test_fuse(artifact: Artifact, rng: np.random.Generator) -> None:
    for fusion in FUSIONS:
        for shape in (s for s in fusion.shapes if 0 not in s):
            source = fusible(rng, fusion, shape)
            expected = fusion.expected(source)
            check(artifact, fusion.name, Launch([source, blank(*expected.shape)], {1: expected}))


def test_expand_and_subview(artifact: Artifact, rng: np.random.Generator) -> None:
    for shape in ((1, 4), (5, 1), (1, 1), (3, 2)):
        source = array_of(rng, shape)
        check(artifact, "expanded", Launch([source, blank(*shape)], {1: source}))
    for shape in ((1, 4, 1), (1, 1, 1), (1, 6, 3)):
        source, count = array_of(rng, shape), shape[1]
        check(artifact, "sliced", Launch([source, blank(count, 1), np.int64(count)], {1: source[0, :, :1]}))


def test_groups(artifact: Artifact, rng: np.random.Generator) -> None:
    arrays = [array_of(rng, shape) for shape in ((1, 3, 4), (3, 1, 4), (1, 1, 4), (2, 1, 1), (1, 1, 1))]
    expected = blank(3, 4, len(arrays))
    for k, source in enumerate(arrays):
        fused = source.reshape(-1, source.shape[2], order="F")
        expected[: fused.shape[0], : fused.shape[1], k] = fused
    launch = Launch([GroupArgument(arrays), blank(*expected.shape)], {1: expected}, (len(arrays), 1, 1))
    check(artifact, "grouped", launch)
