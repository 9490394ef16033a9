"""Launching on arrays of PyTorch and CuPy, on the caller's stream, and what is refused before anything runs."""

from __future__ import annotations

import importlib
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
    with pytest.raises(LaunchError, match="modes"):
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
