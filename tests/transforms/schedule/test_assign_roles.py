"""A warp beside the work-group does what is asked of the device, and nothing else; both roles in any order."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from operators.test_attention_gradients import chosen
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.test_attention import TEXTS, arguments
from targets.nvidia.products.test_levels import levels
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_tensors, lane, lane_roles, scf, team
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.core import Operation, Region
from tilewright.ir.passes import PassContext
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx
from tilewright.targets.nvidia.roles import asks, registers
from tilewright.transforms.schedule.assign_roles import AssignRoles

OF = TEXTS.Attention(128, 5 * 64, 64, (128, 64))
ROLES = "threads=256 roles=yes"
OFTEN = 8
ASKED = (gpu_tensors.AwaitReaders, gpu_tensors.Expect, gpu_tensors.CopyTensor)


def lanes(schedule: str = ROLES, text: str = "") -> Module:
    """On the lane level."""
    *_, module = levels(text or TEXTS.attention(OF), Architecture.SM_90A, schedule)
    return module


def roles_of(module: Module) -> lane_roles.Roles:
    (found,) = (op for op in module.walk() if isinstance(op, lane_roles.Roles))
    return found


def ops(region: Region, *kinds: type[Operation]) -> list[Any]:
    return [op for outer in region.entry for op in outer.walk() if isinstance(op, kinds)]


def run(module: Module, rng: np.random.Generator, seed: int | None = None) -> None:
    """Nothing differs from NumPy in the interpreter, which looks for races."""
    given, wanted = arguments(OF, rng)
    order = None if seed is None else random.Random(seed)
    interpret(module.kernels[0], list(given), OF.grid, order=order, checked=seed is not None)
    np.testing.assert_allclose(given[3].astype(np.float64), wanted, atol=2e-3)


def test_the_warp_beside_does_what_is_asked_for() -> None:
    """With loops and branches around it that carry numbers alone, none of which is left with those who compute."""
    found = roles_of(lanes())
    assert not ops(found.main, *ASKED, lane.Elect)
    assert {type(op) for op in ops(found.beside, *ASKED)} == set(ASKED)
    effects = [op for op in ops(found.beside, Operation) if op.effects() and not op.regions]
    assert {type(op) for op in effects} == {*ASKED, gpu_tensors.OpenBarriers, lane.Elect, lane_roles.Meet}
    assert not ops(found.main, gpu_tensors.OpenBarriers)
    assert len(ops(found.main, lane_roles.Meet)) == len(ops(found.beside, lane_roles.Meet)) == 1
    (loop,) = ops(found.beside, scf.For)
    assert [str(value.type) for value in loop.outs] == ["index"]


def test_who_opens_barriers() -> None:
    """The producer, unless something is done before: others may still be at that memory."""
    module = lanes(f"{ROLES.removesuffix(' roles=yes')} roles=no")
    (kernel,) = module.kernels
    (opens, *_) = (op for op in module.walk() if isinstance(op, gpu_tensors.OpenBarriers))
    assert isinstance(opens.parent_op, scf.If)
    Builder.before_op(opens.parent_op)(team.Barrier(fence_local=True))
    kernel.schedule = (kernel.schedule or "").replace("roles=no", "roles=yes")
    assert AssignRoles().run(module, PassContext())
    found = roles_of(module)
    assert ops(found.main, gpu_tensors.OpenBarriers)
    assert not ops(found.beside, gpu_tensors.OpenBarriers)


@pytest.mark.parametrize("seed", range(3))
def test_in_any_order(seed: int, rng: np.random.Generator) -> None:
    run(lanes(), rng, seed)


@pytest.mark.parametrize(
    ("where", "lost", "said"),
    [
        ("main", gpu_tensors.Arrive, "all roles wait without end: role 0 at gpu.await_phase"),
        ("beside", gpu_tensors.CopyTensor, "all roles wait without end"),
        ("beside", lane_roles.Meet, "role 0 at lane.meet: 1 roles are missing"),
    ],
)
def test_roles_that_wait_without_end(where: str, lost: type[Operation], said: str, rng: np.random.Generator) -> None:
    module = lanes()
    ops(getattr(roles_of(module), where), lost)[0].erase()
    with pytest.raises(KernelError, match=said):
        run(module, rng)


def test_threads_may_meet_before_both_roles_do(rng: np.random.Generator) -> None:
    """At another barrier: the warp beside the work-group is not one of those that it waits for. As often as it takes
    that one to open its barriers and arrive where both meet."""
    module = lanes()
    first = next(iter(roles_of(module).main.entry))
    for _ in range(OFTEN):
        Builder.before_op(first)(team.Barrier(fence_local=True))
    llvm, kernels = emit_llvm(module, Architecture.SM_90A)
    given, wanted = arguments(OF, rng)
    found = Emulated(Program(llvm), kernels).run(Launch(list(given), {}, OF.grid))[3]
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=2e-3)


def test_what_is_asked_for_without_waiting_for_readers_is_found(rng: np.random.Generator) -> None:
    module = lanes()
    for op in ops(roles_of(module).beside, gpu_tensors.AwaitReaders):
        op.erase()
    with pytest.raises(KernelError, match="phase has all its arrivals and has not been awaited"):
        run(module, rng)


def test_who_has_roles_where_nobody_asks() -> None:
    """Two groups that take turns, if all blocks have as many iterations."""
    of = TEXTS.Attention(256, 256, 64, (128, 64), causal=True)
    in_turn = "threads=256 turns=yes"
    assert "roles=yes" in (lanes(in_turn).kernels[0].schedule or "")
    assert "roles" not in (lanes(in_turn, TEXTS.attention(of)).kernels[0].schedule or "")
    assert "roles" not in (lanes("threads=256 turns=no").kernels[0].schedule or "")
    assert "roles=no" in (lanes(f"{in_turn} roles=no").kernels[0].schedule or "")
    with pytest.raises(tw.CompileError, match="roles=yes does not fit"):
        tw.compile(
            TEXTS.attention(TEXTS.Attention(64, 128, 64, (64, 64))), target="nvidia:sm_90a", schedule="roles=yes"
        )


def test_who_takes_no_turns_where_nobody_asks() -> None:
    """Groups beside a producer warp that go on from block to block; one is in the next block before the other one."""
    goes_on = TEXTS.attention(TEXTS.Attention(256, 256, 128, (128, 128), groups=1))
    for asked, turns, roles in (("", False, True), (" roles=no", True, False), (" turns=yes", True, True)):
        said = chosen(goes_on, f"persistent=yes{asked}")
        assert ("turns=yes" in said, "roles=yes" in said) == (turns, roles)
    assert "turns=yes" in chosen(TEXTS.attention(TEXTS.Attention(256, 256, 128, (128, 128))), "")


@needs_ptxas
def test_registers_are_dealt_anew() -> None:
    """No more than there are, and as ptxas is told: it spills none. The producer's code, which all wait for, comes
    first."""
    for threads in (256, 384, 512):
        assert registers(threads) % 8 == 0
        at_first = 65536 // (threads + 128) // 8 * 8
        assert registers(threads) * threads + asks(threads) * 128 <= at_first * (threads + 128)
    assert (registers(256), asks(256)) == (232, 40)
    assert (registers(512), asks(512)) == (112, 24)
    llvm, (kernel,) = emit_llvm(lanes(), Architecture.SM_90A)
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    assert re.findall(r"setmaxnreg\.(\w+)\.sync\.aligned\.u32\s+(\d+);", ptx) == [("dec", "40"), ("inc", "232")]
    found = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert found.spill_load_bytes == found.spill_store_bytes == 0
