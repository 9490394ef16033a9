"""Launches on a device compare sizes as those on the CPU do; nothing of a driver is needed to be refused."""

from __future__ import annotations

import pytest

import tilewright as tw
from machine.cuda.fake_driver import FakeDriver
from runtime.nvidia.on_device import OnDevice
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.nvidia import launch
from tilewright.targets.nvidia.target import NvidiaTarget

TEXT = "func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) {\n    axpby %a, %x, %b, %y\n}\n"


def kernel_of() -> launch.CudaKernel:
    """`axpby`."""
    report = Report()
    module = read_module(Source("axpby.tl", TEXT), report)
    artifact = compile_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), report)
    return launch.bind_artifact(artifact)["k"]


def test_extents_are_compared(played: FakeDriver) -> None:
    kernel = kernel_of()
    kernel.launch(2, (1.0, OnDevice((5,)), 1.0, OnDevice((5,))))
    kernel.launch(0, (1.0, OnDevice((10,)), 1.0, OnDevice((4,))))
    assert [(launched.grid, launched.block) for launched in played.launches] == [((2, 1, 1), (128, 1, 1))]
    with pytest.raises(tw.LaunchError, match=r"error\[R013\]: kernel k: .*mode 0 of %x is 10, mode 0 of %y is 4"):
        kernel.launch(2, (1.0, OnDevice((10,)), 1.0, OnDevice((4,))))
    assert len(played.launches) == 1


class Stream:
    """What `__cuda_stream__` promises."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 7


def test_a_class_is_no_stream(played: FakeDriver) -> None:
    kernel = kernel_of()
    arguments = (1.0, OnDevice((5,)), 1.0, OnDevice((5,)))
    kernel.launch(1, arguments, stream=Stream())
    assert [launched.stream for launched in played.launches] == [7]
    with pytest.raises(tw.LaunchError, match="the class Stream is no CUDA stream"):
        kernel.launch(1, arguments, stream=Stream)
    assert len(played.launches) == 1
