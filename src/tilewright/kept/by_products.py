"""What takes long to make and depends on few facts: made once, and read by the later processes of a user."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence

from tilewright.kept.folder import CacheFolder, CacheMode, folder_of
from tilewright.kept.store import DamagedEntry
from tilewright.settings.config import current
from tilewright.version import __version__


def kept(what: str, facts: Sequence[str], make: Callable[[], bytes]) -> bytes:
    """What `make` makes: from the cache's folder, if it was made there of the same facts by this version of ours.

    The settings `cache` and `always_compile` hold for it, too. An entry is whole, since it carries its hash, but who
    reads it checks what it says. Failures of the folder cost a call of `make` and a warning.
    """
    settings = current()
    folder = folder_of(settings)
    key = hashlib.sha256(json.dumps([__version__, what, *facts]).encode()).hexdigest()
    found = None if settings.always_compile else _read(folder, key)
    if found is not None:
        return found
    made = make()
    if folder.mode is CacheMode.READ_WRITE:
        folder.attempt("write", lambda: folder.by_products.write(key, made))
    return made


def _read(folder: CacheFolder, key: str) -> bytes | None:
    if folder.mode is CacheMode.OFF:
        return None
    try:
        found = folder.by_products.read(key)
    except FileNotFoundError:
        return None
    except (OSError, MemoryError, DamagedEntry) as error:
        folder.warn("read", error)
        return None
    if found is not None and folder.mode is CacheMode.READ_WRITE:
        folder.attempt("write", lambda: folder.by_products.touch(key))
    return found
