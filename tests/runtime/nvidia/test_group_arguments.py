"""Groups and pointers of device memory, as a launch hands them over; the driver and the device are played."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

import tilewright as tw
from tilewright.artifacts.parameters import GroupParameter, KernelInfo, MemrefParameter, Parameter, PointerParameter
from tilewright.runtime.groups import ArrayGroup, PointerArray
from tilewright.runtime.nvidia import launch
from tilewright.runtime.nvidia.launch import CudaKernel

if TYPE_CHECKING:
    from tilewright.machine.cuda.driver import KernelFunction

MATRICES = MemrefParameter("g", "f32", (None, None), (1, None), nullable=False)
OFFSET = 1 << 32


class OnDevice:
    """An array on the device, which says so as CuPy's do."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, address: int = 1 << 20) -> None:
        data = (address, False)
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "<f4",
            "data": data,
            "strides": strides,
            "version": 3,
        }


class Buffer:
    """Memory that a launch has written its tables to."""

    def __init__(self, device: Device, size: int) -> None:
        self.address = OFFSET + 4096 * len(device.memory)
        device.memory[self.address] = bytes(size)
        self._device = device

    def write(self, data: bytes) -> None:
        self._device.memory[self.address] = data


class Device:
    """A context, a module and a function in one; keeps the parameters of the last launch."""

    ordinal = 0

    def __init__(self) -> None:
        self.memory: dict[int, bytes] = {}
        self.slots: tuple[int, ...] = ()
        self.module = self.context = self.description = self

    def allocate(self, size: int) -> Buffer:
        return Buffer(self, size)

    def allow_shared(self, size: int) -> None:
        assert size == 0

    def launch(self, grid: object, block: object, parameters: bytes, *, shared_bytes: int, stream: int) -> None:
        self.slots = struct.unpack(f"<{len(parameters) // 8}q", parameters)

    def table(self, slot: int) -> list[int]:
        return np.frombuffer(self.memory[self.slots[slot]], np.int64).tolist()


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    def place(address: int) -> int | None:
        return 0 if address < OFFSET else 1 if address < 2 * OFFSET else None

    monkeypatch.setattr(launch, "pointer_device", place)
    return Device()


def kernel(device: Device, parameter: Parameter) -> CudaKernel:
    return CudaKernel(KernelInfo("k", "k", (parameter,)), cast("KernelFunction", device))


@pytest.mark.parametrize(
    "group",
    [
        [OnDevice((4, 3), (4, 16), (1 << 20) + 48 * k) for k in range(2)],
        ArrayGroup([OnDevice((4, 3), (4, 16), (1 << 20) + 48 * k) for k in range(2)]),
        PointerArray.of(OnDevice((2, 3, 4))),
        PointerArray.of(OnDevice((2, 4, 3), (48, 4, 16))),
        PointerArray(
            np.array([1 << 20, (1 << 20) + 48]), "f32", [np.array([4, 4]), np.array([3, 3])], [np.array([4, 4])]
        ),
    ],
)
def test_groups_of_device_arrays(group: object, device: Device) -> None:
    kernel(device, GroupParameter("g", MATRICES, None)).launch(2, (group,))
    assert device.table(0) == [1 << 20, (1 << 20) + 48]
    assert [device.table(k) for k in (1, 2, 3)] == [[4, 4], [3, 3], [4, 4]]
    assert device.slots[4] == 2


def test_groups_that_do_not_fit(device: Device) -> None:
    cases: list[tuple[object, str]] = [
        (
            PointerArray.of(np.zeros((2, 3, 4), np.float32)),
            "argument g: the array lies on cpu, this kernel runs on cuda:0",
        ),
        (PointerArray.of(OnDevice((2, 3, 4), address=OFFSET)), r"argument g\[0\]: the array lies on cuda:1"),
        (PointerArray(np.array([2 * OFFSET]), "f32", layout=((4, 3), (1, 4))), "lies on no CUDA device"),
        (PointerArray.of(OnDevice((2, 3))), r"argument g\[0\]: it has 1 modes"),
        ([None], r"argument g\[0\]: None is a null pointer"),
        (OnDevice((2, 3, 4)), "argument g: a group is wanted"),
    ]
    for group, message in cases:
        with pytest.raises(tw.LaunchError, match=message):
            kernel(device, GroupParameter("g", MATRICES, None)).launch(2, (group,))
    assert device.slots == ()


def test_a_group_that_may_be_null(device: Device) -> None:
    kernel(device, GroupParameter("g", MATRICES, 3)).launch(2, (None,))
    assert device.slots[0] == 0
    with pytest.raises(tw.LaunchError, match="argument g: None is a null pointer"):
        kernel(device, GroupParameter("g", MATRICES, 3, nullable=False)).launch(2, (None,))


def test_pointers(device: Device) -> None:
    found = kernel(device, PointerParameter("p", "f32", nullable=False))
    given: list[tuple[object, int]] = [
        (OnDevice((3, 4)), 1 << 20),
        (tw.address(OnDevice((3, 4), (4, 12))), 1 << 20),
        (tw.address(1 << 21, nbytes=16), 1 << 21),
    ]
    for argument, address in given:
        found.launch(1, (argument,))
        assert device.slots[0] == address
    device.slots = ()
    cases: list[tuple[object, str]] = [
        (OnDevice((3, 4), (4, 12)), "its elements do not lie one behind the other"),
        (np.zeros(3, np.float32), "the array lies on cpu, this kernel runs on cuda:0"),
        (tw.address(OFFSET, nbytes=16), "lies on cuda:1"),
        (tw.address((1 << 21) + 2, nbytes=16), "no multiple of 4"),
        (1 << 21, "a number is no array"),
        (None, "None is a null pointer"),
    ]
    for argument, message in cases:
        with pytest.raises(tw.LaunchError, match=f"argument p: .*{message}"):
            found.launch(1, (argument,))
    assert device.slots == ()


def test_none_for_a_memref(device: Device) -> None:
    kernel(device, MemrefParameter("x", "f32", (4,), (1,))).launch(1, (None,))
    assert device.slots[0] == 0
    with pytest.raises(tw.LaunchError, match="argument x: None is a null pointer"):
        kernel(device, MemrefParameter("x", "f32", (4,), (1,), nullable=False)).launch(1, (None,))
