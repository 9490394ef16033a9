"""The part of the CPU target that computes tiles: each operation becomes an expression, or code where it must."""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.dialects import addresses, arith, arith_integers, scf, tile
from tilewright.dialects.reports import Report
from tilewright.dialects.tile_combine import ReduceBy, ScanBy, single_operation
from tilewright.ir import core, interfaces
from tilewright.ir.interfaces import AccessesAddresses, MovesElements
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext, NoLowering, TileCarrier
from tilewright.targets.cpu.expressions.graph import is_expression, sole_rearrangement
from tilewright.targets.cpu.expressions.nodes import (
    Converted,
    Elementwise,
    Expression,
    Gathered,
    Iota,
    Memory,
    Product,
    Reduction,
    Reshaped,
    Splat,
    natural_dim,
)
from tilewright.targets.cpu.expressions.rearranged import rearranged
from tilewright.targets.cpu.expressions.reshaping import as_strided
from tilewright.targets.cpu.large_products.product import is_large, kind_of, large_product
from tilewright.targets.cpu.lowered import Scalar
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.buffers import BufferPool
from tilewright.targets.cpu.memory.deferral import may_defer
from tilewright.targets.cpu.memory.past_caches import exceeds_caches
from tilewright.targets.cpu.memory.places import guarded, place, tile_of
from tilewright.targets.cpu.outlining.parts import lower_outlined
from tilewright.targets.cpu.spmd.host import lower_report
from tilewright.targets.cpu.tiles import atomics, combining, moves, scatters, shares
from tilewright.targets.cpu.tiles.carriers import carrier_of
from tilewright.targets.cpu.tiles.elementwise import elementwise
from tilewright.targets.cpu.tiles.overlap import OverlapTests
from tilewright.targets.cpu.tiles.prefetch import following, lower_prefetch, prefetch_reads
from tilewright.targets.cpu.tiles.roots import Roots
from tilewright.targets.cpu.tiles.shared_loops import may_share, share_loop
from tilewright.targets.cpu.tiles.sharing import Sharing
from tilewright.targets.cpu.units.schedule import in_registers
from tilewright.targets.llvm.emitter import Function, Value, i64

_CHAINED_ELEMENTS = 4096


class CpuTiles:
    """Implements `context.TileLowering` for a machine."""

    __slots__ = ("_overlaps", "_pools", "_sharing", "machine")

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._pools: dict[Function, BufferPool] = {}
        self._overlaps = OverlapTests()
        self._sharing = Sharing()

    def _roots(self, ctx: KernelContext, block: core.Block | None) -> Roots:
        pool = self._pools.setdefault(ctx.b.function, BufferPool())
        return Roots(ctx, self.machine, pool, block)

    def lower(self, ctx: KernelContext, op: core.Operation) -> None:
        """Lower one operation on tiles and bind its results."""
        roots = self._roots(ctx, op.block)
        expression = self._expression(ctx, roots, op)
        if expression is not None:
            shared = self._sharing.is_shared(op.results[0], expression)
            ctx.bind(op.results[0], roots.computed_once(expression) if shared else expression)
            return
        match op:
            case tile.Store():
                target = place(ctx, op.memref, op.indices, op.check, tile_of(ctx, op.value).type)
                target = replace(target, exceeds=exceeds_caches(ctx, op, self.machine))
                with guarded(ctx):
                    self._overlaps.store(ctx, roots, tile_of(ctx, op.value), target)
            case tile.Item():
                ctx.bind(op.out, Scalar(roots.element(tile_of(ctx, op.tile))))
            case ReduceBy() | ScanBy():
                combining.lower(ctx, roots, op)
            case Report():
                lower_report(ctx, op, lambda value, at: _store_packed(roots.unshared(), tile_of(ctx, value), at))
            case tile.Prefetch():
                lower_prefetch(ctx, roots, op)
            case AccessesAddresses():
                scatters.lower(ctx, roots, op)
            case tile.AtomicLoad() | tile.AtomicStore() | tile.AtomicRmw():
                with guarded(ctx):
                    atomics.lower(ctx, roots, op)
            case tile.ShareExtract():
                shares.extract(ctx, roots, op)
            case _:
                raise NoLowering(op)

    def _expression(self, ctx: KernelContext, roots: Roots, op: core.Operation) -> Expression | None:
        type_ = op.results[0].type if op.results else None
        if not isinstance(type_, TileType):
            return None
        match op:
            case arith.Constant():
                return Splat(type_, ctx.arith.constant(type_.element.name, op.value))
            case tile.Splat():
                return Splat(type_, ctx.uniform_value(ctx.scalar(op.value)))
            case tile.Load():
                memory = place(ctx, op.memref, op.indices, op.check, type_)
                memory = replace(memory, following=following(op, self.machine))
                packed = memory.checked and _is_factor_at_address(op)
                return memory if not packed and self._in_place(op, memory) else roots.materialize(memory)
            case addresses.Gather() if op.semantics is None:
                mask = None if op.mask is None else tile_of(ctx, op.mask)
                return roots.materialize(Gathered(type_, tile_of(ctx, op.addresses), mask))
            case tile.Iota():
                return Iota(type_, op.dim)
            case tile.Mma():
                return _product(ctx, roots, op, type_)
            case tile.Reduce():
                return Reduction(type_, tile_of(ctx, op.tile), op.kind.value, op.dim)
            case ReduceBy() if (word := _word(op)) is not None:
                return Reduction(type_, tile_of(ctx, op.tiles[0]), word, op.dim)
            case tile.Reshape() if is_expression(op):
                return _matrix(tile_of(ctx, op.tile), type_)
            case MovesElements() if (move := sole_rearrangement(op)) is not None:
                return rearranged(tile_of(ctx, op.operands[move.operand]), move)
            case MovesElements() | tile.Reinterpret() | tile.Scan() | tile.Map():
                return moves.lower(ctx, roots, op)
            case tile.ShareInsert():
                return shares.insert(ctx, roots, op)
            case interfaces.Elementwise():
                return elementwise(ctx, op, type_)
            case _:
                return None

    def _in_place(self, load: tile.Load, memory: Memory) -> bool:
        return may_defer(load, self.machine) or self._overlaps.may_wait(load, memory, self.machine)

    def carrier(self, ctx: KernelContext, value: core.Value) -> TileCarrier:
        """How loops and branches carry a tile."""
        # A loop's buffers live around it. Those of a branch are filled inside its arms, where the arms' own are in use.
        loop = value.owner.parent_op if isinstance(value.owner, core.Block) else None
        return carrier_of(self._roots(ctx, loop.block if loop is not None else None), value)

    def outline(self, ctx: KernelContext, op: core.Operation) -> bool:
        """Operations of long functions become functions of their own."""
        return lower_outlined(ctx, self.machine, op)

    def prefetch(self, ctx: KernelContext, loop: core.Operation) -> None:
        """Loops that combine what they read, of more memory than the caches hold."""
        assert isinstance(loop, scf.For)
        prefetch_reads(ctx, self.machine, loop)

    def parallel_loop(self, ctx: KernelContext, op: core.Operation) -> bool:
        """Loops whose body is not itself shared out are, if they may be long enough."""
        assert isinstance(op, scf.For)
        return may_share(op) and ctx.team.text != "null" and share_loop(ctx, self.machine, op)


def _is_factor_at_address(op: tile.Load) -> bool:
    """Whether a product reads the tile, and its memory is no parameter: then nobody has cut it at the edges before.

    Such a factor is copied, so that the product has no code for edges.
    """
    at_address = isinstance(op.memref.defining_op, addresses.FromAddress)
    return at_address and any(isinstance(user, tile.Mma) for user in op.out.uses)


def _word(op: ReduceBy) -> str | None:
    """The operation that the region is, where the order of elements does not matter."""
    single = single_operation(op.body)
    return None if single is None or single.attributes else single.name.removeprefix("arith.")


def _product(ctx: KernelContext, roots: Roots, op: tile.Mma, type_: TileType) -> Product:
    lhs, rhs = _factor_of(tile_of(ctx, op.lhs)), _factor_of(tile_of(ctx, op.rhs))
    acc = tile_of(ctx, op.acc)
    if large_product(roots.machine, acc) is not None:
        acc = roots.materialize(acc)
    large = is_large(roots.machine, Product(type_, lhs, rhs, acc))
    # what is packed after all says so itself
    ctx.schedule[op] = in_registers(op, kind_of(lhs), kind_of(rhs), roots.machine)
    lhs = _factor(roots, lhs, type_, 0, op.lhs.has_one_use(), large)
    rhs = _factor(roots, rhs, type_, 1, op.rhs.has_one_use(), large)
    return Product(type_, lhs, rhs, acc, op)


def _matrix(source: Expression, type_: TileType) -> Expression:
    """Memory as a matrix, or a matrix as memory of more dimensions."""
    strided = as_strided(source, type_) if isinstance(source, Memory) and type_.rank < source.type.rank else None
    return strided or Reshaped(type_, source)


def _factor_of(source: Expression) -> Expression:
    """Unsigned integers in memory that are widened are as good a factor as signed ones."""
    if isinstance(source, Elementwise) and isinstance(source.op, arith_integers.UCast):
        inner = source.operands[0]
        if isinstance(inner, Memory) and inner.type.element.bytes < source.type.element.bytes:
            return Converted(source.type, inner, signed=False)
    return source


def _factor(roots: Roots, source: Expression, product: TileType, unit: int, sole: bool, large: bool) -> Expression:
    """A factor as a product reads it: in memory and in the accumulator's type, since each element is read often.

    Those of a large product are converted when they are packed.
    """
    if isinstance(source, Reshaped) and not large:
        source = roots.put_together(source)
    if isinstance(source, Memory | Reshaped) and source.type.element is product.element:
        return source
    if isinstance(source, Splat) or (isinstance(source, Product) and sole and source.type.size <= _CHAINED_ELEMENTS):
        return source
    wanted = TileType(source.type.shape, product.element)
    if source.type.element is not product.element:
        source = Converted(wanted, source)
    if large and isinstance(source, Converted):
        return source
    return roots.materialize(source, unit if natural_dim(source) is None or isinstance(source, Product) else None)


def _store_packed(roots: Roots, tile: Expression, pointer: Value) -> None:
    """Store a tile in one piece, the first dimension fastest."""
    strides = [1]
    for extent in tile.type.shape[:-1]:
        strides.append(strides[-1] * extent)
    roots.store(tile, Memory(tile.type, pointer, tuple(map(i64, strides)), (None,) * tile.type.rank))
