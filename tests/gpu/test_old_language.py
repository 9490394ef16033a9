"""The old language on the GPU: the old text and its upgraded text give the same bits, and the right answer.

Without a GPU both are compiled for one all the same: the PTX is equal, ptxas takes it where it is, and the interpreter
gives the right answer for both. The seed of a failing kernel is in the message.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, count
from frontends.old_tensor_language.reading import upgraded
from frontends.old_tensor_language.test_kernels import KERNELS, Old
from generators import old_kernels
from generators.arguments import Argument as HostArgument
from generators.arguments import copied, elements
from targets.nvidia.against_interpreter import TOLERANCE, on_device
from targets.nvidia.case import Array, Launch, mismatch
from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import with_stand_ins
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.languages import ReadOptions
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.groups import ArrayGroup
from tilewright.targets.nvidia.ptx import assemble, find_assembler
from tilewright.targets.nvidia.target import NvidiaTarget

from .device import run

ON_DEVICE = count("GPU_OLD_KERNELS", 200, 5000)
COMPILED = count("GPU_OLD_COMPILED", 5, 1000)
CHUNKS = 10
needs_device = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@dataclass(frozen=True, slots=True)
class Program:
    """An old kernel with its launch; `expected` are the arrays afterwards where somebody worked them out by hand."""

    name: str
    text: str
    arguments: Sequence[HostArgument]
    grid: int
    expected: Mapping[int, Array] = field(default_factory=dict[int, Array])


def hand_written(kernel: Old) -> Program:
    """A kernel of the table of all instructions, on fresh data."""
    rng = np.random.default_rng(SEED)
    arrays = {n: np.asfortranarray(rng.integers(-9, 9, s).astype(t)) for n, (t, s) in kernel.shapes.items()}
    wanted = {**arrays, **kernel.expected(arrays)}
    expected = {k: wanted[n].reshape(a.shape, order="F") for k, (n, a) in enumerate(arrays.items())}
    return Program("f", kernel.text, list(arrays.values()), kernel.grid, expected)


def generated(number: int) -> Program:
    """A random kernel."""
    kernel = old_kernels.generate(random.Random(SEED + number))
    return Program(kernel.name, kernel.text, kernel.arguments, old_kernels.GROUPS)


def artifact(text: str, std: str, architecture: Architecture, level: int, schedule: str = "") -> Artifact:
    """A text in the language that it is in, compiled for a device."""
    report = Report()
    module = read_module(Source("<kernel>", text), report, ReadOptions(std="old" if std == "old" else "new"))
    return compile_module(module, NvidiaTarget(architecture).scheduled(schedule), CompileOptions(level), report)


def flat(argument: HostArgument) -> list[Array]:
    """The arrays of an argument."""
    if isinstance(argument, list | ArrayGroup):
        return [a for a in elements(argument) if a is not None]
    return [np.asarray(argument)]


def interpreted(program: Program, text: str, std: str) -> list[list[Array]]:
    """All arrays after a run in the interpreter."""
    arguments = [copied(a) for a in program.arguments]
    compiled = tw.compile(text, target="interpreter", std="old" if std == "old" else "new", cache=False)
    compiled[program.name][program.grid](*arguments)
    return [flat(a) for a in arguments]


def compare(program: Program, found: Mapping[int, Sequence[Array]], wanted: Sequence[Sequence[Array]]) -> None:
    """What the interpreter gives, and what a person worked out."""
    for k, arrays in found.items():
        for have, want in zip(arrays, wanted[k], strict=True):
            fault = mismatch(Launch([], {}, tolerance=TOLERANCE.get(have.dtype.name, 0.0)), have, want)
            assert not fault, f"argument {k}: {fault}"
    for k, want in program.expected.items():
        assert np.array_equal(wanted[k][0], want), f"argument {k}: the interpreter is wrong"


# Anywhere


def check_compiled(program: Program, architecture: Architecture) -> None:
    """Equal code for both texts, which ptxas takes, and equal bits in the interpreter."""
    texts = ((program.text, "old"), (upgraded(program.text), "new"))
    for level in (0, 2):
        ours, theirs = (artifact(text, std, architecture, level) for text, std in texts)
        if any(kernel.steps is not None for kernel in ours.kernels):
            # what is computed in front of an instruction is some launch's or another's, by the order of the text
            whole = (artifact(text, std, architecture, level, "spread=no") for text, std in texts)
            assert len({instructions(each) for each in whole}) == 1, f"other code at level {level} in one launch"
        else:
            assert instructions(ours) == instructions(theirs), f"other code at level {level}"
        if level and find_assembler() is not None:
            assert set(assemble(ours.payload.decode(), architecture).kernels) == {
                info.symbol for kernel in ours.kernels for info in with_stand_ins(kernel)
            }
    results = [interpreted(program, text, std) for text, std in texts]
    assert bits(results[0]) == bits(results[1])
    compare(program, {}, results[0])


def instructions(compiled: Artifact) -> bytes:
    """The PTX without the comments in which LLVM numbers all calls of the process."""
    return re.sub(rb"// callseq \d+", b"", compiled.payload)


def bits(results: Sequence[Sequence[Array]]) -> list[bytes]:
    """Everything, byte for byte."""
    return [array.tobytes(order="A") for arrays in results for array in arrays]


@pytest.mark.covering(0)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_every_instruction_compiles(kernel: Old) -> None:
    check_compiled(hand_written(kernel), Architecture.SM_90A)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_kernels_compile(chunk: int) -> None:
    for number in range(chunk, COMPILED, CHUNKS):
        program = generated(number)
        try:
            check_compiled(program, Architecture.SM_80)
        except Exception as error:
            raise AssertionError(f"seed {SEED + number}: {type(error).__name__}: {error}\n{program.text}") from error


# On a device


def launched(program: Program, text: str, std: str, level: int) -> dict[int, list[Array]]:
    """All arrays after a run on the device."""
    context = driver.open_device()
    architecture = Architecture.of_capability(context.description.capability)
    launch = Launch([on_device(a) for a in program.arguments], {}, (program.grid, 1, 1))
    results = run(context, artifact(text, std, architecture, level), launch)
    found: dict[int, list[Array]] = {}
    for k, result in results.items():
        arrays = [result] if isinstance(result, np.ndarray) else result
        found[k] = [array for array in arrays if array is not None]
    return found


def check_on_device(program: Program) -> None:
    """The same bits from both texts at both levels; the interpreter's answer."""
    new = upgraded(program.text)
    wanted = interpreted(program, program.text, "old")
    for level in (0, 2):
        ours = launched(program, program.text, "old", level)
        theirs = launched(program, new, "new", level)
        assert bits(list(ours.values())) == bits(list(theirs.values())), f"other bits at level {level}"
        compare(program, ours, wanted)


@needs_device
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.name)
def test_every_instruction_runs(kernel: Old) -> None:
    check_on_device(hand_written(kernel))


@needs_device
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_kernels_run(chunk: int) -> None:
    for number in range(chunk, ON_DEVICE, CHUNKS):
        program = generated(number)
        try:
            check_on_device(program)
        except Exception as error:
            raise AssertionError(f"seed {SEED + number}: {type(error).__name__}: {error}\n{program.text}") from error
