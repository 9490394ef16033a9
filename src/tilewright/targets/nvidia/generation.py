"""From the lane level to an artefact: checks, LLVM text, PTX, for all kernels of a program together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from tilewright.artifacts.artifact import Artifact, KernelInfo, device_block_size
from tilewright.artifacts.parameters import SCHEDULE, Joined, Steps, with_stand_ins
from tilewright.diagnostics import Report
from tilewright.dialects import tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.builtin import Module as ModuleOp
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.printer import print_op
from tilewright.ir.schedules import ProductChoice, Way, parse_line
from tilewright.ir.types import MemrefType, TileType
from tilewright.machine.cuda.architecture import Architecture
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
from tilewright.targets.nvidia.ptx import DATA_LAYOUT, TRIPLE, compile_to_ptx
from tilewright.targets.nvidia.team import in_spmd
from tilewright.transforms.schedule.known import has_tile
from tilewright.transforms.schedule.products.plan import MOST_SUM_REGISTERS
from tilewright.transforms.schedule.request import ScheduleRequest

_CONSTANT_SPACE: Final = 4
_OF_WARP_GROUPS: Final = "wgmma."
_TO_F64: Final = ".f64"
_WORDS_OF_F64: Final = 2
"""What the names of instructions begin with that multiply for a group of four warps."""


def generate(
    module: ModuleOp, name: str, architecture: Architecture, request: ScheduleRequest, report: Report
) -> Artifact:
    """PTX for all kernels of a module on the lane level; `name` is the target's.

    Reported is what the machine cannot do, and what of a schedule's products does not fit.
    """
    for kernel in module.kernels:
        check_kernel(kernel, report)
    report.raise_if_errors()
    lanes = print_op(module)
    text, infos = emit_llvm(module, architecture)
    by_name = {info.name: info for head in infos for info in with_stand_ins(head)}
    for kernel in module.kernels:
        info = by_name[kernel.sym_name]
        if kernel.step_of is None:
            check_parameters(kernel, report, device_block_size(info))
        taken = parse_line(info.facts.get(SCHEDULE, ""))
        request.check_products(kernel, taken, taken.reason, report)
    report.raise_if_errors()
    ptx = compile_to_ptx(text, architecture, reduces_loops=any(map(_reduces_loops, infos)))
    texts = {"lanes": lanes, "llvm": text, "ptx": ptx}
    return Artifact(name, infos, ptx.encode(), texts, architecture.value)


def _reduces_loops(info: KernelInfo) -> bool:
    """Whether addresses that step along with loops are worth their registers, and LLVM's time for them (up to 40 %).

    Products that threads compute are up to 8 % slower without (H100; f64, f32, those of the stages up to 9 %, or 5 %
    faster). Those of warp groups read no factors through registers, and blocks of small products wait for memory:
    without, 56 and 94 kernels were .97 to 1.06 and .99 to 1.05 times as fast, in the mean 1.004 and .999. Where
    accumulators of f64 take half of the registers, of open extents, there are none left (H200, batches of 256: 128x128
    1.02 times as fast without, 128x64 1.05; 64x64 .98).
    """
    taken = parse_line(info.facts.get(SCHEDULE, ""))
    by_groups = any(each.instruction.startswith(_OF_WARP_GROUPS) for each in taken.products)
    leaves_none = any(_fills_registers(each, taken.threads or 1) for each in taken.products)
    return not (by_groups or leaves_none) and taken.way is not Way.PACKED


def _fills_registers(product: ProductChoice, threads: int) -> bool:
    """Whether accumulators of f64 take as many registers of a thread as they may."""
    rows, columns, _ = product.tile
    return product.instruction.endswith(_TO_F64) and rows * columns * _WORDS_OF_F64 >= MOST_SUM_REGISTERS * threads


def _emit(
    module: ModuleOp, architecture: Architecture, room: int, large: frozenset[str]
) -> tuple[str, tuple[KernelInfo, ...]]:
    out = Module(TRIPLE, DATA_LAYOUT)
    infos = tuple(lower_kernel(k, out, architecture, room if k.sym_name in large else None) for k in module.kernels)
    infos = _nested(module, infos)
    every = [info for head in infos for info in with_stand_ins(head)]
    emit_seals(out, "nvidia", architecture.value, every, _CONSTANT_SPACE)
    return str(out), infos


def _nested(module: ModuleOp, infos: Sequence[KernelInfo]) -> tuple[KernelInfo, ...]:
    """The kernels that can be asked for, with those that may take their place."""
    by_name = {info.name: info for info in infos}
    found: list[KernelInfo] = []
    for kernel in module.kernels:
        if kernel.is_head:
            info, other = _in_steps(module, kernel, by_name), module.apart_from(kernel)
            found.append(info if other is None else replace(info, apart=_in_steps(module, other, by_name)))
    return tuple(found)


def _in_steps(module: ModuleOp, kernel: Kernel, by_name: Mapping[str, KernelInfo]) -> KernelInfo:
    """A kernel with the launches that may take its place."""
    info = by_name[kernel.sym_name]
    # each takes what the whole reads and writes
    steps = tuple(replace(by_name[step.sym_name], parameters=info.parameters) for step in module.steps_of(kernel))
    if not steps:
        return info
    if kernel.joined is not None:
        return replace(info, steps=Steps(steps, joined=Joined(*kernel.joined)))
    assert kernel.stepped is not None
    return replace(info, steps=Steps(steps, *kernel.stepped))


def emit_llvm(
    module: ModuleOp, architecture: Architecture, shared_bytes: int | None = None
) -> tuple[str, tuple[KernelInfo, ...]]:
    """The LLVM text of kernels that passed `check_kernel`, and their signatures.

    Kernels that need more than `shared_bytes`, by default what the architecture has, get scratch memory.
    """
    room = architecture.shared_bytes if shared_bytes is None else shared_bytes
    text, infos = _emit(module, architecture, room, frozenset())
    large = frozenset(info.name for head in infos for info in with_stand_ins(head) if info.local_bytes > room)
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
        elif type(op) in COLLECTIVE_ONLY and has_tile(op):
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
