"""The machine a kernel is compiled for: register file, instructions that matter for code shape, cache sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

from tilewright.targets.llvm.binding import host_features
from tilewright.targets.llvm.features import Features


class Level(Enum):
    """Families of x86 register files; `GENERIC` is what every x86-64 has, and what other machines are treated as."""

    GENERIC = "generic"
    AVX2 = "avx2"
    AVX512 = "avx512"


@dataclass(frozen=True, slots=True)
class Machine:
    """What code shapes depend on.

    `masks`: loads and stores under a mask cost no more than plain ones. `features` is LLVM's feature string.
    """

    level: Level
    vector_bytes: int
    registers: int
    fma: bool
    masks: bool
    l1_bytes: int
    l2_bytes: int
    features: str
    flags: Features

    def lanes(self, element_bytes: int) -> int:
        """Elements of a vector register; elements of more than a register's lanes do not occur."""
        return max(1, self.vector_bytes // max(element_bytes, 1))

    @property
    def attributes(self) -> str:
        """Function attributes: LLVM would prefer vectors of half the width on some machines."""
        return f'nounwind "prefer-vector-width"="{8 * self.vector_bytes}"'


_L1_DEFAULT: Final = 32 * 1024
_L2_DEFAULT: Final = 1024 * 1024
_SYSFS: Final = Path("/sys/devices/system/cpu/cpu0/cache")
_AVX512_NEEDS: Final = ("avx512f", "avx512bw", "avx512dq", "avx512vl")


def _cache_bytes(level: int, default: int) -> int:
    """Data (or unified) cache of a level as the operating system tells it; the default where it does not."""
    for folder in sorted(_SYSFS.glob("index*")):
        try:
            found = int((folder / "level").read_text())
            kind = (folder / "type").read_text().strip()
            size = (folder / "size").read_text().strip()
        except (OSError, ValueError):
            continue
        if found == level and kind != "Instruction" and size[:-1].isdigit():
            return int(size[:-1]) * {"K": 1024, "M": 1024 * 1024}.get(size[-1], 1)
    return default


def _of_level(level: Level, flags: Mapping[str, bool]) -> Machine:
    vector_bytes, registers = {Level.GENERIC: (16, 16), Level.AVX2: (32, 16), Level.AVX512: (64, 32)}[level]
    features = ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(flags.items()))
    return Machine(
        level=level,
        vector_bytes=vector_bytes,
        registers=registers,
        fma=flags.get("fma", False),
        masks=level is Level.AVX512,
        l1_bytes=_cache_bytes(1, _L1_DEFAULT),
        l2_bytes=_cache_bytes(2, _L2_DEFAULT),
        features=features,
        flags=Features.of_x86(flags),
    )


@cache
def host() -> Machine:
    """This machine, with all it has."""
    flags = host_features()
    if all(flags.get(name, False) for name in _AVX512_NEEDS):
        return _of_level(Level.AVX512, flags)
    if flags.get("avx2", False) and flags.get("fma", False):
        return _of_level(Level.AVX2, flags)
    return _of_level(Level.GENERIC, flags)


_BEYOND_AVX2: Final = ("avx512", "avx10", "amx", "evex512")
_BEYOND_SSE2: Final = (
    *("avx", "fma", "f16c", "vaes", "vpclmulqdq", "sse3", "ssse3", "sse4", "xop", "gfni", "sha512", "sm3", "sm4"),
    *_BEYOND_AVX2,
)


@cache
def restricted(level: Level) -> Machine:
    """This machine with everything beyond a level switched off; ValueError if it does not reach the level."""
    machine = host()
    order = list(Level)
    if order.index(machine.level) < order.index(level):
        raise ValueError(f"this machine has no {level.value}")
    if level is machine.level:
        return machine
    beyond = _BEYOND_AVX2 if level is Level.AVX2 else _BEYOND_SSE2
    flags = {name: on and not name.startswith(beyond) for name, on in host_features().items()}
    return replace(_of_level(level, flags), l1_bytes=machine.l1_bytes, l2_bytes=machine.l2_bytes)
