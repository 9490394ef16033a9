"""The entry of a kernel: one PTX kernel whose only parameter is the block of slots, run by one block a work-group.

    .entry symbol(.param .align 16 .b8 slots[n])        block (m n, 1, 1), grid (x, y, z), dynamic shared memory

The slots are those of `slot_layout`, so that the host prepares one block of parameters for any target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.artifacts.artifact import (
    KernelInfo,
    LaunchPlan,
    Slot,
    block_alignment,
    block_size,
    grid_slots,
    memory_slot,
    report_slots,
    scratch_slots,
    slot_layout,
)
from tilewright.artifacts.parameters import GRID_MODES, REPORTS, SCHEDULE
from tilewright.artifacts.parameters import Parameter as KernelParameter
from tilewright.artifacts.report_sites import numbered_sites
from tilewright.artifacts.symbols import entry_symbol, mapped_symbol
from tilewright.artifacts.tensor_maps import MAP_BYTES, TensorMap
from tilewright.dialects import scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_launches import AwaitLaunch, HasMaps
from tilewright.ir import core
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.operation_table import OperationTable
from tilewright.ir.schedules import Copies, Schedule
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
from tilewright.targets.nvidia.elementwise import COMPUTED, apply
from tilewright.targets.nvidia.occupancy import least_blocks
from tilewright.targets.nvidia.subgroup_products import subgroup_products
from tilewright.targets.nvidia.values import GLOBAL, PARAMETERS, Group, Operand, View
from tilewright.targets.nvidia.warp import WARP
from tilewright.transforms.schedule.products.shared_factors import ALIGNMENT as STAGES
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.signature import is_measured, kernel_info, parts_of

_SHARED_NAME: Final = "tilewright_shared"
_WAIT: Final = "llvm.nvvm.griddepcontrol.wait"


def _prefetch(ctx: KernelContext, op: core.Operation) -> None:
    """A hint that this target does not take."""


def _elementwise(ctx: KernelContext, op: core.Operation) -> None:
    if is_tile(op.results[0]):
        subgroup.lower_tile(ctx, op)
    elif lanes.is_fragment(op.results[0]):
        lanes.lower_elementwise(ctx, op)
    else:
        ctx.bind(op.results[0], apply(ctx.arith, op, [ctx.operand(o) for o in op.operands]))


def _await_launch(ctx: KernelContext, op: core.Operation) -> None:
    ctx.b.intrinsic_void(_WAIT, [])


def _has_maps(ctx: KernelContext, op: core.Operation) -> None:
    """As the launches of this entry have, or as the tests tell."""
    assert isinstance(op, HasMaps)
    ctx.bind(op.out, ctx.scalar(op.tests) if ctx.has_maps is None else ctx.flag(ctx.has_maps))


_TILE_OPS: Final[tuple[type[core.Operation], ...]] = (
    tile.Load,
    tile.Store,
    tile.AtomicLoad,
    tile.AtomicStore,
    tile.AtomicRmw,
    tile.Splat,
    tile.Item,
    tile.Iota,
    tile.Mma,
    tile.Reduce,
    tile.Scan,
    tile.Map,
    tile.ShareExtract,
    tile.ShareInsert,
)


COLLECTIVE_ONLY: Final[frozenset[type[core.Operation]]] = frozenset({scf.While, *addresses.ACCESSES})
"""Operations that cannot be run on tiles of a subgroup here."""


@cache
def lowering_table() -> OperationTable[OpLowering]:
    """Every lowering of the target by operation."""
    return OperationTable(
        {
            MovesElements: subgroup.lower_tile,
            **dict.fromkeys(COMPUTED, _elementwise),
            **dict.fromkeys(_TILE_OPS, subgroup.lower_tile),
            tile.Prefetch: _prefetch,
            **memory.lowerings(),
            **control.lowerings(),
            **team.lowerings(),
            **atomics.lowerings(),
            **addresses.lowerings(),
            **dict.fromkeys(addresses.ACCESSES, lanes.lower_access),
            **lanes.lowerings(),
            **lane_products.lowerings(),
            **tensor_copies.lowerings(),
            **tensor_stores.lowerings(),
            **turns.lowerings(),
            **roles.lowerings(),
            AwaitLaunch: _await_launch,
            HasMaps: _has_maps,
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


class _Slots(Struct, frozen=True):
    """The parameter block of a kernel: its parameters, and what it holds behind them."""

    parameters: tuple[KernelParameter, ...]
    maps: tuple[TensorMap, ...]
    has_scratch: bool
    has_reports: bool
    grid_words: int
    has_memory: bool

    @property
    def size(self) -> int:
        """In bytes."""
        return block_size(
            self.parameters,
            has_scratch=self.has_scratch,
            has_reports=self.has_reports,
            grid_words=self.grid_words,
            has_memory=self.has_memory,
            maps=len(self.maps),
        )

    @property
    def declared(self) -> Sequence[Parameter]:
        """The block as the parameter of a function; none if it is empty."""
        alignment = block_alignment(len(self.maps))
        type_ = f'byval([{self.size} x i8]) align {alignment} "nvvm.grid_constant"'
        return [Parameter("ptr", "slots", type_)] if self.size else []

    def load(self, ctx: KernelContext, argument: Sequence[Value], block: Sequence[Value]) -> None:
        """Bind parameters, and load what stands behind them; the `block` is the `argument` in its own space."""
        b = ctx.b
        if self.has_scratch:
            ctx.scratch = _scratch(ctx, *(b.offset(block[0], slot) for slot in scratch_slots(self.parameters)))
        if self.has_reports:
            slots = report_slots(self.parameters, has_scratch=self.has_scratch)
            address, words = (b.load("i64", b.offset(block[0], slot), 8) for slot in slots)
            ctx.reports = Records(address, words, numbered_sites(ctx.kernel))
            reports.begin(ctx)
        if self.grid_words:
            has = {"has_scratch": self.has_scratch, "has_reports": self.has_reports}
            slots = grid_slots(self.parameters, self.grid_words, **has)
            counts = [b.load("i64", b.offset(block[0], slot), 8) for slot in slots]
            if ctx.kernel.parts is None:
                ctx.groups = counts
            else:
                (ctx.parts,) = counts
        if self.has_memory:
            slot = memory_slot(
                self.parameters, has_scratch=self.has_scratch, has_reports=self.has_reports, grid_words=self.grid_words
            )
            ctx.memory = _group_memory(ctx, b.load("ptr", b.offset(block[0], slot), 8))
        if self.maps:
            ctx.maps = tensor_copies.map_pointers(b, self.maps, argument[0], self.size - MAP_BYTES * len(self.maps))
        _bind_parameters(ctx, block, iter(slot_layout(self.parameters)))


def lower_kernel(kernel: Kernel, module: Module, architecture: Architecture, room: int | None = None) -> KernelInfo:
    """Emit the entry of a kernel that passed the checks of `capabilities`; its launch signature.

    With `room`, the bytes of shared memory that a block can have, what is too large for that lies in scratch memory.
    A kernel that asks for maps has another entry for launches with all of them. If it asks once, all others have the
    way that needs none.
    """
    asked = sum(isinstance(op, HasMaps) for op in kernel.walk())
    found = _entry(kernel, module, architecture, room, has_maps=False if asked == 1 else None)
    if not asked:
        return found
    mapped = _entry(kernel, module, architecture, room, has_maps=True)
    assert found.launch is not None
    plan = replace(found.launch, has_mapped=True)
    return replace(found, local_bytes=max(found.local_bytes, mapped.local_bytes), launch=plan)


def _entry(
    kernel: Kernel, module: Module, architecture: Architecture, room: int | None, *, has_maps: bool | None
) -> KernelInfo:
    """One for launches that have all maps, have not, or may have any."""
    assert kernel.subgroup_size is not None
    assert kernel.work_group_size is not None
    assert room is None or kernel.items == 1, "what packs items has counted their shared memory"
    signature = kernel_info(kernel, entry_symbol(kernel.sym_name), 0)
    slots = _Slots(
        signature.parameters,
        tensor_copies.maps_of(kernel),
        has_scratch=room is not None,
        has_reports=REPORTS in signature.facts,
        grid_words=_grid_words(kernel),
        has_memory=kernel.group_bytes > 0,
    )
    m, n = kernel.work_group_size
    threads, schedule = m * n + roles.threads_beside(kernel, m * n), schedule_of(kernel)
    attributes = _attributes(kernel, threads, schedule)
    function = module.function(
        mapped_symbol(signature.symbol) if has_maps else signature.symbol,
        "void",
        slots.declared,
        attributes=attributes,
        convention="ptx_kernel",
        reuses=True,
    )
    b = Builder(function)
    # in its own space: loads by way of generic addresses are as slow as those of global memory
    block = [b.cast("addrspacecast", generic, PARAMETERS, hint="block") for generic in function.arguments]
    ctx = _context(kernel, module, b, architecture, room)
    ctx.has_maps = has_maps
    if schedule.depends:
        b.intrinsic_void("llvm.nvvm.griddepcontrol.launch.dependents", [])
        if room is not None:
            # launches in front have their tiles in the same scratch memory
            b.intrinsic_void(_WAIT, [])
    _take_position(ctx)
    slots.load(ctx, function.arguments, block)
    ctx.lower_block(kernel.body.entry)
    b.ret()
    plan = LaunchPlan(
        (threads, 1, 1),
        kernel.items,
        (prod(kernel.cluster or (1, 1)), 1, 1),
        scratch_bytes=ctx.arena.scratch_bytes,
        parts=parts_of(kernel),
        group_bytes=kernel.group_bytes,
        maps=slots.maps,
        most=kernel.most_blocks,
        gathered=kernel.gathered,
        dependent=schedule.depends,
        flag_bytes=kernel.flag_bytes,
    )
    facts = dict(signature.facts) | ({SCHEDULE: kernel.schedule} if kernel.schedule is not None else {})
    return replace(signature, local_bytes=ctx.arena.high_water, launch=plan, facts=facts)


def _grid_words(kernel: Kernel) -> int:
    """What the parameter block says of the grid (`LaunchPlan.grid_words`)."""
    if kernel.gathered:
        return GRID_MODES
    return int(kernel.items > 1 or kernel.parts is not None or kernel.most_blocks is not None)


def _attributes(kernel: Kernel, threads: int, schedule: Schedule) -> str:
    """What LLVM and ptxas are told of a kernel whose blocks have so many threads, a producer warp's among them."""
    assert kernel.work_group_size is not None
    items = prod(kernel.work_group_size)
    found = f'nounwind "nvvm.reqntid"="{threads},1,1"'
    if schedule.spread and schedule.copies is not Copies.TENSOR and not _has_open_strides(kernel):
        found += _AS_IT_IS
    blocks = least_blocks(kernel, items) if schedule.resident is None else schedule.resident
    if threads > items:
        # else ptxas does not know how many registers there are to be dealt anew
        blocks = 1
    if blocks is not None:
        found += f' "nvvm.minctasm"="{blocks}"'
    if kernel.cluster is not None:
        found += f' "nvvm.cluster_dim"="{prod(kernel.cluster)},1,1"'
    return found


def _context(kernel: Kernel, module: Module, b: Builder, architecture: Architecture, room: int | None) -> KernelContext:
    """What the lowering of a kernel begins with; threads have no position yet."""
    assert kernel.subgroup_size is not None
    assert kernel.work_group_size is not None
    arena = Arena(kernel, room)
    shared = module.global_variable(_SHARED_NAME, "[0 x i8]", "", linkage="external", address_space=3, align=STAGES)
    return KernelContext(
        kernel=kernel,
        module=module,
        b=b,
        arith=Arithmetic(b, NVPTX),
        arena=arena,
        table=lowering_table(),
        subgroup_size=kernel.subgroup_size,
        work_group_size=kernel.work_group_size,
        shared=shared,
        scratch=None,
        groups=(),
        thread=i64(0),
        lane=i64(0),
        subgroup=i64(0),
        warp_lane=i64(0),
        warp=i64(0),
        products=subgroup_products(kernel, architecture),
    )


def _take_position(ctx: KernelContext) -> None:
    """The numbers of a thread in its block, its subgroup and its warp."""
    ctx.thread = team.special_register(ctx, "tid.x")
    if roles.sides_of(ctx.kernel) > 1:
        # work-groups of a block that take turns have the same numbers
        ctx.thread = ctx.b.urem(ctx.thread, i64(prod(ctx.work_group_size)))
    ctx.lane, ctx.subgroup = team.thread_position(ctx, ctx.subgroup_size)
    is_warp = ctx.subgroup_size == WARP
    ctx.warp_lane, ctx.warp = (ctx.lane, ctx.subgroup) if is_warp else team.thread_position(ctx, WARP)


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


def _bind_parameters(ctx: KernelContext, block: Sequence[Value], layout: Iterator[Slot]) -> None:
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
