"""Kernels that need more shared memory than there is: their tiles and allocations lie in the device's memory."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators import kernels, tile_ir
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, find_assembler

from .against_interpreter import disagreements, random_differences, tile_ir_meaning
from .case import faults
from .cases_exchanges import exchange_cases
from .cases_language import language_cases
from .cases_spmd import spmd_cases
from .emulated import compiled, emulated
from .launching import program_of_text
from .test_kernels import NAMED, words

CASES = [*language_cases(), *spmd_cases(), *exchange_cases()]
LITTLE = 64
"""Bytes of shared memory, so few that all of a kernel that needs more lies elsewhere."""
KERNELS = count("RANDOM_SCRATCH_KERNELS", 6, 500)


@pytest.mark.covering(0)
@pytest.mark.parametrize("name", [words(case) for case in CASES], ids="-".join)
def test_right_answers(name: tuple[str, ...], rng: np.random.Generator) -> None:
    case = NAMED["-".join(name)]
    launch = case.prepare(rng)
    found = faults(launch, emulated(case.lowered(Architecture.SM_80), LITTLE).run(launch))
    assert not found, "; ".join(found)


def test_random_kernels(ran: Ran) -> None:
    taken = 0
    for seed in range(SEED, SEED + KERNELS):
        print(f"seed {seed}")
        kernel = kernels.generate(random.Random(seed))
        found = compiled(kernel.text, shared_bytes=LITTLE)
        taken += any(info.launch is not None and info.launch.scratch_bytes for info in found.kernels)
        wrong = disagreements(kernel, lambda launch, number, k=found: k.run(launch, number))
        assert not wrong, f"seed {seed}: {'; '.join(wrong)}\n{kernel.text}"
    ran(taken, "kernels with scratch memory on the emulated device")


def test_random_kernels_of_tile_ir() -> None:
    for seed in range(SEED, SEED + KERNELS):
        print(f"seed {seed}")
        kernel = tile_ir.generate(random.Random(seed), f"seed_{seed}")
        text = tile_ir.module_of([kernel])
        found = compiled(text, shared_bytes=LITTLE)
        wrong = random_differences(kernel, 0, lambda launch, n, k=found: k.run(launch, n), tile_ir_meaning(text))
        assert not wrong, f"{kernel.name}: {'; '.join(wrong)}\n{kernel.text}"


BLOCKS = """func @k(%A: memref<i32x600x?>, %B: memref<i32x600x?>) {
    %one = constant 1 : i32
    %zero = constant 0 : i32
    %L = alloca : memref<i32x600,local>
    %g = group_id.x : index
    %a = subview %A[0:600,%g] : memref<i32x600>
    %b = subview %B[0:600,%g] : memref<i32x600>
    axpby %one, %a, %zero, %L
    axpby %one, %L, %one, %b
}
"""


def test_each_block_has_its_own(rng: np.random.Generator) -> None:
    program = program_of_text(BLOCKS, level=0, shared_bytes=LITTLE)
    assert program.k.info.launch is not None
    assert program.k.info.launch.scratch_bytes >= 2400
    a, b = (np.asfortranarray(rng.integers(-9, 9, (600, 6)), np.int32) for _ in range(2))
    wanted = a + b
    program.k[6](a, b)
    assert np.array_equal(b, wanted)


LARGE = BLOCKS.replace("600", "100000")


def test_what_no_block_has_room_for() -> None:
    """The launch says where it is; where ptxas is, it takes the text."""
    program = tw.compile(LARGE, target="nvidia:sm_90a", level=0, cache=False)
    assert "400,128 bytes of the device's memory a block" in str(program.k.info.launch)
    if find_assembler() is not None:
        assert assemble(program.text("ptx"), Architecture.SM_90A).kernels
