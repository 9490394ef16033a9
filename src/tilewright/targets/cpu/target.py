"""The CPU as a target: its pipeline and its artefacts."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import KernelInfo
from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass
from tilewright.ir.printer import print_op
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.machine.native import compile_text
from tilewright.machine.processor import FeatureSet
from tilewright.targets.cpu.context import MAX_INSTRUCTIONS, CodeTooLong
from tilewright.targets.cpu.kernel import lower_kernel
from tilewright.targets.cpu.machine import Machine, machine_of
from tilewright.targets.cpu.policy import STREAM_PREFETCH, CpuTeamPolicy, CpuTilePolicy
from tilewright.targets.llvm.emitter import Module as LlvmModule
from tilewright.targets.llvm.seals import emit_seals
from tilewright.transforms.policy import NO_PREFETCH, GenericTilePolicy

MAX_LOCAL_BYTES = 16 * 1024 * 1024
WELL_OPTIMISED = 45_000
"""Instructions of a program above which it is lowered again to shorter code, and above which with that LLVM generates
code quickly rather than well."""
# Every thread of the pool keeps a workspace as large as the largest kernel asked for.
MAX_WORKSPACE_BYTES = 256 * 1024 * 1024
_CODE_GENERATION = 3
_QUICK_TILES = GenericTilePolicy(whole=4, block=4, depth=4, run=16, peels_products=False)


class CpuTarget(Struct, frozen=True):
    """Code for this machine's processor, or for a smaller feature set of it."""

    machine: Machine = field(default_factory=machine_of)
    name: str = "cpu"
    can_check: ClassVar[bool] = True

    @staticmethod
    def of(features: str = "host") -> CpuTarget:
        """By the name of a feature set: host, avx512, avx2, generic. Raises ValueError if the machine lacks it."""
        return CpuTarget(machine_of(FeatureSet(features)))

    def fingerprint(self) -> str:
        """LLVM's version, the triple and the feature string."""
        import llvmlite

        processor = self.machine.processor
        return f"llvmlite {llvmlite.__version__} {processor.triple} {processor.cpu} {processor.features}"

    def passes(self, level: int, checked: bool = False) -> list[Pass]:
        """The common way to tiles, then the splitting of SPMD regions at barriers.

        Small tiles at level 0: the time to compile grows with the code, and there a compile is to be quick. What later
        work-groups load is not prefetched in checked code: that reads groups before their indices are tested.
        """
        from tilewright.transforms.pipeline import common_pipeline
        from tilewright.transforms.prefetch_work_groups import PrefetchWorkGroups
        from tilewright.transforms.split_barriers import SplitBarriers

        tiles = CpuTilePolicy(self.machine) if level else _QUICK_TILES
        prefetch = STREAM_PREFETCH if level else NO_PREFETCH
        passes = [*common_pipeline(CpuTeamPolicy(self.machine), tiles, level, checked, prefetch), SplitBarriers()]
        return [*passes, PrefetchWorkGroups()] if level > 1 and not checked else passes

    def generate(self, module: Module, report: Report, level: int = 2) -> Artifact:
        """One object with an entry for every kernel; level 0 takes LLVM's fast code generation."""
        for kernel in module.kernels:
            _check_limits(kernel, report)
        report.raise_if_errors()
        llvm, infos = self._emitted(module, report)
        for kernel, info in zip(module.kernels, infos, strict=True):
            if info.local_bytes > MAX_WORKSPACE_BYTES:
                message = (
                    f"the kernel's tiles need {info.local_bytes:,} bytes; the CPU target gives {MAX_WORKSPACE_BYTES:,}"
                )
                report.error("T005", kernel.location, message).hint(
                    "split it into several kernels, or use smaller extents"
                )
        report.raise_if_errors()
        processor = self.machine.processor
        emit_seals(llvm, self.name, processor.features, infos)
        text = str(llvm)
        well = level > 0 and llvm.length <= WELL_OPTIMISED
        code = compile_text(text, processor, optimisation=_CODE_GENERATION if well else 0)
        texts = {"tile": print_op(module), "llvm": text}
        return Artifact(self.name, infos, code, texts, processor.features)

    def _emitted(self, module: Module, report: Report) -> tuple[LlvmModule, tuple[KernelInfo, ...]]:
        """The program in LLVM's language: for speed if it is not too long so, else as short as it can be."""
        try:
            return _lowered(module, self.machine, WELL_OPTIMISED)
        except CodeTooLong:
            pass
        try:
            return _lowered(module, replace(self.machine, compact=True), MAX_INSTRUCTIONS)
        except CodeTooLong as error:
            message = f"with this, the program needs more than {MAX_INSTRUCTIONS:,} machine-level instructions"
            report.error("T002", error.op.location, message).hint(
                "split the program, or make static extents dynamic (`?`) so that loops are kept"
            )
            report.raise_if_errors()
            raise


def _lowered(module: Module, machine: Machine, most: int) -> tuple[LlvmModule, tuple[KernelInfo, ...]]:
    from tilewright.targets.cpu.tiles.lowering import CpuTiles

    llvm, tiles = LlvmModule(), CpuTiles(machine)
    kernels = module.kernels
    infos = tuple(lower_kernel(k, llvm, machine.flags, tiles, machine.attributes, most) for k in kernels)
    return llvm, infos


def _check_limits(kernel: Kernel, report: Report) -> None:
    for parameter in kernel.parameters:
        type_ = parameter.type
        if isinstance(type_, MemrefType) and type_.space is AddressSpace.LOCAL and type_.span is None:
            report.error("V48", parameter.location, "a local memref parameter needs static extents and strides").hint(
                "the launch reserves work-group memory of a size known when compiling"
            )
    if kernel.local_bytes > MAX_LOCAL_BYTES:
        report.error(
            "V48",
            kernel.location,
            f"the kernel needs {kernel.local_bytes:,} bytes of local memory; the CPU target gives {MAX_LOCAL_BYTES:,}",
        )
