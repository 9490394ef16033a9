"""The file of schedules: what is written is read again, and what is none is told."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

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
    ["no table", "[[kernel]]\nname = 3\n", "kernel = 4", "[[kernel]]\nname = 'k'\n", "\udcff"],
    ids=["syntax", "type", "shape", "fields", "bytes"],
)
def test_what_is_no_record_is_told_and_stays(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.warns(RecordWarning, match="no schedules are taken from"):
        assert entries_in(path) == ()
    with pytest.raises(ValueError):
        remember(path, ENTRY)
    assert path.read_bytes() == content.encode(errors="surrogateescape")


def test_a_file_is_read_once_as_long_as_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    assert entries_in(path) == ()
    remember(path, ENTRY)
    first = entries_in(path)
    assert entries_in(path) is first
    remember(path, replace(ENTRY, name="another kernel", program="6"))
    assert len(entries_in(path)) == 2
