"""Arrays that end, or begin, where a page begins that nobody may touch: one element too far ends the process."""

from __future__ import annotations

import ctypes
import mmap
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

_NO_ACCESS = 0
_READ_WRITE = 3


class Fence:
    """Pages between forbidden ones, which hold an array at one of their ends."""

    def __init__(self, pages: int = 2) -> None:
        self._pages = pages
        self._memory = mmap.mmap(-1, (pages + 2) * mmap.PAGESIZE)
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._protect(_NO_ACCESS)

    def _protect(self, rights: int) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        for page in (0, self._pages + 1):
            address = ctypes.c_void_p(self._start + page * mmap.PAGESIZE)
            if libc.mprotect(address, mmap.PAGESIZE, rights):
                raise OSError(ctypes.get_errno(), "mprotect")

    def array(self, shape: tuple[int, ...], dtype: DTypeLike, at_end: bool) -> NDArray[Any]:
        """A column-major array of zeros at the end of the pages, or at their begin."""
        kind: np.dtype[Any] = np.dtype(cast("Any", dtype))
        size = prod(shape) * kind.itemsize
        if size > self._pages * mmap.PAGESIZE:
            raise ValueError(f"{size} bytes do not fit into {self._pages} pages")
        offset = ((self._pages + 1) * mmap.PAGESIZE - size) if at_end else mmap.PAGESIZE
        found = np.ndarray(shape, kind, self._memory, offset, order="F")
        found[...] = np.zeros((), kind)
        return found

    def open(self) -> None:
        """Lift the protection, so that the memory can be given back."""
        self._protect(_READ_WRITE)
