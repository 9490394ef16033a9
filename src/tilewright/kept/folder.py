"""The folder in which a user's processes keep what they made, and what may be done with it.

A cache is a convenience: whatever goes wrong with the folder is told at most once, as a warning, and never an error.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from pathlib import Path

from tilewright.kept.store import ARTIFACTS, BY_PRODUCTS, CacheRefused, Store
from tilewright.settings.config import Config


class CacheWarning(UserWarning):
    """The cache could not do its work; results are right all the same."""


class CacheMode(Enum):
    """What a cache may do with its folder."""

    OFF = "off"
    READ_ONLY = "ro"
    READ_WRITE = "rw"


class CacheFolder:
    """A folder with its entries, artefacts and by-products, and what has been said of its failures."""

    def __init__(self, directory: Path, mode: CacheMode) -> None:
        self.directory = directory
        self.mode = mode
        self.artifacts = Store(directory, ARTIFACTS)
        self.by_products = Store(directory, BY_PRODUCTS)
        self._warned: set[str] = set()

    def attempt(self, what: str, action: Callable[[], None]) -> None:
        """Do something that may fail with an OSError, of which the user is told."""
        try:
            action()
        except OSError as error:
            self.warn(what, error)

    def warn(self, what: str, error: Exception) -> None:
        """Say once that the cache could not do something."""
        if isinstance(error, CacheRefused):
            what = "be used"
        if what not in self._warned:
            self._warned.add(what)
            warnings.warn(f"the kernel cache could not {what}: {error}", CacheWarning, stacklevel=4)


@lru_cache(maxsize=8)
def _folder(directory: Path, mode: CacheMode) -> CacheFolder:
    return CacheFolder(directory, mode)


def folder_of(settings: Config) -> CacheFolder:
    """The folder that settings describe, the same one as long as they say the same."""
    return _folder(settings.cache_dir or users_directory(), CacheMode(settings.cache))


def users_directory() -> Path:
    """Where a user's processes keep things if the settings do not say so."""
    return Path(_cache_directory()) / "artifacts"


def _cache_directory() -> str:
    # The two plain cases of Linux, as the XDG specification has them: all of platformdirs takes as long to import as a
    # program to be loaded.
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        home = os.environ.get("HOME", "")
        base = os.environ.get("XDG_CACHE_HOME", "") or f"{home.rstrip('/')}/.cache" * home.startswith("/")
        if base.startswith("/"):
            return os.path.join(base, "tilewright")
    import platformdirs

    return platformdirs.user_cache_dir("tilewright", appauthor=False)
