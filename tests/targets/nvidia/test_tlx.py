"""TLX for NVIDIA devices: random programs on the emulated device, and what is too large for it in ptxas.

The texts of `frontends.tlx` and the operations of `transforms.lower_tlx` run there where they are tested.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from frontends.tlx.kernels import function, load, store, typeinfo
from generators.tlx import Generated, generate
from tilewright.artifacts.artifact import PointerParameter
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.apart import takes_apart
from tilewright.targets.nvidia.ptx import assemble, find_assembler

from .launching import program_of_text

EXAMPLE = Path(__file__).parents[3] / "examples" / "matmul.ll"
PROGRAMS = count("RANDOM_EMULATED_TLX_PROGRAMS", 5, 1000)
ASSEMBLED = count("RANDOM_ASSEMBLED_TLX_PROGRAMS", 4, 200)
MOST = 3000
"""Elements of an argument that the emulator takes its time for."""
LITTLE = 64
"""Bytes of shared memory, for which nearly every tensor is too large."""


_SIZE = 128
_COUNT = _SIZE * _SIZE


def is_small(program: Generated) -> bool:
    """Whether the emulator gets to its end soon."""
    return all(np.size(argument) <= MOST for argument in program.arguments)


def test_random_programs(ran: Ran) -> None:
    taken = 0
    for seed in range(SEED, SEED + PROGRAMS):
        print(f"seed {seed}")
        program = generate(random.Random(seed))
        if not is_small(program):
            continue
        level, room = (2, 2, 0, 1)[seed % 4], (None, LITTLE)[seed // 4 % 2]
        arguments: list[Any] = [a.copy() if isinstance(a, np.ndarray) else a for a in program.arguments]
        program_of_text(program.text, level, room).k[1](*arguments)
        for number, (found, expected) in enumerate(zip(arguments, program.expected, strict=True)):
            assert np.array_equal(found, expected), f"seed {seed}, argument {number}\n{program.text}"
        taken += 1
    ran(taken, "TLX programs on the emulated device")


def test_random_programs_become_ptx(ran: Ran) -> None:
    """Large ones too; where ptxas is, it takes the text."""
    for seed in range(SEED, SEED + ASSEMBLED):
        check_ptx(generate(random.Random(seed)).text, (Architecture.SM_80, Architecture.SM_90A)[seed % 2])
    ran(ASSEMBLED, "TLX programs as PTX")


def check_ptx(text: str, architecture: Architecture) -> tw.Program:
    """A text compiled for an architecture."""
    program = tw.compile(text, target=f"nvidia:{architecture.value}", cache=False)
    if find_assembler() is not None:
        assert assemble(program.text("ptx"), architecture).kernels
    return program


def test_the_example(rng: np.random.Generator) -> None:
    a, b = (rng.integers(-8, 9, (16, 32)).astype(np.float32) for _ in range(2))
    c = np.zeros((16, 20), np.float32)
    program_of_text(EXAMPLE.read_text())["matmul"](a, b, c)
    assert np.array_equal(c[:, :16], a @ b.T)


def product(size: int) -> str:
    """A product of square matrices that may overlap, so that it may need memory of its own."""
    return function(
        f"%ta = {load('%a', 'float', [size, size])}",
        f"%tb = {load('%b', 'float', [size, size])}",
        f"%v = call <{size * size} x float> @llvm.tensor.matmul(token %ta, token %tb)",
        f"%tc = {typeinfo(f'<{size * size} x float> %v', [size, size])}",
        store("%c", "%tc", [0, 0]),
    )


@pytest.mark.covering(0)
@pytest.mark.parametrize("architecture", Architecture)
def test_products_too_large_for_shared_memory(architecture: Architecture) -> None:
    program = check_ptx(product(1024), architecture)
    launch = program.k.info.launch
    assert launch is not None
    assert launch.scratch_bytes >= 4 << 20


@pytest.fixture(scope="module")
def in_two_forms() -> tw.Program:
    """A product with tiles for several blocks, whose result goes through scratch memory in one."""
    return program_of_text(product(_SIZE), shared_bytes=4096)


@pytest.mark.parametrize(("place", "is_apart"), [(2 * _COUNT, True), (0, False), (2 * _COUNT - 1, False)])
def test_products_wherever_the_result_lies(
    rng: np.random.Generator, in_two_forms: tw.Program, place: int, is_apart: bool
) -> None:
    memory = rng.integers(-8, 9, 3 * _COUNT).astype(np.float32)
    a, b, c = (memory[at : at + _COUNT].reshape(_SIZE, _SIZE) for at in (0, _COUNT, place))
    wanted = a @ b
    info = in_two_forms.k.info
    assert takes_apart(info, [a, b, c]) is is_apart
    in_two_forms.k(a, b, c)
    assert np.array_equal(c, wanted)


def test_the_form_for_arrays_that_lie_apart(in_two_forms: tw.Program) -> None:
    """It is divided among blocks, and stores its result at once; both are told of."""
    kernel = in_two_forms.k
    assert kernel.info.launch is not None
    assert kernel.info.launch.parts is None
    assert kernel.info.launch.scratch_bytes >= 4 * _COUNT
    assert kernel.info.apart is not None
    plan = kernel.info.apart.launch
    assert plan is not None
    assert plan.parts is not None
    assert plan.scratch_bytes < 4 * _COUNT
    pointers = [each for each in kernel.info.apart.parameters if isinstance(each, PointerParameter)]
    assert [pointer.written for pointer in pointers] == [False, False, True]
    told = kernel.schedule.split(" # where an array overlaps one that is written: ")
    assert ["spread=yes" in form for form in told] == [True, False]
