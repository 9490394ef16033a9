"""Files as users name them: bounded reads of regular files and open descriptors, replacement in one step."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright.files import read_file, replacing
from tilewright.frontends.reading import MAX_SOURCE_BYTES


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def read_little(path: Path) -> bytes:
    return read_file(path, 100)


@pytest.mark.parametrize("read", [tw.compile, read_little])
@pytest.mark.usefixtures("impatient")
def test_only_regular_files_are_read(read: Callable[[Path], object], pipe: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="a named pipe, not a regular file"):
        read(pipe)
    for device in ("/dev/zero", "/dev/null"):
        with pytest.raises(OSError, match="a device, not a regular file"):
            read(Path(device))
    with pytest.raises(IsADirectoryError):
        read(tmp_path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "absent")


def test_a_source_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "sparse.tl"
    path.touch()
    os.truncate(path, 1 << 40)
    assert len(read_file(path, 100)) == 101
    with pytest.raises(tw.CompileError, match=f"more than {MAX_SOURCE_BYTES:,} bytes"):
        tw.compile(path)


def test_a_named_descriptor_is_read_as_it_is() -> None:
    source, sink = os.pipe()
    os.write(sink, b"text")
    os.close(sink)
    assert read_file(f"/dev/fd/{source}", 100) == b"text"
    os.close(source)


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with replacing(link) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a", "link"]


@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt])
def test_what_fails_leaves_the_old_file(tmp_path: Path, failure: type[BaseException]) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fails() -> None:
        with replacing(path) as stream:
            stream.write(b"half of")
            raise failure

    with pytest.raises(failure):
        fails()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_is_read_only_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o440)

    # what the owner of the file is told, even where root runs the tests
    def owner_may(file: str, mode: int) -> bool:
        return bool(os.stat(file).st_mode >> 6 & mode)

    monkeypatch.setattr(os, "access", owner_may)
    with pytest.raises(PermissionError, match="the file is read-only"), replacing(path) as stream:
        stream.write(b"new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_new_file_obeys_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with replacing(tmp_path / "a"):
            pass
        with replacing(tmp_path / "b", 0o777):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o750


def test_errors_name_the_file_that_was_meant(tmp_path: Path) -> None:
    absent = tmp_path / "absent" / "a"
    with pytest.raises(FileNotFoundError) as error, replacing(absent):
        pass
    assert error.value.filename == str(absent)
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass


def test_descriptors_and_pipes_are_written_when_all_is_there(pipe: Path, tmp_path: Path) -> None:
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe) as stream:
        np.save(stream, np.arange(3))
    assert os.read(reader, 10) == b"\x93NUMPY\x01\x00v\x00"
    os.close(reader)
    log = tmp_path / "log"
    log.write_text("before\n")
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    with replacing(f"/dev/fd/{descriptor}") as stream:
        stream.write(b"after\n")
    os.close(descriptor)
    assert log.read_text() == "before\nafter\n"
