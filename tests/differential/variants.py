"""The ways in which the CPU target compiles: which instructions it may use, and how far it optimises."""

from __future__ import annotations

from dataclasses import dataclass

from effort import thorough
from tilewright.machine.processor import FeatureSet, machine
from tilewright.targets.cpu.target import CpuTarget


@dataclass(frozen=True, slots=True)
class Variant:
    """A set of instructions and a level of optimisation."""

    features: FeatureSet
    level: int

    def __str__(self) -> str:
        return f"{self.features.value} -O{self.level}"

    @property
    def target(self) -> CpuTarget:
        """The CPU with these instructions."""
        return CpuTarget.of(self.features.value)


def rotation(number: int) -> list[Variant]:
    """Two variants: each set of features has its turn at each level, beside the largest, which compiles fastest."""
    sets = [f for f in (FeatureSet.GENERIC, FeatureSet.AVX2, FeatureSet.AVX512) if not machine().lacks(f)]
    turn, levels = sets[number // 2 % len(sets)], (0, 2) if number % 2 else (2, 0)
    return [Variant(turn, levels[0]), Variant(sets[-1], levels[1])]


def taken(number: int) -> list[Variant]:
    """Those of a rotation in turn, one for each of many random kernels; both in thorough runs."""
    return rotation(number) if thorough() else [rotation(number // 2)[number % 2]]
