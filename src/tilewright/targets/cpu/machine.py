"""The machine a kernel is compiled for: register file, instructions that matter for code shape, cache sizes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilewright.machine.processor import FeatureSet, machine
from tilewright.machine.processor import Machine as Processor
from tilewright.machine.units import EXACT_UNITS
from tilewright.settings.product_units import Unit
from tilewright.targets.llvm.features import Features


class Machine(Struct, frozen=True):
    """What code shapes depend on.

    `masks`: loads and stores under a mask cost no more than plain ones; `fast_gathers`: so few cycles that a strided
    vector is read faster by one gather than element by element; `fetches_stores`: the hardware asks ahead for lines
    that are going to be written, so that code need not; `compact`: code is to be short, whatever its speed, since there
    is too much of it (`target.py`). Of the last cache, a core has a share of `last_cache_bytes`. `units` are those that
    products may use where they are there.
    """

    processor: Processor
    vector_bytes: int
    registers: int
    fma: bool
    masks: bool
    fast_gathers: bool
    fetches_stores: bool
    l1_bytes: int
    l2_bytes: int
    last_cache_bytes: int
    flags: Features
    compact: bool = False
    units: frozenset[Unit] = EXACT_UNITS

    def lanes(self, element_bytes: int) -> int:
        """Elements of a vector register; elements of more than a register's lanes do not occur."""
        return max(1, self.vector_bytes // max(element_bytes, 1))

    def gathers(self, element_bytes: int, lanes: int) -> bool:
        """Whether to read that many strided elements by a gather; there are none of narrow elements."""
        return self.fast_gathers and element_bytes >= 4 and lanes >= _FEWEST_GATHERED

    @property
    def attributes(self) -> str:
        """Function attributes: LLVM would prefer vectors of half the width on some machines.

        With frame pointers `rbp` is no address of data: on Sapphire Rapids software prefetches through it are nearly
        without effect (compare benchmarks/fused.py).
        """
        return f'nounwind "frame-pointer"="all" "prefer-vector-width"="{8 * self.vector_bytes}"'


LINE_BYTES: Final = 64
"""What caches move at once."""
_FEWEST_GATHERED: Final = 16
_PROCESSOR: Final = Path("/proc/cpuinfo")
_VENDOR_WITHIN: Final = 256
_LEAKY_GATHERS: Final = Path("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling")
_L1_DEFAULT: Final = 32 * 1024
_L2_DEFAULT: Final = 1024 * 1024
_LAST_DEFAULT: Final = 32 * 1024 * 1024
_LEVELS: Final = (4, 3, 2)
_SYSFS: Final = Path("/sys/devices/system/cpu/cpu0/cache")


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


def _last_cache_bytes() -> int:
    """A processor's share of the cache behind which there is memory; the default where the system tells of none.

    Of a server's hundreds of MiB the others, and those of other machines that run on it, leave no more: stores of
    40 MB through 300 MiB that 16 processors share cost reads and writes of memory (Emerald Rapids, a transpose of 10^7
    f32: 20 ms, past the caches 10).
    """
    level = next((level for level in _LEVELS if _cache_bytes(level, 0)), None)
    return _LAST_DEFAULT if level is None else _cache_bytes(level, _LAST_DEFAULT) // _sharing(level)


def _sharing(level: int) -> int:
    """How many processors share a cache of a level."""
    for folder in sorted(_SYSFS.glob("index*")):
        try:
            if int((folder / "level").read_text()) == level:
                shared = (folder / "shared_cpu_map").read_text().replace(",", "")
                return max(1, int(shared, 16).bit_count())
        except (OSError, ValueError):
            continue
    return 1


def _is_by(vendor: str) -> bool:
    """Whether the system tells that the processor is by a vendor, as processors spell it."""
    try:
        with _PROCESSOR.open() as lines:
            return vendor in lines.read(_VENDOR_WITHIN)
    except OSError:
        return False


def _has_fast_gathers() -> bool:
    """Intel's since Alder Lake: not slowed down by what keeps older ones from leaking data, as the system tells."""
    try:
        return _is_by("GenuineIntel") and _LEAKY_GATHERS.read_text().strip() == "Not affected"
    except OSError:
        return False


@cache
def machine_of(features: FeatureSet = FeatureSet.HOST) -> Machine:
    """This machine, or what a feature set leaves of it; `UnsupportedFeatures` if it lacks what the set is named for.

    Other processors are treated as what every x86-64 is: 16 registers of 16 bytes.
    """
    processor = machine(features)
    flags, masks = processor.flags, not processor.lacks(FeatureSet.AVX512)
    wide = not processor.lacks(FeatureSet.AVX2)
    return Machine(
        processor=processor,
        vector_bytes=64 if masks else 32 if wide else 16,
        registers=32 if masks else 16,
        fma=flags.get("fma", False),
        masks=masks,
        fast_gathers=masks and _has_fast_gathers(),
        fetches_stores=_is_by("AuthenticAMD"),
        l1_bytes=_cache_bytes(1, _L1_DEFAULT),
        l2_bytes=_cache_bytes(2, _L2_DEFAULT),
        last_cache_bytes=_last_cache_bytes(),
        flags=Features.of_x86(flags),
    )
