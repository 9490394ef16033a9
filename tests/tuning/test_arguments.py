"""Copies on which kernels are tuned: the caller's arrays stay as they are, and lie alike."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import tilewright as tw
from machine.cuda.fake_driver import FakeDriver
from machine.cuda.played import played as played
from tilewright.machine.cuda.driver import open_device
from tilewright.runtime.arrays import view
from tilewright.runtime.errors import LaunchTypeError
from tilewright.runtime.nvidia.copies import DeviceCopies
from tilewright.tuning.arguments import Arguments
from tilewright.tuning.timing import Candidate, HostTimer

ADD = """func @add(%a: f32, %x: memref<f32x4x3,strided<1,?>>, %y: memref<f32x4x3>) {
    %one = constant 1.0 : f32
    axpby %a, %x, %one, %y
}"""
GROUP = """func @scaled(%a: f32, %G: group<memref<f32x4x3>x?>) {
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %x = load %G[%g] : memref<f32x4x3>
    axpby %a, %x, %zero, %x
}"""


def matrix(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.asfortranarray(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


def test_kernels_run_on_copies_and_find_them_as_they_were() -> None:
    kernel = tw.compile(ADD).add
    x, y = matrix(6, 3)[1:5], matrix(4, 3)
    before = x.copy(), y.copy()
    timer = HostTimer(1, Arguments(kernel.info, [2.0, x, y]))
    candidate = Candidate(kernel, "", b"")
    for _ in range(2):
        (left,) = timer.answer(candidate)
        assert np.array_equal(left.reshape(4, 3, order="F"), 2 * before[0] + before[1])
        assert timer.seconds(candidate) > 0
    assert np.array_equal(x, before[0])
    assert np.array_equal(y, before[1])


def test_copies_lie_as_the_originals_do() -> None:
    kernel = tw.compile(ADD).add
    memory = matrix(8, 3)
    given = Arguments(kernel.info, [1.0, memory[1:5], memory[4:8][:, :].copy(order="F")]).given
    copied, original = view(given[1]), view(memory[1:5])
    assert (copied.shape, copied.strides) == (original.shape, original.strides)
    assert copied.address % 256 == original.address % 256
    assert copied.readonly
    assert not view(given[2]).readonly


def test_arrays_that_share_memory_do_so_in_the_copies() -> None:
    kernel = tw.compile(ADD).add
    memory = matrix(8, 3)
    x, y = memory[:4], np.asfortranarray(memory[:4])
    arguments = Arguments(kernel.info, [1.0, y, y])
    assert view(arguments.given[1]).address == view(arguments.given[2]).address
    assert arguments.told == "a=1.0, x=4x3, y=4x3"
    apart = Arguments(kernel.info, [1.0, x, y]).given
    assert view(apart[1]).address != view(apart[2]).address


@pytest.mark.parametrize("given", ["list", "group", "addresses"])
def test_groups(given: str) -> None:
    kernel = tw.compile(GROUP.replace("x?>)", "x?, offset: ?>)") if given == "group" else GROUP).scaled
    batch = matrix(4, 3, 5)
    arrays = [batch[..., k] for k in range(5)]
    group = {
        "list": arrays,
        "group": tw.ArrayGroup(arrays, 0),
        "addresses": tw.PointerArray.of(batch.transpose(2, 0, 1), transposed=False),
    }[given]
    arguments = Arguments(kernel.info, [3.0, group])
    (left,) = HostTimer(5, arguments).answer(Candidate(kernel, "", b""))
    assert np.array_equal(left, 3 * batch.ravel(order="F"))
    assert np.array_equal(batch, matrix(4, 3, 5))
    assert arguments.told == "a=3.0, G=5 arrays"


def test_lists_become_addresses_for_a_device(played: FakeDriver) -> None:
    """A launch need not look at arrays that lie alike one by one."""
    kernel = tw.compile(GROUP, target="nvidia:sm_90a").scaled
    batch = matrix(4, 3, 5)
    arguments = Arguments(kernel.info, [3.0, [batch[..., k] for k in range(5)]])
    group = arguments.given[1]
    assert isinstance(group, tw.PointerArray)
    assert np.array_equal(np.diff(group.pointers.astype(np.int64)), [48] * 4)
    copies = DeviceCopies(open_device(), arguments.given)
    there = copies.arguments[1]
    assert isinstance(there, tw.PointerArray)
    for k, address in enumerate(there.pointers):
        assert played.bytes_at(int(address), 48) == batch[..., k].tobytes(order="F")
    apart = [batch[..., 0], matrix(400, 300)[:4, :3]]
    assert isinstance(
        Arguments(kernel.info, [3.0, [each.copy(order="F") for each in apart[:1]] + apart]).given[1], list
    )


def test_what_was_written_is_sent_again(played: FakeDriver) -> None:
    kernel = tw.compile(ADD, target="nvidia:sm_90a").add
    arguments = Arguments(kernel.info, [1.0, matrix(4, 3), matrix(4, 3)])
    copies = DeviceCopies(open_device(), arguments.given)
    (left,) = arguments.left()
    there = view(copies.arguments[2])
    first = played.bytes_at(there.address, 48)
    assert first == left.tobytes()
    for address, memory in played.memory.items():
        ctypes.memset(address, 0, len(memory))
    assert played.bytes_at(there.address, 48) == bytes(48)
    arguments.restore()
    copies.send()
    assert played.bytes_at(there.address, 48) == first


def test_what_cannot_be_copied_is_told() -> None:
    kernel = tw.compile(GROUP).scaled
    pointers = np.zeros(3, np.uint64)
    group = tw.PointerArray(pointers, "f32", layout=((4, 3), (1, 4)))
    with pytest.raises(LaunchTypeError, match="without the array that they point into"):
        Arguments(kernel.info, [1.0, group])
    with pytest.raises(LaunchTypeError, match="takes 2 arguments, 1 are given"):
        Arguments(kernel.info, [1.0])
    with pytest.raises(LaunchTypeError, match="G is a str"):
        Arguments(kernel.info, [1.0, ["no array"]])
