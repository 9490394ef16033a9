"""What is made on the way is made once for a user, and what is wrong with the folder costs no more than that."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright.cache.artifact_cache import ArtifactCache
from tilewright.kept.by_products import kept
from tilewright.kept.folder import CacheWarning
from tilewright.settings.config import config


class Maker:
    """Counts how often it was asked."""

    def __init__(self, made: bytes = b"made") -> None:
        self.asked = 0
        self._made = made

    def __call__(self) -> bytes:
        self.asked += 1
        return self._made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "cache"


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.twb"))


def test_it_is_made_once(folder: Path) -> None:
    make, other = Maker(), Maker(b"other")
    with config(cache="rw", cache_dir=folder):
        assert [kept("code", ["a", "b"], make) for _ in range(3)] == [b"made"] * 3
        assert make.asked == 1
        assert kept("code", ["a", "b"], other) == b"made"
        for what, facts in [("code", ["ab"]), ("code", ["a", "b", ""]), ("host", ["a", "b"])]:
            assert kept(what, facts, other) == b"other"
    assert other.asked == 3
    assert len(entries(folder)) == 4


def test_the_settings_hold(folder: Path) -> None:
    make = Maker()
    for mode in ("off", "ro"):
        with config(cache_dir=folder, cache=mode):
            assert kept("code", [], make) == b"made"
    assert not folder.exists()
    with config(cache="rw", cache_dir=folder):
        kept("code", [], make)
    newer = Maker(b"newer")
    with config(cache_dir=folder, cache="off"):
        assert kept("code", [], newer) == b"newer"
    with config(cache_dir=folder, cache="ro"):
        assert kept("code", [], newer) == b"made"
    with config(cache="rw", cache_dir=folder, always_compile=True):
        assert kept("code", [], newer) == b"newer"
    with config(cache_dir=folder, cache="ro"):
        assert kept("code", [], make) == b"newer"


def cut(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:-1])


def flip(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:-1] + b"!")


def make_a_folder(entry: Path) -> None:
    entry.unlink()
    entry.mkdir()


@pytest.mark.parametrize("damage", [cut, flip, make_a_folder])
def test_damage_is_told_once_and_costs_a_call(folder: Path, damage: Callable[[Path], None]) -> None:
    make = Maker()
    with config(cache="rw", cache_dir=folder):
        kept("code", [], make)
        damage(entries(folder)[0])
        assert len(ArtifactCache(folder).verify()) == 1
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert [kept("code", [], make) for _ in range(2)] == [b"made"] * 2
    assert sum("could not read" in str(warning.message) for warning in told) == 1
    assert {warning.category for warning in told} == {CacheWarning}


def test_verifying_removes_what_is_damaged(folder: Path) -> None:
    with config(cache="rw", cache_dir=folder):
        kept("code", [], Maker())
    cut(entries(folder)[0])
    assert ArtifactCache(folder).verify(remove=True)
    assert not entries(folder)


def test_a_folder_that_is_refused_costs_a_warning(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    make = Maker()
    with config(cache="rw", cache_dir=folder), pytest.warns(CacheWarning, match="chmod 700") as told:
        assert kept("code", [], make) == kept("host", [], make) == b"made"
    assert len(told) == 1
    assert not entries(folder)


def test_it_goes_with_the_artefacts(folder: Path) -> None:
    """But is none of them."""
    with config(cache="rw", cache_dir=folder):
        kept("code", [], Maker())
    cache = ArtifactCache(folder)
    assert cache.statistics().entries == 0
    assert cache.prune(1 << 20) == 0
    assert entries(folder)
    cache.prune(0)
    assert not entries(folder)
