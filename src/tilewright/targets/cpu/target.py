"""The CPU as a target; what compiles for it is imported when something is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.machine.host import llvm_version
from tilewright.machine.processor import FeatureSet
from tilewright.machine.units import usable
from tilewright.settings.product_units import Unit
from tilewright.targets.cpu.machine import Machine, machine_of

if TYPE_CHECKING:
    from tilewright.artifacts.artifact import Artifact
    from tilewright.diagnostics import Report
    from tilewright.dialects.builtin import Module
    from tilewright.ir.passes import Pass


class CpuTarget(Struct, frozen=True):
    """Code for this machine's processor, or for a smaller feature set of it."""

    machine: Machine = field(default_factory=machine_of)
    name: str = "cpu"
    can_check: ClassVar[bool] = True

    @staticmethod
    def of(features: str = "host") -> CpuTarget:
        """By the name of a feature set: host, avx512, avx2, generic. Raises ValueError if the machine lacks it."""
        return CpuTarget(machine_of(FeatureSet(features)))

    def using(self, units: frozenset[Unit]) -> CpuTarget:
        """The same with other product units permitted."""
        return replace(self, machine=replace(self.machine, units=units))

    def fingerprint(self) -> str:
        """LLVM's version, the triple, the feature string and the product units in use."""
        processor = self.machine.processor
        units = ",".join(unit.value for unit in usable(processor, self.machine.units))
        return f"llvmlite {llvm_version()} {processor.triple} {processor.cpu} {processor.features} {units}"

    def passes(self, level: int, checked: bool = False) -> list[Pass]:
        """The common way to tiles, then the splitting of SPMD regions at barriers.

        Small tiles at level 0: the time to compile grows with the code, and there a compile is to be quick. What later
        work-groups load is not prefetched in checked code: that reads groups before their indices are tested.
        """
        from tilewright.targets.cpu.policy import QUICK_TILES, STREAM_PREFETCH, CpuTeamPolicy, CpuTilePolicy
        from tilewright.transforms.pipeline import common_pipeline
        from tilewright.transforms.policy import NO_PREFETCH
        from tilewright.transforms.prefetch_work_groups import PrefetchWorkGroups
        from tilewright.transforms.split_barriers import SplitBarriers

        tiles = CpuTilePolicy(self.machine) if level else QUICK_TILES
        prefetch = STREAM_PREFETCH if level else NO_PREFETCH
        team = CpuTeamPolicy(self.machine)
        passes = [*common_pipeline(team, tiles, level, checked, prefetch, one_thread=True), SplitBarriers()]
        return [*passes, PrefetchWorkGroups()] if level > 1 and not checked else passes

    def generate(self, module: Module, report: Report, level: int = 2) -> Artifact:
        """One object with an entry for every kernel; level 0 takes LLVM's fast code generation."""
        from tilewright.targets.cpu.generation import generate

        return generate(module, self.machine, self.name, level, report)
