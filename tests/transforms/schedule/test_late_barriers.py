"""late-barriers: who goes on with the same elements does not wait, all others do."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.emulated import emulated
from targets.nvidia.test_ragged import lowered, module_of
from tilewright.dialects import team
from tilewright.ir.passes import PassContext, PassManager
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.schedule.late_barriers import LateBarriers

N = 256
APART = "parameter_attributes = [{noalias = true}, {noalias = true}]"
HEAD = f'sym_name = "k", subgroup_size = 32, work_group_size = [64, 1], {APART}'


def text(body: str, size: int = N) -> str:
    """On B and C, with 64 elements more than a tile."""
    tile = f"tile<{size}xi32>"
    return f"""builtin.module {{ builtin.kernel {{{HEAD}}}
    (%B: memref<i32x{size + 64}>, %C: memref<i32x{size + 64}>) {{
      %z = arith.constant {{value = 0}} -> index
      %o = arith.constant {{value = 32}} -> index
      %three = arith.constant {{value = 3}} -> index
      {body} }} }}""".replace("tile<>", tile)


FIRST = "%x = tile.load %C, %z -> tile<> tile.store %x, %B, %z"
AGAIN = FIRST + " %y = tile.load %B, %z -> tile<> %s = arith.mul %y, %y -> tile<> tile.store %s, %B, %z"
SHIFTED = FIRST + " %y = tile.load %B, %o -> tile<> tile.store %y, %C, %z"
BY_ROUNDS = """scf.for %z, %three {operand_segments = [1, 1, 0, 0]} (%i: index) {
    %at = arith.mul %i, %o -> index
    %v = tile.load %B, %at -> tile<> %w = arith.add %v, %v -> tile<> tile.store %w, %B, %at }"""
IN_PLACE = BY_ROUNDS.replace("%B, %at", "%B, %z")


def found(body: str, size: int = N) -> tuple[int, list[np.ndarray]]:
    """Barriers on lanes, and what B and C are behind the kernel; a race is an error."""
    module = lowered(text(body, size))
    count = sum(isinstance(op, team.Barrier) for op in module.walk())
    b, c = np.full(size + 64, -1, np.int32), np.arange(size + 64, dtype=np.int32)
    arrays = emulated(module).run(Launch([b, c], {0: b, 1: c}))
    return count, [np.asarray(arrays[k]) for k in range(2)]


def test_own_elements() -> None:
    count, (b, _) = found(AGAIN)
    assert not count
    np.testing.assert_array_equal(b[:N], np.arange(N) ** 2)


def test_elements_of_others() -> None:
    """32 further on."""
    count, (_, c) = found(SHIFTED)
    assert count == 1
    np.testing.assert_array_equal(c[: N - 32], np.arange(32, N))


@pytest.mark.parametrize(("read", "barriers"), [("%z", 0), ("%o", 1)], ids=["own", "of others"])
def test_of_several_barriers_in_a_row_one_is_enough(read: str, barriers: int) -> None:
    """Each could be missed alone."""
    both = "team.barrier {fence_global = true, fence_local = true}"
    between = f"{both} %u = arith.mul %x, %x -> tile<> {both} %y = tile.load %B, {read} -> tile<>"
    count, (_, c) = found(f"{FIRST} {between} %v = arith.add %y, %u -> tile<> tile.store %v, %C, %z")
    assert count == barriers
    first = 32 * barriers
    np.testing.assert_array_equal(c[: N - first], np.arange(first, N) + np.arange(N - first) ** 2)


@pytest.mark.parametrize(("read", "barriers"), [("%z", 0), ("%o", 1)], ids=["own", "of others"])
def test_fences_are_tried_one_by_one(read: str, barriers: int) -> None:
    """The pass itself leaves no barrier in a row but one; a later pass would merge what it leaves."""
    both = "team.barrier {fence_global = true, fence_local = true}"
    between = f"{both} %u = arith.mul %x, %x -> tile<> {both} %y = tile.load %B, {read} -> tile<>"
    module = module_of(text(f"{FIRST} {between} %v = arith.add %y, %u -> tile<> tile.store %v, %C, %z"))
    steps = NvidiaTarget(Architecture.SM_80).passes(2)
    names = [step.name for step in steps]
    PassManager(steps[: names.index(LateBarriers.name) + 1]).run(module, PassContext())
    assert sum(isinstance(op, team.Barrier) for op in module.walk()) == barriers


def test_elements_that_several_threads_hold() -> None:
    """One of them writes for all."""
    count, (b, _) = found(AGAIN, 16)
    assert count >= 1
    np.testing.assert_array_equal(b[:16], np.arange(16) ** 2)


@pytest.mark.parametrize(("body", "step"), [(BY_ROUNDS, 32), (IN_PLACE, 0)], ids=["elsewhere", "in place"])
def test_rounds_of_a_loop(body: str, step: int) -> None:
    """The next round may be in the same place, or where another thread has been."""
    count, (b, _) = found(body)
    assert count == (1 if step else 0)
    wanted = np.full(N + 64, -1)
    for number in range(3):
        wanted[step * number : step * number + N] *= 2
    np.testing.assert_array_equal(b, wanted)


@pytest.mark.parametrize("asked", ["", "team.barrier {fence_global = true}"])
@pytest.mark.parametrize(("semantics", "barriers"), [("relaxed", 0), ("release", 1), ("sequentially_consistent", 1)])
def test_who_releases_waits_for_all(semantics: str, barriers: int, asked: str) -> None:
    """The flag tells of what all threads have stored, in memory of which none is the flag's."""
    flag = f'memref.atomic_store %f, %C, %z {{semantics = "{semantics}", scope = "device"}}'
    count, (_, c) = found(
        f"%f = arith.constant {{value = 1}} -> i32 {FIRST.replace('%C, %z', '%C, %o')} {asked} {flag}"
    )
    assert count == barriers
    assert c[0] == 1


def test_who_acquires_is_waited_for() -> None:
    acquire = '%f = memref.atomic_load %C, %z {semantics = "acquire", scope = "device"} -> i32'
    count, _ = found(f"{acquire} %x = tile.load %B, %z -> tile<> tile.store %x, %B, %o")
    assert count == found("%x = tile.load %B, %z -> tile<> tile.store %x, %B, %o")[0] + 1
