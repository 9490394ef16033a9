"""The entry function of a kernel: parameters from their slots, the loop over work-groups, the body.

    void @symbol(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team)

runs the work-groups with linear numbers begin..end-1, x fastest (contract: `artifacts/artifact.py`). `team` is null, or
there lies the address of `i32 parallel_for(ptr %team, ptr %function, ptr %context, i64 %total)`, which runs parts (see
`outlining`); where it returns anything but zero the launch was interrupted, and the function returns as well.
"""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from tilewright.artifacts.artifact import slot_layout
from tilewright.artifacts.parameters import REPORTS, SCHEDULE, KernelInfo
from tilewright.artifacts.report_sites import numbered_sites
from tilewright.artifacts.symbols import entry_symbol
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.reports import Check
from tilewright.ir import core
from tilewright.ir.operation_table import OperationTable
from tilewright.ir.types import AddressSpace, GroupType, MemrefType, PointerType, ScalarType
from tilewright.targets.cpu.context import (
    MAX_INSTRUCTIONS,
    KernelContext,
    NoLowering,
    OpLowering,
    TileLowering,
    view_of,
)
from tilewright.targets.cpu.lowered import Group, Scalar
from tilewright.targets.cpu.memory.past_caches import settle
from tilewright.targets.cpu.spmd import atomics, checks, control, host, memrefs, scalars, team, views
from tilewright.targets.cpu.units.schedule import joined
from tilewright.targets.cpu.workspace import Workspace
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Complex, Module, Value, i64, zero
from tilewright.targets.llvm.features import Features
from tilewright.targets.llvm.types import ELEMENTS, Kind
from tilewright.transforms.signature import is_measured, kernel_info

LOCAL_ALIGNMENT = 128
_ENTRY = [("ptr", "slots"), ("ptr", "grid"), ("i64", "begin"), ("i64", "end"), ("ptr", "scratch"), ("ptr", "team")]


@cache
def lowering_table() -> OperationTable[OpLowering]:
    """Every lowering of the target but those of tiles, by operation."""
    return OperationTable(
        {
            core.Operation: _without_lowering,
            **scalars.lowerings(),
            **views.lowerings(),
            **memrefs.lowerings(),
            **control.lowerings(),
            **team.lowerings(),
            **atomics.lowerings(),
            **host.lowerings(),
            **checks.lowerings(),
        }
    )


def _without_lowering(ctx: KernelContext, op: core.Operation) -> None:
    raise NoLowering(op)


def lower_kernel(
    kernel: Kernel,
    module: Module,
    features: Features,
    tiles: TileLowering,
    attributes: str = "nounwind",
    most_instructions: int = MAX_INSTRUCTIONS,
) -> KernelInfo:
    """Emit the entry function of a kernel into `module`; its launch signature.

    Raises `CodeTooLong` if the module grows beyond `most_instructions`.
    """
    assert kernel.subgroup_size is not None
    assert kernel.work_group_size is not None
    symbol = entry_symbol(kernel.sym_name)
    local_bytes, offsets = _local_parameters(kernel)
    layout = Workspace(local_bytes)
    function = module.function(symbol, "void", _ENTRY, attributes=attributes)
    slots, grid, begin, end, scratch, team_ = function.arguments
    b = Builder(function)

    def extent(dim: int) -> Value:
        return b.load("i64", b.gep("i64", grid, i64(dim)), 8, hint="grid")

    ctx = KernelContext(
        kernel=kernel,
        module=module,
        b=b,
        arith=Arithmetic(b, features),
        tiles=tiles,
        table=lowering_table(),
        subgroup_size=kernel.subgroup_size,
        work_group_size=kernel.work_group_size,
        num_groups=(extent(0), extent(1), extent(2)),
        scratch=scratch,
        workspace=scratch,
        layout=layout,
        team=team_,
        group_id=(i64(0), i64(0), i64(0)),
        most_instructions=most_instructions,
    )
    info = kernel_info(kernel, symbol, local_bytes)
    if REPORTS in info.facts:
        ctx.sites = numbered_sites(kernel)
    _bind_parameters(ctx, info, slots, offsets)
    _group_loop(ctx, begin, end)
    settle(b)
    b.ret()
    info = kernel_info(kernel, symbol, layout.size)
    return replace(info, facts={**info.facts, SCHEDULE: joined(ctx.schedule.values())}) if ctx.schedule else info


def _local_parameters(kernel: Kernel) -> tuple[int, dict[core.Value, int]]:
    """Local memref parameters lie behind the kernel's own allocations; total bytes and their offsets."""
    total, offsets = kernel.local_bytes, dict[core.Value, int]()
    for parameter in kernel.parameters:
        type_ = parameter.type
        if isinstance(type_, MemrefType) and type_.space is AddressSpace.LOCAL:
            assert type_.span is not None, "local parameters of dynamic size are refused before lowering"
            offsets[parameter] = total = -(-total // LOCAL_ALIGNMENT) * LOCAL_ALIGNMENT
            total += type_.span * type_.element.bytes
    return total, offsets


def _bind_parameters(ctx: KernelContext, info: KernelInfo, slots: Value, offsets: dict[core.Value, int]) -> None:
    layout = iter(slot_layout(info.parameters))
    b = ctx.b

    def word(ltype: str) -> Scalar:
        return Scalar(b.load(ltype, b.offset(slots, next(layout).offset), 8))

    for parameter in ctx.kernel.parameters:
        type_ = parameter.type
        if isinstance(type_, ScalarType):
            ctx.bind(parameter, _scalar_slot(ctx, type_, b.offset(slots, next(layout).offset)))
        elif isinstance(type_, PointerType):
            ctx.bind(parameter, word("i64"))
            if is_measured(parameter):
                ctx.reaches[parameter] = word("i64")
        elif isinstance(type_, MemrefType):
            local = offsets.get(parameter)
            pointer = word("ptr") if local is None else Scalar(b.offset(ctx.scratch, local))
            sizes = [word("i64") if s is None else Scalar(i64(s)) for s in type_.shape]
            strides = [word("i64") if s is None else Scalar(i64(s)) for s in type_.strides]
            ctx.bind(parameter, view_of(type_, pointer, sizes, strides))
        else:
            assert isinstance(type_, GroupType)
            table = word("ptr").value
            extents = tuple(word("ptr").value for s in type_.memref.shape if s is None)
            strides_ = tuple(word("ptr").value for s in type_.memref.strides if s is None)
            size = word("i64") if type_.size is None else Scalar(i64(type_.size))
            offset = word("i64") if type_.offset is None else Scalar(i64(type_.offset))
            ctx.bind(parameter, Group(type_.memref, table, extents, strides_, size, offset))


def _scalar_slot(ctx: KernelContext, type_: ScalarType, pointer: Value) -> Scalar:
    element = ELEMENTS[type_.name]
    if element.kind is Kind.BOOL:
        return Scalar(ctx.b.icmp("ne", ctx.b.load("i8", pointer, 8), zero("i8")))
    if element.kind is not Kind.COMPLEX:
        return Scalar(ctx.b.load(element.llvm, pointer, 8))
    imaginary = ctx.b.gep(element.llvm, pointer, i64(1))
    align = ELEMENTS[element.component].bytes
    return Scalar(Complex(ctx.b.load(element.llvm, pointer, 8), ctx.b.load(element.llvm, imaginary, align)))


def _group_loop(ctx: KernelContext, begin: Value, end: Value) -> None:
    """Runs of work-groups that differ in x, one after another, so that the inner loop counts nothing but x."""
    b, (width, height, _) = ctx.b, ctx.num_groups
    with b.if_then(b.icmp("slt", begin, end)):
        row = b.udiv(begin, width)
        first = [begin, b.urem(begin, width), b.urem(row, height), b.udiv(row, height)]
        with b.while_loop(first) as rows:
            group, x, y, z = rows.carried
            stop = b.smin(width, b.add(x, b.sub(end, group)))
            with b.loop(x, stop, runs_at_least_once=True, hint="x") as run:
                ctx.group_id = (run.index, y, z)
                _work_group(ctx)
            following = b.add(group, b.sub(stop, x))
            next_y = b.add(y, i64(1))
            wraps = b.icmp("eq", next_y, height)
            rows.yield_(following, i64(0), b.select(wraps, i64(0), next_y), b.select(wraps, b.add(z, i64(1)), z))
            b.leave_unless(rows, b.icmp("slt", following, end))


def _work_group(ctx: KernelContext) -> None:
    """The body, left early where a check fails."""
    if not any(isinstance(op, Check) for op in ctx.sites):
        ctx.lower_block(ctx.kernel.body.entry)
        return
    with ctx.b.leavable("ended") as ctx.leave:
        ctx.lower_block(ctx.kernel.body.entry)
