"""Memory by pages: of machine code, which is written first and then executable or constant, never both; of data."""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from functools import cache
from typing import Final

PAGE: Final = mmap.PAGESIZE
_FAILED: Final = ctypes.c_void_p(-1).value


class Pages:
    """Zeroed pages, freed with this object; not at the end of the process, when threads may still run what is in them.

    Raises OSError if the system gives no memory, or does not let it become executable.
    """

    def __init__(self, size: int) -> None:
        self.size = max(-(-size // PAGE), 1) * PAGE
        found = _system().mmap(
            None, self.size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0
        )
        if found == _FAILED:
            raise _last_error()
        self.address: Final[int] = found
        # munmap is held by the finalizer itself: when modules are taken down, `_system` may be gone first
        weakref.finalize(self, _system().munmap, found, self.size).atexit = False

    def memory(self) -> memoryview:
        """The bytes, to be written before they are protected."""
        return memoryview((ctypes.c_ubyte * self.size).from_address(self.address)).cast("B")

    def protect(self, start: int, end: int, *, executable: bool) -> None:
        """Make the pages between two page bounds constant, or code."""
        allowed = mmap.PROT_READ | (mmap.PROT_EXEC if executable else 0)
        if end > start and _system().mprotect(self.address + start, end - start, allowed):
            raise _last_error()


def private_pages(size: int) -> mmap.mmap:
    """Zeroed pages, at least one, of which a forked child has a copy.

    Python shares anonymous pages between parent and child unless it is told otherwise: what one writes for a launch
    the other's launch would then read.
    """
    return mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


@cache
def _system() -> ctypes.CDLL:
    """The C library, loaded once more so that these prototypes are nobody else's."""
    library = ctypes.CDLL(None, use_errno=True)
    word, size, flags = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    library.mmap.argtypes, library.mmap.restype = [word, size, flags, flags, flags, ctypes.c_int64], word
    library.mprotect.argtypes, library.mprotect.restype = [word, size, flags], flags
    library.munmap.argtypes, library.munmap.restype = [word, size], flags
    return library


def _last_error() -> OSError:
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code))
