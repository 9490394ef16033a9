"""Launches on a device compare sizes as those on the CPU do; nothing of a driver is needed to be refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

import tilewright as tw
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.cuda.driver import KernelFunction
from tilewright.runtime.nvidia import launch
from tilewright.targets.nvidia.target import NvidiaTarget

TEXT = "func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) {\n    axpby %a, %x, %b, %y\n}\n"


@dataclass
class Recorded:
    """A function of a device that only counts its launches."""

    launches: int = 0
    module: Any = field(
        default_factory=lambda: SimpleNamespace(context=SimpleNamespace(description=SimpleNamespace(ordinal=0)))
    )

    def allow_shared(self, size: int) -> None:
        """Nothing to reserve."""

    def launch(self, *_: object, **__: object) -> None:
        self.launches += 1


def first_device(_address: int) -> int:
    """Where all memory lies."""
    return 0


def on_device(extent: int) -> object:
    """An array of floats somewhere on the device."""
    interface = {"data": (1 << 20, False), "shape": (extent,), "typestr": "<f4", "version": 3, "strides": None}
    return SimpleNamespace(__cuda_array_interface__=interface)


def kernel_of(function: Recorded) -> launch.CudaKernel:
    """`axpby` on a device that records what it is asked."""
    report = Report()
    module = read_module(Source("axpby.tl", TEXT), report)
    artifact = compile_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), report)
    return launch.CudaKernel(artifact.kernel("k"), cast("KernelFunction", function))


def test_extents_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "pointer_device", first_device)
    function = Recorded()
    kernel = kernel_of(function)
    kernel.launch(2, (1.0, on_device(5), 1.0, on_device(5)))
    kernel.launch(0, (1.0, on_device(10), 1.0, on_device(4)))
    assert function.launches == 1
    with pytest.raises(tw.LaunchError, match=r"error\[R013\]: kernel k: .*mode 0 of %x is 10, mode 0 of %y is 4"):
        kernel.launch(2, (1.0, on_device(10), 1.0, on_device(4)))
    assert function.launches == 1


class Stream:
    """What `__cuda_stream__` promises."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 7


def test_a_class_is_no_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "pointer_device", first_device)
    function = Recorded()
    kernel = kernel_of(function)
    arguments = (1.0, on_device(5), 1.0, on_device(5))
    kernel.launch(1, arguments, stream=Stream())
    assert function.launches == 1
    with pytest.raises(tw.LaunchError, match="the class Stream is no CUDA stream"):
        kernel.launch(1, arguments, stream=Stream)
    assert function.launches == 1
