"""The NVIDIA target; what compiles for it is imported when something is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.host import llvm_version
from tilewright.numerics.precision import Precision

if TYPE_CHECKING:
    from tilewright.artifacts.artifact import Artifact
    from tilewright.diagnostics import Report
    from tilewright.dialects.builtin import Module
    from tilewright.ir.passes import Pass
    from tilewright.targets.nvidia.explain import Explanation
    from tilewright.transforms.schedule.request import ScheduleRequest

_FORMAT: Final = "82"


class NvidiaTarget(Struct, frozen=True):
    """GPUs of one architecture."""

    architecture: Architecture = Architecture.SM_80
    asked: ScheduleRequest | None = None
    can_check: ClassVar[bool] = True
    levels: ClassVar[Mapping[str, str]] = {"tile": "choose-schedule", "gpu": "lower-to-lanes"}

    @property
    def name(self) -> str:
        """`nvidia`."""
        return "nvidia"

    @property
    def request(self) -> ScheduleRequest:
        """What a caller asks of the kernels' schedules, nothing in general."""
        from tilewright.transforms.schedule.request import ScheduleRequest

        return ScheduleRequest() if self.asked is None else self.asked

    @property
    def variant(self) -> str:
        """`nvidia:sm_80`, .."""
        return f"{self.name}:{self.architecture.value}"

    def device(self, ordinal: int = 0) -> str:
        """The GPU of a number of this machine, if it is of this architecture."""
        if not driver.available():
            return ""
        found = driver.open_device(ordinal).description
        return found.name if Architecture.of_capability(found.capability) is self.architecture else ""

    def said(self, schedule: str) -> str:
        """The line without its reason."""
        return schedule.partition("#")[0].strip()

    @staticmethod
    def of(architecture: str = "") -> NvidiaTarget:
        """By the name of an architecture; by default that of this machine's GPU, or the oldest if there is none.

        Raises ValueError for an architecture that this target has not.
        """
        if not architecture:
            if not driver.available():
                return NvidiaTarget(Architecture.SM_80)
            return NvidiaTarget(Architecture.of_capability(driver.open_device().description.capability))
        known = [a.value for a in Architecture]
        if architecture not in known:
            raise ValueError(f"there is no architecture {architecture!r}; there are {', '.join(known)}")
        return NvidiaTarget(Architecture(architecture))

    def fingerprint(self) -> str:
        """Architecture, PTX version, code generator and the format of what is generated."""
        machine = f"{self.architecture.value} {self.architecture.features} llvmlite {llvm_version()} {_FORMAT}"
        return f"{machine} {'' if self.asked is None else self.asked}"

    def scheduled(self, text: str) -> NvidiaTarget:
        """The same with schedules that a caller asks for. Raises `CompileError` for what is none."""
        from tilewright.diagnostics import Report
        from tilewright.transforms.schedule.request import parse_request

        report = Report()
        request = parse_request(text, report)
        report.raise_if_errors()
        return replace(self, asked=request)

    def passes(self, level: int, checked: bool = False, precision: Precision = Precision.EXACT) -> list[Pass]:
        """Blocks of threads for kernels of one work-item, then the common way to tiles."""
        from tilewright.targets.nvidia.capabilities import MAX_SUBGROUP_INSTRUCTIONS
        from tilewright.targets.nvidia.model import SPREADING, NvidiaSchedulePolicy, packing
        from tilewright.targets.nvidia.policy import NvidiaTeamPolicy, NvidiaTilePolicy
        from tilewright.targets.nvidia.spread import SpreadWorkGroup
        from tilewright.transforms.contiguous_accesses import ContiguousAccesses
        from tilewright.transforms.divide_tiles.divide_tiles import DivideTiles
        from tilewright.transforms.open_reports import OpenReports
        from tilewright.transforms.pack_items.packing import PackItems
        from tilewright.transforms.pipeline import common_pipeline
        from tilewright.transforms.schedule.assign_layouts import AssignLayouts
        from tilewright.transforms.schedule.assign_roles import AssignRoles
        from tilewright.transforms.schedule.await_launches import AwaitLaunches
        from tilewright.transforms.schedule.branch_on_masks import BranchOnMasks
        from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
        from tilewright.transforms.schedule.drop_unit_modes import DropUnitModes
        from tilewright.transforms.schedule.early_loads import EarlyLoads
        from tilewright.transforms.schedule.gather_groups import GatherGroups
        from tilewright.transforms.schedule.join_accesses import JoinAccesses
        from tilewright.transforms.schedule.late_barriers import LateBarriers
        from tilewright.transforms.schedule.late_epilogues import LateEpilogues
        from tilewright.transforms.schedule.lower_to_lanes import LowerToLanes
        from tilewright.transforms.schedule.merge_barriers import MergeBarriers
        from tilewright.transforms.schedule.next_loads import NextLoads
        from tilewright.transforms.schedule.order_groups import OrderGroups
        from tilewright.transforms.schedule.products.placing import PlaceProducts
        from tilewright.transforms.schedule.recompute_tiles import RecomputeTiles
        from tilewright.transforms.schedule.share_blocks import ShareBlocks
        from tilewright.transforms.schedule.share_tiles import ShareTiles
        from tilewright.transforms.schedule.skip_scaling import SkipScaling
        from tilewright.transforms.schedule.slicing.slice_tiles import SliceTiles
        from tilewright.transforms.separate_arrays import SeparateArrays
        from tilewright.transforms.split_subgroup_products import SplitSubgroupProducts
        from tilewright.transforms.spread_collectives.cutting import CutForeach
        from tilewright.transforms.spread_collectives.splitting import SplitSums
        from tilewright.transforms.spread_collectives.spreading import SpreadCollectives
        from tilewright.transforms.spread_collectives.widening import WidenProducts

        request, policy = self.request, NvidiaSchedulePolicy(self.architecture)
        team = NvidiaTeamPolicy(request, self.architecture, precision)
        shares = request.leaves_sharing
        tiles = NvidiaTilePolicy(
            request.tile, self.architecture, tiles=request.tiles, precision=precision, shares=shares
        )
        spreading = replace(SPREADING, has_clusters=self.architecture.has_clusters)
        spread = [DivideTiles(policy, request), SpreadCollectives(spreading, request)] if level else []
        alone = [SplitSums(tiles, SPREADING, request), WidenProducts(tiles, request)]
        common = common_pipeline(
            team,
            tiles,
            level,
            checked,
            accesses=ContiguousAccesses(apart=True),
            instruction_passes=alone,
            point_passes=[CutForeach(request)],
            tile_passes=spread,
        )
        lanes = [
            OpenReports(),
            SplitSubgroupProducts(MAX_SUBGROUP_INSTRUCTIONS),
            DropUnitModes(),
            *([BranchOnMasks()] if level else []),
            GatherGroups(policy, request),
            ChooseSchedule(policy, request),
            PackItems(packing(self.architecture), request),
            # once more: what is packed depends on what was chosen for the kernel
            SeparateArrays(),
            SliceTiles(policy, request),
            OrderGroups(),
            ShareTiles(),
            PlaceProducts(policy),
            RecomputeTiles(policy),
            EarlyLoads(),
            NextLoads(policy),
            AssignLayouts(),
            LateBarriers(),
            LowerToLanes(),
            SkipScaling(),
            JoinAccesses(),
            MergeBarriers(),
            LateEpilogues(),
            ShareBlocks(policy, request),
            AssignRoles(),
            AwaitLaunches(),
        ]
        return [SpreadWorkGroup(), *common, *lanes]

    def generate(self, module: Module, report: Report, level: int = 2) -> Artifact:
        """PTX for all kernels of a module on the lane level, by the same code generation at every level; what the
        machine cannot do is reported."""
        from tilewright.targets.nvidia.generation import generate

        return generate(module, self.name, self.architecture, self.request, report)

    def explain(self, module: Module, artifact: Artifact) -> Mapping[str, Explanation]:
        """What each kernel does with memory and barriers, and what ptxas gives it, if it is here."""
        from tilewright.targets.nvidia.explain import explain

        return explain(module, artifact)
