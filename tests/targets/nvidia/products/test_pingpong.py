"""Two work-groups of a block that take tiles by turns, and a warp beside them that asks for what they multiply."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.products.test_clusters import check, emulate, gemm, given_for
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_tensors, lane_roles, scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

PINGPONG = "threads=128 tile=64x64x64 roles=yes pingpong=yes product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/3"
SHAPE = (200, 136, 320)
ERRORS = (KernelError, AssertionError)


def lanes(extents: tuple[int, int, int] = SHAPE, kind: str = "n.n", schedule: str = PINGPONG) -> Module:
    *_, module = levels(gemm(extents, kind), Architecture.SM_90A, schedule)
    return module


@pytest.mark.parametrize(
    ("kind", "extents", "parts"),
    [("n.n", SHAPE, 1), ("t.n", (136, 200, 128), 2), ("n.t", (320, 128, 64), 1), ("t.t", (64, 136, 192), 3)],
)
def test_in_any_order(kind: str, extents: tuple[int, int, int], parts: int, rng: np.random.Generator) -> None:
    """All majors, more steps than stages and one, odd and even tiles of a block, and none for the second side."""
    order = random.Random(int(rng.integers(1 << 30)))
    check(lanes(extents, kind), given_for(extents, kind, rng), order, parts)


def test_one_work_group_with_a_warp_that_asks(rng: np.random.Generator) -> None:
    module = lanes(schedule=PINGPONG.replace("pingpong=yes ", ""))
    assert "pingpong" not in (module.kernels[0].schedule or "")
    check(module, given_for(SHAPE, "n.n", rng), random.Random(1), 2)


def test_the_emulated_device_means_the_product(rng: np.random.Generator) -> None:
    extents = (128, 136, 128)
    llvm, kernel = emitted(gemm(extents), schedule=PINGPONG)
    assert "pingpong=yes" in kernel.facts[SCHEDULE]
    assert kernel.launch is not None
    assert kernel.launch.threads == (384, 1, 1)
    emulate(llvm, kernel, given_for(extents, "n.n", rng), random.Random(int(rng.integers(1 << 30))))


# What goes wrong is found


def nobody_awaits_the_other_side(kernel: Kernel) -> None:
    """A parity says nothing of a stage that is filled more than a round later."""
    (tiles,) = (op for op in kernel.walk() if isinstance(op, scf.For) and len(op.outs) == 3)
    branch = next(op for op in tiles.body.entry if isinstance(op, scf.If))
    next(op for op in branch.then.entry if isinstance(op, gpu_tensors.AwaitPhase)).erase()


def nothing_is_said_to_be_read(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, gpu_tensors.Arrive)]:
        op.erase()


def the_same_turn_again(kernel: Kernel) -> None:
    """The second side goes on where the first one began."""
    (tiles,) = (op for op in kernel.walk() if isinstance(op, scf.For) and len(op.outs) == 3)
    end = tiles.body.entry.last
    assert isinstance(end, scf.Yield)
    end.set_operand(0, tiles.carried[0])


@pytest.mark.parametrize(
    "mistake",
    [nobody_awaits_the_other_side, nothing_is_said_to_be_read, the_same_turn_again],
    ids=lambda each: each.__name__,
)
def test_mistakes_are_found(mistake: object, rng: np.random.Generator) -> None:
    module, given = lanes(), given_for(SHAPE, "n.n", rng)
    assert callable(mistake)
    mistake(module.kernels[0])
    with pytest.raises(ERRORS):
        check(module, given, random.Random(0), 1)


def test_slabs_of_each_side_are_its_own() -> None:
    (roles,) = (op for op in lanes().walk() if isinstance(op, lane_roles.Roles))
    assert roles.sides == lane_roles.SIDES
    assert any(isinstance(op, lane_roles.Side) for op in roles.main.entry)


def test_what_does_not_fit_is_said() -> None:
    for schedule in ("threads=128 pingpong=yes", "threads=256 roles=yes pingpong=yes", f"{PINGPONG} stores=threads"):
        with pytest.raises(tw.CompileError, match="pingpong=yes does not fit"):
            tw.compile(gemm((512, 512, 512)), target="nvidia:sm_90a", schedule=schedule)


def test_large_products_take_what_the_model_wishes() -> None:
    def schedule(size: int, kind: str) -> str:
        (kernel,) = tw.compile(gemm((size, size, size), kind, "f16"), target="nvidia:sm_90a")
        return kernel.schedule or ""

    assert "roles=yes pingpong=yes" in schedule(3072, "n.n")
    assert "product=176x128x64" in schedule(3840, "t.n")
    assert "product=200x128x64" in schedule(2560, "t.n")


@pytest.mark.parametrize(
    "schedule", [PINGPONG, "threads=256 tile=128x128x64 roles=yes", "threads=256 tile=128x128x64 roles=yes cluster=1x2"]
)
def test_roles_share_no_register_of_addresses(schedule: str) -> None:
    """What both have, ptxas does not keep in uniform registers, from which units take their descriptors, nor anything
    behind a branch by which lanes may part."""
    llvm = emitted(gemm((512, 512, 128)), schedule=schedule)[0]
    both, _, roles = compile_to_ptx(llvm, Architecture.SM_90A).partition("setmaxnreg")
    assert ", tilewright_shared;" not in both
    assert ", tilewright_shared;" in roles
    found = dict(re.findall(r"^ *(%\S+) = (.*)", llvm, re.MULTILINE))
    value = re.findall(r"br i1 (%\S+),", llvm.partition("setmaxnreg")[0])[-1]
    while "shfl.sync.idx" not in found[value]:
        assert found[value].startswith(("icmp", "zext"))
        value = re.findall(r"%[\w.]+", found[value])[0]


@needs_ptxas
def test_registers_are_enough() -> None:
    llvm, kernel = emitted(
        gemm((512, 512, 512), "n.n", "f16"), schedule="threads=128 tile=160x128x64 roles=yes pingpong=yes"
    )
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    assert "setmaxnreg.inc.sync.aligned.u32 \t240" in ptx
    found = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert found.spill_load_bytes == found.spill_store_bytes == 0
