"""What an x86-64 processor says of itself, as a key to what LLVM makes of it.

LLVM's description of the host is a function of what the instruction CPUID returns and of which registers the system
saves (XGETBV). Both are read here by a few bytes of machine code; nothing of them is interpreted.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Final

from tilewright.machine.pages import Pages
from tilewright.machine.system import is_linux_on_x86_64

# void cpuid(u32 leaf, u32 subleaf, u32 words[4])
_CPUID: Final = bytes.fromhex(
    "53"  # push rbx, which CPUID overwrites
    "89f8 89f1"  # mov eax, edi; mov ecx, esi
    "4989d0"  # mov r8, rdx
    "0fa2"  # cpuid
    "418900 41895804 41894808 4189500c"  # mov [r8 + 0, 4, 8, 12], eax, ebx, ecx, edx
    "5bc3"  # pop rbx; ret
)
# u64 saved(): the state components that the system has switched on
_XGETBV: Final = bytes.fromhex(
    "31c9 0f01d0"  # xor ecx, ecx; xgetbv
    "48c1e220 4809d0"  # shl rdx, 32; or rax, rdx
    "c3"
)
_XGETBV_AT: Final = 64
_HAS_XGETBV: Final = 1 << 27
_EXTENDED: Final = 0x80000000
_WORDS: Final = struct.Struct("<4I")
_EBX: Final = 1

_LEAVES: Final = (
    *((leaf, 0) for leaf in (0, 1, 7, 0x14, 0x19, 0x1E, 0x24, 0x29)),
    *((leaf, 1) for leaf in (7, 0xD, 0x1E, 0x24)),
    (7, 2),
    *((_EXTENDED + leaf, 0) for leaf in (0, 1, 7, 8, 0x1F, 0x21)),
)
"""All leaves that describe features, those of no LLVM of today included."""
_OF_EACH_CORE: Final = frozenset({(1, 0), (0xD, 1)})
"""Their EBX holds the number of the core, and the size of its saved state."""


def processor_words() -> tuple[int, ...] | None:
    """Numbers on which all depends that LLVM finds out about this processor; None where they cannot be read."""
    if not is_linux_on_x86_64():
        return None
    try:
        pages = Pages(len(_CPUID))
        pages.memory()[: len(_CPUID)] = _CPUID
        pages.memory()[_XGETBV_AT : _XGETBV_AT + len(_XGETBV)] = _XGETBV
        pages.protect(0, pages.size, executable=True)
    except OSError:
        # a system that lets nothing become executable
        return None
    cpuid = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)(pages.address)
    buffer = ctypes.create_string_buffer(_WORDS.size)

    def ask(leaf: int, subleaf: int) -> list[int]:
        cpuid(leaf, subleaf, ctypes.addressof(buffer))
        return list(_WORDS.unpack(buffer.raw))

    last = {0: ask(0, 0)[0], _EXTENDED: ask(_EXTENDED, 0)[0]}
    words: list[int] = []
    for leaf, subleaf in _LEAVES:
        # beyond the last leaf Intel's return that of another, which may change
        found = ask(leaf, subleaf) if leaf <= last[leaf & _EXTENDED] else [0] * 4
        if (leaf, subleaf) in _OF_EACH_CORE:
            found[_EBX] = 0
        words += found
    saved = ctypes.CFUNCTYPE(ctypes.c_uint64)(pages.address + _XGETBV_AT)
    return (*words, saved() if ask(1, 0)[2] & _HAS_XGETBV else 0)
