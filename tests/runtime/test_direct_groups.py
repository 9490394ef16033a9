"""Direct calls with pointer arrays: what is recognised runs as by the long way, what is not ends as by the long way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from runtime.hand_written import ECHO
from runtime.python_run import python_run
from runtime.test_direct import TARGET, outcome, warmed
from tilewright.artifacts.artifact import Artifact, GroupParameter, KernelInfo, MemrefParameter
from tilewright.machine.native import compile_text
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.groups import PointerArray
from tilewright.runtime.launch import BoundKernel, bind_artifact
from tilewright.runtime.pool import Pool

MEMREF = MemrefParameter("G", "f32", (3, 4), (1, 3), alignment=8)
SIGNATURES = {
    "open": GroupParameter("G", MEMREF, None, None),
    "closed": GroupParameter("G", MEMREF, 6, 2),
    "read": GroupParameter("G", structs.replace(MEMREF, written=False, alignment=1), None),
}


def echo(group: GroupParameter) -> tuple[BoundKernel, int]:
    """A kernel that copies its slots to its last argument, and how many words there are of the group."""
    words = 1 + (group.size is None) + (group.offset is None)
    text = compile_text(ECHO.replace("SIZE", str(8 * words)))
    info = KernelInfo("echo", "echo", (group, TARGET))
    return bind_artifact(Artifact("cpu", (info,), text), pool=Pool(1))["echo"], words


def batch(count: int = 6) -> AnyArray:
    """Matrices that fit, at addresses that are multiples of 16."""
    memory = np.zeros(count * 12 + 4, np.float32)
    start = -memory.ctypes.data % 16 // 4
    return memory[start : start + count * 12].reshape(count, 4, 3)


def slots(call: Callable[..., None], group: object) -> tuple[str, list[int]]:
    """How a call ends, and what the kernel was given."""
    target = np.full(8, -7, np.int64)
    return outcome(call, group, target), target.tolist()


@pytest.mark.parametrize("signature", SIGNATURES)
def test_python_has_no_part_in_calls_with_recognised_groups(signature: str) -> None:
    kernel, words = echo(SIGNATURES[signature])
    arrays = batch()
    group, other = PointerArray.of(arrays), PointerArray.of(batch())
    call = warmed(kernel, 1, group, np.zeros(8, np.int64))
    expected = [slots(lambda *given: kernel.launch(1, given), given) for given in (group, other)]
    with python_run() as run:
        found = [slots(call, given) for given in (group, other)]
    assert found == expected
    assert run == []
    assert expected[0][1][:words][0] == group.pointers.ctypes.data


FLAWS: dict[str, Callable[[PointerArray], object]] = {
    "good": lambda group: replace(group),
    "another table": lambda group: replace(group, pointers=group.pointers.copy()),
    "unsigned table": lambda group: replace(group, pointers=group.pointers.view(np.uint64)),
    "longer": lambda group: replace(group, pointers=np.repeat(group.pointers, 2)),
    "shorter": lambda group: replace(group, pointers=group.pointers[:-1]),
    "short of what is wanted": lambda group: replace(group, pointers=group.pointers[:3]),
    "empty": lambda group: replace(group, pointers=group.pointers[:0]),
    "of pointers apart": lambda group: replace(group, pointers=np.repeat(group.pointers, 2)[::2]),
    "of rows": lambda group: replace(group, pointers=group.pointers.reshape(2, 3)),
    "of halves": lambda group: replace(group, pointers=group.pointers.astype(np.int32)),
    "list": lambda group: replace(group, pointers=group.pointers.tolist()),
    "none": lambda group: None,
    "misaligned": lambda group: replace(group, pointers=group.pointers + np.array([4])),
    "one misaligned": lambda group: replace(group, pointers=group.pointers + np.array([0, 0, 0, 0, 0, 2])),
    "one null": lambda group: replace(group, pointers=group.pointers * np.array([1, 1, 1, 1, 1, 0])),
    "dtype": lambda group: replace(group, dtype=np.float64),
    "dtype by name": lambda group: replace(group, dtype="f32"),
    "no dtype": lambda group: replace(group, dtype="f3"),
    "layout": lambda group: replace(group, layout=((3, 3), (3, 1))),
    "no layout": lambda group: replace(group, layout=None),
    "strides": lambda group: replace(group, layout=((4, 3), (4, 1))),
    "size": lambda group: replace(group, size=5),
    "size beyond": lambda group: replace(group, size=7),
    "size below": lambda group: replace(group, size=-1),
    "offset": lambda group: replace(group, offset=2),
    "odd offset": lambda group: replace(group, offset=1),
    "offset of another kind": lambda group: replace(group, offset=np.int64(0)),
    "read-only": lambda group: replace(group, readonly=True),
    "extents": lambda group: replace(group, extents=(np.zeros(6, np.int64),)),
    "strides of each": lambda group: replace(group, strides=[np.zeros(6, np.int64)]),
    "array": lambda group: batch(),
}


@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize("flaw", FLAWS)
def test_groups_end_as_by_the_long_way(signature: str, flaw: str) -> None:
    kernel, _ = echo(SIGNATURES[signature])
    arrays = batch()
    call = warmed(kernel, 1, PointerArray.of(arrays), np.zeros(8, np.int64))
    given = FLAWS[flaw](PointerArray.of(arrays))
    for _ in range(3):
        assert slots(call, given) == slots(lambda *again: kernel.launch(1, again), given)


def test_a_table_that_is_changed_in_place() -> None:
    kernel, _ = echo(SIGNATURES["open"])
    arrays = batch()
    made = PointerArray.of(arrays)
    assert not made.pointers.flags.writeable
    group = replace(made, pointers=made.pointers.copy())
    call = warmed(kernel, 1, group, np.zeros(8, np.int64))
    for change, number in ((0, 4), (5, 2), (3, 0), (2, 16)):
        group.pointers[change] += number
        assert slots(call, group) == slots(lambda *again: kernel.launch(1, again), group)
        group.pointers[change] -= number


def test_accepted_groups_keep_nothing_of_the_caller_alive() -> None:
    kernel, _ = echo(SIGNATURES["open"])

    gone: list[int] = []

    class Memory(bytearray):
        """Tells when it goes."""

        def __del__(self) -> None:
            gone.append(len(self))

    group = PointerArray.of(batch())
    group = replace(group, pointers=np.frombuffer(Memory(group.pointers.tobytes()), np.int64))
    warmed(kernel, 1, group, np.zeros(8, np.int64))
    del group
    assert gone == [48]
