"""Where a setting comes from, and what happens to one that does not exist."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from tilewright.settings.config import ConfigError, config, current
from tilewright.settings.settings import SETTINGS


def test_later_places_win(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.tilewright]\ncache-size = "2G"\ncache = "ro"\nalways-compile = true\n'
    )
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    environment = {"TILEWRIGHT_CACHE": "off", "TILEWRIGHT_NUM_THREADS": "5", "TILEWRIGHT_CACHE_DIR": ""}
    with config(num_threads=7):
        found = current(environment=environment, folder=inner, cache_size="1M", cache_dir=None)
    assert (found.cache_size, found.cache, found.num_threads, found.always_compile) == (1 << 20, "off", 7, True)
    origins = {entry.name: entry.origin for entry in found.explain()}
    assert origins["always_compile"] == str(tmp_path / "pyproject.toml")
    assert origins["cache"] == "environment"
    assert origins["num_threads"] == "with config(..)"
    assert origins["cache_size"] == "argument"
    assert origins["cache_dir"] == "default"
    assert list(origins) == [setting.name for setting in SETTINGS]


def test_blocks_nest_and_end() -> None:
    before = current().num_threads
    with config(num_threads=2), config(cache="off") as inner:
        assert (inner.num_threads, inner.cache) == (2, "off")
    assert current().num_threads == before


def test_other_threads_keep_their_settings() -> None:
    seen: list[int] = []
    with config(cache_size=1):
        thread = threading.Thread(target=lambda: seen.append(current().cache_size))
        thread.start()
        thread.join()
    assert seen == [1 << 30]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"TILEWRIGHT_CACHE_SIZ": "1"}, "unknown setting TILEWRIGHT_CACHE_SIZ in environment; did you mean cache_size"),
        ({"TILEWRIGHT_CACHE": "maybe"}, "TILEWRIGHT_CACHE in environment: 'maybe' is no mode: off, ro or rw"),
        ({"TILEWRIGHT_CACHE_SIZE": "much"}, "is no size"),
        ({"TILEWRIGHT_NUM_THREADS": "0"}, "is no number from 1"),
        ({"TILEWRIGHT_ALWAYS_COMPILE": "perhaps"}, "is no truth value"),
    ],
)
def test_what_is_wrong_is_told(environment: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        current(environment=environment, folder=tmp_path)


def test_what_scripts_and_tests_are_told_is_no_setting(tmp_path: Path) -> None:
    told = ("TILEWRIGHT_VENV", "TILEWRIGHT_TILEIRAS", "TILEWRIGHT_GPU_KERNELS", "TILEWRIGHT_RANDOM_SEED")
    found = current(environment=dict.fromkeys(told, "1"), folder=tmp_path)
    assert set(found.origins.values()) == {"default"}


def test_unknown_names_in_blocks_and_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean num_threads"), config(num_thread=2):
        pass
    (tmp_path / "pyproject.toml").write_text("[tool.tilewright]\nflavour = 1\n")
    with pytest.raises(ConfigError, match="unknown setting flavour in"):
        current(folder=tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool]\ntilewright = 3\n")
    with pytest.raises(ConfigError, match="is not a table"):
        current(folder=tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool")
    with pytest.raises(ConfigError, match="cannot be read"):
        current(folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("12", 12), ("3k", 3072), ("500 MB", 500 << 20), ("1GiB", 1 << 30)]
)
def test_sizes(text: str, value: int, tmp_path: Path) -> None:
    assert current(environment={"TILEWRIGHT_CACHE_SIZE": text}, folder=tmp_path).cache_size == value


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder stays there")
def test_the_current_folder_may_be_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert current(environment={"TILEWRIGHT_CACHE": "off"}).cache == "off"
