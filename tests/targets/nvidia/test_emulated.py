"""Kernels of whole languages, as the LLVM text that the device gets, give the right answer on the emulator, without
races, and on the level of lanes in the interpreter; test_lane_cases.py has those in the IR's own text.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from differential.tile_ir_cases.case import grouped, module
from differential.tile_ir_cases.families import FAMILIES
from effort import SEED, Ran, count, thorough
from generators import kernels, tile_ir
from tilewright.machine.cuda.architecture import Architecture

from .against_interpreter import (
    Runner,
    disagreements,
    operation_differences,
    random_differences,
    tile_ir_meaning,
)
from .case import Case, Launch, faults
from .cases_language import language_cases
from .cases_tile_ir import tile_ir_cases
from .emulated import Emulated, compiled, emulated
from .lane_level import interpreted
from .test_kernels import words

LARGE = ("tile_ir-matmul", "tile_ir-softmax", "tile_ir-mma-f16-64x64x32")
"""Those that take seconds, whose operations are in others too."""
SLOW = "collectives"
"""Kernels of which a run takes one: others have their types."""


def kind_of(case: Case) -> tuple[str, ...]:
    """What `covering` takes of a case."""
    found = words(case)
    return found[:1] if found[0] == SLOW else found


ALL = defaultdict[tuple[str, ...], list[Case]](list)
for each in (*language_cases(), *(c for c in tile_ir_cases() if c.name not in LARGE)):
    ALL[kind_of(each)].append(each)
FAMILIES_OF_THE_DEVICE = ("memory", "atomics", "control", "regions", "floats")
"""Those that the device does in its own way (floats: rounding modes); other arithmetic is the text of the CPU."""
KERNELS = count("RANDOM_EMULATED_KERNELS", 16, 2000)
TILE_KERNELS = count("RANDOM_EMULATED_TILE_KERNELS", 12, 1000)
SHARE = count("RANDOM_EMULATED_SHARE", 6, 1)
"""Of the operations of Tile IR one in so many, others from run to run."""
CHUNKS = 4


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", ALL, ids=[cases[0].name for cases in ALL.values()])
def test_right_answers(kind: tuple[str, ...], seed: int) -> None:
    """A usual run takes each kind of kernel and each type, of those that are slow one."""
    case = random.Random(seed).choice(ALL[kind])
    module = case.lowered(Architecture.SM_80)
    for is_device in (False, True):
        launch = case.prepare(np.random.default_rng(seed))
        found = faults(launch, emulated(module).run(launch) if is_device else interpreted(module, launch))
        assert not found, f"{'emulated' if is_device else 'interpreted'}: {'; '.join(found)}"


@pytest.mark.parametrize(("dtype", "number"), [("c32", np.complex64(2 - 3j)), ("c64", np.complex128(5 + 7j))])
def test_complex_numbers_are_passed(dtype: str, number: Any) -> None:
    text = f"func @k(%z: {dtype}, %A: memref<{dtype}x1>) {{ %i = constant 0 : index store %z, %A[%i] }}"
    launch = Launch([number, np.zeros(1, number.dtype)], {1: np.array([number])})
    assert not faults(launch, compiled(text).run(launch))


def runner(kernels: Emulated, races: bool = True) -> Runner:
    """Launches on the emulator."""
    return lambda launch, number: kernels.run(launch, number, races=races)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_kernels(chunk: int, ran: Ran) -> None:
    seeds = range(SEED + chunk, SEED + KERNELS, CHUNKS)
    for seed in seeds:
        print(f"seed {seed}")
        kernel = kernels.generate(random.Random(seed))
        found = disagreements(kernel, runner(compiled(kernel.text)))
        assert not found, f"seed {seed}: {'; '.join(found)}\n{kernel.text}"
    ran(len(seeds), "kernels of the tensor language on the emulated device")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_kernels_of_tile_ir(chunk: int, ran: Ran) -> None:
    seeds = range(SEED + chunk, SEED + TILE_KERNELS, CHUNKS)
    for seed in seeds:
        print(f"seed {seed}")
        kernel = tile_ir.generate(random.Random(seed), f"seed_{seed}")
        text = tile_ir.module_of([kernel])
        found = random_differences(kernel, 0, runner(compiled(text)), tile_ir_meaning(text))
        assert not found, f"{kernel.name}: {'; '.join(found)}\n{kernel.text}"
    ran(len(seeds), "kernels of Tile IR on the emulated device")


@pytest.mark.parametrize("family", FAMILIES_OF_THE_DEVICE)
def test_operations_of_tile_ir(family: str, rng: np.random.Generator) -> None:
    make, ulp = FAMILIES[family]
    groups = grouped(itertools.islice(make(), SEED % SHARE, None, SHARE))
    text = module(groups)
    # Those of memory store equal numbers at one address.
    launched, meant = runner(compiled(text), races=family != "memory"), tile_ir_meaning(text)
    wrong = [
        fault
        for number, group in enumerate(groups)
        for fault in operation_differences(group, number, launched, meant, ulp, rng)
    ]
    assert not wrong, f"{len(wrong)}: {wrong[:60]}"


@pytest.mark.skipif(not thorough(), reason="the emulator takes seconds")
def test_few_threads_for_a_large_tile(rng: np.random.Generator) -> None:
    """Each of twelve takes a product of 64x128 and 128x64 elements one after the other, and comes to an end."""
    text = """func @k(%c: memref<i8x?x?>, %a: memref<i8x?x?>, %b: memref<i8x?x?>)
    attributes{subgroup_size=2, work_group_size=[4,3]} {
        %one = constant 1 : i8
        %zero = constant 0 : i8
        gemm.t.t %one, %a, %b, %zero, %c
    }"""
    shapes = ((19, 6), (6, 19), (6, 6))
    c, a, b = (np.asfortranarray(rng.integers(-2, 3, shape).astype(np.int8)) for shape in shapes)
    found = compiled(text).run(Launch([c, a, b], {}), 0)[0]
    np.testing.assert_array_equal(np.asarray(found), a.T @ b.T)
