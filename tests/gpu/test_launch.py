"""Launching on arrays of PyTorch and CuPy, on the caller's stream, and what is refused before anything runs."""

from __future__ import annotations

import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.cases_language import SAMPLE
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.nvidia.launch import CudaKernel, bind_artifact
from tilewright.targets.nvidia.target import NvidiaTarget

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")

AXPBY = """
func @axpby(%alpha: T, %A: memref<Tx?x?,strided<?,?>>, %beta: T, %B: memref<Tx?x?,strided<?,?>>) {
    axpby %alpha, %A, %beta, %B
}"""

PRODUCT = """
func @product(%A: memref<f16x?x?>, %B: memref<f16x?x?>, %C: memref<f16x?x?>) {
    %one = constant 1.0 : f16
    %zero = constant 0.0 : f16
    gemm %one, %A, %B, %zero, %C
}"""

GROUP = """
func @twice(%G: group<memref<f32x?x3>x?, offset: ?>, %two: f32) {
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %x = load %G[%g] : memref<f32x?x3>
    axpby %zero, %x, %two, %x
}"""


def load(text: str, name: str) -> CudaKernel:
    """A kernel on the first device."""
    architecture = Architecture.of_capability(driver.open_device().description.capability)
    report = Report()
    module = read_module(Source("<test>", text), report)
    artifact = compile_module(module, NvidiaTarget(architecture), CompileOptions(), report)
    return bind_artifact(type(artifact).from_bytes(artifact.to_bytes()))[name]


def torch() -> Any:
    """PyTorch, if it is here and sees the device."""
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("PyTorch sees no device")
    return module


@pytest.mark.parametrize("ours", [(True, True), (True, False), (False, True)])
def test_dependent_launches_see_what_those_before_them_wrote(ours: tuple[bool, bool]) -> None:
    """Chains of products and of sums of large arrays, among which are launches of others that know nothing of it."""
    t = torch()
    if t.cuda.get_device_capability() < (9, 0):
        pytest.skip("launches of this device do not depend on each other")
    product = """func @product(%A: memref<f16x512x512>, %B: memref<f16x512x512>, %C: memref<f16x512x512>) {
        %one = constant 1.0 : f16
        %zero = constant 0.0 : f16
        gemm %one, %A, %B, %zero, %C
    }"""
    multiply = tw.compile(product, target="nvidia", schedule=f"dependent={'yes' if ours[0] else 'no'}").product[1]
    text = AXPBY.replace("T", "f16")
    add = tw.compile(text, target="nvidia", schedule=f"dependent={'yes' if ours[1] else 'no'}").axpby[1]
    # a permutation: the answer is exact, and another one after each step
    shift = t.eye(512, dtype=t.float16, device="cuda").roll(1, 1).t()
    x = t.randint(-8, 8, (512, 512), device="cuda").half().t()
    y, wanted = t.empty(512, 512, dtype=t.float16, device="cuda").t(), x.clone()
    for step in range(200):
        multiply(x, shift, y)
        if step % 7 == 3:
            y.neg_()
        add(1.0, y, 0.0, x)
        wanted = (wanted.float() @ shift.float()).half() * (-1 if step % 7 == 3 else 1)
    assert t.equal(x, wanted)


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
def test_torch_tensors_with_any_strides(dtype: str) -> None:
    t = torch()
    kind = {"f32": t.float32, "f64": t.float64, "bf16": t.bfloat16, "f16": t.float16}[dtype]
    kernel = load(AXPBY.replace("T", dtype), "axpby")
    a = t.randn(301, 70, device="cuda", dtype=kind).T
    b = t.randn(150, 301, device="cuda", dtype=kind)[5:145:2].contiguous().T.contiguous().T
    expected = (1.5 * a.double() - 0.25 * b.double()).to(kind)
    kernel.launch(1, [1.5, a, -0.25, b])
    t.cuda.synchronize()
    tolerance = {"f32": 1e-6, "f64": 1e-14, "bf16": 1e-2, "f16": 2e-3}[dtype]
    assert (b.double() - expected.double()).norm() <= tolerance * expected.double().norm()


def test_launch_follows_the_current_stream() -> None:
    t = torch()
    kernel = load(AXPBY.replace("T", "f32"), "axpby")
    stream = t.cuda.Stream()
    a, b = t.ones(512, 2048, device="cuda").T, t.zeros(512, 2048, device="cuda").T
    t.cuda.synchronize()
    with t.cuda.stream(stream):
        t.cuda._sleep(200_000_000)
        a.mul_(3.0)
        kernel.launch(1, [1.0, a, 1.0, b])
        a.zero_()
    assert not stream.query(), "the launch must not wait for the device"
    stream.synchronize()
    assert bool((b == 3.0).all())
    kernel.launch(1, [2.0, b, 0.0, a], stream=stream)
    stream.synchronize()
    assert bool((a == 6.0).all())


def test_cupy_arrays() -> None:
    cupy = pytest.importorskip("cupy")
    kernel = load(AXPBY.replace("T", "f32"), "axpby")
    a = cupy.asfortranarray(cupy.random.standard_normal((33, 20), dtype=np.float32))
    b = cupy.full((33, 20), np.nan, np.float32, order="F")
    kernel.launch(1, [2.0, a, 0.0, b])
    assert np.allclose(cupy.asnumpy(b), 2.0 * cupy.asnumpy(a))


def test_jax_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read-only, and lie where DLPack says."""
    t = torch()
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    kernel = load(AXPBY.replace("T", "f32").replace("x?x?,strided<?,?>", "x?"), "axpby")
    a = jax.block_until_ready(jax.numpy.arange(12, dtype=np.float32))
    b = t.zeros(12, device="cuda")
    kernel.launch(1, [2.0, a, 0.0, b])
    assert np.array_equal(b.cpu().numpy(), 2.0 * np.asarray(a))
    with pytest.raises(LaunchError, match="read-only"):
        kernel.launch(1, [2.0, b, 0.0, a])


def test_groups_with_offset() -> None:
    t = torch()
    groups = importlib.import_module("tilewright.runtime.groups")
    kernel = load(GROUP, "twice")
    storage = [t.randn(3 * n + 4, device="cuda") for n in (5, 1, 200)]
    arrays = [s[: 3 * n].view(3, n).T for s, n in zip(storage, (5, 1, 200), strict=True)]
    before = [s.clone() for s in storage]
    kernel.launch(len(arrays), [groups.ArrayGroup(arrays, 4), 2.0])
    t.cuda.synchronize()
    for now, old, n in zip(storage, before, (5, 1, 200), strict=True):
        expected = old.clone()
        expected[4 : 4 + 3 * n] *= 2.0
        assert t.equal(now, expected)


def test_refused_before_anything_runs() -> None:
    t = torch()
    kernel = load(AXPBY.replace("T", "f32"), "axpby")
    a, b = t.ones(4, 3, device="cuda").T, t.ones(4, 3, device="cuda").T
    with pytest.raises(LaunchError, match="lies on cpu"):
        kernel.launch(1, [1.0, a.cpu(), 1.0, b])
    with pytest.raises(LaunchError, match="lies on cpu"):
        kernel.launch(1, [1.0, a, 1.0, np.ones((3, 4), np.float32)])
    with pytest.raises(LaunchError, match="dtype is float64"):
        kernel.launch(1, [1.0, a.double(), 1.0, b])
    with pytest.raises(LaunchError, match="its order is 1"):
        kernel.launch(1, [1.0, a[0], 1.0, b])
    with pytest.raises(LaunchError, match="4 arguments"):
        kernel.launch(1, [1.0, a, 1.0])
    with pytest.raises(LaunchError, match="exceeds"):
        kernel.launch((1, 70000), [1.0, a, 1.0, b])
    with pytest.raises(LaunchError, match="no CUDA stream"):
        kernel.launch(1, [1.0, a, 1.0, b], stream="main")
    kernel.launch(0, [1.0, a, 1.0, b])
    t.cuda.synchronize()
    assert bool((b == 1.0).all())


def test_driver_objects() -> None:
    context = driver.open_device()
    stream, start, stop = context.stream(), context.event(), context.event()
    buffer = context.allocate(1 << 20)
    start.record(stream.handle)
    buffer.fill(0x5A, stream.handle)
    stop.record(stream.handle)
    stream.synchronize()
    assert stop.milliseconds_since(start) >= 0.0
    assert set(buffer.read()) == {0x5A}
    buffer.write(b"abc", 7)
    assert buffer.read(4, 7) == b"abcZ"
    assert driver.pointer_device(buffer.address) == 0
    assert driver.pointer_device(id(buffer)) is None
    with pytest.raises(ValueError, match="outside"):
        buffer.read(2, (1 << 20) - 1)
    with pytest.raises(driver.ModuleLoadError) as caught:
        context.load(".version 8.0\n.target sm_90a\n.address_size 64\nnonsense;")
    assert "syntax error" in caught.value.log
    with pytest.raises(driver.DriverError, match="NOT_FOUND"):
        context.load(".version 8.0\n.target sm_80\n.address_size 64\n").function("absent")


def test_the_front_door() -> None:
    """The sample kernel by `tw.compile`, launched on tensors by `program.kernel[grid]`."""
    t = torch()
    program = tw.compile(SAMPLE, target="nvidia", cache=False)
    batch = 64
    a = [t.randn(8, 16, device="cuda").T for _ in range(batch)]
    b, c = t.randn(8, 8, device="cuda").T, t.randn(16, 8, device="cuda").T
    d = t.randn(batch, 16, 16, device="cuda").permute(2, 1, 0)
    products = [0.5 * (x.double() @ b.double().T) @ c.double() for x in a]
    expected = d.double() + t.stack(products, dim=2)
    again = tw.Program.from_bytes(program.to_bytes())
    again.fused_kernel[batch](0.5, a, b, c, d)
    t.cuda.synchronize()
    assert (d.double() - expected).norm() <= 1e-6 * expected.norm()


def test_direct_calls_on_every_stream() -> None:
    """Calls like earlier ones, which run no Python code, go to the stream that is current when they are made."""
    t = torch()
    kernel = tw.compile(AXPBY.replace("T", "f32"), target="nvidia", cache=False).axpby
    tensors = [(t.full((64, 512), float(k), device="cuda").T, t.zeros(64, 512, device="cuda").T) for k in range(40)]
    t.cuda.synchronize()
    streams = [t.cuda.Stream() for _ in range(4)]
    for k, (a, b) in enumerate(tensors):
        with t.cuda.stream(streams[k % 4]):
            t.cuda._sleep(2_000_000)
            a.mul_(3.0)
            kernel[1](2.0, a, 1.0, b)
            a.zero_()
    t.cuda.synchronize()
    assert all(bool((b == 6.0 * k).all()) for k, (_, b) in enumerate(tensors))


def test_direct_calls_are_checked() -> None:
    t = torch()
    kernel = tw.compile(AXPBY.replace("T", "f32"), target="nvidia", cache=False).axpby
    a, b = t.ones(4, 3, device="cuda").T, t.ones(4, 3, device="cuda").T
    for _ in range(4):
        kernel[1](1.0, a, 0.0, b)
    for wrong, message in ((a.cpu(), "lies on cpu"), (a.double(), "dtype is float64"), (a[0], "its order is 1")):
        with pytest.raises(LaunchError, match=message):
            kernel[1](1.0, wrong, 0.0, b)
    kernel[1](5.0, a, 0.0, b)
    t.cuda.synchronize()
    assert bool((b == 5.0).all())


def test_several_threads() -> None:
    t = torch()
    kernel = tw.compile(AXPBY.replace("T", "f32"), target="nvidia", cache=False).axpby
    tensors = [(t.full((30, 20), float(k), device="cuda").T, t.zeros(30, 20, device="cuda").T) for k in range(200)]
    with ThreadPoolExecutor(8) as threads:
        done = [threads.submit(kernel[1], 2.0, a, 1.0, b) for a, b in tensors]
    assert not any(future.exception() for future in done)
    t.cuda.synchronize()
    assert all(bool((b == 2.0 * k).all()) for k, (_, b) in enumerate(tensors))


@pytest.mark.parametrize("warm", [0, 5])
def test_captured_graphs(warm: int) -> None:
    """Launches, first ones and direct ones, become nodes of a graph, with the tables of their groups."""
    t = torch()
    axpby = tw.compile(AXPBY.replace("T", "f32"), target="nvidia", cache=False).axpby
    twice = tw.compile(GROUP, target="nvidia", cache=False).twice
    a, b = t.ones(50, 40, device="cuda").T, t.zeros(50, 40, device="cuda").T
    batch = t.ones(6, 3, 5, device="cuda")
    listed = [t.ones(3, 7, device="cuda").T for _ in range(4)]
    table = tw.PointerArray.of(batch, transposed=True)
    for _ in range(warm):
        axpby[1](0.0, a, 0.0, b)
        twice[6](table, 1.0)
        twice[4](listed, 1.0)
    t.cuda.synchronize()
    graph = t.cuda.CUDAGraph()
    with t.cuda.graph(graph):
        axpby[1](1.0, a, 1.0, b)
        twice[6](table, 2.0)
        twice[4](listed, 2.0)
    for _ in range(3):
        graph.replay()
    t.cuda.synchronize()
    assert bool((b == 3.0).all())
    assert bool((batch == 8.0).all())
    assert all(bool((x == 8.0).all()) for x in listed)


@pytest.mark.parametrize("shape", ["256x256", "?x?"])
def test_launches_with_maps_and_without(shape: str) -> None:
    """Of matrices that begin anywhere, one after the other, the first ones, direct ones, and in a graph."""
    t = torch()
    text = PRODUCT.replace("?x?", shape)
    (product,) = tw.compile(text, target="nvidia", cache=False)
    call, memory = product[1], [t.zeros(256 * 256 + 8, device="cuda", dtype=t.float16) for _ in range(3)]

    def launch(first: tuple[int, ...]) -> Any:
        a, b, c = (each[at : at + 256 * 256].view(256, 256).T for each, at in zip(memory, first, strict=True))
        for each in (a, b):
            each.copy_(t.randint(-3, 4, (256, 256), device="cuda"))
        c.fill_(float("nan"))
        call(a, b, c)
        return c, a.float() @ b.float()

    places = [(0, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 4), (8, 8, 8), (0, 2, 0)]
    for first in places * 4:
        found, expected = launch(first)
        assert bool((found == expected).all()), first
    graphs = {first: t.cuda.CUDAGraph() for first in places[:2]}
    results: dict[tuple[int, ...], Any] = {}
    for first, graph in graphs.items():
        with t.cuda.graph(graph):
            results[first] = launch(first)
    for first, graph in [*graphs.items()] * 2:
        graph.replay()
        t.cuda.synchronize()
        found, expected = results[first]
        assert bool((found == expected).all()), first


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_pointer_arrays_of_tensors(dtype: str) -> None:
    t = torch()
    text = GROUP.replace("f32", {"float32": "f32", "bfloat16": "bf16"}[dtype])
    kernel = tw.compile(text, target="nvidia", cache=False).twice
    batches = [t.full((1000, 3, 8), value, device="cuda", dtype=getattr(t, dtype)) for value in (1.0, 3.0)]
    groups = [tw.PointerArray.of(batch, transposed=True) for batch in batches]
    call = kernel[1000]
    for _ in range(5):
        # the later ones are direct, each with a table of its own
        for group in groups:
            call(group, 2.0)
    t.cuda.synchronize()
    assert [bool((batch == value).all()) for batch, value in zip(batches, (32.0, 96.0), strict=True)] == [True] * 2
    with pytest.raises(LaunchError, match="lies on cpu"):
        call(tw.PointerArray.of(batches[0].cpu(), transposed=True), 2.0)


@pytest.mark.parametrize("flaw", ["_neg_view", "conj"])
def test_tensors_whose_elements_are_still_to_be_changed(flaw: str) -> None:
    t = torch()
    text = "func @twice(%x: memref<c32x?>) {\n %one = constant 1.0 : f32\n axpby %one, %x, %one, %x\n}"
    kernel = tw.compile(text, target="nvidia", cache=False).twice
    call, values = kernel[1], t.full((70,), 1 + 2j, device="cuda")
    call(values)
    assert bool((values == 2 + 4j).all())
    with pytest.raises(LaunchError, match=f"resolve_{flaw.strip('_').split('_')[0]}"):
        call(getattr(t, flaw)(values))


class ByInterface:
    """An array that says of itself what CuPy's say."""

    def __init__(self, tensor: Any) -> None:
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__
        self._tensor = tensor


class ByDlpack:
    """An array that says of itself what JAX's say."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __dlpack__(self, **options: Any) -> object:
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()


def test_arrays_by_dlpack_and_the_cuda_interface() -> None:
    t = torch()
    kernel = tw.compile(AXPBY.replace("T", "f32"), target="nvidia", cache=False).axpby
    a, b = t.ones(4, 3, device="cuda").T, t.zeros(4, 3, device="cuda").T
    for wrapped in (ByInterface, ByDlpack):
        kernel[1](1.0, wrapped(a), 1.0, wrapped(b))
    t.cuda.synchronize()
    assert bool((b == 2.0).all())


def test_a_device_without_room() -> None:
    context = driver.open_device()
    _, total = context.free_memory()
    with pytest.raises(driver.OutOfDeviceMemory, match=r"bytes are wanted, .* are free; free arrays"):
        context.allocate(2 * total)
    assert context.allocate(1 << 10).size == 1 << 10


FAULT = '''
import torch, tilewright as tw
from tilewright.machine.cuda.driver import DeviceFailed
kernel = tw.compile("""func @k(%x: memref<f32x?>, %at: memref<i64x1>) {
    %zero = constant 0 : index
    %one = constant 1.0 : f32
    %i = load %at[%zero] : i64
    %j = cast %i : index
    store %one, %x[%j]
}""", target="nvidia", cache=False).k
x, at = torch.zeros(8, device="cuda"), torch.tensor([3, 1 << 40], device="cuda")
kernel[1](x, at[:1])
torch.cuda.synchronize()
assert x[3] == 1
kernel[1](x, at[1:])
said = []
for _ in range(200):
    try:
        kernel[1](x, at[:1])
        tw.compile("func @k() { }", target="nvidia", cache=False).k[1]()
    except DeviceFailed as error:
        said.append(str(error))
assert len(said) >= 2, said
print(said[-1])
'''


def test_behind_a_kernel_that_faults() -> None:
    torch()
    done = subprocess.run([sys.executable, "-c", FAULT], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "Start the process again" in done.stdout


def test_resources() -> None:
    found = load(AXPBY.replace("T", "f32"), "axpby").resources()
    assert found.registers > 0
    assert found.local_bytes == 0
    assert found.blocks_per_multiprocessor > 0


def test_the_command_line(tmp_path: Path) -> None:
    source, kept = tmp_path / "k.tl", tmp_path / "b.npy"
    source.write_text(AXPBY.replace("T", "f32"))
    arrays = ["--arg=A=ones(30,4)", "--arg=B=ones(30,4)", "--arg=alpha=2", "--arg=beta=3"]
    command = [sys.executable, "-m", "tilewright", "run", str(source), "--target=nvidia", f"--save=B={kept}", *arrays]
    subprocess.run(command, check=True, timeout=120)
    assert np.array_equal(np.load(kept), np.full((30, 4), 5, np.float32))
