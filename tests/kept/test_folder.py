"""Where a user's processes keep things."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from tilewright.kept.folder import users_directory


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/home/somebody"},
        {"HOME": "/home/somebody/"},
        {"HOME": "/"},
        {"HOME": ""},
        {"HOME": "relative"},
        {},
        {"HOME": "/home/somebody", "XDG_CACHE_HOME": "/var/somewhere"},
        {"HOME": "/home/somebody", "XDG_CACHE_HOME": "/var/somewhere/"},
        {"HOME": "/home/somebody", "XDG_CACHE_HOME": ""},
        {"HOME": "/home/somebody", "XDG_CACHE_HOME": "relative"},
        {"HOME": "/home/somebody", "XDG_CACHE_HOME": " "},
        {"HOME": "/home/somebody", "XDG_CACHE_HOME": "~/caches"},
        {"XDG_CACHE_HOME": "/var/somewhere"},
    ],
    ids=str,
)
def test_where_platformdirs_says(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    expected = Path(platformdirs.user_cache_dir("tilewright", appauthor=False)) / "artifacts"
    assert users_directory() == expected
