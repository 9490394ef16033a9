"""What the driver is asked by launches, on which device, and what becomes of what it refuses."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from machine.cuda.fake_driver import CONTEXTS, DEVICE_BYTES, FakeDriver
from runtime.nvidia.on_device import HERE, PLAN, OnDevice, artifact_of, kernel
from tilewright.artifacts.artifact import (
    GroupParameter,
    KernelInfo,
    LaunchPlan,
    MemrefParameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.artifacts.constraints import Origin, Polynomial, Quantity
from tilewright.artifacts.parameters import Joined, Steps
from tilewright.artifacts.parts import Parts, Trips
from tilewright.machine.cuda import binding, driver
from tilewright.machine.cuda.errors import DeviceFailed, DriverError, DriverUnavailable, OutOfDeviceMemory
from tilewright.program import load_artifact
from tilewright.runtime.groups import PointerArray, Table
from tilewright.runtime.nvidia import binders
from tilewright.runtime.nvidia.launch import bind_artifact

VECTOR = MemrefParameter("x", "f32", (None,), (1,))
POINTER = PointerParameter("p", "f32")
GROUP = GroupParameter("g", MemrefParameter("g", "f32", (4,), (1,)), None)
THERE = HERE + DEVICE_BYTES


def test_the_plan_is_followed(played: FakeDriver) -> None:
    plan = LaunchPlan((64, 2, 1), items=4, cluster=(2, 1, 1), dependent=True)
    kernel(VECTOR, plan=plan, local_bytes=60_000).launch((29, 3), (OnDevice((7,)),), stream=5)
    (launched,) = played.launches
    assert launched.dependent
    assert (launched.grid, launched.block, launched.cluster) == ((8, 3, 1), (64, 2, 1), (2, 1, 1))
    assert (launched.shared_bytes, launched.stream, launched.words[:2]) == (60_000, 5, (HERE, 7))
    assert "cuFuncSetAttribute" in played.calls


@pytest.mark.parametrize("parameters", [(), (VECTOR,), (POINTER,)])
def test_blocks_have_scratch_memory(
    played: FakeDriver, parameters: tuple[MemrefParameter | PointerParameter, ...]
) -> None:
    """Of the stream's order, as much for each block as the code says; also behind parameters that fill their block."""
    plan = LaunchPlan((64, 1, 1), items=2, scratch_bytes=512)
    kernel(*parameters, plan=plan).prepare((5, 2))(*(OnDevice((7,)) for _ in parameters))
    (launched,) = played.launches
    ((address, memory),) = played.memory.items()
    assert [word for word in launched.words if word][-3:] == [address, 512, 5], "behind the parameters"
    assert len(memory) == 512 * 6
    assert played.calls.index("cuMemFreeAsync") > played.calls.index("cuLaunchKernelEx")


def test_no_room_for_scratch_memory(played: FakeDriver) -> None:
    played.failing["cuMemAllocAsync"] = 2
    with pytest.raises(OutOfDeviceMemory, match="3,072 bytes are wanted, 1,048,576 of 1,073,741,824 are free"):
        kernel(plan=LaunchPlan((64, 1, 1), scratch_bytes=512)).launch((3, 2), ())
    assert not played.launches


def test_older_drivers_have_no_dependent_launches(played: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their graphs take none; the kernel's wait is over at once."""
    monkeypatch.setattr(driver, "driver_version", lambda: (12, 2))
    kernel(plan=LaunchPlan((64, 1, 1), dependent=True)).launch(3, ())
    assert not played.launches[0].dependent


def test_no_attribute_and_no_parameters_without_need(played: FakeDriver) -> None:
    kernel().launch(3, ())
    (launched,) = played.launches
    assert (launched.cluster, launched.slots, launched.context) == (None, b"", CONTEXTS)
    assert not launched.dependent
    assert not played.current, "the caller's context is as before"


@pytest.mark.parametrize(
    ("grid", "plan", "message"),
    [
        ((1, 70_000), PLAN, "exceeds .*; put the longest mode first, or launch it in parts"),
        ((1, 1, 70_000), PLAN, "exceeds"),
        (3, LaunchPlan((64, 1, 1), cluster=(2, 1, 1)), "cannot be run by clusters"),
    ],
)
def test_grids_that_are_none(played: FakeDriver, grid: tuple[int, ...], plan: LaunchPlan, message: str) -> None:
    with pytest.raises(tw.LaunchError, match=message):
        kernel(plan=plan).launch(grid, ())
    with pytest.raises(tw.LaunchError, match=message):
        kernel(plan=plan).prepare(grid)
    assert not played.launches


def test_items_make_room_for_longer_grids(played: FakeDriver) -> None:
    kernel(plan=LaunchPlan((64, 1, 1), items=8)).launch((1 << 31) - 1, ())
    assert played.launches[0].grid == (1 << 28, 1, 1)


@pytest.mark.parametrize("parameters", [(), (VECTOR,), (POINTER,)])
def test_blocks_of_several_items_know_how_many_there_are(
    played: FakeDriver, parameters: tuple[MemrefParameter | PointerParameter, ...]
) -> None:
    """Of the launch, not of the one before; by machine code as well as by Python."""
    found = kernel(*parameters, plan=LaunchPlan((64, 1, 1), items=4))
    for groups in (5, 9):
        at = found.prepare((groups, 2))
        arguments = tuple(OnDevice((7,)) for _ in parameters)
        for call in range(3):
            if call < 2:
                at(*arguments)
            else:
                found.launch((groups, 2), arguments)
            assert played.launches[-1].grid == (-(-groups // 4), 2, 1)
            assert [word for word in played.launches[-1].words if word][-1] == groups


SPREAD = Parts(((Trips(Polynomial.quantity(Quantity(Origin.EXTENT, "x")), 10),),), 40)
"""A block for ten elements, 40 in all."""


def test_work_groups_are_divided_by_extents(played: FakeDriver) -> None:
    """As many blocks as there are tiles, fewer on large grids, one at least; by machine code as well as by Python."""
    found = kernel(VECTOR, plan=LaunchPlan((64, 1, 1), scratch_bytes=64, parts=SPREAD))
    for extent, grid, parts in (
        (7, 1, 1),
        (95, 1, 10),
        (0, 1, 1),
        (95, 5, 8),
        (4000, 1, 40),
        (95, 100, 1),
        (95, 2, 10),
    ):
        found.prepare(grid)(OnDevice((extent,)))
        launched = played.launches[-1]
        assert (launched.grid, launched.words[1], launched.words[4]) == ((grid * parts, 1, 1), extent, parts)
        assert len(played.memory[launched.words[2]]) == 64 * grid * parts


@pytest.mark.parametrize("grid", [(3, 2, 1), (2, 3, 4), (1, 1, 1)])
def test_blocks_that_take_all_work_groups_know_the_grid(played: FakeDriver, grid: tuple[int, int, int]) -> None:
    """No more of them than there are work-groups, nor than run at a time; by machine code as well as by Python."""
    found = kernel(VECTOR, plan=LaunchPlan((64, 1, 1), most=5, gathered=True))
    prepared = found.prepare(grid)
    prepared(OnDevice((7,)))
    prepared(OnDevice((7,)))
    found.launch(grid, (OnDevice((7,)),))
    for launched in played.launches:
        assert (launched.grid, launched.words[1:5]) == ((min(prod(grid), 5), 1, 1), (7, *grid))
    assert len(played.launches) == 3


def test_a_grid_is_no_larger_than_devices_have(played: FakeDriver) -> None:
    plan = LaunchPlan((64, 1, 1), parts=Parts(SPREAD.nests, 1 << 40))
    kernel(VECTOR, plan=plan).launch((1 << 30, 1), (OnDevice((95,)),))
    assert played.launches[-1].grid == (1 << 30, 1, 1)


def test_steps_take_the_place_of_a_launch(played: FakeDriver) -> None:
    """On small grids of large arrays, in order, with memory of each work-group that lives until the last one."""
    plans = [LaunchPlan((32, 1, 1), parts=SPREAD, group_bytes=256), LaunchPlan((64, 1, 1), group_bytes=256)]
    steps = tuple(KernelInfo(f"k.{k}", f"k{k}", (VECTOR,), launch=plan) for k, plan in enumerate(plans))
    info = KernelInfo("k", "k", (VECTOR,), launch=PLAN, steps=Steps(steps, 6, 4))
    found = bind_artifact(artifact_of(info, *steps), None)["k"]
    for extent, grid, divided in ((95, 6, True), (95, 7, False), (30, 1, False), (31, 1, True)):
        played.launches.clear()
        found.prepare(grid)(OnDevice((extent,)))
        if not divided:
            assert [(one.grid, one.block) for one in played.launches] == [((grid, 1, 1), (64, 1, 1))]
            continue
        first, second = played.launches
        parts = min(-(-extent // 10), -(-40 // grid))
        assert (first.grid, first.words[1:3]) == ((grid * parts, 1, 1), (extent, parts))
        assert (second.grid, second.words[1]) == ((grid, 1, 1), extent)
        assert first.words[3] == second.words[2], "the same memory"
        assert len(played.memory[first.words[3]]) == 256 * grid
    launches = [call for call in played.calls if call in ("cuLaunchKernelEx", "cuMemFreeAsync")]
    assert launches[-3:] == ["cuLaunchKernelEx", "cuLaunchKernelEx", "cuMemFreeAsync"]


def test_work_groups_that_are_joined(played: FakeDriver) -> None:
    """The kernel in whose code they are is launched in place of the other one, and told the same grid."""
    plans = [LaunchPlan((32 * k, 1, 1), most=2, gathered=True) for k in (1, 2)]
    step = KernelInfo("k.0", "k0", (VECTOR,), launch=plans[1])
    info = KernelInfo("k", "k", (VECTOR,), launch=plans[0], steps=Steps((step,), joined=Joined(1, 2, 2, 95, 0)))
    found = bind_artifact(artifact_of(info, step), None)["k"]
    for grid, threads in (((4, 2), 64), ((2, 4), 64), ((8, 1), 32), ((1, 2), 32)):
        found.prepare(grid)(OnDevice((5,)))
        launched = played.launches[-1]
        assert (launched.grid, launched.block) == ((2, 1, 1), (threads, 1, 1))
        assert launched.words[2:5] == (*grid, 1)


def test_two_forms(played: FakeDriver) -> None:
    """By what a launch sees of its arrays, with a grid and without."""
    forms = [
        KernelInfo(name, name, (VECTOR, POINTER), launch=plan)
        for name, plan in (("k", PLAN), ("a", LaunchPlan((32, 1, 1))))
    ]
    info = replace(forms[0], apart=forms[1])
    found = bind_artifact(artifact_of(info, forms[1]), None)["k"]
    call = found.prepare(2)
    for place, threads in ((64, 64), (104, 32), (100, 64), (48, 32), (52, 64)):
        arguments = (OnDevice((10,), address=HERE + 64), OnDevice((4,), address=HERE + place))
        found.launch(2, arguments)
        call(*arguments)
        assert [launched.block[0] for launched in played.launches[-2:]] == [threads, threads], place


def test_flags_are_kept_by_streams(played: FakeDriver) -> None:
    """Zeros once, since launches leave them so; other streams, graphs and several work-groups have their own."""
    plan = LaunchPlan((64, 1, 1), parts=SPREAD, group_bytes=256, flag_bytes=64)
    found = kernel(VECTOR, plan=plan)
    for stream in (3, 3, 4):
        found.launch(1, (OnDevice((95,)),), stream=stream)
    first, again, other = (launched.words[-1] for launched in played.launches)
    assert first == again != other
    assert [len(played.memory[place]) for place in (first, other)] == [256, 256]
    assert bytes(played.memory[first]) == bytes(256)
    assert played.calls.count("cuMemsetD8Async") == played.calls.count("cuMemAlloc_v2") == 2
    found.launch(2, (OnDevice((95,)),), stream=3)
    played.capturing.add(5)
    found.launch(1, (OnDevice((95,)),), stream=5)
    assert not {launched.words[-1] for launched in played.launches[-2:]} & {first, other}
    assert played.calls.count("cuMemFreeAsync") == 2
    assert played.calls.count("cuMemsetD8Async") == 4


def test_flags_are_those_of_a_stream_whatever_its_handle(played: FakeDriver) -> None:
    """The handle of the default stream of each thread, or that of one that is gone; and of kernels with as many."""
    found = [
        kernel(VECTOR, plan=LaunchPlan((64, 1, 1), parts=SPREAD, group_bytes=256, flag_bytes=n)) for n in (64, 128)
    ]
    for number in (7, 8, 7):
        played.numbers[2] = number
        for each in found:
            each.launch(1, (OnDevice((95,)),), stream=2)
    places = [launched.words[-1] for launched in played.launches]
    assert places[:2] == places[4:]
    assert len(set(places)) == 4


def test_a_launch_is_where_the_arrays_are(played: FakeDriver) -> None:
    played.devices = 3
    found = kernel(ScalarParameter("a", "f32"), VECTOR)
    for address, ordinal in ((THERE, 1), (HERE, 0), (THERE + DEVICE_BYTES, 2), (THERE, 1)):
        found.launch(1, (1.0, OnDevice((4,), address=address)))
        found.prepare(1)(1.0, OnDevice((4,), address=address))
        assert [launched.context for launched in played.launches[-2:]] == [CONTEXTS + ordinal] * 2
    assert played.calls.count("cuModuleLoadDataEx") == 3
    with pytest.raises(tw.LaunchError, match="lies on cpu, this kernel runs on cuda:0"):
        found.launch(1, (1.0, np.zeros(4, np.float32)))


def test_the_current_stream_of_cupy_is_that_of_the_device(played: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has one for each, whichever device is its current one."""

    def current_stream(device: int) -> SimpleNamespace:
        return SimpleNamespace(ptr=7 + device)

    played.devices = 2
    cuda = SimpleNamespace(get_current_stream=current_stream)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    array = type("ndarray", (OnDevice,), {"__module__": "cupy"})((4,), address=THERE)
    kernel(VECTOR).launch(1, (array,))
    assert (played.launches[0].context, played.launches[0].stream) == (CONTEXTS + 1, 8)


@pytest.mark.parametrize("parameter", [POINTER, GROUP])
def test_addresses_tell_the_device(played: FakeDriver, parameter: PointerParameter | GroupParameter) -> None:
    played.devices = 2
    table = PointerArray(np.array([THERE, THERE + 16]), "f32", layout=((4,), (1,)))
    kernel(parameter).launch(1, (tw.address(THERE, nbytes=16) if parameter is POINTER else table,))
    assert played.launches[0].context == CONTEXTS + 1


def test_arrays_on_two_devices(played: FakeDriver) -> None:
    played.devices = 2
    other = MemrefParameter("y", "f32", (None,), (1,))
    message = "argument y: the array lies on cuda:1, this launch runs on cuda:0.*copy it there first"
    with pytest.raises(tw.LaunchError, match=message):
        kernel(VECTOR, other).launch(1, (OnDevice((4,)), OnDevice((4,), address=THERE)))


def test_code_for_another_device(played: FakeDriver) -> None:
    played.capability = (8, 0)
    info = KernelInfo("k", "k", (), launch=PLAN)
    with pytest.raises(tw.LaunchError, match=r"compiled for sm_90a; device 0 \(Fake 0\) has compute capability 8.0"):
        bind_artifact(artifact_of(info, features="sm_90a"))


def test_more_shared_memory_than_there_is(played: FakeDriver) -> None:
    with pytest.raises(tw.LaunchError, match=r"needs 300,000 bytes of shared memory a block.* has 232,448; compile"):
        kernel(local_bytes=300_000).launch(1, ())


def test_more_registers_than_there_are(played: FakeDriver) -> None:
    played.failing["cuLaunchKernelEx"] = 701
    with pytest.raises(tw.LaunchError, match="no room for a block of 64 threads with 40 registers each"):
        kernel().launch(1, ())


def test_behind_a_kernel_that_faulted(played: FakeDriver) -> None:
    found = kernel(VECTOR)
    for function in ("cuLaunchKernelEx", "cuPointerGetAttribute"):
        played.failing = {function: 700}
        with pytest.raises(
            DeviceFailed, match=r"CUDA_ERROR_ILLEGAL_ADDRESS \(700\).* Start the process again"
        ) as caught:
            found.launch(1, (OnDevice((4,)),))
        assert caught.value.call == function
    played.failing = {}
    found.launch(1, (OnDevice((4,)),))


def test_out_of_memory(played: FakeDriver) -> None:
    group = PointerArray.of(OnDevice((2, 4)))
    played.failing["cuMemAlloc_v2"] = 2
    with pytest.raises(OutOfDeviceMemory, match=r"16 bytes are wanted, 1,048,576 of 1,073,741,824 are free; free arr"):
        kernel(GROUP).launch(1, (group,))
    played.failing = {"cuMemAllocAsync": 2}
    with pytest.raises(MemoryError):
        kernel(GROUP).launch(1, ([OnDevice((4,))],))
    assert not played.launches


def test_other_errors_are_told_as_they_are(played: FakeDriver) -> None:
    played.failing["cuLaunchKernelEx"] = 1
    with pytest.raises(DriverError, match=r"cuLaunchKernelEx failed: CUDA_ERROR_INVALID_VALUE \(1\)"):
        kernel().launch(1, ())


def test_a_driver_that_reads_no_such_ptx(played: FakeDriver) -> None:
    played.failing["cuModuleLoadDataEx"] = 222
    with pytest.raises(DriverUnavailable, match=r"too old: it is for CUDA 12.4 and does not read PTX; update"):
        kernel()


def test_no_device(played: FakeDriver) -> None:
    played.devices = 0
    with pytest.raises(DriverUnavailable, match="there is no CUDA device"):
        kernel()


def loaded(monkeypatch: pytest.MonkeyPatch, fake: FakeDriver) -> binding.Library:
    """The library as a process gets it that has this driver."""

    def load(_name: str) -> FakeDriver:
        return fake

    monkeypatch.setattr(binding.ctypes, "CDLL", load)
    return binding.library.__wrapped__()


def test_a_driver_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DriverUnavailable, match=r"too old: .*cuLaunchKernelEx.*a driver for CUDA 11.8 or later"):
        loaded(monkeypatch, FakeDriver(missing={"cuLaunchKernelEx"}))


def test_a_driver_without_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DriverUnavailable, match=r"finds no usable device.*nvidia-smi"):
        loaded(monkeypatch, FakeDriver(failing={"cuInit": 100}))


def test_resources(played: FakeDriver) -> None:
    program = load_artifact(artifact_of(KernelInfo("k", "k", (), local_bytes=1000, launch=PLAN)))
    found = program.k.resources
    assert found is not None
    assert str(found) == (
        "40 registers and 8 bytes of local memory a thread, 1,016 bytes of shared memory a block, 12 blocks a "
        "multiprocessor"
    )
    assert (found.registers, found.shared_bytes, found.local_bytes, found.blocks_per_multiprocessor) == (
        40,
        1016,
        8,
        12,
    )


def test_tables_of_lists_belong_to_the_stream(played: FakeDriver) -> None:
    kernel(GROUP).launch(1, ([OnDevice((4,)), OnDevice((4,))],), stream=9)
    begin = played.calls.index("cuMemAllocAsync")
    calls = [name for name in played.calls[begin:] if name.startswith(("cuMem", "cuLaunch"))]
    assert calls == ["cuMemAllocAsync", "cuMemcpyHtoDAsync_v2", "cuLaunchKernelEx", "cuMemFreeAsync"]


def test_tables_are_freed_where_a_launch_fails(played: FakeDriver) -> None:
    played.failing["cuLaunchKernelEx"] = 1
    with pytest.raises(DriverError):
        kernel(GROUP).launch(1, ([OnDevice((4,))],))
    assert played.calls.count("cuMemFreeAsync") == 1


def test_tables_are_freed_where_a_copy_fails(played: FakeDriver) -> None:
    played.failing["cuMemcpyHtoDAsync_v2"] = 1
    with pytest.raises(DriverError):
        kernel(GROUP).launch(1, ([OnDevice((4,))],))
    assert played.calls.count("cuMemFreeAsync") == 1


def test_objects_die_while_a_stream_is_captured(played: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may capture: the driver refuses to free memory, and drops the graph, unless told that it may."""
    found, group, refused = kernel(GROUP), PointerArray.of(OnDevice((2, 4))), list[object]()
    monkeypatch.setattr(sys, "unraisablehook", refused.append)
    found.launch(1, (group,))
    played.capturing.add(9)
    del group
    gc.collect()
    assert played.calls.count("cuMemFree_v2") == 1
    assert not refused
    assert played.capture_mode == 0, "as the thread had it"


def test_tables_that_cannot_change_are_copied_once(played: FakeDriver) -> None:
    found, group = kernel(GROUP), PointerArray.of(OnDevice((2, 4)))
    for _ in range(3):
        found.launch(1, (group,))
    assert played.calls.count("cuMemAlloc_v2") == 1
    address = played.launches[-1].words[0]
    assert np.frombuffer(played.bytes_at(address, 16), np.int64).tolist() == [HERE, HERE + 16]
    assert {launched.words[0] for launched in played.launches} == {address}
    del group
    gc.collect()
    assert played.calls.count("cuMemFree_v2") == 1


def test_whoever_is_first_copies_the_table(played: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch of another thread comes while this one looks at the group: graphs may refer to that one's copy."""
    found, group = kernel(GROUP), PointerArray.of(OnDevice((2, 4)))
    real, others = binders.table_of, [group]

    def interrupted(*arguments: Any) -> Table:
        if others:
            found.launch(1, (others.pop(),))
        return real(*arguments)

    monkeypatch.setattr(binders, "table_of", interrupted)
    found.launch(1, (group,))
    assert [launched.words[0] for launched in played.launches] == [played.launches[0].words[0]] * 2
    assert played.calls.count("cuMemAlloc_v2") == 1


def test_tables_that_can_change_are_looked_at_each_time(played: FakeDriver) -> None:
    found, pointers = kernel(GROUP), np.array([HERE, HERE + 16])
    group = PointerArray(pointers, "f32", layout=((4,), (1,)))
    found.launch(1, (group,))
    pointers[1] += 64
    found.launch(1, (group,))
    address = played.launches[-1].words[0]
    assert np.frombuffer(played.bytes_at(address, 16), np.int64).tolist() == [HERE, HERE + 80]
    pointers[0] = 3
    with pytest.raises(tw.LaunchError, match="pointer 0 is no multiple"):
        kernel(GroupParameter("g", MemrefParameter("g", "f32", (4,), (1,), alignment=4), None)).launch(1, (group,))


@pytest.mark.parametrize("group", [[OnDevice((4,))], PointerArray.of(OnDevice((1, 4)))])
def test_tables_of_captured_launches_stay(played: FakeDriver, group: object) -> None:
    """Nothing is allocated or copied in the order of the stream, whose work becomes a graph, and nothing is freed."""
    played.capturing.add(9)
    found = kernel(GROUP)
    for _ in range(2):
        found.launch(1, (group,), stream=9)
        gc.collect()
    assert not {"cuMemAllocAsync", "cuMemFreeAsync", "cuMemFree_v2"} & set(played.calls)
    for launched in played.launches:
        assert np.frombuffer(played.bytes_at(launched.words[0], 8), np.int64).tolist() == [HERE]
    assert played.capture_mode == 0, "as the thread had it"


def test_many_threads(played: FakeDriver) -> None:
    found, group = kernel(GROUP, VECTOR), PointerArray.of(OnDevice((2, 4)))
    with ThreadPoolExecutor(4) as threads:
        done = [threads.submit(found.launch, n, (group, OnDevice((n,)))) for n in range(1, 65)]
    assert not any(future.exception() for future in done)
    assert sorted((launched.grid[0], launched.words[3]) for launched in played.launches) == [
        (n, n) for n in range(1, 65)
    ]
    assert played.calls.count("cuMemAlloc_v2") == 1
    assert played.calls.count("cuModuleGetFunction") == 1
