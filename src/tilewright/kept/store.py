"""Cache entries as files: whose the folder is, and how entries are written so that no half of one is ever believed.

Whoever can write the folder can run code in our process, so the folder must be ours alone (mode 0700, opened without
following links) and nothing read from it is ever interpreted: an entry is magic, key, SHA-256 of payload, payload.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from msgspec import Struct

_MAGIC: Final = b"TWCACHE1"
_DIGEST: Final = hashlib.sha256().digest_size
ARTIFACTS: Final = ".twa"
"""Ends the names of entries that are artefacts."""
BY_PRODUCTS: Final = ".twb"
"""Ends the names of entries that are made on the way: the processor's description, machine code of the runtime."""
_KEY: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_TEMPORARY_LIFETIME: Final = 3600.0
_READING: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_FILE: Final = (errno.ELOOP, errno.ENXIO)
"""What opening a link and a socket ends with."""


class CacheRefused(PermissionError):
    """A folder that must not be trusted as a cache."""


class DamagedEntry(ValueError):
    """An entry whose bytes are not those that were written."""


class EntryInfo(Struct, frozen=True):
    """An entry on disk, as the folder lists it; `used` is the time of its last use."""

    key: str
    size: int
    used: float


class Store:
    """The entries of one kind in a folder. Every method may raise OSError; callers decide what that means."""

    def __init__(self, directory: Path, suffix: str = ARTIFACTS) -> None:
        self.directory = directory
        self._suffix = suffix

    def read(self, key: str) -> bytes | None:
        """The payload of an entry, None if there is none; `DamagedEntry` if it is not whole."""
        with self._opened() as folder:
            try:
                descriptor = os.open(self._name(key), _READING, dir_fd=folder)
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno in _NO_FILE:
                    raise _not_regular(key) from None
                raise
            return _read_entry(key, descriptor)

    def write(self, key: str, payload: bytes) -> None:
        """Put an entry in place in one step: a reader sees all of it or nothing."""
        name = self._name(key)
        self.create()
        with self._opened() as folder:
            temporary = f".{name}.{os.getpid()}.{os.urandom(8).hex()}.tmp"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(_MAGIC + bytes.fromhex(key) + hashlib.sha256(payload).digest() + payload)
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise

    def touch(self, key: str) -> None:
        """Note that an entry was used now."""
        with self._opened() as folder:
            os.utime(self._name(key), dir_fd=folder, follow_symlinks=False)

    def remove(self, key: str) -> None:
        """Delete an entry, if it is there."""
        with self._opened() as folder, contextlib.suppress(FileNotFoundError):
            os.unlink(self._name(key), dir_fd=folder)

    def entries(self) -> list[EntryInfo]:
        """All entries, the least recently used first."""
        found: list[EntryInfo] = []
        with self._opened() as folder:
            for name in os.listdir(folder):
                key = name.removesuffix(self._suffix)
                if not name.endswith(self._suffix) or not _KEY.fullmatch(key):
                    continue
                with contextlib.suppress(FileNotFoundError):
                    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    found.append(EntryInfo(key, status.st_size, status.st_mtime))
        return sorted(found, key=lambda entry: (entry.used, entry.key))

    def sweep(self) -> None:
        """Delete what killed writers left behind."""
        with self._opened() as folder:
            for name in os.listdir(folder):
                if name.startswith(".") and name.endswith(".tmp"):
                    with contextlib.suppress(FileNotFoundError):
                        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                        if time.time() - status.st_mtime > _TEMPORARY_LIFETIME:
                            os.unlink(name, dir_fd=folder)

    def create(self) -> None:
        """Make the folder, for its owner only; `CacheRefused` if there is one that is not to be trusted."""
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            self.directory.mkdir(mode=0o700)
        with self._opened():
            pass

    @contextlib.contextmanager
    def _opened(self) -> Generator[int]:
        descriptor = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            self._check(os.fstat(descriptor))
            yield descriptor
        finally:
            os.close(descriptor)

    def _name(self, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a cache key is a SHA-256 in hexadecimal, not {key!r}")
        return key + self._suffix

    def _check(self, status: os.stat_result) -> None:
        if status.st_uid != os.geteuid():
            raise CacheRefused(f"{self.directory} belongs to user {status.st_uid}, not to us")
        if stat.S_IMODE(status.st_mode) & 0o077:
            mode = stat.S_IMODE(status.st_mode)
            raise CacheRefused(f"{self.directory} has mode {mode:04o}, others may use it; chmod 700 it")


def _not_regular(key: str) -> DamagedEntry:
    return DamagedEntry(f"cache entry {key} is not a regular file")


def _read_entry(key: str, descriptor: int) -> bytes:
    """The payload of an opened entry, which is closed. The beginning is looked at before the rest is read: what is no
    entry may be of any size."""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _not_regular(key)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            # On NFS a reader may see an empty file after the rename, and disks do flip bits.
            beginning = _MAGIC + bytes.fromhex(key)
            if file.read(len(beginning)) == beginning:
                digest = file.read(_DIGEST)
                payload = file.read()
                if hashlib.sha256(payload).digest() == digest:
                    return payload
        raise DamagedEntry(f"cache entry {key} is damaged")
    finally:
        os.close(descriptor)
