"""Loops with several products whose factors the machine copies by itself: any number of iterations, waits, order."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.emulator.text import EmulatorError
from targets.nvidia.products.test_attention import TEXTS, arguments, taken_down
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import arith, gpu_products, gpu_turns, lane_products, math, scf
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.engine import interpret
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx
from tilewright.transforms.explanations import explain_kernel

OF = TEXTS.Attention(64, 6 * 64, 64, (64, 64))
"""More blocks of keys than stages."""


def checked(module: Module, of: Any, rng: np.random.Generator) -> None:
    """Nothing differs from NumPy in the interpreter."""
    given, wanted = arguments(of, rng)
    interpret(module.kernels[0], list(given), of.grid)
    np.testing.assert_allclose(given[3].astype(np.float64), wanted, atol=2e-3)


def emulate(llvm: str, kernels: Any, given: list[Any], grid: tuple[int, int, int], seed: int | None = None) -> Any:
    """The result of the emulated device, whose warps take turns in the order of a seed."""
    order = None if seed is None else random.Random(seed)
    return Emulated(Program(llvm), kernels).run(Launch(list(given), {}, grid), schedule=order)[3]


@pytest.mark.covering(0)
@pytest.mark.parametrize("seed", range(2))
def test_warps_in_any_order(seed: int, rng: np.random.Generator) -> None:
    _, llvm, kernels = taken_down(OF, Architecture.SM_90A)
    given, wanted = arguments(OF, rng)
    found = emulate(llvm, kernels, given, (1, 1, 1), seed)
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=2e-3)


def test_factors_in_registers_are_told_as_no_memory() -> None:
    *_, module = levels(TEXTS.attention(OF), Architecture.SM_90A)
    told = [line for line in explain_kernel(module.kernels[0]).untold if "mma" in line]
    assert len(set(told)) == len(told) >= 2
    assert all("of shared buffer" in line for line in told)


def test_a_factor_in_registers_has_more_rows_than_the_sums_columns(rng: np.random.Generator) -> None:
    of = TEXTS.Attention(64, 2 * 128, 64, (64, 128))
    for module in some(levels(TEXTS.attention(of), Architecture.SM_90A), rng):
        checked(module, of, rng)


# Numbers of iterations that only a launch knows


def counted(text: str) -> str:
    """As many blocks of keys as a launch says."""
    text = text.replace("%o: tile<ptr<f16>>)", "%o: tile<ptr<f16>>, %count: tile<i32>)")
    return text.replace("(%zero to %blocks,", "(%zero to %count,")


@pytest.mark.covering(0)
@pytest.mark.parametrize("count", [0, 1, 2, 5, 6])
def test_any_number_of_iterations(count: int, rng: np.random.Generator) -> None:
    llvm, kernel = emitted(counted(TEXTS.attention(OF)))
    assert "copies=tensor" in kernel.facts[SCHEDULE]
    given, _ = arguments(OF, rng)
    part = TEXTS.Attention(64, count * 64, 64, (64, 64))
    found = np.asarray(emulate(llvm, (kernel,), [*given, np.int32(count)], (1, 1, 1)), np.float64)
    if count == 0:
        assert np.isnan(found).all(), "0 / 0"
        return
    q, k, v = (matrix.astype(np.float64) for matrix in given[:3])
    scores = q @ k[: part.keys].T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    wanted = weights / weights.sum(axis=1, keepdims=True) @ v[: part.keys]
    np.testing.assert_allclose(found, wanted, atol=2e-3)


def test_queries_are_read_before_the_program_writes_there(rng: np.random.Generator) -> None:
    """The device would copy them for all iterations, but it does so where the loop is."""
    line = next(line for line in TEXTS.attention(OF).splitlines() if line.startswith("%qs, %qd = "))
    tile, view = "tile<64x64xf16>", line.partition(" : ")[2].partition(", tile<i32>")[0]
    store = f"%wiped = store_view_tko weak %wipe, %qv[%row, %zero] token=%qd : {tile}, {view}, tile<i32> -> token"
    text = TEXTS.attention(OF).replace(line, f"{line}\n%wipe = constant <f16: 0.0> : {tile}\n{store}")
    given, wanted = arguments(OF, rng)
    for module in some(levels(text, Architecture.SM_90A), rng):
        arrays = [array.copy() for array in given]
        interpret(module.kernels[0], list(arrays), OF.grid)
        assert not arrays[0].any()
        np.testing.assert_allclose(arrays[3].astype(np.float64), wanted, atol=2e-3)


def test_sums_that_are_used_in_the_same_iteration(rng: np.random.Generator) -> None:
    """Then no product waits for the next one."""
    sums = "tile<64x64xf32>"
    text = TEXTS.attention(OF).replace(
        "continue %mn, %ln, %next :", f"%more = addf %next, %nothing : {sums}\ncontinue %mn, %ln, %more :"
    )
    given, wanted = arguments(OF, rng)
    modules = list(levels(text, Architecture.SM_90A))
    for module in modules:
        arrays = [array.copy() for array in given]
        interpret(module.kernels[0], list(arrays), (1, 1, 1))
        np.testing.assert_allclose(arrays[3].astype(np.float64), wanted, atol=2e-3)
    llvm, kernel = emitted(text)
    assert "copies=tensor" in kernel.facts[SCHEDULE]
    found = emulate(llvm, (kernel,), given, (1, 1, 1), 0)
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=2e-3)


def test_a_product_that_adds_to_another_one_reads_its_stage_before_it_is_copied_to(rng: np.random.Generator) -> None:
    """It begins behind what the iteration before has left to it, not before."""
    text = TEXTS.attention(replace(OF, scale=0.5))
    (line,) = [line for line in text.splitlines() if line.startswith("%s = mmaf %qs, %kt1, %still")]
    text = text.replace(line, line.replace("%s =", "%half =") + "\n" + line.replace("%still", "%half"))
    given, wanted = arguments(OF, rng)
    *_, module = levels(text, Architecture.SM_90A)
    assert "copies=tensor" in (module.kernels[0].schedule or "")
    checked(module, OF, rng)
    found = emulate(*emit_llvm(module, Architecture.SM_90A), given, (1, 1, 1), 0)
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=2e-3)


def test_work_groups_that_go_on_from_block_to_block(rng: np.random.Generator) -> None:
    """Three blocks of two heads by two work-groups, as the program says."""
    of = replace(OF, queries=192, heads=2, keys=2 * 64, groups=2)
    for module in some(levels(TEXTS.attention(of), Architecture.SM_90A, "threads=128 persistent=yes"), rng):
        assert "persistent=yes" in (module.kernels[0].schedule or "")
        checked(module, of, rng)


# What goes wrong is found


def _ops(kernel: Kernel, wanted: type[Any] | tuple[type[Any], ...]) -> list[Any]:
    return [op for op in kernel.walk() if isinstance(op, wanted)]


_AWAITED = (gpu_products.AwaitMma, lane_products.AwaitMma)


def scores_that_are_not_there(kernel: Kernel) -> None:
    """The product that is begun last is not the only one that may be left."""
    (wait,) = [op for op in _ops(kernel, _AWAITED) if op.others]
    wait.pending += 1


def sums_that_are_not_there(kernel: Kernel) -> None:
    *_, wait, _ = _ops(kernel, _AWAITED)
    wait.results[0].replace_all_uses_with(wait.operands[0])
    wait.erase()


def _wait_for_late_factors(kernel: Kernel) -> tensors.AwaitPhase:
    """In the loop, in front of the product; the next one is in a branch that nobody takes, the last behind the loop."""
    return _ops(kernel, tensors.AwaitPhase)[-3]


def no_wait_for_copies(kernel: Kernel) -> None:
    _wait_for_late_factors(kernel).erase()


def other_parity(kernel: Kernel) -> None:
    wait = _wait_for_late_factors(kernel)
    wait.set_operand(2, Builder.before_op(wait).index(0))


def too_many_bytes(kernel: Kernel) -> None:
    expect = _ops(kernel, tensors.Expect)[-1]
    expect.attributes["bytes"] = expect.bytes * 2


def product_of_another_stage(kernel: Kernel) -> None:
    """What the last product of an iteration reads is copied to already."""
    copies = _ops(kernel, tensors.CopyTensor)
    for op in (copies[-1], _ops(kernel, tensors.Expect)[-1]):
        for place in [k for k, value in enumerate(op.operands) if value is copies[-1].stage]:
            op.set_operand(place, Builder.before_op(op).index(0))


MISTAKES = [
    (scores_that_are_not_there, (KernelError, AssertionError), ""),
    (sums_that_are_not_there, (KernelError, AssertionError), ""),
    (no_wait_for_copies, KernelError, "not there"),
    (other_parity, KernelError, "not there"),
    (too_many_bytes, KernelError, "bytes are missing"),
    (product_of_another_stage, KernelError, ""),
]


@pytest.mark.parametrize("level", [0, -1], ids=["gpu", "lanes"])
@pytest.mark.parametrize(("mistake", "error", "said"), MISTAKES, ids=[each[0].__name__ for each in MISTAKES])
def test_mistakes_are_found(
    mistake: Callable[[Kernel], None], error: Any, said: str, level: int, rng: np.random.Generator
) -> None:
    module = read_back(taken_down(OF, Architecture.SM_90A)[0][level])
    mistake(module.kernels[0])
    with pytest.raises(error) as found:
        checked(module, OF, rng)
    assert said in str(found.value)


def test_waits_for_late_products_begin_basic_blocks() -> None:
    """In front of them a branch ends one, which nobody takes, and nothing is computed between."""
    modules, _, _ = taken_down(OF, Architecture.SM_90A)
    for module in (modules[0], modules[-1]):
        branch = _ops(module.kernels[0], tensors.AwaitPhase)[-2].parent_op
        assert isinstance(branch, scf.If)
        loop, at = branch.parent_op, branch.next
        assert isinstance(loop, scf.For)
        test = branch.condition.defining_op
        assert isinstance(test, arith.Cmp)
        assert (test.predicate, test.lhs, test.rhs) == (arith.Predicate.GE, loop.index, loop.upper)
        while not isinstance(at, _AWAITED):
            assert at is not None
            assert not isinstance(at, math.Exp2)
            at = at.next
        assert not at.others


def test_all_warps_have_read_what_is_copied_over(rng: np.random.Generator) -> None:
    """One that has not may multiply it yet."""
    _, llvm, kernels = taken_down(OF, Architecture.SM_90A)
    for mistake in (("mbarrier.init.shared(", "i32 4)", "i32 1)"), ("mbarrier.arrive.scope.cta", "call", "; call")):
        call, right, wrong = mistake
        lines = [line.replace(right, wrong) if call in line else line for line in llvm.splitlines()]
        assert lines != llvm.splitlines()
        given, _ = arguments(OF, rng)
        with pytest.raises(EmulatorError):
            emulate("\n".join(lines), kernels, given, (1, 1, 1), 0)


@needs_ptxas
@pytest.mark.covering(0)
@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.usefixtures("users_ptx")
def test_products_go_on_while_scores_are_weighed(width: int, causal: bool) -> None:
    """ptxas would say if it waited for products (C75..); all sums and both factors of a block of 128 x 128 fit."""
    of = TEXTS.Attention(256, 256, width, (128, 128), causal=causal)
    llvm, kernel = emitted(TEXTS.attention(of), schedule="threads=256")
    assert "copies=tensor" in kernel.facts[SCHEDULE]
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    assert "wgmma.wait_group.sync.aligned 1;" in ptx
    resources = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0


# Turns of groups of warps

TURNS = "threads=256 turns=yes"
IN_TURN = TEXTS.Attention(128, 5 * 64, 64, (128, 64))


@pytest.mark.covering(0)
@pytest.mark.parametrize("seed", range(2))
def test_groups_of_warps_take_turns(seed: int, rng: np.random.Generator) -> None:
    llvm, kernel = emitted(TEXTS.attention(IN_TURN), schedule=TURNS)
    assert "turns=yes" in kernel.facts[SCHEDULE]
    assert "barrier.cta.sync.aligned.count" in llvm
    given, wanted = arguments(IN_TURN, rng)
    found = emulate(llvm, (kernel,), given, (1, 1, 1), seed)
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=2e-3)


@pytest.mark.parametrize("lost", [gpu_turns.AwaitTurn, gpu_turns.PassTurn, gpu_turns.OpenTurns])
def test_turns_are_passed_on(lost: type[Any], rng: np.random.Generator) -> None:
    """As often as they are awaited, from the first group on until they have come back to it."""
    *_, module = levels(TEXTS.attention(IN_TURN), Architecture.SM_90A, TURNS)
    _ops(module.kernels[0], lost)[-1].erase()
    with pytest.raises(KernelError, match="turn"):
        checked(module, IN_TURN, rng)


def test_turns_end_once(rng: np.random.Generator) -> None:
    *_, module = levels(TEXTS.attention(IN_TURN), Architecture.SM_90A, TURNS)
    (end,) = _ops(module.kernels[0], gpu_turns.CloseTurns)
    Builder.before_op(end)(gpu_turns.CloseTurns(end.groups))
    with pytest.raises(KernelError, match="waits for a turn that nobody passes on"):
        checked(module, IN_TURN, rng)


def test_loops_that_take_no_turns() -> None:
    with pytest.raises(tw.CompileError, match="turns=yes does not fit"):
        tw.compile(TEXTS.attention(OF), target="nvidia:sm_90a", schedule="threads=128 turns=yes")
