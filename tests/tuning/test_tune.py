"""`tilewright.tune` from a text to a file that `compile` takes; the device is played, and so are its times."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from machine.cuda.fake_driver import CONTEXTS, FakeDriver
from machine.cuda.played import played as played
from runtime.nvidia.on_device import OnDevice
from tilewright.ir.schedules import parse_line
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.errors import DriverUnavailable
from tilewright.remembered.record import read_record
from tilewright.runtime.grid import Grid
from tilewright.tuning.arguments import Arguments, Array
from tilewright.tuning.search import Outcome
from tilewright.tuning.timing import Candidate, HostTimer
from tilewright.tuning.tune import NothingToTune

ADD = """func @add(%x: memref<f32x?x?>, %y: memref<f32x?x?>) {
    %one = constant 1.0 : f32
    axpby %one, %x, %one, %y
}
"""
BOTH = ADD + ADD.replace("@add", "@also")
PRODUCT = """func @product(%A: memref<f32x500x300>, %B: memref<f32x300x400>, %C: memref<f32x500x400>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    gemm %one, %A, %B, %zero, %C
}
"""
BATCH = """func @batch(%A: memref<f32x8x8x?>, %B: memref<f32x8x8x?>, %C: memref<f32x8x8x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %a = subview %A[0:8, 0:8, %g] : memref<f32x8x8>
    %b = subview %B[0:8, 0:8, %g] : memref<f32x8x8>
    %c = subview %C[0:8, 0:8, %g] : memref<f32x8x8>
    gemm %one, %a, %b, %zero, %c
}
"""


class PlayedTimes:
    """The more threads, the faster, up to 256."""

    def __init__(self, first: tw.Kernel, grid: Grid, arguments: Arguments) -> None:
        self._arguments = arguments

    def answer(self, candidate: Candidate) -> Sequence[Array]:
        return self._arguments.left()

    def seconds(self, candidate: Candidate) -> float:
        threads = parse_line(candidate.schedule).threads
        assert threads is not None
        return 1e-3 / threads if threads <= 256 else 1.0


def square(n: int = 4) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.ones((n, n), np.float32, order="F")


def test_what_is_found_is_remembered_and_taken(played: FakeDriver, tmp_path: Path) -> None:
    record = tmp_path / "tuned.toml"
    x, y = square(), square()
    with tw.config(tuned=str(record)):
        tuned = tw.tune(ADD, x, y, timer=PlayedTimes)
        taken = tw.compile(ADD, target="nvidia").add.schedule
    assert (tuned.found.model, tuned.found.best) == ("lanes threads=128 spread=yes", "lanes threads=256 spread=yes")
    assert tuned.kernel.schedule == "lanes threads=256 spread=yes"
    assert tuned.found.gain.median == pytest.approx(2)
    (entry,) = read_record(record)
    assert entry == tuned.entry
    assert (entry.target, entry.device, entry.arguments) == ("nvidia:sm_90a", "Fake 0", "x=4x4, y=4x4")
    assert taken.startswith("lanes threads=256 spread=yes # tuned on Fake 0 for x=4x4, y=4x4: 2.00 times the model's")
    assert np.array_equal(y, square())


def test_the_device_is_that_of_the_arrays(played: FakeDriver, tmp_path: Path) -> None:
    played.devices, played.milliseconds = 2, lambda _: 1.0
    memory = [driver.open_device(1).allocate(64) for _ in range(2)]
    arrays = [OnDevice((4, 4), (4, 16), buffer.address) for buffer in memory]
    entry = tw.tune(ADD, *arrays, trials=1, record=tmp_path / "tuned.toml").entry
    assert entry.device == "Fake 1"
    assert {launched.context for launched in played.launches} == {CONTEXTS + 1}


def test_one_kernel_of_several_is_tuned(played: FakeDriver, tmp_path: Path) -> None:
    with tw.config(tuned=str(tmp_path / "tuned.toml")):
        tuned = tw.tune(BOTH, square(), square(), name="also", trials=1, timer=PlayedTimes)
        program = tw.compile(BOTH, target="nvidia")
    assert tuned.entry.name == "also"
    assert program["add"].schedule == "lanes threads=128 spread=yes"
    assert program["also"].schedule.startswith("lanes threads=256 spread=yes # tuned")


def test_remembering_can_be_off(played: FakeDriver, tmp_path: Path) -> None:
    with tw.config(tuned="off"):
        entry = tw.tune(ADD, square(), square(), trials=1, timer=PlayedTimes).entry
        assert entry.schedule == "lanes threads=256 spread=yes"
        elsewhere = tmp_path / "elsewhere.toml"
        tw.tune(ADD, square(), square(), trials=1, record=elsewhere, timer=PlayedTimes)
    assert len(read_record(elsewhere)) == 1


def test_a_file_that_is_no_record_is_told_before_the_search(played: FakeDriver, tmp_path: Path) -> None:
    record = tmp_path / "notes.toml"
    record.write_text("mine = 1")
    tried: list[str] = []
    with pytest.raises(ValueError, match="mine"):
        tw.tune(ADD, square(), square(), record=record, timer=PlayedTimes, told=lambda t, _: tried.append(t.schedule))
    assert not tried
    assert record.read_text() == "mine = 1"


def test_what_was_remembered_is_not_where_a_search_begins(played: FakeDriver, tmp_path: Path) -> None:
    with tw.config(tuned=str(tmp_path / "tuned.toml")):
        first = tw.tune(ADD, square(), square(), trials=1, timer=PlayedTimes).found
        assert tw.tune(ADD, square(), square(), trials=1, timer=PlayedTimes).found.model == first.model


def test_on_the_device(played: FakeDriver, tmp_path: Path) -> None:
    """Candidates are launched on copies there; the played device computes nothing, so all agree."""
    items = np.zeros((8, 8, 5), np.float32, order="F")
    tuned = tw.tune(BATCH, items, items.copy("F"), items.copy("F"), grid=5, trials=3, record=tmp_path / "tuned.toml")
    tried = {trial.schedule: trial.outcome for trial in tuned.found.trials}
    assert tuned.found.model.startswith("packed ")
    assert all(line.startswith("packed ") for line in tried)
    assert sum(outcome is Outcome.NOT_BETTER for outcome in tried.values()) == 3
    assert {"cuMemsetD8Async", "cuEventRecord", "cuEventElapsedTime"} <= set(played.calls)
    assert len(played.launches) > 3


def test_on_the_cpu(tmp_path: Path) -> None:
    """Tiles of a product, of which small ones are played to be fast; the products themselves are computed."""
    record = tmp_path / "tuned.toml"

    class Played(HostTimer):
        def __init__(self, first: tw.Kernel, grid: Grid, arguments: Arguments) -> None:
            super().__init__(grid, arguments)

        def seconds(self, candidate: Candidate) -> float:
            return 1e-3 * prod(parse_line(candidate.schedule).tile or (500, 400, 300))

    a, b, c = (np.ones(shape, np.float32, order="F") for shape in ((500, 300), (300, 400), (500, 400)))
    tuned = tw.tune(PRODUCT, a, b, c, target="cpu", trials=6, record=record, timer=Played)
    assert not tuned.found.wrong
    best = parse_line(tuned.found.best).tile
    assert best is not None
    assert prod(best) < 500 * 400 * 300 / 8
    assert "x".join(map(str, best)) in tw.compile(PRODUCT, tuned=record).product.schedule
    tuned.kernel[1](a, b, c)
    assert np.array_equal(c, np.full((500, 400), 300, np.float32))


def test_kernels_without_products_have_no_choice_on_the_cpu() -> None:
    with tw.config(tuned="off"):
        found = tw.tune(ADD, square(), square(), target="cpu").found
    assert (found.model, found.best, found.trials) == ("", "", ())


@pytest.mark.parametrize("name", [None, "none"])
def test_kernels_have_names(name: str | None) -> None:
    with pytest.raises(NothingToTune, match="the program has add, also"):
        tw.tune(BOTH, square(), square(), target="nvidia:sm_90a", name=name)


@pytest.mark.skipif(driver.available(), reason="this machine has a driver")
def test_machines_without_a_device() -> None:
    with pytest.raises(DriverUnavailable):
        tw.tune(ADD, square(), square(), target="nvidia:sm_90a")
