"""What `compile` takes from files: schedules of the same kernel, machine and options, and only if they fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

import tilewright as tw
from machine.cuda.fake_driver import FakeDriver
from machine.cuda.played import played as played
from remembered.test_record import ENTRY
from tilewright.cache.artifact_cache import open_cache
from tilewright.compile_options import CompileOptions
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.remembered.fingerprint import fingerprints
from tilewright.remembered.lookup import users_record
from tilewright.remembered.record import Entry, remember
from tilewright.targets import ScheduleElsewhere, find_target
from tilewright.targets.target import TunedTarget

TARGET = "nvidia:sm_90a"
ADD = """func @add(%x: memref<f32x?x?>, %y: memref<f32x?x?>) {
    %one = constant 1.0 : f32
    axpby %one, %x, %one, %y
}
"""
BOTH = ADD + ADD.replace("@add", "@also")
SAME = ADD.replace("    ", "  ").replace("{\n", "{  ; the sum\n").replace("%one, %y", "%one,   %y")
OTHER = ADD.replace("1.0", "2.0")


def fingerprint(text: str, options: CompileOptions | None = None) -> str:
    options = options or CompileOptions()
    return fingerprints(read_module(Source("k", text), Report(), options.reading), options)["add"]


def entry(**fields: object) -> Entry:
    whole: Mapping[str, object] = {"name": "add", "program": fingerprint(ADD), "schedule": "lanes threads=64"} | fields
    return replace(ENTRY, **whole)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "tuned.toml"


def schedule(text: str | Path, record: Path | str = "off", **options: object) -> str:
    with tw.config(tuned=str(record)):
        return tw.compile(text, target=TARGET, **options).add.schedule  # pyright: ignore[reportArgumentType]


def test_what_is_remembered_is_taken_and_told(record: Path) -> None:
    usual = schedule(ADD)
    assert usual == "lanes threads=128 spread=yes"
    remember(record, entry())
    told = (
        "lanes threads=64 spread=yes # tuned on NVIDIA H200 for x=4096x8192, y=4096x8192: 1.25 times the model's speed"
    )
    assert schedule(ADD, record) == told
    assert schedule(ADD, record) == told, "from the cache"
    assert schedule(ADD, record, cache=False) == told
    assert schedule(ADD, record, schedule="threads=256").startswith("lanes threads=256")
    assert schedule(ADD, record, schedule="") == usual
    assert schedule(ADD) == usual


def test_what_is_remembered_is_part_of_the_key(record: Path) -> None:
    remember(record, entry())
    first = schedule(ADD, record)
    remember(record, entry(schedule="lanes threads=32"))
    assert schedule(ADD, record) != first
    remember(record, entry())
    misses = open_cache().statistics().misses
    assert schedule(ADD, record) == first
    assert open_cache().statistics().misses == misses


def test_layout_and_comments_are_no_part_of_a_kernel(record: Path) -> None:
    remember(record, entry())
    assert "threads=64" in schedule(SAME, record)
    assert "tuned" not in schedule(OTHER, record)
    assert "threads=64" in schedule(BOTH, record)


@pytest.mark.parametrize("other", [{"level": 1}, {"reorder_sums": False}])
def test_options_are_part_of_a_kernel(other: Mapping[str, object], record: Path) -> None:
    remember(record, entry())
    assert "tuned" not in schedule(ADD, record, **other)
    assert "tuned" not in schedule(ADD, record, checked=True)


def test_another_machine_is_not_ours(record: Path, played: FakeDriver) -> None:
    remember(record, entry())
    assert "tuned" not in schedule(ADD, record), "the device here is another one"
    remember(record, entry(device="Fake 0", schedule="lanes threads=32"))
    assert "threads=32" in schedule(ADD, record)
    remember(record, entry(device="Fake 0", target="nvidia:sm_80", schedule="lanes threads=256"))
    assert "threads=32" in schedule(ADD, record)


def test_what_takes_longest_counts(record: Path) -> None:
    for grid, threads, seconds in (("1", 32, 5.0), ("2", 64, 500.0), ("3", 256, 50.0)):
        remember(record, entry(grid=grid, schedule=f"lanes threads={threads}", model_us=seconds))
    assert "threads=64" in schedule(ADD, record)


def test_the_file_beside_the_source(record: Path, tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.tl"
    kernel.write_text(ADD)
    remember(tmp_path / "kernel.tune.toml", entry())
    missing = tmp_path / "none.toml"
    assert "threads=64" in schedule(kernel, missing)
    assert "tuned" not in schedule(kernel, "off")
    remember(record, entry(schedule="lanes threads=32"))
    assert "threads=32" in schedule(kernel, record), "the user's own wins"
    assert "threads=64" in schedule(kernel, record, tuned=tmp_path / "kernel.tune.toml")
    assert "threads=64" in schedule(kernel, "off", tuned=tmp_path / "kernel.tune.toml")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("lanes threads=2048", "threads=2048 does not fit kernel add: its blocks have 128"),
        ("packed chunk=4x8/32", "packed does not fit kernel add"),
        ("lanes warps=4", "'warps=4' is no entry of a schedule"),
        ("lanes tile=8x8x8", "tile=8x8x8 does not fit kernel add: it has no products"),
    ],
)
@pytest.mark.parametrize("text", [ADD, BOTH], ids=["alone", "beside another"])
def test_what_does_not_fit_any_more_is_told_and_not_taken(line: str, why: str, text: str, record: Path) -> None:
    remember(record, entry(schedule=line))
    found = schedule(text, record)
    assert found.startswith("lanes threads=128 spread=yes # its remembered schedule is not taken: ")
    assert why in found or "for all kernels of a program" in found
    assert schedule(text, record) == found, "from the cache"


def test_one_that_does_not_fit_leaves_the_others(record: Path) -> None:
    programs = fingerprints(read_module(Source("k", BOTH), Report()), CompileOptions())
    remember(record, entry(schedule="lanes threads=2048"))
    remember(record, entry(name="also", program=programs["also"], schedule="lanes threads=32"))
    with tw.config(tuned=str(record)):
        program = tw.compile(BOTH, target=TARGET)
        assert "not taken" in program["add"].schedule
        assert program["also"].schedule.startswith("lanes threads=32")
        assert "threads=32" in program["also"].ir("gpu")
        assert program.explanations()


def test_the_cpu_takes_tiles_and_tells(record: Path) -> None:
    product = "func @add(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>) {{\n{}}}\n".format(
        "    %one = constant 1.0 : f32\n    gemm %one, %A, %B, %one, %C\n"
    )
    cpu = find_target("cpu")
    assert isinstance(cpu, TunedTarget)
    fields = {"program": fingerprint(product), "target": cpu.variant, "device": cpu.device()}
    remember(record, entry(schedule="tile=96x64x32", **fields))
    with tw.config(tuned=str(record)):
        *products, note = tw.compile(product).add.schedule.splitlines()
        assert any("96x64x32" in line for line in products)
        assert note.startswith("# tuned on ")
    remember(record, entry(schedule="lanes threads=64", **fields))
    with tw.config(tuned=str(record)):
        *products, note = tw.compile(product).add.schedule.splitlines()
        assert "96x64x32" not in "".join(products)
        assert note == "# its remembered schedule is not taken: lanes threads=64 says more than the CPU lets choose"


def test_texts_on_the_way_are_those_of_the_code(record: Path) -> None:
    remember(record, entry())
    with tw.config(tuned=str(record)):
        assert 'schedule = "lanes threads=64 spread=yes"' in tw.compile(ADD, target=TARGET).text("gpu")


def test_a_file_that_is_asked_for_is_there_and_right(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        tw.compile(ADD, target=TARGET, tuned=tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("kernel = 3")
    with pytest.raises(ValueError):
        tw.compile(ADD, target=TARGET, tuned=bad)
    with pytest.raises(ValueError, match="not for one compilation"):
        tw.compile(ADD, target=TARGET, tuned=bad, schedule="threads=64")
    with pytest.raises(ScheduleElsewhere):
        tw.compile(ADD, target="interpreter", tuned=bad)


@pytest.mark.parametrize("name", ["", ".", "/", "a\0b", "n" * 5000])
def test_texts_of_any_name_are_compiled(name: str, record: Path) -> None:
    """Though no file can be beside them."""
    with tw.config(tuned=str(record)):
        (kernel,) = tw.compile(Source(name, ADD), target=TARGET, cache=False)
    assert kernel.schedule == "lanes threads=128 spread=yes"


def test_where_the_users_file_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert users_record() == tmp_path / "tilewright" / "tuned.toml"
    monkeypatch.setenv("TILEWRIGHT_TUNED", str(tmp_path / "mine.toml"))
    assert users_record() == tmp_path / "mine.toml"
    with tw.config(tuned="off"):
        assert users_record() is None


def test_mistakes_of_the_kernel_stay_its_own(record: Path) -> None:
    remember(record, entry())
    with tw.config(tuned=str(record)), pytest.raises(tw.CompileError, match="`%none` is not defined"):
        tw.compile(ADD.replace("%one, %y", "%none, %y"), target=TARGET)
