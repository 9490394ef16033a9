"""The state of AMX tiles, which a process may use once the system has permitted it (Linux, `arch_prctl`)."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Final

_ARCH_PRCTL: Final = 158
_ARCH_REQ_XCOMP_PERM: Final = 0x1023
_XTILE_DATA: Final = 18


def request_tiles() -> str | None:
    """Ask for permission, which then holds for all threads of the process; why it is refused, None if granted.

    Only for x86-64, where the processor has tiles; without permission the first instruction on one is SIGILL.
    """
    if not sys.platform.startswith("linux"):
        return f"tilewright knows no way to ask for it on {sys.platform}"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XTILE_DATA) == 0:
        return None
    return os.strerror(ctypes.get_errno())


@cache
def tiles_refused() -> str | None:
    """As `request_tiles`, asked once: what a process was given it keeps."""
    return request_tiles()
