"""The artefact cache: what was compiled once is loaded the next time, by any process of this user.

A cache is a convenience. Whatever goes wrong with it (a full disk, a folder that vanishes, bytes that rot, a network
disk that answers ESTALE) costs a compilation and at most one warning, never an exception. Failed compilations are not
stored.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilewright.artifacts.artifact import Artifact, ArtifactError
from tilewright.kept.folder import CacheFolder, CacheMode, CacheWarning, folder_of
from tilewright.kept.store import DamagedEntry, Store
from tilewright.machine.processor import missing_features
from tilewright.settings.config import Config, current
from tilewright.targets import read_artifact

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = ["ArtifactCache", "CacheMode", "CacheStatistics", "CacheWarning", "cached_artifact", "open_cache"]

_LOCK_SECONDS: Final = 60.0


class CacheStatistics(Struct, frozen=True):
    """What is in the folder, and how often this process found what it looked for."""

    directory: Path
    mode: CacheMode
    entries: int
    size: int
    limit: int
    hits: int
    misses: int


class ArtifactCache:
    """Artefacts by key, a SHA-256 over everything that the code depends on."""

    def __init__(
        self,
        directory: Path,
        mode: CacheMode = CacheMode.READ_WRITE,
        *,
        limit: int = 1 << 30,
        lock_seconds: float = _LOCK_SECONDS,
        folder: CacheFolder | None = None,
    ) -> None:
        self.mode = mode
        self.limit = limit
        self._folder = folder or CacheFolder(directory, mode)
        self._store, self._by_products = self._folder.artifacts, self._folder.by_products
        self._warn, self._attempt = self._folder.warn, self._folder.attempt
        self._lock_seconds = lock_seconds
        self._hits = 0
        self._misses = 0

    def get(self, key: str) -> Artifact | None:
        """The artefact of a key, if it is there, whole, and runs on this machine."""
        artifact = None if self.mode is CacheMode.OFF else self._load(key)
        if artifact is None:
            self._misses += 1
        else:
            self._hits += 1
        return artifact

    def _load(self, key: str) -> Artifact | None:
        try:
            payload = self._store.read(key)
            artifact = None if payload is None else read_artifact(payload)
        except FileNotFoundError:
            return None
        except (OSError, MemoryError, DamagedEntry, ArtifactError) as error:
            self._warn("read", error)
            return None
        if artifact is None or (artifact.target == "cpu" and missing_features(artifact.features)):
            return None
        if self.mode is CacheMode.READ_WRITE:
            self._attempt("write", lambda: self._store.touch(key))
        return artifact

    def put(self, key: str, artifact: Artifact) -> None:
        """Store an artefact, if the cache may write and can."""
        if self.mode is CacheMode.READ_WRITE:
            self._attempt("write", lambda: self._store.write(key, artifact.to_bytes()))
            self._attempt("write", lambda: self._shrink(self.limit, keep=key))

    def get_or_compile(self, key: str, compile: Callable[[], Artifact]) -> Artifact:
        """The artefact of a key, compiled by one process and loaded by all others that ask meanwhile.

        Who cannot wait any longer, or cannot lock at all, compiles for itself.
        """
        found = self.get(key)
        if found is not None:
            return found
        lock = self._lock(key)
        if lock is None:
            artifact = compile()
            self.put(key, artifact)
            return artifact
        try:
            found = self._load(key)
            if found is None:
                found = compile()
                self.put(key, found)
            return found
        finally:
            lock.release()

    def _lock(self, key: str) -> FileLock | None:
        if self.mode is not CacheMode.READ_WRITE:
            return None
        from filelock import FileLock, Timeout

        try:
            self._store.create()
            lock = FileLock(self._store.directory / f"{key}.lock", mode=0o600)
            lock.acquire(timeout=self._lock_seconds)
        except Timeout:
            return None
        except (OSError, NotImplementedError) as error:
            self._warn("lock", error)
            return None
        return lock

    def prune(self, limit: int | None = None) -> int:
        """Delete the least recently used entries until `limit` bytes are kept; returns how many went."""
        before = self.statistics().entries
        self._attempt("write", lambda: self._shrink(self.limit if limit is None else limit))
        return before - self.statistics().entries

    def _shrink(self, limit: int, keep: str = "") -> None:
        self._store.sweep()
        found = [(entry.used, entry, store) for store in (self._store, self._by_products) for entry in store.entries()]
        size = sum(entry.size for _, entry, _ in found)
        for _, entry, store in sorted(found, key=lambda one: (one[0], one[1].key)):
            if size <= limit:
                break
            if entry.key != keep:
                store.remove(entry.key)
                (store.directory / f"{entry.key}.lock").unlink(missing_ok=True)
                size -= entry.size

    def verify(self, *, remove: bool = False) -> list[str]:
        """Hash every entry; returns the keys of those that are damaged, and deletes them if told to.

        Raises OSError if the folder cannot be read.
        """
        if not self._exists():
            return []
        stores = (self._store, self._by_products)
        damaged = [
            (store, entry.key) for store in stores for entry in store.entries() if not self._whole(store, entry.key)
        ]
        for store, key in damaged if remove else []:
            store.remove(key)
        return [key for _, key in damaged]

    def _whole(self, store: Store, key: str) -> bool:
        try:
            payload = store.read(key)
            return payload is None or store is self._by_products or bool(read_artifact(payload))
        except (DamagedEntry, ArtifactError, MemoryError):
            return False

    def _exists(self) -> bool:
        return self._store.directory.is_dir()

    def statistics(self) -> CacheStatistics:
        """Number and size of the entries; zero if the folder cannot be read."""
        sizes: list[int] = []
        if self.mode is not CacheMode.OFF and self._exists():
            self._attempt("read", lambda: sizes.extend(entry.size for entry in self._store.entries()))
        return CacheStatistics(
            self._store.directory, self.mode, len(sizes), sum(sizes), self.limit, self._hits, self._misses
        )


@lru_cache(maxsize=8)
def _cache(folder: CacheFolder, limit: int) -> ArtifactCache:
    return ArtifactCache(folder.directory, folder.mode, limit=limit, folder=folder)


def open_cache() -> ArtifactCache:
    """The cache that the current settings describe."""
    return _opened(current())


def _opened(settings: Config) -> ArtifactCache:
    return _cache(folder_of(settings), settings.cache_size)


def cached_artifact(key: str, compile: Callable[[], Artifact]) -> Artifact:
    """Load or compile, as the settings say."""
    settings = current()
    cache = _opened(settings)
    if not settings.always_compile:
        return cache.get_or_compile(key, compile)
    artifact = compile()
    cache.put(key, artifact)
    return artifact
