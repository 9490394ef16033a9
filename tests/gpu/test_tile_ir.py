"""CUDA Tile IR on the GPU, through the same tiles as the tensor language.

Without a GPU the kernels are compiled for two architectures all the same: ptxas takes them where it is, and what was
scheduled for the device gives the right answer in the interpreter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Case, Launch, faults
from targets.nvidia.cases_tile_ir import EXAMPLES, tile_ir_cases
from targets.nvidia.lane_level import interpreted
from targets.nvidia.test_kernels import assemble_all
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.errors import LaunchError

from .device import run

CASES = tile_ir_cases()
needs_device = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")
every_case = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)


def fresh(case: Case) -> tuple[int, Launch]:
    """Arguments and the seed that they came from."""
    seed = int(np.random.default_rng().integers(1 << 31))
    return seed, case.prepare(np.random.default_rng(seed))


# Anywhere


@pytest.mark.covering(0)
@every_case
def test_accepted_for_sm_80(case: Case) -> None:
    assemble_all(case, Architecture.SM_80)


@pytest.mark.covering(0)
@pytest.mark.parametrize("case", CASES[:5], ids=lambda c: c.name)
def test_accepted_for_sm_90a(case: Case) -> None:
    assemble_all(case, Architecture.SM_90A)


@pytest.mark.covering(0)
@every_case
def test_interpreted(case: Case) -> None:
    seed, launch = fresh(case)
    module = case.lowered(Architecture.SM_80)
    (kernel,) = module.kernels
    assert kernel.spread
    assert kernel.subgroup_size == 32
    found = faults(launch, interpreted(module, launch))
    assert not found, f"seed {seed}: {'; '.join(found)}"


# On a device


@needs_device
@pytest.mark.parametrize("level", [0, 2])
@every_case
def test_right_answers(case: Case, level: int) -> None:
    context = driver.open_device()
    artifact = case.artifact(Architecture.of_capability(context.description.capability), level)
    seed, launch = fresh(case)
    for _ in range(2):
        found = faults(launch, run(context, artifact, launch))
        assert not found, f"seed {seed}, level {level}: {'; '.join(found)}"


def torch() -> Any:
    """PyTorch, if it is here and sees the device."""
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("PyTorch sees no device")
    return module


@needs_device
def test_tensors_for_pointers() -> None:
    t = torch()
    program = tw.compile((EXAMPLES / "vector_add.tileir").read_text(), target="nvidia", cache=False)
    n = 100_003
    a, b = t.randn(n, device="cuda"), t.randn(n, device="cuda")
    c = t.full((n + 7,), 5.0, device="cuda")
    program.vector_add[-(-n // 1024)](a, b, c, n)
    t.cuda.synchronize()
    assert t.equal(c[:n], a + b)
    assert bool((c[n:] == 5.0).all())
    program.vector_add[1](tw.address(a.data_ptr(), nbytes=4 * n), b, c, 1000)
    for wrong, words in ((a.cpu(), "lies on cpu"), (a.double(), "dtype is float64"), (np.zeros(n, np.float32), "cpu")):
        with pytest.raises(LaunchError, match=words):
            program.vector_add[1](wrong, b, c, n)


@needs_device
def test_all_of_a_product() -> None:
    t = torch()
    program = tw.compile((EXAMPLES / "matmul.tileir").read_text(), target="nvidia", cache=False)
    a, b = t.randn(1024, 1024, device="cuda"), t.randn(1024, 1024, device="cuda")
    c = t.full((1024, 1024), float("nan"), device="cuda")
    program.matmul[16, 16](a, b, c)
    t.cuda.synchronize()
    expected = a.double() @ b.double()
    assert (c.double() - expected).norm() <= 1e-6 * expected.norm()
