"""Launches that are refused unless the machine copies their matrices by itself (`maps=yes`)."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TEXTS, launch
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.artifact import KernelInfo, MemrefParameter
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.dialects import scf
from tilewright.dialects.gpu_stores import StoreTile
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.constraint_check import ConstraintCheck, quantity_positions
from tilewright.runtime.undefined_launch import UndefinedLaunch
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

TILES = "tile=64x64x64 threads=128 copies=tensor stores=tensor"
TEXT = TEXTS.whole_gemm(0, "f16", "f16", False, "?")
THREADS_COPY = "llvm.nvvm.cp.async.c"


@pytest.fixture(scope="module")
def demanding() -> tuple[str, KernelInfo]:
    return emitted(TEXT, schedule=f"{TILES} maps=yes")


def test_there_is_one_way(demanding: tuple[str, KernelInfo], rng: np.random.Generator) -> None:
    llvm, kernel = demanding
    assert kernel.facts[SCHEDULE].endswith("maps=yes")
    assert THREADS_COPY in emitted(TEXT, schedule=TILES)[0]
    assert THREADS_COPY not in llvm
    product = TEXTS.Product((72, 64, 136), "f16", "f32", rounded="f16")
    given = launch(product, (72, 64), "F", rng)
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


def test_every_level_means_the_product(rng: np.random.Generator) -> None:
    product = TEXTS.Product((72, 64, 136), "f16", "f32", rounded="f16")
    for module in levels(TEXT, Architecture.SM_90A, f"{TILES} maps=yes"):
        for op in module.walk():
            assert not (isinstance(op, scf.If) and op.orelse and any(isinstance(x, StoreTile) for x in op.walk()))
        given = launch(product, (72, 64), "F", rng)
        found = faults(given, {2: interpreted(module, given)[2]})
        assert not found, found


def test_a_plan_for_matrices_beside_each_other(rng: np.random.Generator) -> None:
    """Of `tw.matmul`, which asks for maps: rows of the left ones lie between those of others."""
    left, right = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((40, 3, 72), (3, 72, 64)))
    a, out = left.swapaxes(0, 1), np.full((3, 40, 64), np.nan, np.float16)
    step = tw.matmul.plan(a, right, out, target="nvidia:sm_90a").steps[0]
    llvm, kernel = emitted(step.text, schedule=step.tiles)
    assert step.tiles.endswith("maps=yes")
    assert THREADS_COPY not in llvm
    gcds = [each.stride_gcd for each in kernel.parameters if isinstance(each, MemrefParameter)]
    assert gcds == [(1, 8, 8)] * 3
    wanted = (a.astype(float) @ right.astype(float)).astype(np.float16)
    given = Launch([left.transpose(), right.transpose(), out.transpose()], {2: wanted.transpose()}, (1, 1, 1))
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@pytest.mark.parametrize("extents", [(40, 24, 36), (33, 29, 19), (64, 32, 19), (64, 32, 32), (5, 70, 3)], ids=str)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_copy_16_bytes_or_an_element_at_a_time(
    dtype: type[np.float32 | np.float64], first: int, extents: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Nothing else, whatever ends in a box. Left factors of f32 are turned element by element."""
    m, n, k = extents
    a, b = (rng.integers(-3, 4, shape).astype(dtype) for shape in ((m, 40), (k, 72)))
    a, b, out = a[:, first : first + k], b[:, first : first + n], np.full((m, n), np.nan, dtype)
    plan = tw.matmul.plan(a, b, out, target="nvidia:sm_80")
    step = plan.steps[0]
    assert step.tiles.endswith("maps=none") == (first == 1)
    assert not plan.copies
    llvm, kernel = emitted(step.text, Architecture.SM_80, schedule=f"tile=32x32x16 maps={'none' if first else 'yes'}")
    assert ("cp.async.ca" in llvm) == (first == 1 or dtype is np.float32)
    assert ("cp.async.cg" in llvm) == (first == 0)
    given = Launch([a.transpose(), b.transpose(), out.transpose()], {2: (a @ b).transpose()}, (1, 1, 1))
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@pytest.mark.parametrize(
    ("element", "schedule"),
    [("f16", "copies=threads maps=yes"), ("f16", "copies=tensor maps=none"), ("f64", "maps=apart")],
)
def test_who_copies_decides_what_can_be_said_of_maps(element: str, schedule: str) -> None:
    said = schedule.split()[-1]
    text = TEXTS.whole_gemm(0, element, element, False, "?")
    with pytest.raises(tw.CompileError, match=f"{said} does not fit kernel product"):
        tw.compile(text, target="nvidia:sm_90a", schedule=f"tile=64x64x64 threads=128 {schedule}")


def test_parameters_declare_what_divides_them(demanding: tuple[str, KernelInfo]) -> None:
    for parameter in demanding[1].parameters:
        assert isinstance(parameter, MemrefParameter)
        assert (parameter.alignment, parameter.stride_gcd) == (16, (1, 8))


@pytest.mark.parametrize(
    ("which", "shape", "strides", "said"),
    [
        (0, (64, 64), (1, 64), ""),
        (0, (0, 64), (1, 64), "of extent 0 of %A"),
        (0, (64, 0), (1, 64), "of extent 1 of %A"),
        (1, (1 << 31, 64), (1, 1 << 31), ""),
        (1, ((1 << 31) + 8, 64), (1, 1 << 32), "of extent 0 of %B"),
        (1, (64, 64), (1, 1 << 39), "of stride 1 of %B"),
        (2, (64, 64), (1, (1 << 39) - 8), ""),
        (2, (64, 64), (1, 56), "of extent 0 of %C"),
    ],
)
def test_launches_without_maps_are_refused(
    which: int, shape: tuple[int, int], strides: tuple[int, int], said: str, demanding: tuple[str, KernelInfo]
) -> None:
    """Of numbers alone: what else a launch must fulfil is not looked at."""
    _, kernel = demanding
    places = quantity_positions(kernel)
    values = [0] * (1 + max(places.values()))
    for number, parameter in enumerate(kernel.parameters):
        sizes = (shape, strides) if number == which else ((64, 64), (1, 64))
        for quantity, place in places.items():
            if quantity.parameter == parameter.name:
                values[place] = sizes[quantity.origin.value == "stride"][quantity.mode]
    kept = tuple(each for each in kernel.constraints if "maps=yes" in str(each))
    check = ConstraintCheck.of(replace(kernel, constraints=kept))
    assert check is not None
    if not said:
        check.check(values, (1, 1, 1))
        return
    with pytest.raises(UndefinedLaunch, match="what the machine can copy") as refused:
        check.check(values, (1, 1, 1))
    assert said in str(refused.value)


@needs_ptxas
def test_ptxas_keeps_little_in_registers(demanding: tuple[str, KernelInfo]) -> None:
    """Nothing of a second way; addresses of factors are in uniform registers."""
    llvm, kernel = demanding
    found = assemble(compile_to_ptx(llvm, Architecture.SM_90A), Architecture.SM_90A).kernels[kernel.symbol]
    assert (found.spill_store_bytes, found.spill_load_bytes) == (0, 0)
    assert found.registers <= 96
