"""What the system tells of caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.targets.cpu import machine


def _cache(folder: Path, number: int, level: int, size: str, shared: str) -> None:
    index = folder / f"index{number}"
    index.mkdir()
    for name, text in (("level", str(level)), ("type", "Unified"), ("size", size), ("shared_cpu_map", shared)):
        (index / name).write_text(text + "\n")


@pytest.mark.parametrize(
    ("shared", "share"), [("3", 24 << 20), ("ffff,00000000", 3 << 20), ("00000001", 48 << 20), ("0", 48 << 20)]
)
def test_a_processor_has_a_share_of_the_last_cache(
    shared: str, share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cache(tmp_path, 2, 2, "2M", "1")
    _cache(tmp_path, 3, 3, "48M", shared)
    monkeypatch.setattr(machine, "_SYSFS", tmp_path)
    assert machine._last_cache_bytes() == share  # pyright: ignore[reportPrivateUsage]


def test_without_caches_of_which_the_system_tells_there_is_a_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_SYSFS", tmp_path)
    assert machine._last_cache_bytes() == 32 << 20  # pyright: ignore[reportPrivateUsage]
