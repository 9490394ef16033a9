"""The file of schedules: what is written is read again, and what is none is told."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tilewright.remembered import record
from tilewright.remembered.record import Entry, RecordWarning, entries_in, read_record, remember

ENTRY = Entry(
    name="softmax",
    program="5e0c",
    target="nvidia:sm_90a",
    device="NVIDIA H200",
    grid="4096,1,1",
    arguments="x=4096x8192, y=4096x8192",
    schedule="lanes threads=256",
    model="lanes threads=128",
    model_us=21.5,
    best_us=17.25,
    gain=1.25,
    date="2026-11-23",
    version="0.1.0",
)
# what files cannot hold no kernel is named by
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


def test_what_is_written_is_read_again_and_readable(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "tuned.toml"
    other = replace(ENTRY, name="add", program="77", gain=1.0)
    remember(path, ENTRY)
    remember(path, other)
    assert list(read_record(path)) == [other, ENTRY]
    assert 'schedule = "lanes threads=256"\nmodel = "lanes threads=128"\nmodel_us = 21.5\n' in path.read_text()
    assert tomllib.loads(path.read_text())["kernel"][0]["name"] == "add"


@given(TEXTS, TEXTS, st.floats(1e-3, 1e9, allow_nan=False))
def test_any_name_and_number(name: str, arguments: str, number: float) -> None:
    import tempfile

    entry = replace(ENTRY, name=name, arguments=arguments, model_us=number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tuned.toml"
        remember(path, entry)
        (found,) = read_record(path)
    assert replace(found, model_us=number) == entry
    assert found.model_us == pytest.approx(number, rel=1e-5)


@pytest.mark.parametrize("field", ["program", "target", "device", "grid", "arguments"])
def test_a_later_entry_takes_the_place_of_one_of_its_key(field: str, tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    remember(path, ENTRY)
    remember(path, replace(ENTRY, schedule="lanes threads=64"))
    assert [entry.schedule for entry in read_record(path)] == ["lanes threads=64"]
    remember(path, replace(ENTRY, **{field: "another"}))
    assert len(read_record(path)) == 2


@pytest.mark.parametrize(
    "content",
    [
        "no table",
        "[[kernel]]\nname = 3\n",
        "kernel = 4",
        "[[kernel]]\nname = 'k'\n",
        "\udcff",
        "x = " + "[" * 100_000,
        "[project]\nname = 'k'\n",
    ],
    ids=["syntax", "type", "shape", "fields", "bytes", "depth", "another"],
)
def test_what_is_no_record_is_told_and_stays(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.warns(RecordWarning, match="no schedules are taken: .*tuned.toml is no file of schedules"):
        assert entries_in(path) == ()
    with pytest.raises(ValueError):
        remember(path, ENTRY)
    assert path.read_bytes() == content.encode(errors="surrogateescape")


def test_fields_to_come_are_not_dropped(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    remember(path, ENTRY)
    path.write_text(path.read_text() + "watts = 7\n")
    with pytest.raises(ValueError, match="watts"):
        remember(path, replace(ENTRY, name="another kernel"))
    assert path.read_text().endswith("watts = 7\n")


def test_a_file_is_read_once_as_long_as_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    assert entries_in(path) == ()
    remember(path, ENTRY)
    first = entries_in(path)
    assert entries_in(path) is first
    remember(path, replace(ENTRY, name="another kernel", program="6"))
    assert len(entries_in(path)) == 2


def test_a_file_of_another_folder_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where names, sizes and times are the same."""
    found: list[str] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        remember(folder / "tuned.toml", replace(ENTRY, name=name))
        os.utime(folder / "tuned.toml", ns=(0, 0))
        monkeypatch.chdir(folder)
        found += [entry.name for entry in entries_in(Path("tuned.toml"))]
    assert found == ["one", "two"]


def test_what_several_remember_at_once_is_all_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads waits until others have written."""
    path, slowly = tmp_path / "tuned.toml", read_record

    def read(path: Path) -> Sequence[Entry]:
        found = slowly(path)
        time.sleep(0.02)
        return found

    remember(path, ENTRY)
    monkeypatch.setattr(record, "read_record", read)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(partial(remember, path), [replace(ENTRY, program=str(number)) for number in range(4)]))
    assert {entry.program for entry in read_record(path)} == {"5e0c", *map(str, range(4))}


def test_more_than_is_read_is_no_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tuned.toml"
    remember(path, ENTRY)
    first = path.stat().st_size
    remember(path, replace(ENTRY, program="6"))
    monkeypatch.setattr(record, "_LARGEST", first)
    with pytest.raises(ValueError, match="more than"):
        read_record(path)
