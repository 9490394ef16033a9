"""lower-to-lanes: tiles become the registers of a thread, and the kernel what one thread does.

before:  %v = tile.load %x, %i -> tile<1024xf32, #layout<reg (4, 0, 1) (2, 0, 512); lane (32, 0, 4); warp (4, 0, 128)>>
after:   team.spmd {
           %lane = team.subgroup_local_id ..                   %at = arith.add %i, %thread
           %v = lane.load %x, %at {registers = [[4, 0, 1], [2, 0, 512]], width = 4} -> fragment<8xf32>
         }
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final

from tilewright.dialects import (
    addresses,
    arith,
    gpu,
    gpu_clusters,
    gpu_products,
    gpu_stores,
    gpu_tensors,
    lane,
    lane_products,
    memref,
    scf,
    team,
    tile,
)
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.operation_table import OperationTable
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import I32, FragmentType, MemrefType, ScalarType, TileType, Type
from tilewright.transforms import emit
from tilewright.transforms.schedule.accesses import of_access
from tilewright.transforms.schedule.atomics import Atomic, ScalarAtomic, by_one_thread, for_all_holders, of_registers
from tilewright.transforms.schedule.combinations import by_region, scan
from tilewright.transforms.schedule.conversions import Conversion
from tilewright.transforms.schedule.fragments import splat
from tilewright.transforms.schedule.joins import is_shift, joined
from tilewright.transforms.schedule.known import check_layouts, has_tile, runs_lanes, teams_of
from tilewright.transforms.schedule.moves import registers_of_move
from tilewright.transforms.schedule.positions import Positions
from tilewright.transforms.schedule.products.copying import lower_copy
from tilewright.transforms.schedule.products.multiplying import lower_parts, lower_product, lower_read
from tilewright.transforms.schedule.products.plain import plain_product
from tilewright.transforms.schedule.products.slabs import lower_store, lower_wait
from tilewright.transforms.schedule.ragged import filled, inside, neutral
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.regions import on_fragments
from tilewright.transforms.schedule.reshapes import Held, reshape
from tilewright.transforms.schedule.same_bits import divides, reinterpreted
from tilewright.transforms.schedule.spills import Spilled, Spills
from tilewright.transforms.schedule.strips import End, Strip, lower_strip, strips
from tilewright.transforms.schedule.threads import Threads, copies
from tilewright.transforms.schedule.totals import COMBINATIONS, Total, combining
from tilewright.transforms.steps import STEP
from tilewright.transforms.tile_values import layout_of

_Scatters = addresses.Scatter | addresses.ScatterUpdate | addresses.ScatterExchange


class LowerToLanes(Pass, frozen=True):
    """Lower the kernels whose tiles have layouts."""

    name: ClassVar[str] = "lower-to-lanes"

    def run(self, module: Module, context: PassContext) -> bool:
        kernels = [kernel for kernel in module.kernels if runs_lanes(kernel)]
        for kernel in kernels:
            check_layouts(kernel, context.report)
        context.report.raise_if_errors()
        for kernel in kernels:
            _lower_kernel(kernel)
        return bool(kernels)


def _lower_kernel(kernel: Kernel) -> None:
    old = list(kernel.body.entry)
    body = Block()
    mark = Builder.at_end(body).index(0).defining_op
    assert mark is not None
    shared = Block()
    threads = Threads(Builder(body, mark, kernel.location), teams_of(kernel))
    lowering = _Lowering(threads, Builder.at_end(shared, kernel.location))
    for parameter in kernel.parameters:
        lowering.values[parameter] = parameter
    lowering.block(old, Builder.at_end(body, kernel.location))
    mark.erase()
    for op in reversed(old):
        op.drop_all()
        op.detach()
    build = Builder.at_end(kernel.body.entry, kernel.location)
    for op in shared:
        op.detach()
        build(op)
    build(team.Spmd(Region(body)))


def shape_of(value: Value) -> tuple[int, ...]:
    """The extents of a tile, of which its layout may cover more."""
    assert isinstance(value.type, TileType)
    return value.type.shape


def lowered_type(type_: Type) -> Type:
    """Of what one thread has in the place of a value."""
    if not isinstance(type_, TileType):
        return type_
    assert type_.layout is not None
    return FragmentType(type_.layout.count(Owner.REG), type_.element)


class _Lowering:
    """The way of one kernel: `values` are what each value became, `shared` where allocations are made."""

    def __init__(self, threads: Threads, shared: Builder) -> None:
        self.threads = threads
        self.shared = shared
        self.values: dict[Value, Value] = {}
        self.in_loop = 0
        self._buffers: dict[tuple[MemrefType, int], Value] = {}
        self.positions: dict[Value, Positions] = {}
        self.spills = Spills()

    def block(self, ops: list[Operation], build: Builder) -> None:
        """Lower operations to the end of a block."""
        found = strips(ops, self.threads.teams.threads, _has_one_line)
        later = {op: strip for strip in found for op in (*strip.ops, *strip.ends)}
        for op in ops:
            build.location = op.location
            if op in later:
                if op is later[op].last:
                    _strip(self, build, later[op])
                self.spills.done.add(op)
                continue
            for value in op.operands:
                waiting = self.spills.of.get(value)
                if waiting is not None:
                    self.values[value] = waiting.load(build, range(waiting.type.size))
            lower = _LOWERINGS.find(type(op)) if has_tile(op) or isinstance(op, _OWN) else None
            (lower or _copy)(self, build, op)
            self.spills.done.add(op)

    def new(self, value: Value) -> Value:
        """What a value became."""
        return self.values[value]

    def put(self, value: Value, became: Value) -> None:
        """Say what a value became."""
        self.values[value] = became
        became.name = became.name or value.name

    def buffer(self, type_: MemrefType, number: int = 0) -> tuple[Value, bool]:
        """Shared memory of a type, of which there are several, and whether anybody may have read it before."""
        key = (type_, number)
        used = key in self._buffers
        if not used:
            self._buffers[key] = self.shared(memref.Alloca(result_types=[type_])).out
        return self._buffers[key], used or bool(self.in_loop)

    def registers(self, build: Builder, value: Value, numbers: Sequence[int]) -> Value:
        """Some of what a tile became."""
        waiting = self.spills.of.get(value)
        return picked(build, [self.new(value)], numbers) if waiting is None else waiting.load(build, numbers)

    def spilled(self, op: gpu.Spill, using: Sequence[Operation]) -> Spilled:
        """Where a tile waits, in memory that `using` may read before it is written."""
        type_ = lowered_type(op.out.type)
        assert isinstance(type_, FragmentType)
        return self.spills.begin(op, type_, self.threads, self.shared, using)

    def counted(self, build: Builder, tile: Value, dim: int, value: Value, combine: type[Operation]) -> Value:
        """What became of a tile, with registers beyond it along `dim` that change no combination."""
        layout, shape = layout_of(tile), shape_of(tile)
        if layout.shape[dim] == shape[dim]:
            return value
        number = neutral(combine, emit.scalar_type(value.type))
        assert number is not None, "choose-schedule has asked"
        return filled(build, self.threads, value, layout, shape, dim, number)

    def inside(self, build: Builder, tile: Value) -> Value | None:
        """For each register whether it holds an element of a tile; None if all do."""
        shape = shape_of(tile)
        return inside(build, self.threads, layout_of(tile), shape, range(len(shape)))

    def once(self, build: Builder, layout: Layout) -> Builder:
        """Where one of the threads that hold copies writes for all of them."""
        condition = self.threads.is_first(copies(layout))
        return build if condition is None else emit.open_if(build, condition)


def _has_one_line(op: tile.Reduce | ReduceBy) -> bool:
    """Whether a reduction may be done some registers at a time, in any order."""
    found = combining(op)
    return found is not None and found.reduction.has_one_line()


def _copy(low: _Lowering, build: Builder, op: Operation) -> None:
    """The same operation on what its operands became, with its regions; an elementwise one on fragments."""
    new = type(op).of_parts(
        [low.new(value) for value in op.operands],
        [lowered_type(value.type) for value in op.results],
        dict(op.attributes),
    )
    new.places = op.places
    build(new)
    loop = isinstance(op, scf.For | scf.While)
    low.in_loop += loop
    for region in op.regions:
        block = Block()
        for argument in region.entry.arguments:
            low.put(argument, block.add_argument(lowered_type(argument.type), argument.name, argument.location))
        new.add_region(Region(block))
        low.block(list(region.entry), Builder.at_end(block))
    low.in_loop -= loop
    for value, became in zip(op.results, new.results, strict=True):
        low.put(value, became)


def _spmd(low: _Lowering, build: Builder, op: team.Spmd) -> None:
    """What each work-item runs for itself already is what one thread does."""
    for inner in op.body.entry:
        build(inner.clone(low.values))


def _load(low: _Lowering, build: Builder, op: tile.Load) -> None:
    transfer = of_access(op, low.new(op.memref), [low.new(i) for i in op.indices], layout_of(op.out))
    low.put(op.out, transfer.load(build, low.threads))


def _store(low: _Lowering, build: Builder, op: tile.Store) -> None:
    layout = layout_of(op.value)
    transfer = of_access(op, low.new(op.memref), [low.new(i) for i in op.indices], layout)
    with _in_step(low, build, op, layout):
        transfer.store(low.once(build, layout), low.threads, low.new(op.value))


@contextmanager
def _in_step(low: _Lowering, build: Builder, op: Operation, layout: Layout) -> Generator[None]:
    """What one of several holders writes the others may have read in the same step, and in a loop will read."""
    shared = STEP in op.attributes and bool(copies(layout))
    if shared:
        build(team.Barrier(fence_global=True, fence_local=True))
    yield
    if shared and low.in_loop:
        build(team.Barrier(fence_global=True, fence_local=True))


def _atomic(low: _Lowering, build: Builder, op: Atomic) -> None:
    value = op.value if isinstance(op, tile.AtomicStore) else op.out
    layout, shape = layout_of(value), shape_of(value)
    with _in_step(low, build, op, layout):
        _by_holder(low, build, op, layout, lambda at: of_registers(at, low.threads, op, (shape, layout), low.new))


def _scatter(low: _Lowering, build: Builder, op: _Scatters) -> None:
    def access(at: Builder) -> Value | None:
        _gather(low, at, op)
        return low.new(op.results[0]) if op.results else None

    _by_holder(low, build, op, layout_of(op.value), access)


def _gather(low: _Lowering, build: Builder, op: addresses.Gather | _Scatters) -> None:
    """Only elements of the tile are accessed."""
    kept = low.inside(build, op.addresses)
    if kept is None:
        _copy(low, build, op)
        return
    masked = op.mask is not None
    operands = [low.new(value) for value in op.operands[: len(op.operands) - masked]]
    operands.append(kept if op.mask is None else emit.both(build, low.new(op.mask), kept))
    new = type(op).of_parts(operands, [lowered_type(value.type) for value in op.results], dict(op.attributes))
    new.places = op.places
    build(new)
    for value, became in zip(op.results, new.results, strict=True):
        low.put(value, became)


def _by_holder(
    low: _Lowering, build: Builder, op: Operation, layout: Layout, access: Callable[[Builder], Value | None]
) -> None:
    """Let one of the threads that hold copies access memory for all of them."""
    if op.results and op.results[0].uses:
        low.put(op.results[0], for_all_holders(build, low.threads, layout, low.buffer, access))
    else:
        access(low.once(build, layout))


def _splat(low: _Lowering, build: Builder, op: tile.Splat) -> None:
    low.put(op.out, build(lane.Fill(low.new(op.value), result_types=[lowered_type(op.out.type)])).out)


def _iota(low: _Lowering, build: Builder, op: tile.Iota) -> None:
    layout, element = layout_of(op.out), emit.scalar_type(op.out.type)
    found = _positions(low, build, layout, op.dim, element)
    if shape_of(op.out)[op.dim] <= 1 << min(element.bits - 1, 31) and layout.shape[op.dim] < 1 << 31:
        low.positions[found] = Positions.of(low.threads, layout, op.dim)
    low.put(op.out, found)


def _positions(low: _Lowering, build: Builder, layout: Layout, dim: int, element: ScalarType) -> Value:
    """The thread's part of the coordinate, and that of each register."""
    first = emit.cast(build, low.threads.coordinate(layout, dim), element)
    table = layout.table()[:, 0, 0, 0, dim]
    steps = build(lane.Numbers(tuple(int(n) for n in table), result_types=[FragmentType(len(table), element)])).out
    return build(arith.Add(splat(build, first, len(table)), steps)).out


def _compare(low: _Lowering, build: Builder, op: arith.Cmp) -> None:
    """Coordinates with a number: once for all registers of which the answer is the same."""
    where, limit = low.positions.get(low.new(op.lhs)), emit.integer_of(low.new(op.rhs))
    if where is None or limit is None or op.predicate not in _LIMITS:
        _copy(low, build, op)
        return
    beyond, other = _LIMITS[op.predicate]
    found = where.below(build, low.threads.head, limit + beyond)
    low.put(op.out, build(arith.Xor(found, build.constant(True, found.type))).out if other else found)


def _item(low: _Lowering, build: Builder, op: tile.Item) -> None:
    low.put(op.out, build(lane.Item(low.new(op.tile), 0)).out)


def _moved(low: _Lowering, build: Builder, op: MovesElements) -> None:
    registers = registers_of_move(op, layout_of)
    if registers is None and is_shift(op) and not isinstance(op, gpu.ConvertLayout):
        values = [low.new(value) for value in op.operands]
        low.put(op.results[0], joined(build, low.threads, op, values, layout_of, low.buffer))
        return
    if registers is None:
        assert isinstance(op, gpu.ConvertLayout | tile.Reshape), "assign-layouts has converted the operands of others"
        low.put(op.out, _exchanged(low, build, op))
        return
    values = [low.new(value) for value in op.operands]
    found = picked(build, values, registers)
    if len(values) == 1 and values[0] in low.positions:
        low.positions[found] = low.positions[values[0]].picked(tuple(registers))
    low.put(op.results[0], found)


def _exchanged(low: _Lowering, build: Builder, op: gpu.ConvertLayout | tile.Reshape) -> Value:
    """What threads have to get from each other."""
    source, target = ((shape_of(value), layout_of(value)) for value in (op.tile, op.out))
    if isinstance(op, tile.Reshape):
        return reshape(build, low.threads, low.new(op.tile), source, target, low.buffer)
    conversion = Conversion(source[1], target[1], source[0], low.buffer)
    return conversion.lower(build, low.threads, low.new(op.tile))


def _reduce(low: _Lowering, build: Builder, op: tile.Reduce | ReduceBy) -> None:
    found, out = combining(op), op.results[0]
    if found is None and isinstance(op, ReduceBy):
        _by_region(low, build, op)
    elif found is None:
        assert isinstance(op, tile.Reduce)
        low.put(out, build.constant(op.kind.of_nothing(emit.scalar_type(out.type)), lowered_type(out.type)))
    else:
        value = emit.cast(build, low.new(op.operands[0]), found.wide)
        value = low.counted(build, op.operands[0], op.dim, value, found.kind)
        total = found.reduction.lower(build, low.threads, low.shared, value, bool(low.in_loop))
        low.put(out, emit.cast(build, total, emit.scalar_type(out.type)))


def _strip(low: _Lowering, build: Builder, strip: Strip) -> None:
    """What is computed some registers at a time."""
    ends: dict[Operation, End] = {}
    total: Total | None = None
    for op in strip.ends:
        if isinstance(op, gpu.Spill):
            waiting = low.spilled(op, strip.ops)
            ends[op] = lambda at, part, value, waiting=waiting: waiting.store(at, value, part.registers)
        elif isinstance(op, tile.Reduce | ReduceBy):
            total = Total.of(build, low.threads, op)
            ends[op] = total.more
    lower_strip(build, low.threads, strip, low.new, low.registers, ends)
    if total is not None:
        out = strip.last.results[0]
        found = total.across(build, low.shared, bool(low.in_loop))
        low.put(out, emit.cast(build, found, emit.scalar_type(out.type)))


def _spill(low: _Lowering, build: Builder, op: gpu.Spill) -> None:
    """All registers at once."""
    value = low.new(op.tile)
    low.spilled(op, ()).store(build, value, range(fragment_of(value).size))


def _scan(low: _Lowering, build: Builder, op: tile.Scan) -> None:
    kind = COMBINATIONS[op.kind]
    low.put(op.out, scan(build, low.threads, low.buffer, op, low.new(op.tile), kind))


def _by_region(low: _Lowering, build: Builder, op: ReduceBy | ScanBy) -> None:
    for out, value in zip(op.outs, by_region(build, low.threads, low.buffer, op, low.new), strict=True):
        low.put(out, value)


def _map(low: _Lowering, build: Builder, op: tile.Map) -> None:
    positions = [_positions(low, build, layout_of(op.tile), dim, I32) for dim in range(len(layout_of(op.tile).shape))]
    (found,) = on_fragments(build, op.body, [*positions, low.new(op.tile)], low.new)
    low.put(op.out, found)


def _reinterpret(low: _Lowering, build: Builder, op: tile.Reinterpret) -> None:
    wholes = layout_of(op.tile if divides(op) else op.out)
    low.put(op.out, reinterpreted(build, op, low.new(op.tile), wholes))


def _plain_product(low: _Lowering, build: Builder, op: tile.Mma) -> None:
    def held(value: Value) -> Held:
        return shape_of(value), layout_of(value)

    values = (low.new(op.lhs), low.new(op.rhs), low.new(op.acc))
    low.put(op.out, plain_product(build, low.threads, op, values, held, low.buffer))


def _product(low: _Lowering, build: Builder, op: gpu_products.Mma) -> None:
    low.put(op.out, lower_product(build, low.threads, op, [low.new(value) for value in op.operands]))


def _read_parts(low: _Lowering, build: Builder, op: gpu_products.ReadParts) -> None:
    low.put(op.out, lower_read(build, low.threads, op, [low.new(value) for value in op.operands]))


def _product_of_parts(low: _Lowering, build: Builder, op: gpu_products.MmaParts) -> None:
    low.put(op.out, lower_parts(build, op, [low.new(value) for value in op.operands]))


def _awaited(low: _Lowering, build: Builder, op: gpu_products.AwaitMma) -> None:
    low.put(op.out, build(lane_products.AwaitMma(low.new(op.acc), pending=op.pending, others=op.others)).out)


def _copied(low: _Lowering, build: Builder, op: gpu_products.CopyAsync) -> None:
    lower_copy(build, low.threads, op, [low.new(value) for value in op.operands])


def _stored(low: _Lowering, build: Builder, op: gpu_stores.StoreTile) -> None:
    lower_store(build, low.threads, op, low.new, bool(low.in_loop))


def _awaited_stores(low: _Lowering, build: Builder, op: gpu_stores.AwaitStores) -> None:
    lower_wait(build, low.threads, op)


def _elected(low: _Lowering, build: Builder, op: memref.Store | ScalarAtomic) -> None:
    """One thread acts for the work-group."""
    operands = [low.new(value) for value in op.operands]
    used = [value for value in op.results if value.uses]
    new = type(op).of_parts(operands, [value.type for value in op.results], dict(op.attributes))
    new.places = op.places
    found = by_one_thread(build, low.threads, low.buffer, new, bool(used))
    if found is not None:
        low.put(op.results[0], found)


def _asked(low: _Lowering, build: Builder, op: Operation) -> None:
    """One thread asks, on one branch for all that follows each other; its warp waits with it.

    A wait of that thread alone would take all that is computed behind it out of registers that a warp has in common.
    """
    if isinstance(op, (*_OF_WARPS, *_PUBLISHED, gpu_clusters.Release)):
        warp = op.warp if isinstance(op, _OF_WARPS) else 0
        here = _at_branch(build, low.threads.is_of_warp(warp % low.threads.teams.warps))
        if not isinstance(op, gpu_tensors.AwaitReaders | team.AwaitPublished):
            here = _elected_branch(here)
    else:
        here = _at_branch(build, low.threads.is_first_thread())
    new = type(op).of_parts([low.new(value) for value in op.operands], [], dict(op.attributes))
    new.places = op.places
    here(new)


def _published(low: _Lowering, build: Builder, op: team.Publish) -> None:
    """One thread says so when all have written."""
    build(team.Barrier(fence_global=True))
    _asked(low, build, op)


def _awaited_part(low: _Lowering, build: Builder, op: team.AwaitPublished) -> None:
    """A warp waits, and all for it."""
    _asked(low, build, op)
    build(team.Barrier(fence_global=True))


def _at_branch(build: Builder, condition: Value) -> Builder:
    """At the end of a branch on a condition, the last one if it is that."""
    last = build.block.last
    if isinstance(last, scf.If) and last.condition is condition:
        return Builder.at_end(last.then.entry, build.location)
    return emit.open_if(build, condition)


def _elected_branch(build: Builder) -> Builder:
    """At the end of the branch of the thread that acts for its warp."""
    last = build.block.last
    if isinstance(last, scf.If) and isinstance(last.condition.defining_op, lane.Elect):
        return Builder.at_end(last.then.entry, build.location)
    return emit.open_if(build, build(lane.Elect()).out)


_LIMITS: Final = {
    arith.Predicate.LT: (0, False),
    arith.Predicate.LE: (1, False),
    arith.Predicate.GE: (0, True),
    arith.Predicate.GT: (1, True),
}
"""By comparison: how far beyond a number the limit is, and whether the answer is what is not below."""

_ONCE: Final = (memref.Store, memref.AtomicLoad, memref.AtomicStore, memref.AtomicRmw)
"""What has no tile and still is done by one thread for all."""
_OF_WARPS: Final = (
    gpu_tensors.AwaitReaders,
    gpu_tensors.Expect,
    gpu_tensors.CopyTensor,
    gpu_clusters.MulticastTensor,
)
"""What the first thread of any warp may ask for."""
_ASKED: Final = (
    gpu_tensors.OpenBarriers,
    gpu_tensors.CloseBarriers,
    gpu_tensors.AwaitReaders,
    gpu_tensors.Expect,
    gpu_tensors.CopyTensor,
    gpu_clusters.MulticastTensor,
    gpu_clusters.Release,
)
"""What one thread asks the machine for."""
_PUBLISHED: Final = (team.AwaitPublished, team.Publish)
"""What one thread or warp does for all, who meet."""
_OWN: Final = (*_ONCE, *_ASKED, *_PUBLISHED, gpu_products.CopyAsync, gpu_stores.AwaitStores, team.Spmd)
"""What has no tile and still is not what each thread does: done by one for all, dealt to them, or theirs already."""

_LOWERINGS: Final[OperationTable[Callable[[_Lowering, Builder, Any], None]]] = OperationTable(
    {
        Elementwise: _copy,
        arith.Cmp: _compare,
        MovesElements: _moved,
        tile.Load: _load,
        tile.Store: _store,
        tile.AtomicLoad: _atomic,
        tile.AtomicStore: _atomic,
        tile.AtomicRmw: _atomic,
        tile.Splat: _splat,
        tile.Iota: _iota,
        tile.Item: _item,
        tile.Reduce: _reduce,
        ReduceBy: _reduce,
        gpu.Spill: _spill,
        addresses.Gather: _gather,
        tile.Scan: _scan,
        ScanBy: _by_region,
        tile.Map: _map,
        tile.Reinterpret: _reinterpret,
        addresses.Scatter: _scatter,
        addresses.ScatterUpdate: _scatter,
        addresses.ScatterExchange: _scatter,
        **dict.fromkeys(_ONCE, _elected),
        **dict.fromkeys(_ASKED, _asked),
        tile.Mma: _plain_product,
        gpu_products.Mma: _product,
        gpu_products.ReadParts: _read_parts,
        gpu_products.MmaParts: _product_of_parts,
        gpu_products.AwaitMma: _awaited,
        gpu_products.CopyAsync: _copied,
        gpu_stores.StoreTile: _stored,
        gpu_stores.AwaitStores: _awaited_stores,
        team.AwaitPublished: _awaited_part,
        team.Publish: _published,
        team.Spmd: _spmd,
    }
)
