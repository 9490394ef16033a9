"""Direct launches: what machine code asks the driver, and which calls it takes over from Python."""

from __future__ import annotations

import ctypes
import struct
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from machine.cuda.fake_driver import CONTEXTS, FakeDriver
from runtime.nvidia.on_device import HERE, PLAN, artifact_of
from runtime.python_run import CHECKS, python_run
from tilewright.artifacts.artifact import (
    GroupParameter,
    KernelInfo,
    LaunchPlan,
    MemrefParameter,
    PointerParameter,
    ScalarParameter,
    device_block_size,
)
from tilewright.artifacts.constraints import Origin, Polynomial, Quantity
from tilewright.artifacts.parameters import Steps
from tilewright.artifacts.parts import Parts, Trips
from tilewright.artifacts.tensor_maps import TensorMap
from tilewright.machine.cuda import driver
from tilewright.runtime import arrays, torch_functions, torch_tensors
from tilewright.runtime.addresses import MemoryAt
from tilewright.runtime.arrays import Device
from tilewright.runtime.groups import PointerArray
from tilewright.runtime.nvidia import direct
from tilewright.runtime.nvidia.device_kernel import DeviceKernel
from tilewright.runtime.nvidia.direct import CUDA, DeviceRunner, entry
from tilewright.runtime.nvidia.launch import CudaKernel, Modules
from tilewright.runtime.nvidia.streams import current_stream
from tilewright.runtime.nvidia.tables import AddressWords
from tilewright.runtime.nvidia.tensor_maps import LaunchMaps

VALUE, EXTENT, STRIDE = Origin.VALUE, Origin.EXTENT, Origin.STRIDE
Launch = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
TELL = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


class Streams:
    """What torch says of its current stream, to C code and to Python."""

    def __init__(self) -> None:
        self.now = 0x77
        self.asked: list[tuple[int, int]] = []
        self._tell = TELL(self._told)
        self.address = ctypes.cast(self._tell, ctypes.c_void_p).value

    def _told(self, kind: int, device: int, out: int) -> int:
        self.asked.append((kind, device))
        ctypes.c_uint64.from_address(out).value = self.now
        return 0 if self.now >= 0 else -1

    def current_stream(self, _device: int) -> SimpleNamespace:
        return SimpleNamespace(cuda_stream=self.now)


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Streams:
    """The current stream has a number that is none of the default stream."""
    found = Streams()
    monkeypatch.setattr(direct, "stream_teller", lambda: found.address)
    return found


def runner_of(
    played: FakeDriver, info: KernelInfo, plan: LaunchPlan, parts: int = 1
) -> tuple[DeviceRunner | None, int]:
    """What runs a kernel on the last device, and the address of its control block."""
    context = driver.open_device(played.devices - 1)
    module = context.load(artifact_of(info).payload.decode())
    mapped = module.function("k$maps") if plan.has_mapped else None
    runner = DeviceRunner.of(info, plan, module.function("k"), parts, mapped)
    return runner, ctypes.c_uint64.from_address(runner.place).value if runner else 0


def torch_that_says(streams: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=streams))


@pytest.mark.parametrize("current", [(), (5,), (CONTEXTS + 1,)])
def test_machine_code_asks_the_driver(
    played: FakeDriver, streams: Streams, monkeypatch: pytest.MonkeyPatch, current: tuple[int, ...]
) -> None:
    torch_that_says(streams, monkeypatch)
    played.devices = 2
    info = KernelInfo("k", "k", (ScalarParameter("a", "i64"), ScalarParameter("b", "i64")), local_bytes=512)
    runner, control = runner_of(played, info, LaunchPlan((32, 4, 2), cluster=(2, 1, 1), dependent=True))
    assert runner is not None
    played.current, played.calls, streams.now = [*current], [], 0x88
    frame = struct.pack("<8q", 0, 2 * 3 * 4, 512, 2, 3, 4, -7, 9)
    assert Launch(entry())(control, ctypes.addressof(ctypes.create_string_buffer(frame))) == 0
    (launched,) = played.launches
    assert (launched.grid, launched.block, launched.cluster) == ((2, 3, 4), (32, 4, 2), (2, 1, 1))
    assert launched.dependent
    assert (launched.words, launched.shared_bytes, launched.stream) == ((-7, 9), 512, 0x88)
    assert launched.context == CONTEXTS + 1
    assert played.current == [*current], "the caller's context is as before"
    assert ("cuCtxPushCurrent_v2" in played.calls) == (current != (CONTEXTS + 1,)), "only where it has to be"
    assert streams.asked[-1] == (CUDA, 1)


def test_blocks_that_share_a_work_group(played: FakeDriver, streams: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    torch_that_says(streams, monkeypatch)
    runner, control = runner_of(played, KernelInfo("k", "k", ()), PLAN, parts=7)
    assert runner is not None
    frame = ctypes.create_string_buffer(struct.pack("<6q", 0, 24, 0, 2, 3, 4))
    assert Launch(entry())(control, ctypes.addressof(frame)) == 0
    assert played.launches[-1].grid == (14, 3, 4)


@pytest.mark.parametrize("function", ["cuLaunchKernelEx", "cuCtxGetCurrent", "cuCtxPushCurrent_v2"])
def test_what_the_driver_refuses_is_not_done(
    played: FakeDriver, streams: Streams, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    torch_that_says(streams, monkeypatch)
    _, control = runner_of(played, KernelInfo("k", "k", ()), PLAN)
    # numbers of errors that mean something else to the caller
    for code in (1, 3, 700):
        played.failing = {function: code}
        frame = ctypes.create_string_buffer(struct.pack("<6q", 0, 1, 0, 1, 1, 1))
        assert Launch(entry())(control, ctypes.addressof(frame)) == 1
    assert not played.launches
    assert not played.current
    played.failing = {}


def test_streams_that_are_not_told(played: FakeDriver, streams: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    torch_that_says(streams, monkeypatch)
    _, control = runner_of(played, KernelInfo("k", "k", ()), PLAN)
    streams.now = -1
    frame = ctypes.create_string_buffer(struct.pack("<6q", 0, 1, 0, 1, 1, 1))
    assert Launch(entry())(control, ctypes.addressof(frame)) == 1
    assert not played.launches


def test_no_runner_where_c_code_is_told_something_else(
    played: FakeDriver, streams: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Streams()
    other.now = 3
    torch_that_says(other, monkeypatch)
    assert runner_of(played, KernelInfo("k", "k", ()), PLAN) == (None, 0)


def test_tensors_of_derived_classes_are_in_the_same_streams(streams: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    torch_that_says(streams, monkeypatch)
    tensor = type("Tensor", (), {"__module__": "torch"})
    derived = type("Named", (tensor,), {"__module__": "somebody.tensors"})
    assert [current_stream([None, array()], 0) for array in (tensor, derived, object)] == [streams.now] * 2 + [0]
    words = AddressWords(np.zeros(1, np.int64), (), (None, tensor()))
    for passed in (MemoryAt(HERE, 4, owner=(tensor(), None)), words):
        assert current_stream([passed], 0) == streams.now, "memory goes to the stream of what it is of"
    assert current_stream([MemoryAt(HERE, 4)], 0) == 0


# With tensors of torch, those of the CPU taken for such of a device


X = MemrefParameter("x", "f32", (None, None), (1, None), alignment=8)
Y = MemrefParameter("y", "f32", (None, None), (1, None), noalias=True)
PARAMETERS = (ScalarParameter("a", "f32"), X, Y, PointerParameter("p", "f32"))


@pytest.fixture
def torch(played: FakeDriver, streams: Streams, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, if it is here."""
    module = pytest.importorskip("torch")
    if not (torch_tensors.describer() and torch_functions.tensor_functions()):
        pytest.skip("this torch has no C interface")

    def on_cuda(_kind: int, ordinal: int) -> Device:
        return Device("cuda", ordinal)

    monkeypatch.setattr(arrays, "_dlpack_device", on_cuda)
    monkeypatch.setattr(module.cuda, "current_stream", streams.current_stream)
    played.everywhere = True
    return module


def kernel_of(local_bytes: int = 0) -> CudaKernel:
    info = KernelInfo("k", "k", PARAMETERS, local_bytes=local_bytes, launch=PLAN)
    return CudaKernel(info, Modules(artifact_of(info), None))


def slots(a: float, x: Any, y: Any, p: Any) -> bytes:
    layout = (x.data_ptr(), *x.shape, x.stride(1), y.data_ptr(), *y.shape, y.stride(1), p.data_ptr())
    return struct.pack("<f4x9q", a, *layout)


def test_calls_like_earlier_ones(torch: Any, played: FakeDriver, streams: Streams) -> None:
    kernel = kernel_of(local_bytes=64)
    call = kernel.prepare((3, 2))
    given = [(float(k), torch.zeros(5, 4).T, torch.zeros(5, 4).T, torch.zeros(9)) for k in range(8)]
    for k, arguments in enumerate(given):
        streams.now = 0x100 + k
        with python_run() as run:
            call(*arguments)
        assert k < 2 or run == []
    assert [launched.slots[:80] for launched in played.launches] == [slots(*arguments) for arguments in given]
    assert [launched.stream for launched in played.launches] == [0x100 + k for k in range(8)]
    assert {(launched.grid, launched.block, launched.shared_bytes) for launched in played.launches} == {
        ((3, 2, 1), (64, 1, 1), 64)
    }
    other = kernel.prepare(7)
    other(*given[0])
    assert played.launches[-1].grid == (7, 1, 1), "what was accepted on one grid is so on any"


def test_one_launch_in_the_place_of_another(torch: Any, played: FakeDriver) -> None:
    """What takes the kernel's place for large arrays is launched by machine code as well."""
    rows = Polynomial.quantity(Quantity(Origin.EXTENT, "x"))
    plans = [LaunchPlan((threads, 1, 1), parts=Parts(((Trips(rows, 2),),), 40)) for threads in (64, 32)]
    step = KernelInfo("k.0", "k0", PARAMETERS, launch=plans[1])
    info = KernelInfo("k", "k", PARAMETERS, launch=plans[0], steps=Steps((step,), 6, 4))
    kernel = CudaKernel(info, Modules(artifact_of(info, step), None))
    call = kernel.prepare(3)
    few, many = ((1.0, torch.zeros(5, n).T, torch.zeros(5, n).T, torch.zeros(9)) for n in (4, 20))
    for k in range(4):
        with python_run() as run:
            call(*few)
            call(*many)
        assert k < 2 or run == []
    assert [(one.grid, one.block) for one in played.launches] == [((6, 1, 1), (64, 1, 1)), ((30, 1, 1), (32, 1, 1))] * 4


def test_two_forms_of_a_kernel(torch: Any, played: FakeDriver) -> None:
    """Which one is launched follows from where the arrays lie, by machine code as well."""
    parameters = (X, PointerParameter("p", "f32"))
    read = (replace(X, written=False), PointerParameter("p", "f32"))
    apart = KernelInfo("k.apart", "k2", read, local_bytes=16, launch=LaunchPlan((32, 1, 1), most=5))
    info = KernelInfo("k", "k", parameters, launch=PLAN, apart=apart)
    kernel = CudaKernel(info, Modules(artifact_of(info, apart), None))
    call, memory = kernel.prepare(7), torch.zeros(40)
    x = memory[8:28].view(5, 4).T
    places = {0: True, 1: False, 8: False, 27: False, 28: True}
    for number in range(5):
        for place, lies_apart in places.items():
            p = memory[place : place + 8]
            with python_run() as run:
                call(x, p)
            assert number < 3 or run == []
            launched = played.launches[-1]
            found = (launched.block, launched.grid, launched.shared_bytes)
            assert found == (((32, 1, 1), (5, 1, 1), 16) if lies_apart else ((64, 1, 1), (7, 1, 1), 0)), place
    call(x, p=memory[28:36])
    assert played.launches[-1].block == (32, 1, 1)


def test_a_larger_launch_in_the_place_of_another_goes_through_python(played: FakeDriver) -> None:
    """Calls by machine code have room for the parameter block of the kernel itself."""
    parts = Parts(((Trips(Polynomial.quantity(Quantity(Origin.VALUE, "n")), 2),),), 40)
    parameters = (*(PointerParameter(f"p{k}", "f16") for k in range(6)), ScalarParameter("n", "i64"))
    maps = (TensorMap("p0", "f16", 0, (64, 9), (64,), (64, 8)),)
    plans = LaunchPlan((64, 1, 1), parts=parts), LaunchPlan((32, 1, 1), parts=parts, maps=maps)
    step = KernelInfo("k.0", "k0", parameters, launch=plans[1])
    info = KernelInfo("k", "k", parameters, launch=plans[0], steps=Steps((step,), 6, 4))
    assert device_block_size(step) > device_block_size(info) == 64
    module = Modules(artifact_of(info, step), None).on(0)
    other = DeviceKernel(step, plans[1], module.function(step.symbol))
    kernel = DeviceKernel(info, plans[0], module.function(info.symbol), [other])
    assert kernel.only_launch([*[HERE] * 6, 2], (3, 1, 1), info) is kernel
    assert kernel.only_launch([*[HERE] * 6, 40], (3, 1, 1), info) is None


def test_a_launch_in_the_place_of_another_on_small_grids(torch: Any, played: FakeDriver) -> None:
    """Which of them a grid takes is known before there are arguments, so that calls have room for what that takes."""
    slices = Parts(((Trips(Polynomial.constant(128), 64),),), 132)
    step = KernelInfo("k.0", "k0", PARAMETERS, local_bytes=16, launch=LaunchPlan((32, 1, 1), parts=slices))
    plan = LaunchPlan((64, 1, 1), most=132, gathered=True)
    info = KernelInfo("k", "k", PARAMETERS, launch=plan, steps=Steps((step,), 66, 1))
    assert device_block_size(step) != device_block_size(info)
    found = CudaKernel(info, Modules(artifact_of(info, step), None))
    arguments = (1.0, torch.zeros(5, 4).T, torch.zeros(5, 4).T, torch.zeros(9))
    for grid, blocks, block, shared in (
        ((6, 11), (12, 11, 1), (32, 1, 1), 16),
        ((8, 9), (72, 1, 1), (64, 1, 1), 0),
    ):
        call = found.prepare(grid)
        for k in range(4):
            with python_run() as run:
                call(*arguments)
            assert k < 2 or run == []
            launched = played.launches[-1]
            assert (launched.grid, launched.block, launched.shared_bytes) == (blocks, block, shared)
            assert launched.slots[:80] == slots(*arguments)


def test_other_calls_are_checked(torch: Any, played: FakeDriver) -> None:
    call = kernel_of().prepare(1)
    x, y, p = torch.zeros(5, 4).T, torch.zeros(5, 4).T, torch.zeros(9)
    for _ in range(3):
        call(1.0, x, y, p)
    whole = torch.zeros(100)
    wrong: list[tuple[tuple[object, ...], str]] = [
        ((1.0, torch.zeros(5, 4), y, p), "argument x"),
        ((1.0, torch.zeros(5, 4, dtype=torch.float64).T, y, p), "argument x: its dtype is float64"),
        ((1.0, whole[1:21].view(5, 4).T, y, p), "argument x: its address"),
        ((1.0, x, x, p), "argument y: it overlaps"),
        ((1.0, x, y, whole[::2]), "argument p: its elements do not lie"),
        ((1.0, x, y, torch.zeros(9, requires_grad=True)), "argument p: .*grad"),
        ((1.0, x, y), "takes 4 arguments"),
        (("1", x, y, p), "argument a"),
        ((1.0, x, y, 5), "argument p: a number is no array"),
    ]
    for arguments, message in wrong:
        with pytest.raises(tw.LaunchError, match=message):
            call(*arguments)
    assert len(played.launches) == 3
    call(1.0, x, y, p=p)
    call(2.0, torch.zeros(8, 4).T, y, p)
    assert len(played.launches) == 5


def test_tensors_on_another_device_are_other_calls(
    torch: Any, played: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was accepted is said to be for device 1, where these tensors do not lie."""
    told = torch_functions.TensorFunctions.kind

    def elsewhere(functions: torch_functions.TensorFunctions, tensor: object) -> tuple[int, ...]:
        kind = told(functions, tensor)
        assert kind is not None
        return (*kind[:-1], kind[-1] + 1)

    monkeypatch.setattr(torch_functions.TensorFunctions, "kind", elsewhere)
    call = kernel_of().prepare(1)
    arguments = (1.0, torch.zeros(5, 4).T, torch.zeros(5, 4).T, torch.zeros(9))
    for _ in range(4):
        with python_run() as run:
            call(*arguments)
        assert CHECKS in run


def test_groups_that_last_are_known_by_the_object(torch: Any, played: FakeDriver) -> None:
    """Their table is on the device once; another object in the place of one that is gone is another group."""
    matrices = MemrefParameter("g", "f32", (4, 3), (1, 4))
    info = KernelInfo("k", "k", (GroupParameter("g", matrices, None), X), launch=PLAN)
    kernel = CudaKernel(info, Modules(artifact_of(info), None))
    kernel.prepare((0, 1))(PointerArray.of(torch.zeros(2, 3, 4)), torch.zeros(5, 4).T)
    call, x, batches = kernel.prepare(2), torch.zeros(5, 4).T, [torch.zeros(2, 3, 4) for _ in range(3)]
    groups = [PointerArray.of(batch) for batch in batches]
    for k in range(4):
        with python_run() as run:
            for number in range(len(groups)):
                call(groups[number], x)
        assert k < 2 or run == []
    tables = [np.frombuffer(played.bytes_at(launched.words[0], 16), np.int64) for launched in played.launches]
    places = [[batch[k].data_ptr() for k in range(2)] for batch in batches]
    assert [table.tolist() for table in tables] == places * 4
    assert played.calls.count("cuMemcpyHtoDAsync_v2") == 3
    known = id(groups.pop())
    while id(another := PointerArray.of(torch.zeros(2, 3, 4))) != known:
        groups.append(another)
        if len(groups) > 100:
            pytest.skip("no object is where the one that is gone was")
    for others in (another, [matrix.T for matrix in batches[0]]):
        with python_run() as run:
            call(others, x)
        assert CHECKS in run


def test_an_empty_grid(torch: Any, played: FakeDriver) -> None:
    call = kernel_of().prepare(0)
    for _ in range(4):
        call(1.0, torch.zeros(5, 4).T, torch.zeros(5, 4).T, torch.zeros(9))
    assert not played.launches


def test_errors_of_direct_calls(torch: Any, played: FakeDriver) -> None:
    call = kernel_of().prepare(1)
    arguments = (1.0, torch.zeros(5, 4).T, torch.zeros(5, 4).T, torch.zeros(9))
    for _ in range(3):
        call(*arguments)
    played.failing["cuLaunchKernelEx"] = 700
    with pytest.raises(driver.DeviceFailed, match="Start the process again"):
        call(*arguments)
    played.failing.clear()
    call(*arguments)
    assert len(played.launches) == 4


def test_from_many_threads(torch: Any, played: FakeDriver) -> None:
    call = kernel_of().prepare(1)
    tensors = torch.zeros(5, 4).T, torch.zeros(5, 4).T, torch.zeros(9)
    with ThreadPoolExecutor(4) as threads:
        done = [threads.submit(call, float(k), *tensors) for k in range(200)]
    assert not any(future.exception() for future in done)
    found = sorted(struct.unpack_from("<f", launched.slots)[0] for launched in played.launches)
    assert found == [float(k) for k in range(200)]


@pytest.mark.parametrize("has_mapped", [False, True])
@pytest.mark.parametrize("addresses", [(256, 0), (256, 4096), (256, 8), (8, 0), (4, 2), (-HERE, 0), (256, -HERE)])
def test_maps_are_those_of_the_addresses(
    played: FakeDriver,
    streams: Streams,
    monkeypatch: pytest.MonkeyPatch,
    addresses: tuple[int, int],
    has_mapped: bool,
) -> None:
    """As launches through Python make them, whatever stood in their places; those with all take another entry."""
    torch_that_says(streams, monkeypatch)
    maps = (TensorMap("p", "bf16", 32, (512, 70), (512,), (64, 64)), TensorMap("q", "f16", 0, (64, 9), (64,), (16, 8)))
    plan = LaunchPlan((32, 1, 1), maps=maps, has_mapped=has_mapped)
    info = KernelInfo("k", "k", (PointerParameter("q", "f16"), PointerParameter("p", "bf16")), launch=plan)
    given = [HERE + distance for distance in addresses]
    _, control = runner_of(played, info, plan)
    slots = struct.pack("<2Q", *given).ljust(device_block_size(info), b"\xa5")
    frame = ctypes.create_string_buffer(struct.pack("<6q", 0, 1, 0, 1, 1, 1) + slots)
    assert Launch(entry())(control, ctypes.addressof(frame)) == 0
    context = driver.open_device(played.devices - 1)
    expected = LaunchMaps.of(info, plan, context).bytes(given)
    assert played.launches[-1].slots[-len(expected) :] == expected
    has_all = all(address and address % 16 == 0 for address in given)
    assert played.launches[-1].function == ("k$maps" if has_all and has_mapped else "k")
    if not any(expected):
        return
    played.failing = {"cuTensorMapEncodeTiled": 1}
    assert Launch(entry())(control, ctypes.addressof(frame)) == 1
    assert len(played.launches) == 1
    played.failing = {}


@pytest.mark.parametrize(
    ("extents", "stride", "known"),
    [
        ((64, 9), 64, True),
        ((60, 1), 64, True),
        ((64, 9), 1 << 38, True),
        ((64, 9), 100, False),
        ((65, 9), 64, False),
        ((0, 9), 64, False),
        ((64, 0), 64, False),
        ((64, -1), 64, False),
        ((-64, 9), 64, False),
        ((64, 9), -64, False),
        ((64, 9), 0, False),
        ((64, 9), 1 << 39, False),
        ((64, 9), 1 << 62, False),
        ((64, 1 << 31), 64, True),
        ((64, (1 << 31) + 1), 64, False),
    ],
)
def test_maps_are_those_of_the_sizes(
    played: FakeDriver,
    streams: Streams,
    monkeypatch: pytest.MonkeyPatch,
    extents: tuple[int, int],
    stride: int,
    known: bool,
) -> None:
    """Integers and what a memref has open, in launches by machine code and through Python; some have no map."""
    torch_that_says(streams, monkeypatch)
    near, far = extents
    of_numbers = TensorMap("p", "f16", 0, (Quantity(VALUE, "near"), 7), (Quantity(VALUE, "stride"),), (64, 64))
    of_memref = TensorMap(
        "m", "bf16", 16, (Quantity(EXTENT, "m", 1), Quantity(EXTENT, "m", 0)), (Quantity(STRIDE, "m", 0),), (64, 8)
    )
    of_stack = TensorMap("p", "f16", 32, (64, 9, Quantity(VALUE, "near")), (64, Quantity(VALUE, "stride")), (64, 64))
    plan = LaunchPlan((32, 1, 1), maps=(of_numbers, of_memref, of_stack))
    parameters = (
        ScalarParameter("near", "i16"),
        PointerParameter("p", "f16"),
        ScalarParameter("stride", "i64"),
        MemrefParameter("m", "bf16", (None, None), (None, 1)),
    )
    info = KernelInfo("k", "k", parameters, launch=plan)
    _, control = runner_of(played, info, plan)
    values = (near, HERE, stride, HERE + 4096, far, near, stride)
    # what the slot of a narrow integer has room for beside it is anything
    slots = struct.pack("<h6s6q", near, b"\xa5" * 6, *values[1:]).ljust(device_block_size(info), b"\xa5")
    frame = ctypes.create_string_buffer(struct.pack("<6q", 0, 1, 0, 1, 1, 1) + slots)
    assert Launch(entry())(control, ctypes.addressof(frame)) == 0
    told = played.launches[-1].slots[-3 * 128 :]
    assert told == LaunchMaps.of(info, plan, driver.open_device(played.devices - 1)).bytes(values)
    found = [struct.unpack_from("<7q", told, k) for k in (0, 128, 256)]
    expected = [(6, HERE, near, 7, 2 * stride, 64, 64), (9, HERE + 4112, near, far, 2 * stride, 64, 8)]
    expected += [(6, HERE + 32, 64, 9, near, 128, 2 * stride)]
    stacked = near > 0 and stride % 8 == 0 and 0 < stride < 1 << 39
    first = known or (far <= 0 and near > 0) or far > 1 << 31
    assert found == [
        numbers if is_known else (0,) * 7 for is_known, numbers in zip((first, known, stacked), expected, strict=True)
    ]
