"""Several GPUs of one machine: launches go where the arrays are, and leave the caller's device as it was."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import KernelError
from tilewright.machine.cuda import driver
from tilewright.remembered.record import read_record
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.nvidia.launch import bind_artifact

pytestmark = pytest.mark.skipif(
    not driver.available() or driver.device_count() < 2, reason="this machine has fewer than two GPUs"
)

DEVICES = ("cuda:0", "cuda:1")
AXPBY = """func @axpby(%alpha: f32, %A: memref<f32x?x?>, %beta: f32, %B: memref<f32x?x?>) {
    axpby %alpha, %A, %beta, %B
}"""
TWICE = """func @twice(%G: group<memref<f32x?x3>x?>, %two: f32) {
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %x = load %G[%g] : memref<f32x?x3>
    axpby %zero, %x, %two, %x
}"""
SCALE = """func @scale(%alpha: f32, %X: memref<f32x?>, %Y: memref<f32x?>) {
    %zero = constant 0.0 : f32
    axpby %alpha, %X, %zero, %Y
}"""
STORE = """func @put(%x: memref<f32x?>, %at: index) {
    %one = constant 1.0 : f32
    store %one, %x[%at]
}"""


@pytest.fixture(params=DEVICES)
def torch(request: pytest.FixtureRequest) -> Iterator[Any]:
    """PyTorch, each of the devices being its current one; it is so afterwards too."""
    found = pytest.importorskip("torch")
    if found.cuda.device_count() < 2:
        pytest.skip("PyTorch sees fewer than two devices")
    with found.cuda.device(request.param):
        yield found
        assert f"cuda:{found.cuda.current_device()}" == request.param
        for device in DEVICES:
            found.cuda.synchronize(device)


def kernel(text: str) -> tw.Kernel:
    """The only kernel of a text."""
    (found,) = tw.compile(text, target="nvidia", cache=False)
    return found


def matrices(torch: Any, device: str, value: float) -> tuple[Any, Any]:
    """One of these elements, and one of zeros."""
    return torch.full((64, 32), value, device=device).T, torch.zeros(64, 32, device=device).T


def current_context() -> int:
    """The driver's context of this thread, 0 if there is none."""
    found = c_void_p()
    driver.library().call("cuCtxGetCurrent", byref(found))
    return found.value or 0


def test_launches_go_where_the_arrays_are(torch: Any) -> None:
    call = kernel(AXPBY)[1]
    pairs = [matrices(torch, device, 1.0 + k) for k, device in enumerate(DEVICES)]
    before = current_context()
    for _ in range(5):
        # the later ones run no Python code
        for a, b in pairs:
            call(1.0, a, 1.0, b)
    assert current_context() == before
    assert [bool((b == 5.0 * (1 + k)).all()) for k, (_, b) in enumerate(pairs)] == [True, True]


def test_arrays_on_two_devices_are_refused(torch: Any) -> None:
    axpby, twice = kernel(AXPBY)[1], kernel(TWICE)[2]
    (a, b), (c, d) = (matrices(torch, device, 1.0) for device in DEVICES)
    for _ in range(5):
        axpby(1.0, a, 0.0, b)
        axpby(1.0, c, 0.0, d)
    for wrong, message in (((a, d), "lies on cuda:1, this .* cuda:0"), ((c, b), "lies on cuda:0, this .* cuda:1")):
        with pytest.raises(LaunchError, match=message):
            axpby(5.0, wrong[0], 0.0, wrong[1])
    lists = [[torch.ones(3, 7, device=device).T for device in order] for order in (DEVICES, DEVICES[::-1])]
    for arrays in lists:
        with pytest.raises(LaunchError, match="lies on cuda"):
            twice(arrays, 2.0)
    for device in DEVICES:
        torch.cuda.synchronize(device)
    assert all(bool((x == 1.0).all()) for x in (a, b, c, d, *lists[0], *lists[1]))


def test_a_kernel_for_one_device_takes_no_others(torch: Any) -> None:
    only = bind_artifact(tw.compile(AXPBY, target="nvidia", cache=False).artifact, 1)["axpby"]
    (a, b), (c, d) = (matrices(torch, device, 3.0) for device in DEVICES)
    only.launch(1, [1.0, c, 0.0, d])
    assert bool((d == 3.0).all())
    with pytest.raises(LaunchError, match="lies on cuda:0, this launch runs on cuda:1"):
        only.launch(1, [1.0, a, 0.0, b])


def test_streams_of_each_device(torch: Any) -> None:
    """Work waits for what is in front of it in the current stream of the arrays' device, and in no other one."""
    call = kernel(AXPBY)[1]
    pairs = [matrices(torch, device, 1.0) for device in DEVICES]
    streams = [torch.cuda.Stream(device) for device in DEVICES]
    for device, (a, b) in zip(DEVICES, pairs, strict=True):
        for _ in range(4):
            call(0.0, a, 0.0, b)
        # torch loads what it runs when it is first needed, which takes longer than the devices sleep
        torch.zeros_like(a).mul_(3.0).zero_()
        with torch.cuda.device(device):
            torch.cuda._sleep(1)
        torch.cuda.synchronize(device)
    with torch.cuda.stream(streams[0]), torch.cuda.stream(streams[1]):
        for device, (a, b) in zip(DEVICES, pairs, strict=True):
            with torch.cuda.device(device):
                torch.cuda._sleep(500_000_000)
            a.mul_(3.0)
            call(1.0, a, 1.0, b)
            a.zero_()
    assert not any(stream.query() for stream in streams), "a launch must not wait for a device"
    for stream, (_, b) in zip(streams, pairs, strict=True):
        stream.synchronize()
        assert bool((b == 3.0).all())
    for device, stream, (a, b) in zip(DEVICES, streams, pairs, strict=True):
        found = bind_artifact(tw.compile(AXPBY, target="nvidia").artifact)["axpby"]
        torch.cuda.synchronize(device)
        found.launch(1, [2.0, b, 0.0, a], stream=stream)
        stream.synchronize()
        assert bool((a == 6.0).all())


def test_threads_that_share_a_kernel(torch: Any) -> None:
    """Each on a device of its own, in a thread that has no context before nor afterwards."""
    call, together = kernel(AXPBY)[1], Barrier(2)
    pairs = [[matrices(torch, device, float(k)) for k in range(100)] for device in DEVICES]
    for device in DEVICES:
        torch.cuda.synchronize(device)

    def launch(number: int) -> tuple[int, int]:
        before = current_context()
        together.wait(timeout=60)
        for a, b in pairs[number]:
            call(2.0, a, 1.0, b)
        return before, current_context()

    with ThreadPoolExecutor(2) as threads:
        contexts = [done.result() for done in [threads.submit(launch, k) for k in range(2)]]
    for device in DEVICES:
        torch.cuda.synchronize(device)
    assert all(bool((b == 2.0 * k).all()) for mine in pairs for k, (_, b) in enumerate(mine))
    assert all(before == after for before, after in contexts)


def test_groups(torch: Any) -> None:
    """Lists of arrays, and tables of addresses, each copied to the device that it is of."""
    call = kernel(TWICE)
    batches = [torch.full((50, 3, 8), 1.0 + k, device=device) for k, device in enumerate(DEVICES)]
    tables = [tw.PointerArray.of(batch, transposed=True) for batch in batches]
    lists = [[torch.full((3, 5), 1.0 + k, device=device).T for _ in range(4)] for k, device in enumerate(DEVICES)]
    for _ in range(5):
        for table, arrays in zip(tables, lists, strict=True):
            call[50](table, 2.0)
            call[4](arrays, 2.0)
    for k, (batch, arrays) in enumerate(zip(batches, lists, strict=True)):
        assert bool((batch == 32.0 * (1 + k)).all())
        assert all(bool((x == 32.0 * (1 + k)).all()) for x in arrays)


@pytest.mark.parametrize("warm", [0, 5])
@pytest.mark.parametrize("device", DEVICES)
def test_captured_graphs(torch: Any, device: str, warm: int) -> None:
    axpby, twice = kernel(AXPBY)[1], kernel(TWICE)
    a, b = matrices(torch, device, 1.0)
    batch = torch.ones(6, 3, 5, device=device)
    listed = [torch.ones(3, 7, device=device).T for _ in range(4)]
    table = tw.PointerArray.of(batch, transposed=True)
    for _ in range(warm):
        axpby(0.0, a, 0.0, b)
        twice[6](table, 1.0)
        twice[4](listed, 1.0)
    torch.cuda.synchronize(device)
    graph = torch.cuda.CUDAGraph()
    # a graph is of torch's current device, as its stream has to be: the usual one is of the first graph's device
    with torch.cuda.device(device), torch.cuda.graph(graph, stream=torch.cuda.Stream(device)):
        axpby(1.0, a, 1.0, b)
        twice[6](table, 2.0)
        twice[4](listed, 2.0)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize(device)
    assert bool((b == 3.0).all())
    assert bool((batch == 8.0).all())
    assert all(bool((x == 8.0).all()) for x in listed)


@pytest.mark.parametrize("device", DEVICES)
def test_operators(torch: Any, device: str) -> None:
    def like_second(_alpha: float, x: Any) -> Any:
        return torch.empty_like(x)

    def tripled(x: Any) -> Any:
        return operator(3.0, x + 1) * 2

    name = f"tilewright_tests::scale_{torch.cuda.current_device()}_{device[-1]}"
    operator: Any = tw.torch.custom_op(kernel(SCALE), name=name, outputs={"Y": like_second})
    function = torch.compile(tripled, fullgraph=True, backend="aot_eager")
    x = torch.randn(1000, device=device)
    found = function(x)
    assert found.device == x.device
    torch.testing.assert_close(found, (x + 1) * 6)


@pytest.mark.parametrize("device", DEVICES)
def test_products_and_attention(torch: Any, device: str) -> None:
    a, b = (torch.randn(256, 256, device=device, dtype=torch.float16) for _ in range(2))
    product: Any = tw.matmul(a, b)
    torch.testing.assert_close(product, a @ b, rtol=1e-2, atol=0.1)
    q, k, v = (torch.randn(1, 2, 128, 64, device=device, dtype=torch.float16) for _ in range(3))
    found: Any = tw.attention(q, k, v)
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    assert product.device == found.device == q.device
    torch.testing.assert_close(found, wanted, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("device", DEVICES)
def test_checked_kernels(torch: Any, device: str) -> None:
    call = tw.compile(STORE, target="nvidia", checked=True, cache=False).put[1]
    x = torch.zeros(8, device=device)
    call(x, 3)
    with pytest.raises(KernelError):
        call(x, 8)
    call(x, 5)
    assert x.tolist() == [0, 0, 0, 1, 0, 1, 0, 0]


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_found_is_of_the_device_of_the_arrays(
    torch: Any, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "tuned.toml"
    x, y = torch.randn(1 << 16, device=device), torch.zeros(1 << 16, device=device)
    allocate, places = driver.Context.allocate, set[int]()

    def told(context: driver.Context, size: int) -> driver.DeviceBuffer:
        places.add(context.description.ordinal)
        return allocate(context, size)

    monkeypatch.setattr(driver.Context, "allocate", told)
    tuned = tw.tune(SCALE, 2.0, x, y, trials=2, seconds=5, record=record)
    assert not tuned.found.wrong
    ordinal = int(device[-1])
    assert places == {ordinal}, "what is timed lies on the device of the arrays"
    (entry,) = read_record(record)
    assert entry.device == driver.open_device(ordinal).description.name


def test_cupy_streams_of_each_device() -> None:
    """CuPy's current streams are one a device too, whichever is current."""
    cupy = pytest.importorskip("cupy")
    call = kernel(AXPBY)[1]
    for ordinal in range(2):
        with cupy.cuda.Device(ordinal):
            a, b = (cupy.full((33, 20), value, np.float32, order="F") for value in (2.0, np.nan))
            stream = cupy.cuda.Stream(non_blocking=True)
            cupy.cuda.Device(ordinal).synchronize()
            with stream, cupy.cuda.Device(1 - ordinal), cupy.cuda.Stream():
                call(3.0, a, 0.0, b)
            stream.synchronize()
            assert bool((b == 6.0).all())
