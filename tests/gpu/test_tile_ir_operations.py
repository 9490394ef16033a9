"""All operations of Tile IR on all types, and random kernels of it, on the GPU against the interpreter."""

from __future__ import annotations

import random

import numpy as np
import pytest

from differential.tile_ir_cases.case import grouped, module
from differential.tile_ir_cases.families import FAMILIES
from effort import SEED, count
from generators.tile_ir import generate, module_of
from targets.nvidia.against_interpreter import Runner, operation_differences, random_differences, tile_ir_meaning
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, find_assembler
from tilewright.targets.nvidia.target import NvidiaTarget

from .device import run_twice

KERNELS = count("GPU_TILE_KERNELS", 200, 5000)
COMPILED = 4
CHUNK = 10
needs_device = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


def artifact(text: str, architecture: Architecture, level: int) -> Artifact:
    """Compile a text for a device."""
    report = Report()
    module = read_module(Source("module.tileir", text), report)
    return compile_module(module, NvidiaTarget(architecture), CompileOptions(level), report)


def runner(compiled: Artifact) -> Runner:
    """Launches on the first device, twice each."""
    return lambda launch, number: run_twice(driver.open_device(), compiled, launch, number)


def this_device() -> Architecture:
    """The architecture of the first device."""
    return Architecture.of_capability(driver.open_device().description.capability)


# Anywhere


def test_random_kernels_are_accepted() -> None:
    kernels = [generate(random.Random(SEED + k), f"seed_{SEED + k}") for k in range(COMPILED)]
    compiled = artifact(module_of(kernels), Architecture.SM_80, 2)
    if find_assembler() is not None:
        assert len(assemble(compiled.payload.decode(), Architecture.SM_80).kernels) == COMPILED


# On a device


@needs_device
@pytest.mark.parametrize("family", FAMILIES)
def test_operations(family: str) -> None:
    make, ulp = FAMILIES[family]
    rng = np.random.default_rng(SEED)
    groups = grouped(make())
    wrong: list[str] = []
    for first in range(0, len(groups), CHUNK):
        part = groups[first : first + CHUNK]
        text = module(part)
        launched, meant = runner(artifact(text, this_device(), 2)), tile_ir_meaning(text)
        for number, group in enumerate(part):
            wrong += operation_differences(group, number, launched, meant, ulp, rng)
    assert not wrong, f"{len(wrong)} with seed {SEED}: {wrong[:60]}"


@needs_device
@pytest.mark.parametrize("first", range(0, KERNELS, CHUNK))
def test_random_kernels_run(first: int) -> None:
    seeds = range(SEED + first, SEED + min(first + CHUNK, KERNELS))
    kernels = [generate(random.Random(seed), f"seed_{seed}") for seed in seeds]
    text = module_of(kernels)
    launched, meant = runner(artifact(text, this_device(), 2)), tile_ir_meaning(text)
    for number, kernel in enumerate(kernels):
        faults = random_differences(kernel, number, launched, meant)
        assert not faults, f"{kernel.name}: {'; '.join(faults)}\n{kernel.text}"
