"""Two products with a softmax between them: right on every level and on the emulated device, no spills."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from loaded import loaded
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.cases import DTYPES
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.schedules import Way, parse_line
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

Array = npt.NDArray[Any]
TEXTS: Final = loaded(Path(__file__).parents[4] / "benchmarks" / "attention_texts.py")
SHAPES: Final = (
    TEXTS.Attention(64, 128, 64, (64, 32), heads=2),
    TEXTS.Attention(128, 192, 64, (64, 64)),
    TEXTS.Attention(64, 128, 128, (64, 64)),
    TEXTS.Attention(128, 128, 64, (64, 32), heads=4, causal=True, band=2),
    TEXTS.Attention(64, 192, 64, (64, 64), "bf16"),
    TEXTS.Attention(70, 100, 64, (64, 64), heads=2),
    TEXTS.Attention(130, 100, 64, (64, 32), heads=2, causal=True, plain=True),
)
ERRORS: Final = {"f16": 2e-3, "bf16": 1e-2}
every_architecture = pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)


def arguments(of: Any, rng: np.random.Generator) -> tuple[list[Array], npt.NDArray[np.float64]]:
    """Queries, keys, values, room for the result, and what it must be."""
    counts = (of.queries, of.keys, of.keys)
    q, k, v = ((rng.standard_normal((of.heads, n, of.width)) / 4).astype(DTYPES[of.element]) for n in counts)
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2)
    if of.causal:
        scores[:, np.arange(of.queries)[:, None] < np.arange(of.keys)] = -np.inf
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    wanted = weights / weights.sum(axis=2, keepdims=True) @ v.astype(np.float64)
    flat = [matrix.reshape(-1, of.width) for matrix in (q, k, v)]
    return [*flat, np.zeros_like(flat[0])], wanted.reshape(-1, of.width)


@lru_cache(maxsize=2 * len(SHAPES))
def taken_down(of: Any, architecture: Architecture) -> tuple[list[Module], str, tuple[KernelInfo, ...]]:
    """The kernel on every level, and as LLVM text: once for the tests below."""
    found = list(levels(TEXTS.attention(of), architecture))
    return found, *emit_llvm(read_back(found[-1]), architecture)


@pytest.mark.covering(1)
@pytest.mark.parametrize("of", SHAPES, ids=str)
@every_architecture
def test_right_on_every_level(of: Any, architecture: Architecture, rng: np.random.Generator) -> None:
    given, wanted = arguments(of, rng)
    grid = of.grid
    modules, llvm, kernels = taken_down(of, architecture)
    for module in some(modules, rng):
        arrays = [array.copy() for array in given]
        interpret(module.kernels[0], list(arrays), grid)
        np.testing.assert_allclose(arrays[3].astype(np.float64), wanted, atol=ERRORS[of.element])
    found = Emulated(Program(llvm), kernels).run(Launch(list(given), {}, grid))[3]
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=ERRORS[of.element])


@pytest.mark.covering(1)
@needs_ptxas
@pytest.mark.parametrize("of", SHAPES, ids=str)
@every_architecture
@pytest.mark.usefixtures("users_ptx")
def test_nothing_is_spilt_and_keys_and_values_run_ahead(of: Any, architecture: Architecture) -> None:
    _, llvm, (kernel,) = taken_down(of, architecture)
    taken = parse_line(kernel.facts[SCHEDULE])
    assert taken.way is Way.LANES
    assert taken.products
    assert all((product.stages or 0) > 1 for product in taken.products)
    ptx = compile_to_ptx(llvm, architecture)
    resources = assemble(ptx, architecture).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0
    assert ("cp.async.bulk.tensor" if architecture is Architecture.SM_90A else "cp.async.cg.shared.global") in ptx
    assert ("wgmma.mma_async" in ptx) == (architecture is Architecture.SM_90A)


@every_architecture
@pytest.mark.usefixtures("users_ptx")
def test_scores_stay_as_lanes_have_them(architecture: Architecture) -> None:
    """In registers, or, for instructions that read both factors from memory, in shared memory. Only the result is
    gathered for wide stores: shuffles in the loop would cost more than narrow stores there."""
    _, llvm, _ = taken_down(SHAPES[1], architecture)
    ptx = compile_to_ptx(llvm, architecture)
    stores = re.findall(r"st\.shared[.\w]*", ptx)
    assert set(stores) == (set() if architecture is Architecture.SM_90A else {"st.shared.b32"})
    assert set(re.findall(r"st\.global[.\w]*", ptx)) == {"st.global.v4.b32"}
