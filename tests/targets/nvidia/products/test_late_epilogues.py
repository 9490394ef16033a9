"""What follows a product is computed slab by slab, where the machine stores it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from tilewright.dialects import lane
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.dialects.gpu_stores import AwaitStores, StoreSlab
from tilewright.ir.passes import PassContext
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.schedule.late_epilogues import LateEpilogues

EVERY = "scale+bias+residual+relu"


def product(epilogue: str, rng: np.random.Generator) -> tuple[str, Launch]:
    """A program of `tw.matmul` and a launch of it on small integers."""
    m, n, k = 72, 200, 96
    numbers = {"scale": (n,), "bias": (n,), "residual": (m, n)}
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    given: dict[str, Any] = {
        name: rng.integers(-3, 4, numbers[name]).astype(np.float16) for name in epilogue.split("+")[:-1]
    }
    out = np.full((m, n), np.nan, np.float16)
    step = tw.matmul.plan(a, b, out, epilogue=epilogue, target="nvidia:sm_90a", **given).steps[0]
    wanted = a.astype(float) @ b.astype(float)
    for name, value in given.items():
        wanted = wanted * value if name == "scale" else wanted + value
    arguments = [array.transpose() for array in (a, b, *given.values(), out)]
    return step.text, Launch(arguments, {len(arguments) - 1: np.maximum(wanted, 0).astype(np.float16).T}, (1, 1, 1))


def late(text: str, asked: str) -> Module:
    """The lane level, with arithmetic in front of slabs."""
    *_, module = levels(text, Architecture.SM_90A, asked)
    LateEpilogues().run(module, PassContext())
    verified(module)
    return module


@pytest.mark.covering(1)
@pytest.mark.parametrize(
    "tile",
    [
        "192x64x64 threads=128",
        "64x168x64 threads=128",
        "192x64x64 threads=128 roles=yes pingpong=yes",
    ],
)
def test_each_slab_has_arithmetic_of_its_own(tile: str, rng: np.random.Generator) -> None:
    """Three slabs or more a warp, edges, several tiles a block; the emulator looks for races."""
    text, given = product(EVERY, rng)
    asked = f"tile={tile} copies=tensor persistent=yes stores=tensor maps=yes"
    module = late(text, asked)
    slabs = [op for op in module.walk() if isinstance(op, StoreSlab)]
    assert len(slabs) > 2
    assert len({op.value for op in slabs}) == len(slabs)
    assert not any(isinstance(op.value.defining_op, lane.Pick) for op in slabs)
    assert sum(isinstance(op, lane.Behind) for op in module.walk()) == len(slabs) - 1
    out = len(given.arguments) - 1
    found = faults(given, {out: interpreted(module, given)[out]})
    assert not found, found
    llvm, kernel = emitted(text, schedule=asked)
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@pytest.mark.parametrize(("epilogue", "columns"), [("scale+bias+relu", 192), (EVERY, 128)])
def test_arithmetic_that_is_not_waited_for_stays_together(
    epilogue: str, columns: int, rng: np.random.Generator
) -> None:
    """Little, which takes no longer than slabs are filled, or for as many slabs as there is memory for."""
    text, _ = product(epilogue, rng)
    module = late(text, f"tile={columns}x64x64 threads=128 stores=tensor maps=yes")
    assert not any(isinstance(op, lane.Behind) for op in module.walk())


def test_the_lightest_operand_is_held_while_slabs_are_read(rng: np.random.Generator) -> None:
    """Numbers of columns, behind the store of a slab and in front of the wait for what the next one is filled in."""
    text, _ = product(EVERY, rng)
    module = late(text, "tile=192x128x64 threads=256 persistent=yes stores=tensor maps=yes")
    held = [op for op in module.walk() if isinstance(op, lane.Behind)]
    assert {str(op.out.type) for op in held} == {"fragment<16xf16>"}
    for op in held:
        block = op.block
        assert block is not None
        ops = list(block)
        behind = ops[ops.index(op) :]
        until = next(number for number, each in enumerate(behind) if isinstance(each, StoreSlab))
        inner = [each for found in behind[:until] for each in found.walk()]
        assert sum(isinstance(each, AwaitStores) for each in inner) == 1


def test_what_others_use_is_computed_once(rng: np.random.Generator) -> None:
    text, _ = product(EVERY, rng)
    *_, module = levels(text, Architecture.SM_90A, "tile=192x64x64 threads=128 stores=tensor maps=yes")
    slab = next(op for op in module.walk() if isinstance(op, StoreSlab))
    pick = slab.value.defining_op
    assert isinstance(pick, lane.Pick)
    other = Builder.before_op(slab)(lane.Item(pick.fragments[0], 0)).out
    assert not LateEpilogues().run(module, PassContext())
    (user,) = pick.fragments[0].uses.keys() - {
        op.value.defining_op for op in module.walk() if isinstance(op, StoreSlab)
    }
    assert user is other.defining_op
