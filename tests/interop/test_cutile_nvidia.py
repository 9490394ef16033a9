"""`cutile.launch(.., target="nvidia")`: pointers of a device's arrays reach the kernel; the emulator runs it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from importlib import util
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from interop.emulated_device import OnDevice, runs
from machine.cuda.fake_driver import FakeDriver
from machine.cuda.played import played as played
from tilewright import KernelError
from tilewright.interop import cutile
from tilewright.runtime.errors import LaunchError

pytest.importorskip("cuda.tile")

Array = NDArray[Any]
TARGET: Final = "nvidia:sm_80"

_SPEC: Final = util.spec_from_file_location("cutile_device_kernels", Path(__file__).with_name("kernels.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
kernels: Final = util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kernels)


def numbers(*shape: int) -> Array:
    return np.random.default_rng().standard_normal(shape).astype(np.float32)


def launch(played: FakeDriver, grid: int, kernel: Any, *arguments: object, checked: bool = False) -> None:
    """Launch a kernel on the emulated device."""
    runs(played, lambda: cutile.compile(kernel, arguments, target=TARGET, checked=checked), among(arguments))
    cutile.launch(grid, kernel, arguments, target=TARGET, checked=checked)


def among(arguments: Sequence[object]) -> list[OnDevice]:
    """The arrays, those in lists and tuples too."""
    inner = [among(cast("Sequence[object]", a)) for a in arguments if isinstance(a, list | tuple)]
    return [a for a in arguments if isinstance(a, OnDevice)] + [array for found in inner for array in found]


@pytest.mark.parametrize("checked", [False, True])
def test_arrays_with_strides_and_tails(played: FakeDriver, checked: bool) -> None:
    x, y = OnDevice(numbers(200)[::2]), OnDevice(np.zeros(100, np.float32))
    launch(played, 7, kernels.scale, x, y, 2.0, 16, checked=checked)
    assert np.array_equal(y.array, x.array * 2)
    rows = OnDevice(numbers(3, 10))
    result = OnDevice(np.empty_like(rows.array))
    launch(played, 2, kernels.add_pair, (rows, 2.5), (2, 16), result, checked=checked)
    assert np.array_equal(result.array, rows.array + np.float32(2.5))


def test_lists_of_arrays(played: FakeDriver) -> None:
    arrays = [OnDevice(numbers(99)), OnDevice(numbers(198)[::2]), OnDevice(numbers(100)[1:])]
    out = OnDevice(np.empty(99, np.float32))
    launch(played, 4, kernels.add_all, arrays, out, 32)
    assert np.array_equal(out.array, arrays[0].array + arrays[1].array + arrays[2].array)
    assert played.calls.count("cuMemAllocAsync") == played.calls.count("cuMemFreeAsync") == 1


def test_empty_arrays(played: FakeDriver) -> None:
    nothing, out = OnDevice(np.zeros(0, np.float32)), OnDevice(np.zeros(16, np.float32))
    launch(played, 0, kernels.scale, nothing, nothing, 2.0, 16)
    assert not played.launches
    launch(played, 1, kernels.ignores, nothing, out)
    assert (out.array == 1).all()


def test_prints_of_the_device(played: FakeDriver, capsys: pytest.CaptureFixture[str]) -> None:
    x = OnDevice(np.arange(8, dtype=np.int32))
    launch(played, 2, kernels.says, x)
    printed = capsys.readouterr().out
    cutile.launch(2, kernels.says, (x.array,))
    assert printed == capsys.readouterr().out
    assert printed.startswith("block 0: ")
    assert "block 1: " in printed


def test_checked_code_points_at_python(played: FakeDriver) -> None:
    """What a launch on the device reports is told of the lines of Python."""
    x, y = OnDevice(numbers(20)), OnDevice(np.zeros(16, np.float32))
    with pytest.raises(KernelError) as caught:
        launch(played, 1, kernels.reads_beyond, x, y, 8, checked=True)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "R010"
    assert "return ct.gather(x, (first + ct.arange(16, dtype=ct.int32),), check_bounds=False)" in str(caught.value)
    assert "called here" in str(caught.value)


def test_refusals(played: FakeDriver) -> None:
    here, there = numbers(16), OnDevice(numbers(16))
    elsewhere = "the array lies on cpu, this launch runs on a cuda device; copy it there first"
    with pytest.raises(LaunchError, match=f"argument x: {elsewhere}"):
        launch(played, 1, kernels.scale, here, there, 2.0, 16)
    with pytest.raises(LaunchError, match=rf"argument arrays\[1\]: {elsewhere}"):
        launch(played, 1, kernels.add_all, [there, here], there, 16)
    with pytest.raises(LaunchError, match="argument y: the array is read-only and the kernel writes to it"):
        launch(played, 1, kernels.scale, there, OnDevice(here, readonly=True), 2.0, 16)
    assert not played.launches


def test_arrays_of_lists_lie_on_the_device_of_the_launch(played: FakeDriver) -> None:
    """The addresses that nobody sees but the kernel are looked up too."""
    here, lost = OnDevice(numbers(16)), OnDevice(numbers(16))
    played.memory[here.low] = (ctypes.c_char * 64).from_address(here.low)
    with pytest.raises(LaunchError, match=r"\[1\]: the array lies on no CUDA device, this launch runs on cuda:0"):
        cutile.launch(1, kernels.add_all, ([here, lost], here, 16), target=TARGET)
    assert not played.launches


def test_bytecode_is_that_of_the_layout_wherever_the_array_is() -> None:
    x = numbers(64)
    on_device = cutile.bytecode(kernels.scale, (OnDevice(x), OnDevice(x), 2.0, 16))
    assert on_device == cutile.bytecode(kernels.scale, (x, x, 2.0, 16))
