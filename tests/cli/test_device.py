"""`run` and `bench` for a GPU, whose driver is played: arrays go there, and come back as the kernel left them."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from cli.command import run
from machine.cuda.fake_driver import FakeDriver, Launched
from machine.cuda.played import played as played
from tilewright.machine.cuda import driver

AXPBY = "func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) {\n    axpby %a, %x, %b, %y\n}\n"
GROUP = """func @k(%G: group<memref<f32x4>x?>) {
    %one = constant 1.0 : f32
    %g = group_id.x : index
    %x = load %G[%g] : memref<f32x4>
    axpby %one, %x, %one, %x
}
"""


def elements(address: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))


def axpby(launched: Launched) -> None:
    """The kernel's work on the memory of the device: a, x, extent of x, b, y, extent of y."""
    _, x, count, _, y, *_ = launched.words
    a, b = (np.frombuffer(launched.slots, np.float32)[k] for k in (0, 6))
    elements(y, count)[:] = a * elements(x, count) + b * elements(y, count)


@pytest.mark.parametrize("target", ["nvidia", "nvidia:sm_80"])
def test_run(played: FakeDriver, tmp_path: Path, target: str) -> None:
    given, kept = tmp_path / "x.npy", tmp_path / "y.npy"
    np.save(given, np.arange(5, dtype=np.float32))
    played.doing = axpby
    arguments = [f"--arg=x={given}", "--arg=y=ones(5)", "--arg=a=2", "--arg=b=10", "--grid=1", f"--save=y={kept}"]
    done = run("run", "-", f"--target={target}", *arguments, text=AXPBY)
    assert (done.returncode, done.stderr) == (0, "")
    assert np.load(kept).tolist() == [10, 12, 14, 16, 18]
    printed = run("run", "-", f"--target={target}", "--arg=x=ones(3)", "--arg=y=ones(3)", text=AXPBY)
    assert printed.stdout == "%y =\n[2. 2. 2.]\n"


def test_groups(played: FakeDriver, tmp_path: Path) -> None:
    """The arrays of a group share memory, here and there."""
    kept = tmp_path / "G.npy"

    def doubled(launched: Launched) -> None:
        for address in np.frombuffer(played.bytes_at(launched.words[0], 24), np.int64).tolist():
            elements(address, 4)[:] *= 2

    played.doing = doubled
    done = run("run", "-", "--target=nvidia", "--grid=3", "--arg=G=ones(4)", f"--save=G={kept}", text=GROUP)
    assert (done.returncode, done.stderr) == (0, "")
    assert np.array_equal(np.load(kept), np.full((3, 4), 2, np.float32))


def test_bench_waits_for_the_device(played: FakeDriver) -> None:
    done = run("bench", "-", "--target=nvidia", "--repeats=3", "--arg=x=ones(3)", "--arg=y=ones(3)", text=AXPBY)
    assert done.returncode == 0
    assert [len(played.launches), played.calls.count("cuCtxSynchronize")] == [4, 5]


def test_kernels_that_fault(played: FakeDriver) -> None:
    played.failing["cuCtxSynchronize"] = 700
    done = run("run", "-", "--target=nvidia", "--arg=x=ones(3)", "--arg=y=ones(3)", text=AXPBY)
    assert done.returncode == 2
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(driver.available(), reason="this machine has a driver")
@pytest.mark.skipif(driver.available(), reason="this machine has a device")
def test_machines_without_a_device() -> None:
    """Whether there is no driver, or one whose devices are hidden."""
    done = run("run", "-", "--target=nvidia", "--arg=x=ones(3)", "--arg=y=ones(3)", text=AXPBY)
    assert done.returncode == 2
    no_driver = "no NVIDIA driver on this machine.* targets cpu and interpreter"
    assert re.search(f"{no_driver}|finds no usable device.* CUDA_VISIBLE_DEVICES hides devices", done.stderr)
