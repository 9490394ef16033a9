"""A cache that is never wrong and never in the way."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tilewright.artifacts.artifact import Artifact
from tilewright.cache.artifact_cache import ArtifactCache, CacheMode, CacheWarning, cached_artifact, open_cache
from tilewright.settings.config import config
from warm.python import command


def key_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def artifact_of(size: int = 100, features: str = "") -> Artifact:
    """Of no kernels, for which any code will do."""
    return Artifact("cpu", (), np.random.default_rng().bytes(size), features=features)


KEY = key_of("kernel")


def entry(folder: Path, key: str = KEY) -> Path:
    return folder / f"{key}.twa"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache"


def test_what_is_put_is_found_by_others(folder: Path) -> None:
    artifact = artifact_of()
    ArtifactCache(folder).put(KEY, artifact)
    other = ArtifactCache(folder)
    assert other.get(KEY) == artifact
    assert other.get(key_of("another")) is None
    found = other.statistics()
    assert (found.entries, found.hits, found.misses) == (1, 1, 1)
    assert os.stat(folder).st_mode & 0o777 == 0o700


def test_every_damage_is_a_miss(folder: Path, rng: np.random.Generator) -> None:
    cache = ArtifactCache(folder)
    artifact = artifact_of()
    cache.put(KEY, artifact)
    whole = entry(folder).read_bytes()
    flips = [(int(rng.integers(len(whole))), int(rng.integers(8))) for _ in range(150)]
    cuts = [0, 1, 71, 72, 73, len(whole) - 1, *rng.integers(0, len(whole), 30).tolist()]
    damaged = [whole[:k] + bytes([whole[k] ^ 1 << bit]) + whole[k + 1 :] for k, bit in flips]
    damaged += [whole[:cut] for cut in cuts]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for data in damaged:
            entry(folder).write_bytes(data)
            assert cache.get(KEY) is None
    assert len(caught) == 1
    assert ArtifactCache(folder).verify() == [KEY]
    assert cache.get_or_compile(KEY, lambda: artifact) == artifact
    assert cache.get(KEY) == artifact
    entry(folder).write_bytes(b"")
    assert cache.verify(remove=True) == [KEY]
    assert cache.verify() == []


def test_an_entry_under_a_foreign_name_is_a_miss(folder: Path) -> None:
    cache = ArtifactCache(folder)
    cache.put(KEY, artifact_of())
    other = key_of("other")
    entry(folder).rename(entry(folder, other))
    with pytest.warns(CacheWarning, match="damaged"):
        assert cache.get(other) is None


def test_artefacts_for_a_greater_cpu_are_a_miss(folder: Path) -> None:
    cache = ArtifactCache(folder)
    cache.put(KEY, artifact_of(features="+no-such-feature"))
    assert cache.get(KEY) is None


def test_modes(folder: Path) -> None:
    artifact = artifact_of()
    off, reader = ArtifactCache(folder, CacheMode.OFF), ArtifactCache(folder, CacheMode.READ_ONLY)
    for cache in (off, reader):
        assert cache.get_or_compile(KEY, lambda: artifact) == artifact
        assert not folder.exists()
    ArtifactCache(folder).put(KEY, artifact)
    assert reader.get(KEY) == artifact
    assert off.get(KEY) is None


def test_failures_are_not_stored(folder: Path) -> None:
    cache = ArtifactCache(folder)

    def fail() -> Artifact:
        raise KeyError("refused")

    for _ in range(3):
        with pytest.raises(KeyError):
            cache.get_or_compile(KEY, fail)
    assert cache.statistics().entries == 0


def test_the_least_recently_used_goes_first(folder: Path) -> None:
    cache = ArtifactCache(folder, limit=20_000)
    keys = [key_of(str(k)) for k in range(10)]
    for age, key in enumerate(keys[:9]):
        cache.put(key, artifact_of(1000))
        os.utime(entry(folder, key), (time.time(), time.time() - 1000 + age))
    assert cache.get(keys[0]) is not None
    cache.limit = 6000
    cache.put(keys[9], artifact_of(1000))
    left = [key for key in keys if entry(folder, key).exists()]
    assert left[0] == keys[0]
    assert left[-1] == keys[9]
    assert cache.statistics().size <= 6000
    assert cache.prune(0) == len(left)


def test_an_entry_larger_than_the_cache_stays_until_the_next_comes(folder: Path) -> None:
    cache = ArtifactCache(folder, limit=500)
    large, other = artifact_of(1000), key_of("other")
    cache.put(KEY, large)
    assert cache.get(KEY) == large
    cache.put(other, large)
    assert cache.get(KEY) is None
    assert cache.get(other) == large


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_read_only_folder_is_read(folder: Path) -> None:
    artifact = artifact_of()
    ArtifactCache(folder).put(KEY, artifact)
    folder.chmod(0o500)
    cache = ArtifactCache(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        found = cache.get_or_compile(KEY, artifact_of)
        new = cache.get_or_compile(key_of("new"), lambda: artifact)
    folder.chmod(0o700)
    assert found == new == artifact


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o701])
def test_a_folder_open_to_others_is_refused(folder: Path, mode: int) -> None:
    artifact = artifact_of()
    ArtifactCache(folder).put(KEY, artifact)
    folder.chmod(mode)
    cache = ArtifactCache(folder)
    with pytest.warns(CacheWarning, match="chmod 700"):
        assert cache.get(KEY) is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        assert cache.get_or_compile(KEY, lambda: artifact) == artifact


def test_a_foreign_or_linked_folder_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ArtifactCache(folder).put(KEY, artifact_of())
    link = folder.parent / "link"
    link.symlink_to(folder)
    with pytest.warns(CacheWarning):
        assert ArtifactCache(link).get(KEY) is None
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.warns(CacheWarning, match="belongs to user"):
        assert ArtifactCache(folder).get(KEY) is None


@pytest.mark.parametrize("mode", [0o777, 0o701])
def test_nothing_is_left_in_a_folder_that_is_refused(folder: Path, mode: int) -> None:
    folder.mkdir(parents=True)
    folder.chmod(mode)
    artifact = artifact_of()
    with pytest.warns(CacheWarning, match="chmod 700") as warned:
        assert ArtifactCache(folder).get_or_compile(KEY, lambda: artifact) == artifact
    assert len(warned) == 1
    assert os.listdir(folder) == []


def no_file(kind: str, path: Path) -> None:
    """Something in the place of an entry that is not a regular file."""
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to("/dev/zero")
        case _:
            os.chdir(path.parent)
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(path.name)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("suffix", ["twa", "lock"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "socket"])
def test_what_is_no_file_is_neither_waited_for_nor_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str, suffix: str
) -> None:
    monkeypatch.chdir(folder.parent.parent)
    folder.mkdir(mode=0o700, parents=True)
    path = folder / f"{KEY}.{suffix}"
    no_file(kind, path)
    artifact = artifact_of()
    cache = ArtifactCache(folder, lock_seconds=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        assert cache.get_or_compile(KEY, lambda: artifact) == artifact
    # An entry is put in the place of what is there, where a rename can do that.
    assert cache.verify() == ([KEY] if kind == "folder" and suffix == "twa" else [])


def test_a_huge_file_is_not_read(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True)
    entry(folder).touch()
    os.truncate(entry(folder), 1 << 43)
    with pytest.warns(CacheWarning, match="damaged"):
        assert ArtifactCache(folder).get(KEY) is None


FAILURES = [errno.ENOENT, errno.ESTALE, errno.EBUSY, errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES]


@pytest.mark.parametrize("code", FAILURES)
@pytest.mark.parametrize("function", ["open", "fsync", "rename", "utime", "fstat", "listdir"])
@pytest.mark.filterwarnings("ignore::tilewright.cache.artifact_cache.CacheWarning")
def test_disks_that_fail(folder: Path, monkeypatch: pytest.MonkeyPatch, function: str, code: int) -> None:
    artifact = artifact_of()
    cache = ArtifactCache(folder)
    cache.put(key_of("before"), artifact)
    real: Callable[..., object] = getattr(os, function)

    def fail(first: object, *arguments: object, **options: object) -> object:
        # only what concerns our files, so that locks and the test itself still work
        if function != "open" or str(first).endswith((".twa", ".tmp", "cache")):
            raise OSError(code, os.strerror(code))
        return real(first, *arguments, **options)

    monkeypatch.setattr(os, function, fail)
    assert cache.get_or_compile(KEY, lambda: artifact) == artifact
    assert cache.get_or_compile(key_of("before"), lambda: artifact) == artifact
    monkeypatch.undo()
    assert not [path for path in folder.iterdir() if path.name.endswith(".tmp")] or function == "open"
    assert cache.get_or_compile(KEY, lambda: artifact) == artifact


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ArtifactCache(tmp_path / "file" / "cache")
    artifact = artifact_of()
    with pytest.warns(CacheWarning):
        assert cache.get_or_compile(KEY, lambda: artifact) == artifact


def _compile_slowly(folder: Path, log: Path, start: float) -> None:
    def compile() -> Artifact:
        with log.open("a") as file:
            file.write("compiled\n")
        time.sleep(0.3)
        return Artifact("cpu", (), b"the one")

    time.sleep(max(0.0, start - time.time()))
    assert ArtifactCache(folder).get_or_compile(KEY, compile).payload == b"the one"


def test_eight_processes_compile_once(folder: Path, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    log, start = tmp_path / "log", time.time() + 0.3
    workers = [context.Process(target=_compile_slowly, args=(folder, log, start)) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert [worker.exitcode for worker in workers] == [0] * 8
    assert log.read_text() == "compiled\n"
    assert ArtifactCache(folder).verify() == []


def test_a_killed_writer_leaves_nothing_in_the_way(folder: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from tilewright.cache.artifact_cache import ArtifactCache
from tilewright.artifacts.artifact import Artifact
os.rename = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
ArtifactCache(Path({str(folder)!r})).get_or_compile({KEY!r}, lambda: Artifact("cpu", (), b"half"))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([*command(), "-c", script], env=environment, timeout=60, check=False)
    assert run.returncode == -signal.SIGKILL
    (left,) = folder.glob(".*.tmp")
    cache = ArtifactCache(folder, lock_seconds=5)
    artifact = artifact_of()
    assert cache.get(KEY) is None
    assert cache.get_or_compile(KEY, lambda: artifact) == artifact
    os.utime(left, (0, 0))
    cache.prune()
    assert not left.exists()
    assert cache.get(KEY) == artifact


def test_who_cannot_wait_compiles_for_itself(folder: Path) -> None:
    from filelock import FileLock

    artifact = artifact_of()
    cache = ArtifactCache(folder, lock_seconds=0.1)
    cache.put(key_of("first"), artifact)
    with FileLock(folder / f"{KEY}.lock"):
        assert cache.get_or_compile(KEY, lambda: artifact) == artifact


def test_keys_are_digests(folder: Path) -> None:
    for key in ("", "../../etc/passwd", KEY.upper(), KEY + "0"):
        with pytest.raises(ValueError, match="SHA-256"):
            ArtifactCache(folder).put(key, artifact_of())


def test_settings_choose_the_cache(folder: Path) -> None:
    artifact = artifact_of()
    with config(cache_dir=folder):
        assert cached_artifact(KEY, lambda: artifact) == artifact
        assert cached_artifact(KEY, artifact_of) == artifact
        assert open_cache().statistics().entries == 1
    newer = artifact_of()
    with config(cache_dir=folder, always_compile=True):
        assert cached_artifact(KEY, lambda: newer) == newer
    with config(cache_dir=folder, cache="off"):
        assert cached_artifact(KEY, lambda: artifact) == artifact
    with config(cache_dir=folder):
        assert cached_artifact(KEY, artifact_of) == newer
