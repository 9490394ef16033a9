"""For which processor to generate code: the host's feature map, and smaller ones forced for tests and for shipping.

Only the feature map is trusted. The name that LLVM guesses for a virtual machine may be that of a lesser or a greater
CPU, so each feature is passed with its sign, and the name only chooses instruction costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Final

from msgspec import Struct

from tilewright.machine.host import host


class UnsupportedFeatures(ValueError):
    """A feature set that this machine cannot run."""


class FeatureSet(Enum):
    """Sets that can be asked for by name; each is the host's map less what the set excludes."""

    HOST = "host"
    AVX512 = "avx512"
    AVX2 = "avx2"
    GENERIC = "generic"


_BASELINE_X86: Final = frozenset({"64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2"})
_BEYOND_AVX512: Final = ("amx-", "avx10")
_BEYOND_AVX2: Final = ("amx-", "avx10", "avx512")
_NEEDS: Final[Mapping[FeatureSet, tuple[str, ...]]] = {
    FeatureSet.AVX512: ("avx512f", "avx512vl", "avx512bw", "avx512dq"),
    FeatureSet.AVX2: ("avx2", "fma"),
}


class Machine(Struct, frozen=True):
    """A processor as LLVM is told of it; `features` lists every known feature with its sign.

    `reduces_loops` says whether LLVM may keep addresses in registers that step along with loops (its pass "loop
    strength reduction").
    """

    triple: str
    cpu: str
    features: str
    reduces_loops: bool = True

    @property
    def flags(self) -> Mapping[str, bool]:
        """The feature string as a map."""
        return {entry[1:]: entry[0] == "+" for entry in self.features.split(",") if entry}

    def has(self, feature: str) -> bool:
        """Whether code for this machine may use a feature, by LLVM's name."""
        return f"+{feature}" in self.features.split(",")

    def lacks(self, features: FeatureSet) -> tuple[str, ...]:
        """Which of the features that a set is named for are missing."""
        return tuple(name for name in _NEEDS.get(features, ()) if not self.has(name))


@cache
def machine(features: FeatureSet = FeatureSet.HOST) -> Machine:
    """The host, or the host restricted to a set; `UnsupportedFeatures` if it lacks what the set is named for."""
    found = host()
    triple, flags = found.triple, found.features
    whole = Machine(triple, found.cpu, _signed(flags))
    if features is FeatureSet.HOST:
        return whole
    if not triple.startswith(("x86_64", "amd64")):
        if features is FeatureSet.GENERIC:
            return Machine(triple, "generic", "")
        raise UnsupportedFeatures(f"the feature set {features.value!r} exists on x86-64 only, this machine is {triple}")
    if missing := whole.lacks(features):
        raise UnsupportedFeatures(f"this machine cannot run {features.value!r} code: it lacks {', '.join(missing)}")
    return Machine(triple, _tuning(features), _signed(_restrict(flags, features)))


def _restrict(flags: Mapping[str, bool], features: FeatureSet) -> Mapping[str, bool]:
    if features is FeatureSet.GENERIC:
        return {name: present and name in _BASELINE_X86 for name, present in flags.items()}
    excluded = _BEYOND_AVX512 if features is FeatureSet.AVX512 else _BEYOND_AVX2
    return {name: present and not name.startswith(excluded) for name, present in flags.items()}


def _tuning(features: FeatureSet) -> str:
    match features:
        case FeatureSet.AVX512:
            return "x86-64-v4"
        case FeatureSet.AVX2:
            return "x86-64-v3"
        case FeatureSet.GENERIC:
            return "x86-64"
        case FeatureSet.HOST:
            return host().cpu


def _signed(flags: Mapping[str, bool]) -> str:
    return ",".join(f"{'+' if present else '-'}{name}" for name, present in sorted(flags.items()))


def missing_features(features: str) -> tuple[str, ...]:
    """What code generated with a feature string may use and this machine lacks; empty if the code may run here."""
    flags = host().features
    wanted = [entry[1:] for entry in features.split(",") if entry.startswith("+")]
    return tuple(name for name in wanted if not flags.get(name, False))
