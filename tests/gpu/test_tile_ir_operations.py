"""All operations of Tile IR on all types, and random kernels of it, on the GPU against the interpreter."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

from differential.compare_tile_ir import difference
from differential.tile_ir_cases.case import Group, Shaped, grouped, module
from differential.tile_ir_cases.data import Array, blank, operand
from differential.tile_ir_cases.families import FAMILIES, agree
from effort import SEED, count
from generators.tile_ir import TileKernel, generate, module_of
from targets.nvidia.case import Argument, Launch
from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.interpreter.tile_ir.program import interpreted_tile_module
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.program import Program
from tilewright.targets.nvidia.ptx import assemble, find_assembler
from tilewright.targets.nvidia.target import NvidiaTarget

from .device import run

KERNELS = count("GPU_TILE_KERNELS", 200, 5000)
COMPILED = 4
CHUNK = 10
needs_device = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@dataclass(frozen=True, slots=True)
class Both:
    """A module for the device and in the interpreter."""

    artifact: Artifact
    meant: Program


def both(text: str, architecture: Architecture, level: int) -> Both:
    """Compile a text for a device and for the interpreter."""
    report = Report()
    source = Source("module.tileir", text)
    meant = interpreted_tile_module(read_tile_ir(source, report), text, checked=False)
    artifact = compile_module(read_module(source, report), NvidiaTarget(architecture), CompileOptions(level), report)
    return Both(artifact, meant)


def this_device() -> Architecture:
    """The architecture of the first device."""
    return Architecture.of_capability(driver.open_device().description.capability)


# Anywhere


def test_random_kernels_are_accepted() -> None:
    kernels = [generate(random.Random(SEED + k), f"seed_{SEED + k}") for k in range(COMPILED)]
    artifact = both(module_of(kernels), Architecture.SM_80, 2).artifact
    if find_assembler() is not None:
        assert len(assemble(artifact.payload.decode(), Architecture.SM_80).kernels) == COMPILED


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
        compiled = both(module(part), this_device(), 2)
        for number, group in enumerate(part):
            wrong += differences(group, compiled, number, ulp, rng)
    assert not wrong, f"{len(wrong)} with seed {SEED}: {wrong[:60]}"


def differences(group: Group, compiled: Both, number: int, ulp: float, rng: np.random.Generator) -> list[str]:
    """Names of the cases on which the device differs, with the first elements that do."""
    first = group.cases[0]
    inputs = [operand(type_, first.domain, k, rng) for k, type_ in enumerate(group.inputs)]
    memory = [operand(Shaped(element), first.domain, 7, rng) for element in first.pointers]
    outputs = [*(blank(type_) for _, type_ in group.outputs), *memory]
    wanted: list[Array] = [array.copy() for array in outputs]
    compiled.meant[f"k{number}"][1](*inputs, *wanted)
    arguments: list[Argument] = [*inputs, *outputs]
    results = run(driver.open_device(), compiled.artifact, Launch(arguments, {}), number)
    names = [*(group.cases[int(name.split("_")[1])].name for name, _ in group.outputs), *(first.name for _ in memory)]
    found: list[str] = []
    for k, (name, want) in enumerate(zip(names, wanted, strict=True), len(inputs)):
        have = results[k]
        assert isinstance(have, np.ndarray)
        if not agree(want, have, ulp):
            bits = f"u{want.dtype.itemsize}"
            at = int(np.argmax(want.view(bits) != have.view(bits)))
            found.append(f"{name} [{at}]: {want[at]!r} expected, got {have[at]!r}")
    return found


@needs_device
@pytest.mark.parametrize("first", range(0, KERNELS, CHUNK))
def test_random_kernels_run(first: int) -> None:
    seeds = range(SEED + first, SEED + min(first + CHUNK, KERNELS))
    kernels = [generate(random.Random(seed), f"seed_{seed}") for seed in seeds]
    compiled = both(module_of(kernels), this_device(), 2)
    for number, kernel in enumerate(kernels):
        faults = random_faults(kernel, compiled, number)
        assert not faults, f"{kernel.name}: {'; '.join(faults)}\n{kernel.text}"


def random_faults(kernel: TileKernel, compiled: Both, number: int) -> list[str]:
    """What differs between the device and the interpreter."""
    wanted = kernel.copy_arguments()
    compiled.meant[kernel.name][kernel.grid](*wanted)
    results = run(driver.open_device(), compiled.artifact, Launch(kernel.copy_arguments(), {}, kernel.grid), number)
    found: list[str] = []
    for output in kernel.outputs:
        have = results[output.argument]
        assert isinstance(have, np.ndarray)
        message = difference(output, np.asarray(wanted[output.argument]), have)
        found += [f"argument {output.argument}: {message}"] if message else []
    return found
