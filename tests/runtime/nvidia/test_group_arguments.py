"""Groups and pointers of device memory, as a launch hands them over; the driver and the device are played."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import tilewright as tw
from machine.cuda.fake_driver import DEVICE_BYTES, FakeDriver
from runtime.nvidia.on_device import HERE, OnDevice, kernel
from tilewright.artifacts.parameters import GroupParameter, MemrefParameter, PointerParameter
from tilewright.runtime.direct_arguments import argument_key, describe
from tilewright.runtime.direct_layout import Kind
from tilewright.runtime.groups import ArrayGroup, PointerArray

MATRICES = MemrefParameter("g", "f32", (None, None), (1, None), nullable=False)
SECOND = HERE + DEVICE_BYTES


@pytest.fixture(autouse=True)
def two_devices(played: FakeDriver) -> None:
    played.devices = 2


def table(played: FakeDriver, slot: int, count: int = 2) -> list[int]:
    """Words that a slot of the last launch points to."""
    return np.frombuffer(played.bytes_at(played.launches[-1].words[slot], 8 * count), np.int64).tolist()


@pytest.mark.parametrize(
    "group",
    [
        [OnDevice((4, 3), (4, 16), HERE + 48 * k) for k in range(2)],
        ArrayGroup([OnDevice((4, 3), (4, 16), HERE + 48 * k) for k in range(2)]),
        PointerArray.of(OnDevice((2, 3, 4))),
        PointerArray.of(OnDevice((2, 4, 3), (48, 4, 16))),
        PointerArray(np.array([HERE, HERE + 48]), "f32", [np.array([4, 4]), np.array([3, 3])], [np.array([4, 4])]),
    ],
)
def test_groups_of_device_arrays(group: object, played: FakeDriver) -> None:
    kernel(GroupParameter("g", MATRICES, None)).launch(2, (group,))
    assert table(played, 0) == [HERE, HERE + 48]
    assert [table(played, k) for k in (1, 2, 3)] == [[4, 4], [3, 3], [4, 4]]
    assert played.launches[-1].words[4] == 2


def test_groups_that_do_not_fit(played: FakeDriver) -> None:
    cases: list[tuple[object, str]] = [
        (
            PointerArray.of(np.zeros((2, 3, 4), np.float32)),
            "argument g: the array lies on cpu, this kernel runs on cuda:0",
        ),
        (PointerArray.of(OnDevice((2, 3, 4), address=SECOND)), r"argument g\[0\]: the array lies on cuda:1"),
        (PointerArray(np.array([HERE + 2 * DEVICE_BYTES]), "f32", layout=((4, 3), (1, 4))), "lies on no CUDA device"),
        (PointerArray.of(OnDevice((2, 3))), r"argument g\[0\]: its order is 1"),
        ([None], r"argument g\[0\]: None is a null pointer"),
        (OnDevice((2, 3, 4)), "argument g: a group is wanted"),
    ]
    for group, message in cases:
        with pytest.raises(tw.LaunchError, match=message):
            kernel(GroupParameter("g", MATRICES, None), device=0).launch(2, (group,))
    assert not played.launches


def test_a_group_that_may_be_null(played: FakeDriver) -> None:
    kernel(GroupParameter("g", MATRICES, 3)).launch(2, (None,))
    assert played.launches[-1].words[0] == 0
    with pytest.raises(tw.LaunchError, match="argument g: None is a null pointer"):
        kernel(GroupParameter("g", MATRICES, 3, nullable=False)).launch(2, (None,))


def test_pointers(played: FakeDriver) -> None:
    found = kernel(PointerParameter("p", "f32", nullable=False), device=0)
    given: list[tuple[object, int]] = [
        (OnDevice((3, 4)), HERE),
        (tw.address(OnDevice((3, 4), (4, 12))), HERE),
        (tw.address(HERE + 4096, nbytes=16), HERE + 4096),
    ]
    for argument, address in given:
        found.launch(1, (argument,))
        assert played.launches[-1].words[0] == address
    played.launches.clear()
    cases: list[tuple[object, str]] = [
        (OnDevice((3, 4), (4, 12)), "its elements do not lie one behind the other"),
        (np.zeros(3, np.float32), "the array lies on cpu, this kernel runs on cuda:0"),
        (tw.address(SECOND, nbytes=16), "lies on cuda:1"),
        (tw.address((HERE + 4096) + 2, nbytes=16), "no multiple of 4"),
        (HERE + 4096, "a number is no array"),
        (None, "None is a null pointer"),
    ]
    for argument, message in cases:
        with pytest.raises(tw.LaunchError, match=f"argument p: .*{message}"):
            found.launch(1, (argument,))
    assert not played.launches


def test_none_for_a_memref(played: FakeDriver) -> None:
    kernel(MemrefParameter("x", "f32", (4,), (1,))).launch(1, (None,))
    assert played.launches[-1].words[0] == 0
    with pytest.raises(tw.LaunchError, match="argument x: None is a null pointer"):
        kernel(MemrefParameter("x", "f32", (4,), (1,), nullable=False)).launch(1, (None,))


def test_groups_are_recognised_by_the_object_as_long_as_it_lives() -> None:
    parameter = GroupParameter("g", MATRICES, None)
    table = np.array([HERE, HERE + 48])
    lasting, other = (PointerArray.of(OnDevice((2, 3, 4))) for _ in range(2))
    changing = PointerArray(table, "f32", layout=((4, 3), (1, 4)))
    keys = [argument_key(parameter, group, False, copied=True) for group in (lasting, lasting, other)]
    assert keys[0] == keys[1] != keys[2]
    for group in (changing, [OnDevice((4, 3), (4, 16))]):
        assert argument_key(parameter, group, False, copied=True) is None, "its table is copied for each launch"
    described = describe(parameter, 8, lasting, False, copied=True)
    kind, offset, cell, *_ = described.words
    assert (kind, offset) == (Kind.SAME.value, 8)
    assert ctypes.c_int64.from_address(cell).value == id(lasting)
    del lasting, group
    assert ctypes.c_int64.from_address(cell).value == 0
