"""The entry of a kernel: one PTX kernel whose only parameter is the block of slots, run by one block a work-group.

    .entry symbol(.param .align 16 .b8 slots[n])        block (m n, 1, 1), grid (x, y, z), dynamic shared memory

The slots are those of `slot_layout`, so that the host prepares one block of parameters for any target.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from typing import Final

from msgspec.structs import replace

from tilewright.artifacts.artifact import (
    KernelInfo,
    LaunchPlan,
    Slot,
    block_alignment,
    block_size,
    grid_slot,
    memory_slot,
    report_slots,
    scratch_slots,
    slot_layout,
)
from tilewright.artifacts.parameters import REPORTS, SCHEDULE
from tilewright.artifacts.report_sites import numbered_sites
from tilewright.artifacts.symbols import entry_symbol
from tilewright.artifacts.tensor_maps import MAP_BYTES
from tilewright.dialects import scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_launches import AwaitLaunch
from tilewright.ir import core
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.operation_table import OperationTable
from tilewright.ir.schedules import Copies, parse_line
from tilewright.ir.types import GroupType, MemrefType, PointerType, ScalarType, Type
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Complex, Module, Parameter, Value, i64, zero
from tilewright.targets.llvm.features import NVPTX
from tilewright.targets.llvm.types import ELEMENTS, Kind
from tilewright.targets.nvidia import (
    addresses,
    atomics,
    clusters,
    collective,
    combining,
    control,
    lane_products,
    lanes,
    memory,
    publishing,
    reports,
    roles,
    subgroup,
    team,
    tensor_copies,
    tensor_stores,
    turns,
)
from tilewright.targets.nvidia.arena import ALIGNMENT, Arena, is_local_parameter
from tilewright.targets.nvidia.context import KernelContext, OpLowering, Records, is_tile
from tilewright.targets.nvidia.deferral import deferred_tiles
from tilewright.targets.nvidia.distributed import Distributions
from tilewright.targets.nvidia.elementwise import COMPUTED, apply
from tilewright.targets.nvidia.occupancy import least_blocks
from tilewright.targets.nvidia.subgroup_products import subgroup_products
from tilewright.targets.nvidia.values import GLOBAL, PARAMETERS, Group, Operand, View
from tilewright.targets.nvidia.warp import WARP
from tilewright.transforms.schedule.products.shared_factors import ALIGNMENT as STAGES
from tilewright.transforms.signature import is_measured, kernel_info, parts_of

_SHARED_NAME: Final = "tilewright_shared"


def _tile(ctx: KernelContext, op: core.Operation) -> None:
    if ctx.spmd:
        subgroup.lower_tile(ctx, op)
    else:
        collective.lower_tile(ctx, op)


def _prefetch(ctx: KernelContext, op: core.Operation) -> None:
    """A hint that this target does not take."""


def _elementwise(ctx: KernelContext, op: core.Operation) -> None:
    if is_tile(op.results[0]):
        _tile(ctx, op)
    elif lanes.is_fragment(op.results[0]):
        lanes.lower_elementwise(ctx, op)
    else:
        ctx.bind(op.results[0], apply(ctx.arith, op, [ctx.operand(o) for o in op.operands]))


def _await_launch(ctx: KernelContext, op: core.Operation) -> None:
    ctx.b.intrinsic_void("llvm.nvvm.griddepcontrol.wait", [])


def _access(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, addresses.Access)
    if lanes.is_fragment(op.addresses):
        lanes.lower_access(ctx, op)
    else:
        addresses.lower_access(ctx, op)


_TILE_OPS: Final[tuple[type[core.Operation], ...]] = (
    tile.Load,
    tile.Store,
    tile.AtomicLoad,
    tile.AtomicStore,
    tile.AtomicRmw,
    tile.Splat,
    tile.Item,
    tile.Reinterpret,
    tile.Iota,
    tile.Mma,
    tile.Reduce,
    tile.Scan,
    tile.Map,
    tile.ShareExtract,
    tile.ShareInsert,
)


COLLECTIVE_ONLY: Final[frozenset[type[core.Operation]]] = frozenset(
    {scf.While, tile.Reinterpret, *combining.lowerings(), *addresses.ACCESSES}
)
"""Operations that a subgroup cannot run by itself here."""


@cache
def lowering_table() -> OperationTable[OpLowering]:
    """Every lowering of the target by operation."""
    return OperationTable(
        {
            MovesElements: _tile,
            **dict.fromkeys(COMPUTED, _elementwise),
            **dict.fromkeys(_TILE_OPS, _tile),
            tile.Prefetch: _prefetch,
            **memory.lowerings(),
            **control.lowerings(),
            **team.lowerings(),
            **atomics.lowerings(),
            **addresses.lowerings(),
            **combining.lowerings(),
            **dict.fromkeys(addresses.ACCESSES, _access),
            **lanes.lowerings(),
            **lane_products.lowerings(),
            **tensor_copies.lowerings(),
            **tensor_stores.lowerings(),
            **turns.lowerings(),
            **roles.lowerings(),
            AwaitLaunch: _await_launch,
            **clusters.lowerings(),
            **publishing.lowerings(),
            **reports.lowerings(),
        }
    )


_AS_IT_IS: Final = " noinline optnone"
"""Keeps LLVM from moving addresses about, in kernels of several loops of products of which one runs in a block: what
the others need takes registers in all of them then (f64 spilled), and LLVM takes three times as long. Not where strides
are open: what LLVM adds up threads would multiply in each iteration, for a tenth of the time."""


def _has_open_strides(kernel: Kernel) -> bool:
    types = (parameter.type for parameter in kernel.parameters)
    return any(None in type_.strides for type_ in types if isinstance(type_, MemrefType))


def lower_kernel(kernel: Kernel, module: Module, architecture: Architecture, room: int | None = None) -> KernelInfo:
    """Emit the entry of a kernel that passed the checks of `capabilities`; its launch signature.

    With `room`, the bytes of shared memory that a block can have, what is too large for that lies in scratch memory.
    """
    assert kernel.subgroup_size is not None
    assert kernel.work_group_size is not None
    symbol = entry_symbol(kernel.sym_name)
    signature = kernel_info(kernel, symbol, 0)
    parameters, has_reports = signature.parameters, REPORTS in signature.facts
    m, n = kernel.work_group_size
    assert room is None or kernel.items == 1, "what packs items has counted their shared memory"
    has_scratch = room is not None
    has_grid = kernel.items > 1 or kernel.parts is not None or kernel.most_blocks is not None
    has_memory = kernel.group_bytes > 0
    maps = tensor_copies.maps_of(kernel)
    size = block_size(
        parameters,
        has_scratch=has_scratch,
        has_reports=has_reports,
        has_grid=has_grid,
        has_memory=has_memory,
        maps=len(maps),
    )
    alignment = block_alignment(len(maps))
    slots = [Parameter("ptr", "slots", f'byval([{size} x i8]) align {alignment} "nvvm.grid_constant"')] if size else []
    threads = m * n + roles.threads_beside(kernel, m * n)
    geometry = f'nounwind "nvvm.reqntid"="{threads},1,1"'
    schedule = parse_line(kernel.schedule or "")
    if schedule.spread and schedule.copies is not Copies.TENSOR and not _has_open_strides(kernel):
        geometry += _AS_IT_IS
    resident = schedule.resident
    blocks = least_blocks(kernel, m * n) if resident is None else resident
    if threads > m * n:
        # else ptxas does not know how many registers there are to be dealt anew
        blocks = 1
    if blocks is not None:
        geometry += f' "nvvm.minctasm"="{blocks}"'
    if kernel.cluster is not None:
        geometry += f' "nvvm.cluster_dim"="{prod(kernel.cluster)},1,1"'
    function = module.function(symbol, "void", slots, attributes=geometry, convention="ptx_kernel", reuses=True)
    b = Builder(function)
    # in its own space: loads by way of generic addresses are as slow as those of global memory
    block = [b.cast("addrspacecast", generic, PARAMETERS, hint="block") for generic in function.arguments]
    arena = Arena(kernel, room)
    shared = module.global_variable(_SHARED_NAME, "[0 x i8]", "", linkage="external", address_space=3, align=STAGES)
    deferred = deferred_tiles(kernel)
    ctx = KernelContext(
        kernel=kernel,
        module=module,
        b=b,
        arith=Arithmetic(b, NVPTX),
        arena=arena,
        table=lowering_table(),
        deferred=deferred,
        distributions=Distributions.of(kernel, m * n, deferred),
        subgroup_size=kernel.subgroup_size,
        work_group_size=(m, n),
        shared=shared,
        scratch=None,
        groups=None,
        thread=i64(0),
        lane=i64(0),
        subgroup=i64(0),
        warp_lane=i64(0),
        warp=i64(0),
        products=subgroup_products(kernel, architecture),
    )
    if schedule.depends:
        b.intrinsic_void("llvm.nvvm.griddepcontrol.launch.dependents", [])
    ctx.thread = team.special_register(ctx, "tid.x")
    if roles.sides_of(kernel) > 1:
        # work-groups of a block that take turns have the same numbers
        ctx.thread = b.urem(ctx.thread, i64(m * n))
    ctx.lane, ctx.subgroup = team.thread_position(ctx, ctx.subgroup_size)
    is_warp = ctx.subgroup_size == WARP
    ctx.warp_lane, ctx.warp = (ctx.lane, ctx.subgroup) if is_warp else team.thread_position(ctx, WARP)
    if room is not None:
        ctx.scratch = _scratch(ctx, *(b.offset(block[0], slot) for slot in scratch_slots(parameters)))
    if has_reports:
        slots_ = report_slots(parameters, has_scratch=has_scratch)
        address, words = (b.load("i64", b.offset(block[0], slot), 8) for slot in slots_)
        ctx.reports = Records(address, words, numbered_sites(kernel))
        reports.begin(ctx)
    if has_grid:
        slot = grid_slot(parameters, has_scratch=has_scratch, has_reports=has_reports)
        count = b.load("i64", b.offset(block[0], slot), 8)
        ctx.groups, ctx.parts = (count, None) if kernel.parts is None else (None, count)
    if has_memory:
        slot = memory_slot(parameters, has_scratch=has_scratch, has_reports=has_reports, has_grid=has_grid)
        ctx.memory = _group_memory(ctx, b.load("ptr", b.offset(block[0], slot), 8))
    if maps:
        ctx.maps = tensor_copies.map_pointers(b, maps, function.arguments[0], size - MAP_BYTES * len(maps))
    _bind_parameters(ctx, block, iter(slot_layout(parameters)))
    ctx.lower_block(kernel.body.entry)
    b.ret()
    plan = LaunchPlan(
        (threads, 1, 1),
        kernel.items,
        (prod(kernel.cluster or (1, 1)), 1, 1),
        scratch_bytes=arena.scratch_bytes,
        parts=parts_of(kernel),
        group_bytes=kernel.group_bytes,
        maps=maps,
        most=kernel.most_blocks,
        dependent=schedule.depends,
        flag_bytes=kernel.flag_bytes,
    )
    facts = dict(signature.facts) | ({SCHEDULE: kernel.schedule} if kernel.schedule is not None else {})
    return replace(signature, local_bytes=arena.high_water, launch=plan, facts=facts)


def _scratch(ctx: KernelContext, address: Value, size: Value) -> Value:
    """This block's part of the scratch memory; the sizes of the parts are known when the kernel is at its end."""
    b = ctx.b
    number = i64(0)
    for axis in "zyx":
        number = b.mul(number, team.special_register(ctx, f"nctaid.{axis}"))
        number = b.add(number, team.special_register(ctx, f"ctaid.{axis}"))
    base = b.cast("addrspacecast", b.load("ptr", address, 8), GLOBAL)
    return b.gep("i8", base, b.mul(number, b.load("i64", size, 8)), hint="scratch")


def _group_memory(ctx: KernelContext, memory: Value) -> Value:
    """The part of the work-group in the memory that launches of a kernel share."""
    b = ctx.b
    number = i64(0)
    for dim in (2, 1, 0):
        number = b.add(b.mul(number, team.num_groups(ctx, dim)), team.group_id(ctx, dim))
    return b.gep("i8", b.cast("addrspacecast", memory, GLOBAL), b.mul(number, i64(ctx.kernel.group_bytes)))


def _bind_parameters(ctx: KernelContext, block: list[Value], layout: Iterator[Slot]) -> None:
    b = ctx.b

    def pointer() -> Value:
        return b.offset(block[0], next(layout).offset)

    def size(static: int | None) -> Value:
        return i64(static) if static is not None else b.load("i64", pointer(), 8)

    for parameter in ctx.kernel.parameters:
        type_ = parameter.type
        if isinstance(type_, ScalarType):
            ctx.bind(parameter, _scalar(ctx, type_, pointer()))
        elif isinstance(type_, PointerType):
            ctx.bind(parameter, b.load("i64", pointer(), 8))
            if is_measured(parameter):
                ctx.reaches[parameter] = b.load("i64", pointer(), 8)
        elif is_local_parameter(parameter):
            ctx.bind(parameter, _local_parameter(ctx, type_))
        elif isinstance(type_, MemrefType):
            generic = b.load("ptr", pointer(), 8)
            sizes = tuple(size(s) for s in type_.shape)
            strides = tuple(size(s) for s in type_.strides)
            ctx.bind(parameter, View(type_, b.cast("addrspacecast", generic, GLOBAL), sizes, strides, generic))
        else:
            assert isinstance(type_, GroupType)
            unknown = [s for s in (*type_.memref.shape, *type_.memref.strides) if s is None]
            table, *dope = [
                b.cast("addrspacecast", b.load("ptr", pointer(), 8), GLOBAL) for _ in range(1 + len(unknown))
            ]
            group_size, offset = size(type_.size), size(type_.offset)
            ctx.bind(parameter, Group(type_, table, tuple(dope), group_size, offset))


def _scalar(ctx: KernelContext, type_: ScalarType, pointer: Value) -> Operand:
    b, element = ctx.b, ELEMENTS[type_.name]
    if element.kind is Kind.BOOL:
        return b.icmp("ne", b.load("i8", pointer, 8), zero("i8"))
    if element.kind is not Kind.COMPLEX:
        return b.load(element.llvm, pointer, 8)
    second = element.bits // 8
    return Complex(b.load(element.llvm, pointer, 8), b.load(element.llvm, b.offset(pointer, second), second))


def _local_parameter(ctx: KernelContext, type_: Type) -> View:
    """Work-group memory that the launch reserves; its content is undefined."""
    assert isinstance(type_, MemrefType)
    assert type_.span is not None, "local parameters of dynamic size are refused before lowering"
    return memory.local_view(ctx, type_, ctx.arena.place(type_.span * type_.element.bytes, ALIGNMENT))
