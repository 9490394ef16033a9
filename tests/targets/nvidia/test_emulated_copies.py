"""Asynchronous copies and matrix loads on the emulator: what arrives when, and what is noticed of code that errs."""

from __future__ import annotations

import numpy as np
import pytest

from .emulator.machine import Device, Program
from .emulator.memory import MemoryFault
from .emulator.races import RaceError

COMMIT = "  call void @llvm.nvvm.cp.async.commit.group()"
BARRIER = "  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)"


def wait(pending: int) -> str:
    return f"  call void @llvm.nvvm.cp.async.wait.group(i32 {pending})"


def copy(given: int = 4, target: str = "%s") -> str:
    """4 bytes of the thread's own word, or fewer and zeros."""
    operands = f"ptr addrspace(3) {target}, ptr addrspace(1) %g, i32 {given}"
    return f"  call void @llvm.nvvm.cp.async.ca.shared.global.4.s({operands})"


def show(place: str = "%s", to: str = "%p") -> str:
    return f"  %v{to[1:]} = load i32, ptr addrspace(3) {place}, align 4\n  store i32 %v{to[1:]}, ptr {to}, align 4"


def run(*lines: str, threads: int = 32) -> list[int]:
    """One block; `%p` is a word of the thread, `%g` the same word, `%s` and `%next` words of shared memory."""
    text = "\n".join(lines)
    program = f"""@shared = external addrspace(3) global [0 x i8], align 128
define ptx_kernel void @k(ptr byval([16 x i8]) align 16 %slots.p0) nounwind "nvvm.reqntid"="{threads},1,1" {{
entry:
  %out = load ptr, ptr %slots.p0, align 8
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = zext i32 %tid to i64
  %p = getelementptr i32, ptr %out, i64 %t
  %g = addrspacecast ptr %p to ptr addrspace(1)
  %s = getelementptr i32, ptr addrspace(3) @shared, i64 %t
  %more = add i64 %t, 1
  %around = urem i64 %more, {threads}
  %next = getelementptr i32, ptr addrspace(3) @shared, i64 %around
{text}
  ret void
}}
"""
    device = Device()
    out = device.memory.allocate(4 * threads)
    out.write(np.arange(threads, dtype=np.int32).tobytes())
    device.launch(Program(program), "k", (1, 1, 1), np.array([out.address, 0]).tobytes(), 8 * threads)
    return np.frombuffer(out.read(), np.int32).tolist()


def test_a_copy_has_arrived_when_its_group_is_awaited() -> None:
    assert run(copy(), COMMIT, wait(0), show()) == list(range(32))


def test_before_that_nothing_is_there() -> None:
    """Not awaited, awaited before it is in a group, or as the last group that may be pending."""
    for lines in ((copy(), COMMIT, show()), (copy(), wait(0), show()), (copy(), COMMIT, wait(1), show())):
        assert run(*lines) == [int(np.frombuffer(b"\xa5" * 4, np.int32)[0])] * 32


def test_groups_arrive_in_order() -> None:
    assert run(copy(), COMMIT, COMMIT, wait(1), show()) == list(range(32))
    assert run(copy(0), COMMIT, copy(), COMMIT, wait(0), show()) == list(range(32))


def test_what_is_not_given_is_zero_and_not_read() -> None:
    assert run(copy(0), COMMIT, wait(0), show()) == [0] * 32
    assert run(copy(1), COMMIT, wait(0), show()) == list(range(32))


def test_others_see_a_copy_behind_a_barrier() -> None:
    assert run(copy(), COMMIT, wait(0), BARRIER, show("%next")) == [*range(1, 32), 0]
    with pytest.raises(RaceError):
        run(copy(), COMMIT, wait(0), show("%next"))
    with pytest.raises(RaceError):
        run(copy(), COMMIT, BARRIER, wait(0), show("%next"))


def test_copies_are_aligned_and_inside() -> None:
    wide = copy().replace("ca.shared.global.4.s", "cg.shared.global.16.s").replace("i32 4)", "i32 0)")
    with pytest.raises(MemoryFault, match="aligned to 16"):
        run(wide, COMMIT)


@pytest.mark.parametrize("transposed", [False, True])
def test_lanes_get_pairs_of_a_row_or_of_a_column(transposed: bool) -> None:
    """A matrix of 8 x 8 halves with the numbers 0 .. 63, which each lane writes two of."""
    name = f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1{'.trans' if transposed else ''}.b16.p3"
    lines = f"""  %low = mul i32 %tid, 2
  %high = add i32 %low, 1
  %up = shl i32 %high, 16
  %both = or i32 %up, %low
  store i32 %both, ptr addrspace(3) %s, align 4
{BARRIER}
  %eighth = and i64 %t, 7
  %row = mul i64 %eighth, 16
  %at = getelementptr i8, ptr addrspace(3) @shared, i64 %row
  %v = call i32 @{name}(ptr addrspace(3) %at)
  store i32 %v, ptr %p, align 4"""
    words = np.array(run(lines), np.int32).view(np.int16).reshape(8, 4, 2)
    matrix = np.arange(64).reshape(8, 8)
    assert np.array_equal(words.reshape(8, 8), matrix.T if transposed else matrix)
