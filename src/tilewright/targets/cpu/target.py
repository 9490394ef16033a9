"""The CPU as a target; what compiles for it is imported when something is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.machine.host import llvm_version
from tilewright.machine.processor import FeatureSet
from tilewright.machine.units import usable
from tilewright.numerics.precision import Precision
from tilewright.settings.product_units import Unit
from tilewright.targets.cpu.machine import Machine, machine_of

if TYPE_CHECKING:
    from tilewright.artifacts.artifact import Artifact
    from tilewright.diagnostics import Report
    from tilewright.dialects.builtin import Module
    from tilewright.ir.passes import Pass
    from tilewright.transforms.schedule.request import ScheduleRequest

_FORMAT: Final = "14"
"""Of the code that passes make: another one where they make other code of the same text, so that none kept is taken."""


class CpuTarget(Struct, frozen=True):
    """Code for this machine's processor, or for a smaller feature set of it."""

    machine: Machine = field(default_factory=machine_of)
    name: str = "cpu"
    request: ScheduleRequest | None = None
    can_check: ClassVar[bool] = True

    @property
    def variant(self) -> str:
        """Feature string and product units; code of others is another."""
        units = ",".join(unit.value for unit in usable(self.machine.processor, self.machine.units))
        return f"{self.name}:{self.machine.vector_bytes * 8} bits, {units}"

    def device(self, ordinal: int = 0) -> str:
        """The processor by LLVM's name for it."""
        return self.machine.processor.cpu

    def scheduled(self, text: str) -> CpuTarget:
        """The same with other tiles of products. Raises `CompileError` for what else a schedule may say."""
        from tilewright.diagnostics import Report
        from tilewright.transforms.schedule.request import parse_request

        report = Report()
        request = parse_request(text, report)
        request.check_only_tiles(report, "the CPU")
        report.raise_if_errors()
        return replace(self, request=request)

    def said(self, schedule: str) -> str:
        """The tiles that were asked for: what products run on is told in words."""
        return "" if self.request is None else str(self.request)

    @staticmethod
    def of(features: str = "host") -> CpuTarget:
        """By the name of a feature set: host, avx512, avx2, generic. Raises ValueError if the machine lacks it."""
        return CpuTarget(machine_of(FeatureSet(features)))

    def using(self, units: frozenset[Unit]) -> CpuTarget:
        """The same with other product units permitted."""
        return replace(self, machine=replace(self.machine, units=units))

    def fingerprint(self) -> str:
        """LLVM's version, the triple, the feature string, the product units in use, the format of the code."""
        processor = self.machine.processor
        units = ",".join(unit.value for unit in usable(processor, self.machine.units))
        machine = f"{processor.triple} {processor.cpu} {processor.features}"
        return f"llvmlite {llvm_version()} {machine} {units} {self.said('')} {_FORMAT}"

    def passes(self, level: int, checked: bool = False, precision: Precision = Precision.EXACT) -> list[Pass]:
        """The common way to tiles, then the splitting of SPMD regions at barriers.

        Small tiles at level 0: the time to compile grows with the code, and there a compile is to be quick. What later
        work-groups load is not prefetched in checked code: that reads groups before their indices are tested.
        """
        from tilewright.targets.cpu.policy import QUICK_TILES, STREAM_PREFETCH, CpuTeamPolicy, CpuTilePolicy
        from tilewright.transforms.copy_at_once import CopyAtOnce
        from tilewright.transforms.loops_on_tiles import LoopsOnTiles
        from tilewright.transforms.pipeline import common_pipeline
        from tilewright.transforms.policy import NO_PREFETCH
        from tilewright.transforms.prefetch_work_groups import PrefetchWorkGroups
        from tilewright.transforms.sink_into_branches import SinkIntoBranches
        from tilewright.transforms.split_barriers import SplitBarriers

        tile = None if self.request is None else self.request.tile
        tiles = CpuTilePolicy(self.machine, tile) if level or tile else QUICK_TILES
        prefetch = STREAM_PREFETCH if level else NO_PREFETCH
        team = CpuTeamPolicy(self.machine)
        points = [LoopsOnTiles(tiles)] if level > 1 else []
        common = common_pipeline(team, tiles, level, checked, prefetch, point_passes=points, one_thread=True)
        passes = [CopyAtOnce(), *common, SplitBarriers()]
        if self.request is not None:
            from tilewright.transforms.product_tiles import CheckProducts

            passes.append(CheckProducts(self.request))
        passes += [SinkIntoBranches()] if level else []
        later = PrefetchWorkGroups(vector_bytes=self.machine.vector_bytes)
        return [*passes, later] if level > 1 and not checked else passes

    def generate(self, module: Module, report: Report, level: int = 2) -> Artifact:
        """One object with an entry for every kernel; level 0 takes LLVM's fast code generation."""
        from tilewright.targets.cpu.generation import generate

        return generate(module, self.machine, self.name, level, report)
