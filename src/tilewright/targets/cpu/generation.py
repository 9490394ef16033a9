"""From tiles to an artefact: LLVM's language, then object code, for all kernels of a program together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import TILES, KernelInfo, with_stand_ins
from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.printer import print_op
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.machine.native import compile_text
from tilewright.targets.cpu.context import MAX_INSTRUCTIONS, CodeTooLong, NoLowering
from tilewright.targets.cpu.kernel import lower_kernel
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.tiles.lowering import CpuTiles
from tilewright.targets.cpu.units.amx import uses_tiles
from tilewright.targets.llvm.emitter import Module as LlvmModule
from tilewright.targets.llvm.seals import emit_seals

MAX_LOCAL_BYTES: Final = 16 * 1024 * 1024
WELL_OPTIMISED: Final = 45_000
"""Instructions of a program above which it is lowered again to shorter code, and above which with that LLVM generates
code quickly rather than well."""
# Every thread of the pool keeps a workspace as large as the largest kernel asked for.
MAX_WORKSPACE_BYTES: Final = 256 * 1024 * 1024
_CODE_GENERATION: Final = 3
_FEWEST_FOR_TILES: Final = 1
"""At level 0 LLVM 22 ends the process over loops that carry tiles."""


def generate(module: Module, machine: Machine, target: str, level: int, report: Report) -> Artifact:
    """One object with an entry for every kernel; level 0 takes LLVM's fast code generation."""
    for kernel in module.kernels:
        _check_limits(kernel, report)
    report.raise_if_errors()
    try:
        llvm, infos = _emitted(module, machine, report)
    except NoLowering as error:
        report.error("T006", error.op.location, f"{error.op.name} has no lowering for the CPU").hint(
            "a pass has to make operations of it that have"
        )
        report.raise_if_errors()
        raise
    for kernel, info in zip(module.kernels, infos, strict=True):
        if info.local_bytes > MAX_WORKSPACE_BYTES:
            message = (
                f"the kernel's tiles need {info.local_bytes:,} bytes; the CPU target gives {MAX_WORKSPACE_BYTES:,}"
            )
            report.error("T005", kernel.location, message).hint("split it into several kernels, or use smaller extents")
    report.raise_if_errors()
    processor, tiles = machine.processor, uses_tiles(llvm)
    if tiles:
        infos = tuple(replace(info, facts={**info.facts, TILES: ""}) for info in infos)
    infos = _nested(module, infos)
    emit_seals(llvm, target, processor.features, [info for head in infos for info in with_stand_ins(head)])
    text = str(llvm)
    well = level > 0 and llvm.length <= WELL_OPTIMISED
    optimisation = _CODE_GENERATION if well else _FEWEST_FOR_TILES if tiles else 0
    code = compile_text(text, processor, optimisation=optimisation)
    texts = {"tile": print_op(module), "llvm": text}
    return Artifact(target, infos, code, texts, processor.features)


def _nested(module: Module, infos: Sequence[KernelInfo]) -> tuple[KernelInfo, ...]:
    """The kernels that can be asked for, with what takes their place where arrays do not overlap."""
    by_name = {info.name: info for info in infos}
    others = {kernel.sym_name: module.apart_from(kernel) for kernel in module.kernels if kernel.is_head}
    return tuple(
        replace(by_name[name], apart=None if other is None else by_name[other.sym_name])
        for name, other in others.items()
    )


def _emitted(module: Module, machine: Machine, report: Report) -> tuple[LlvmModule, tuple[KernelInfo, ...]]:
    """The program in LLVM's language: for speed if it is not too long so, without second forms of kernels perhaps, else
    as short as it can be."""
    try:
        return _lowered(module, machine, WELL_OPTIMISED)
    except CodeTooLong:
        pass
    second = [kernel for kernel in module.kernels if not kernel.is_head]
    for kernel in second:
        kernel.erase()
    if second:
        return _emitted(module, machine, report)
    try:
        return _lowered(module, replace(machine, compact=True), MAX_INSTRUCTIONS)
    except CodeTooLong as error:
        message = f"with this, the program needs more than {MAX_INSTRUCTIONS:,} machine-level instructions"
        report.error("T002", error.op.location, message).hint(
            "split the program, or make static extents dynamic (`?`) so that loops are kept"
        )
        report.raise_if_errors()
        raise


def _lowered(module: Module, machine: Machine, most: int) -> tuple[LlvmModule, tuple[KernelInfo, ...]]:
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
