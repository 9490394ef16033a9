"""Accumulators are multiplied where a warp has a factor that is not 1: to the bit what all would be multiplied by."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest

from targets.nvidia.products.test_attention import TEXTS, arguments
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_tensor_rings import TURNS, emulate
from tilewright.dialects import arith, lane, scf
from tilewright.dialects.builtin import Module
from tilewright.dialects.lane_products import AwaitMma
from tilewright.interpreter.engine import interpret
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.transforms.schedule.skip_scaling import SkipScaling

OF: Final = TEXTS.Attention(128, 6 * 64, 64, (128, 64))
TEXT: Final = TEXTS.attention(OF)


def skipping(module: Module) -> int:
    """How many products with accumulators a module leaves out at times, once the pass has run."""
    PassManager([SkipScaling()]).run(module, PassContext())
    verified(module)
    branches = [op for op in module.kernels[0].walk() if isinstance(op, scf.If)]
    asked = [op for op in branches if isinstance(op.condition.defining_op, lane.All)]
    assert all(any(isinstance(inner, arith.Mul) for inner in op.walk()) for op in asked)
    return len(asked)


def growing(rng: np.random.Generator) -> tuple[list[Any], Any]:
    """Maxima of the first rows grow now and then, those of the second half do not."""
    given, _ = arguments(OF, rng)
    q, k, v, out = given
    rows = np.arange(len(q))
    q[rows % 40 < 5] *= 16
    q[64:] /= 64
    scores = q.astype(np.float64) @ k.astype(np.float64).T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return [q, k, v, out], weights / weights.sum(axis=1, keepdims=True) @ v.astype(np.float64)


@pytest.mark.parametrize(("schedule", "places"), [(TURNS, 2), ("threads=256 turns=no", 1)])
def test_skipped_to_the_bit(schedule: str, places: int, rng: np.random.Generator) -> None:
    """Where products are put off, one behind the loop too, with factors of the iteration before; and where not."""
    *_, lanes = levels(TEXT, Architecture.SM_90A, schedule)
    given, wanted = growing(rng)
    results: list[Any] = []
    for skips in (False, True):
        if skips:
            assert skipping(lanes) == places
        arrays = [array.copy() for array in given]
        interpret(lanes.kernels[0], list(arrays), OF.grid)
        results.append(arrays[3])
    np.testing.assert_array_equal(results[0].view(np.uint16), results[1].view(np.uint16))
    np.testing.assert_allclose(results[1].astype(np.float64), wanted, atol=2e-3)
    llvm, kernels = emit_llvm(lanes, Architecture.SM_90A)
    # what follows takes whole warps, as lanes that branch by themselves are not
    assert llvm.count("call i1 @llvm.nvvm.vote.all.sync") == places
    found = emulate(llvm, kernels, given, OF.grid, 0)
    np.testing.assert_allclose(np.asarray(found, np.float64).reshape(wanted.shape), wanted, atol=2e-3)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("%same = constant <f32: 1.0>", "%same = constant <f32: 0.5>"),
        ("%f = select %far, %f0, %same", "%f = select %far, %f0, %f0"),
        ("%scaled = mulf %acc, %fw", "%scaled = addf %acc, %fw"),
    ],
)
def test_factors_that_are_not_said_to_be_one(was: str, becomes: str) -> None:
    assert was in TEXT
    *_, lanes = levels(re.sub(re.escape(was), becomes, TEXT), Architecture.SM_90A, "threads=256 turns=no")
    assert any(isinstance(op, AwaitMma) for op in lanes.kernels[0].walk())
    assert skipping(lanes) == 0
