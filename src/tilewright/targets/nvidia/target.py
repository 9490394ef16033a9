"""The NVIDIA target: checks, LLVM text, PTX, artefact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.artifacts.artifact import Artifact, KernelInfo, device_block_size
from tilewright.artifacts.parameters import SCHEDULE, Steps, with_steps
from tilewright.diagnostics import Report
from tilewright.dialects import tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.builtin import Module as ModuleOp
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.passes import Pass
from tilewright.ir.printer import print_op
from tilewright.ir.schedules import parse_line
from tilewright.ir.types import MemrefType, TileType
from tilewright.machine.cuda import driver
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.host import llvm_version
from tilewright.targets.llvm.elementwise import knows
from tilewright.targets.llvm.emitter import Module
from tilewright.targets.llvm.seals import emit_seals
from tilewright.targets.nvidia.arena import is_local_parameter
from tilewright.targets.nvidia.capabilities import (
    MAX_SUBGROUP_INSTRUCTIONS,
    check_geometry,
    check_parameters,
    limit,
)
from tilewright.targets.nvidia.kernel import COLLECTIVE_ONLY, lower_kernel, lowering_table
from tilewright.targets.nvidia.model import PACKING, SPREADING, NvidiaSchedulePolicy
from tilewright.targets.nvidia.policy import NvidiaTeamPolicy, NvidiaTilePolicy
from tilewright.targets.nvidia.ptx import DATA_LAYOUT, TRIPLE, compile_to_ptx
from tilewright.targets.nvidia.spread import SpreadWorkGroup
from tilewright.targets.nvidia.team import in_spmd
from tilewright.transforms.contiguous_accesses import ContiguousAccesses
from tilewright.transforms.open_reports import OpenReports
from tilewright.transforms.pack_items.packing import PackItems
from tilewright.transforms.pipeline import common_pipeline
from tilewright.transforms.schedule.assign_layouts import AssignLayouts
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.early_loads import EarlyLoads
from tilewright.transforms.schedule.known import has_tile, runs_lanes
from tilewright.transforms.schedule.late_barriers import LateBarriers
from tilewright.transforms.schedule.lower_to_lanes import LowerToLanes
from tilewright.transforms.schedule.next_loads import NextLoads
from tilewright.transforms.schedule.order_groups import OrderGroups
from tilewright.transforms.schedule.products.placing import PlaceProducts
from tilewright.transforms.schedule.recompute_tiles import RecomputeTiles
from tilewright.transforms.schedule.request import ScheduleRequest, parse_request
from tilewright.transforms.schedule.share_blocks import ShareBlocks
from tilewright.transforms.schedule.share_tiles import ShareTiles
from tilewright.transforms.spread_collectives.cutting import CutForeach
from tilewright.transforms.spread_collectives.splitting import SplitSums
from tilewright.transforms.spread_collectives.spreading import SpreadCollectives
from tilewright.transforms.spread_collectives.widening import WidenProducts

if TYPE_CHECKING:
    from tilewright.targets.nvidia.explain import Explanation

_FORMAT: Final = "39"
_CONSTANT_SPACE: Final = 4


class NvidiaTarget(Struct, frozen=True):
    """GPUs of one architecture."""

    architecture: Architecture = Architecture.SM_80
    request: ScheduleRequest = ScheduleRequest()
    can_check: ClassVar[bool] = True
    levels: ClassVar[Mapping[str, str]] = {"tile": ChooseSchedule.name, "gpu": LowerToLanes.name}

    @property
    def name(self) -> str:
        """`nvidia`."""
        return "nvidia"

    @property
    def variant(self) -> str:
        """`nvidia:sm_80`, .."""
        return f"{self.name}:{self.architecture.value}"

    def device(self) -> str:
        """The GPU of this machine, if it is of this architecture."""
        if not driver.available():
            return ""
        found = driver.open_device().description
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
        return f"{machine} {self.request}"

    def scheduled(self, text: str) -> NvidiaTarget:
        """The same with schedules that a caller asks for. Raises `CompileError` for what is none."""
        report = Report()
        request = parse_request(text, report)
        report.raise_if_errors()
        return replace(self, request=request)

    def passes(self, level: int, checked: bool = False) -> list[Pass]:
        """Blocks of threads for kernels of one work-item, then the common way to tiles."""
        request, policy = self.request, NvidiaSchedulePolicy(self.architecture)
        team, tiles = NvidiaTeamPolicy(request, self.architecture), NvidiaTilePolicy(request.tile, self.architecture)
        spread = [SpreadCollectives(SPREADING, request)] if level else []
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
            ChooseSchedule(policy, request),
            PackItems(PACKING, request),
            OrderGroups(),
            ShareTiles(),
            PlaceProducts(policy),
            RecomputeTiles(policy),
            EarlyLoads(),
            NextLoads(),
            AssignLayouts(),
            LateBarriers(),
            LowerToLanes(),
            ShareBlocks(policy, request),
        ]
        return [SpreadWorkGroup(), *common, *lanes]

    def generate(self, module: ModuleOp, report: Report, level: int = 2) -> Artifact:
        """PTX for all kernels of a module on the lane level, by the same code generation at every level; what the
        machine cannot do is reported."""
        for kernel in module.kernels:
            check_kernel(kernel, report)
        report.raise_if_errors()
        lanes = print_op(module)
        text, infos = emit_llvm(module, self.architecture)
        kernels = [kernel for kernel in module.kernels if kernel.step_of is None]
        for kernel, info in zip(kernels, infos, strict=True):
            check_parameters(kernel, report, device_block_size(info))
            taken = parse_line(info.facts.get(SCHEDULE, ""))
            self.request.check_products(kernel, taken, taken.reason, report)
        report.raise_if_errors()
        ptx = compile_to_ptx(text, self.architecture)
        texts = {"lanes": lanes, "llvm": text, "ptx": ptx}
        return Artifact(self.name, infos, ptx.encode(), texts, self.architecture.value)

    def explain(self, module: ModuleOp, artifact: Artifact) -> Mapping[str, Explanation]:
        """What each kernel does with memory and barriers, and what ptxas gives it, if it is here."""
        from tilewright.targets.nvidia.explain import explain

        return explain(module, artifact)


def _emit(
    module: ModuleOp, architecture: Architecture, room: int, large: frozenset[str]
) -> tuple[str, tuple[KernelInfo, ...]]:
    out = Module(TRIPLE, DATA_LAYOUT)
    infos = tuple(lower_kernel(k, out, architecture, room if k.sym_name in large else None) for k in module.kernels)
    infos = _in_steps(module, infos)
    every = [info for head in infos for info in with_steps(head)]
    emit_seals(out, "nvidia", architecture.value, every, _CONSTANT_SPACE)
    return str(out), infos


def _in_steps(module: ModuleOp, infos: Sequence[KernelInfo]) -> tuple[KernelInfo, ...]:
    """The kernels that can be asked for, with the launches that may take their place."""
    found: list[KernelInfo] = []
    by_name = {info.name: info for info in infos}
    for kernel in module.kernels:
        if kernel.step_of is not None:
            continue
        info = by_name[kernel.sym_name]
        # each takes what the whole reads and writes
        taken = (by_name[step.sym_name] for step in module.steps_of(kernel))
        steps = tuple(replace(step, parameters=info.parameters) for step in taken)
        if steps:
            assert kernel.stepped is not None
            info = replace(info, steps=Steps(steps, *kernel.stepped))
        found.append(info)
    return tuple(found)


def emit_llvm(
    module: ModuleOp, architecture: Architecture, shared_bytes: int | None = None
) -> tuple[str, tuple[KernelInfo, ...]]:
    """The LLVM text of kernels that passed `check_kernel`, and their signatures.

    Kernels that need more than `shared_bytes`, by default what the architecture has, get scratch memory.
    """
    room = architecture.shared_bytes if shared_bytes is None else shared_bytes
    text, infos = _emit(module, architecture, room, frozenset())
    large = frozenset(info.name for head in infos for info in with_steps(head) if info.local_bytes > room)
    return _emit(module, architecture, room, large) if large else (text, infos)


def check_kernel(kernel: Kernel, report: Report) -> None:
    """Report what this target cannot do with a kernel, before anything is emitted."""
    check_geometry(kernel, report)
    known = lowering_table()
    for op in kernel.walk():
        if op is kernel:
            continue
        if known.find(type(op)) is None or (isinstance(op, Elementwise) and not knows(op)):
            report.error("T006", op.location, f"{op.name} has no lowering for NVIDIA devices")
        elif type(op) in COLLECTIVE_ONLY and in_spmd(op) and (has_tile(op) or not runs_lanes(kernel)):
            report.error("T006", op.location, f"{op.name} of a subgroup has no lowering for NVIDIA devices")
        elif isinstance(op, tile.Mma):
            _check_product(kernel, op, report)
    for parameter in kernel.parameters:
        type_ = parameter.type
        if is_local_parameter(parameter) and isinstance(type_, MemrefType) and type_.span is None:
            report.error("V48", parameter.location, "a local memref parameter needs static extents and strides").hint(
                "the launch reserves work-group memory of a size known when compiling"
            )


def _check_product(kernel: Kernel, op: tile.Mma, report: Report) -> None:
    """Products of a subgroup are emitted instruction by instruction."""
    out, left = op.out.type, op.lhs.type
    assert isinstance(out, TileType)
    assert isinstance(left, TileType)
    steps = -(-out.size // (kernel.subgroup_size or 1)) * left.shape[1]
    if in_spmd(op) and steps > MAX_SUBGROUP_INSTRUCTIONS:
        message = f"a product of {steps} steps a work-item exceeds the limit of {MAX_SUBGROUP_INSTRUCTIONS}"
        limit(report, op.location, message).hint("use smaller cooperative matrices")
