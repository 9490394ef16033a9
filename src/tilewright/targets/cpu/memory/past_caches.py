"""Which stores go past the caches, and when what they wrote is seen."""

from __future__ import annotations

from tilewright.dialects import addresses, memref, scf, tile
from tilewright.dialects.memref import Semantics
from tilewright.ir import core
from tilewright.ir.interfaces import ViewLike, root_of
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.places import number
from tilewright.targets.llvm.emitter import Builder, Value, i64


def exceeds_caches(ctx: KernelContext, store: tile.Store, machine: Machine) -> Value | None:
    """Whether the memory that a store writes a part of is larger than the core's share of the last cache: then it is
    taken for gone from there before it is read in a later pass. None if the kernel may read what is stored sooner, or
    may tell another work-group that it is there, by a store that releases: nothing but a fence orders the two.
    """
    whole = _whole(ctx, store.memref)
    assert isinstance(whole.type, MemrefType)
    if not ctx.past_caches or whole.type.space is not AddressSpace.GLOBAL or _is_read_soon(ctx, store):
        return None
    if any(_releases(op) for op in ctx.kernel.walk()):
        return None
    b, size = ctx.b, i64(whole.type.element.bytes)
    for extent in ctx.view(whole).sizes:
        size = b.mul(size, number(ctx, extent))
    return b.icmp("sge", size, i64(machine.last_cache_bytes))


def _whole(ctx: KernelContext, view: core.Value) -> core.Value:
    """The memory that a view is a part of, as far as the function knows it."""
    while isinstance(op := view.defining_op, ViewLike) and op.memref in ctx.values:
        view = op.memref
    return view


def _is_read_soon(ctx: KernelContext, store: tile.Store) -> bool:
    """Whether the work-group reads the memory, in the same outermost loop if it is the only work-group."""
    scope: core.Operation = ctx.kernel
    if ctx.kernel.max_groups == 1:
        loops = [op for op in store.ancestors() if isinstance(op, scf.For)]
        scope = loops[-1] if loops else scope
    place = _origin(root_of(store.memref))
    return any(isinstance(op, tile.Load) and _origin(root_of(op.memref)) is place for op in scope.walk())


def _releases(op: core.Operation) -> bool:
    """Whether an operation is a store that releases; read-modify-writes and stores in one order are fences as well."""
    match op:
        case memref.AtomicStore() | tile.AtomicStore() | addresses.Scatter():
            return op.semantics in (Semantics.RELEASE, Semantics.ACQUIRE_RELEASE)
        case _:
            return False


def _origin(root: core.Value) -> core.Value:
    """The address that memory at an address is taken from; anything else itself."""
    op = root.defining_op
    return op.address if isinstance(op, addresses.FromAddress) else root


def settle(b: Builder) -> None:
    """What the function stored past the caches is seen by whoever sees what comes next."""
    if b.function.streams:
        b.intrinsic_void("llvm.x86.sse.sfence", [])
