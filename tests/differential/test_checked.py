"""Checked code of the CPU finds a fault where the interpreter does, and computes the same where there is none.

The seed of a failing kernel and its text are in the message.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.faults import Faulty, faulty
from generators.kernels import generate
from generators.tile_ir import TileKernel, module_of
from generators.tile_ir import generate as generate_tile_ir
from generators.tile_ir_values import Argument
from tilewright import KernelError
from tilewright.diagnostics import CompileError

from .compare import differences

KERNELS = count("RANDOM_FAULTS", 20, 3000)
SOUND = count("RANDOM_CHECKED_KERNELS", 8, 1000)
TILE_KERNELS = count("RANDOM_TILE_FAULTS", 6, 300)
CHUNK = 50
TOGETHER = 10
FEWEST = 0.05
"""A third of the kernels have a fault."""
BOUNDS = ("R010", "R013")


def verdict(program: tw.Program, kernel: Faulty) -> KernelError | None:
    """What a launch on fresh arguments ends with."""
    try:
        program.k[kernel.grid](*kernel.copy_arguments())
    except KernelError as error:
        return error
    return None


@pytest.mark.parametrize("chunk", range(-(-KERNELS // CHUNK)))
def test_faults_are_those_of_the_interpreter(chunk: int, ran: Ran) -> None:
    seen: list[bool] = []
    for seed in range(SEED + chunk * CHUNK, SEED + min(KERNELS, (chunk + 1) * CHUNK)):
        kernel = faulty(random.Random(seed))
        try:
            reference = tw.compile(kernel.text, target="interpreter", std="new")
        except CompileError:
            continue  # what is static is refused
        wanted = verdict(reference, kernel)
        seen.append(wanted is not None)
        for level in (0, 2):
            had = verdict(tw.compile(kernel.text, checked=True, level=level, cache=False, std="new"), kernel)
            text = f"seed {seed} -O{level}: {wanted} expected, got {had}\n{kernel.text}"
            assert (wanted is None) == (had is None), text
            assert had is None or had.diagnostics[0].code in BOUNDS, text
    if len(seen) > CHUNK // 2:
        assert FEWEST < np.mean(seen) < 1 - FEWEST, "faults and sound kernels are both drawn"
    ran(len(seen), "kernels of the tensor language with accesses out of bounds, checked")


def test_sound_kernels_compute_the_same(ran: Ran) -> None:
    for seed in range(SEED, SEED + SOUND):
        kernel = generate(random.Random(seed), 0.5)
        wanted, had = kernel.copy_arguments(), kernel.copy_arguments()
        tw.compile(kernel.text, cache=False, std="new").k[kernel.grid](*wanted)
        tw.compile(kernel.text, checked=True, cache=False, std="new").k[kernel.grid](*had)
        faults = list(differences(kernel, wanted, had))
        assert not faults, f"seed {seed}: {faults}\n{kernel.text}"
    ran(SOUND, "kernels of the tensor language without a fault, checked and unchecked")


def out_of_bounds(program: tw.Program, kernel: TileKernel, arguments: Sequence[Argument]) -> KernelError | None:
    """The error of a launch that finds an access out of bounds; what a kernel prints and asserts does not matter."""
    try:
        with redirect_stdout(StringIO()):
            program[kernel.name][kernel.grid](*arguments)
    except KernelError as error:
        return error if any(d.code == "R010" for d in error.diagnostics) else None
    return None


def cut(kernel: TileKernel, rnd: random.Random) -> list[Argument]:
    """The arguments, one of the arrays without some elements at its end."""
    arguments = kernel.copy_arguments()
    arrays = [k for k, a in enumerate(arguments) if isinstance(a, np.ndarray) and a.size > 1]
    if arrays:
        number = rnd.choice(arrays)
        array = np.asarray(arguments[number]).reshape(-1)
        arguments[number] = array[: -rnd.choice([1, 1, 2, array.size // 2])].copy()
    return arguments


@pytest.mark.parametrize("chunk", range(-(-TILE_KERNELS // TOGETHER)))
def test_faults_of_tile_ir_are_those_of_the_interpreter(chunk: int) -> None:
    """Arrays that are too short for a kernel that is sound."""
    seeds = range(SEED + chunk * TOGETHER, SEED + min(TILE_KERNELS, (chunk + 1) * TOGETHER))
    kernels = [generate_tile_ir(random.Random(seed), f"seed_{seed}", host=0.3) for seed in seeds]
    text = module_of(kernels)
    reference = tw.compile(text, target="interpreter")
    programs = {level: tw.compile(text, checked=True, level=level, cache=False) for level in (0, 2)}
    for kernel in kernels:
        for number in range(3):
            rnd = f"{kernel.name} {number}"
            wanted = out_of_bounds(reference, kernel, cut(kernel, random.Random(rnd)))
            for level, program in programs.items():
                had = out_of_bounds(program, kernel, cut(kernel, random.Random(rnd)))
                message = f"{kernel.name} -O{level}: {wanted} expected, got {had}\n{kernel.text}"
                assert (wanted is None) == (had is None), message
