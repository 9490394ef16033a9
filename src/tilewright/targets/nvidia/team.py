"""Who computes: ids and sizes, SPMD regions, barriers, subgroup operations."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import team
from tilewright.dialects.lane_products import MmaAsync
from tilewright.dialects.memref import AtomicKind
from tilewright.ir import core
from tilewright.ir.types import ScalarType
from tilewright.targets.llvm.emitter import Value, i32, i64
from tilewright.targets.nvidia import warp
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.values import Operand

_AXES = "xyz"


def in_spmd(op: core.Operation) -> bool:
    """Whether work-items run the operation, each for itself."""
    return any(isinstance(ancestor, team.Spmd) for ancestor in op.ancestors())


def special_register(ctx: KernelContext, name: str) -> Value:
    """A PTX special register such as `tid.x`, widened to 64 bits."""
    number = ctx.b.intrinsic(f"llvm.nvvm.read.ptx.sreg.{name}", "i32", [], overload=(), hint=name.replace(".", "_"))
    return ctx.b.zext(number, "i64")


def group_id(ctx: KernelContext, dim: int) -> Value:
    """Position of the work-group in the grid."""
    block = special_register(ctx, f"ctaid.{_AXES[dim]}")
    if dim:
        return block
    return ctx.b.mul(block, i64(ctx.kernel.items)) if ctx.parts is None else _number(ctx, "ctaid.x")


def num_groups(ctx: KernelContext, dim: int) -> Value:
    """Extent of the grid."""
    if dim == 0 and ctx.parts is not None:
        return _number(ctx, "nctaid.x")
    return ctx.groups[dim] if dim < len(ctx.groups) else special_register(ctx, f"nctaid.{_AXES[dim]}")


def _group_id(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.GroupId)
    ctx.bind(op.out, group_id(ctx, op.dim))


def _num_groups(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.NumGroups)
    ctx.bind(op.out, num_groups(ctx, op.dim))


def _number(ctx: KernelContext, register: str) -> Value:
    """Of work-groups, from a number of blocks along x."""
    assert ctx.parts is not None
    b = ctx.b
    return b.zext(b.udiv(b.trunc(special_register(ctx, register), "i32"), b.trunc(ctx.parts, "i32")), "i64")


def part(ctx: KernelContext) -> Value:
    """Number of the block among those of its work-group, or of the grid."""
    if ctx.kernel.gathered:
        return special_register(ctx, "ctaid.x")
    if ctx.parts is None:
        return i64(0)
    if ctx.kernel.max_groups == 1:
        return special_register(ctx, "ctaid.x")
    b, block, count = ctx.b, ctx.b.trunc(special_register(ctx, "ctaid.x"), "i32"), ctx.b.trunc(ctx.parts, "i32")
    # nothing can be computed before: blocks of the first work-group, which mostly is the only one, need not divide
    with b.if_else(b.icmp("ult", block, count)) as branch:
        with branch.then():
            branch.yield_(block)
        with branch.otherwise():
            branch.yield_(b.urem(block, count))
    return b.zext(branch.results[0], "i64")


def _part(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Part)
    ctx.bind(op.out, part(ctx))


def _num_parts(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.NumParts)
    if ctx.kernel.gathered:
        ctx.bind(op.out, special_register(ctx, "nctaid.x"))
    else:
        ctx.bind(op.out, i64(1) if ctx.parts is None else ctx.parts)


def _columns(ctx: KernelContext) -> int:
    return ctx.work_group_size[0] // ctx.subgroup_size


def _num_subgroups(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.NumSubgroups)
    ctx.bind(op.out, i32((_columns(ctx), ctx.work_group_size[1], 1)[op.dim]))


def _subgroup_size(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.SubgroupSize)
    ctx.bind(op.out, i32(ctx.subgroup_size))


def _subgroup_id(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.SubgroupId)
    b, columns = ctx.b, i32(_columns(ctx))
    ids = (b.urem(ctx.subgroup, columns), b.udiv(ctx.subgroup, columns), i32(0))
    ctx.bind(op.out, ids[op.dim])


def _subgroup_linear_id(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.SubgroupLinearId)
    ctx.bind(op.out, ctx.subgroup)


def _subgroup_local_id(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.SubgroupLocalId)
    ctx.bind(op.out, ctx.lane)


def _spmd(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Spmd)
    ctx.lower_block(op.body.entry)


def _barrier(ctx: KernelContext, op: core.Operation) -> None:
    """The hardware's barrier orders all memory, whatever the operation names."""
    ctx.barrier()


def _broadcast(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Broadcast)
    ctx.bind(op.out, warp.shuffle(ctx, "idx", ctx.operand(op.value), ctx.scalar(op.lane)))


class Combiner:
    """A sum, maximum or minimum; 16-bit floats are combined in f32 and rounded at the end."""

    def __init__(self, ctx: KernelContext, kind: AtomicKind, type_: ScalarType) -> None:
        self._ctx = ctx
        self._kind = kind
        self._type = type_
        self._wide = type_.accumulator if type_.is_float else type_

    def widen(self, operand: Operand) -> Operand:
        """To the type in which the combination is done."""
        return self._ctx.arith.cast(operand, self._type.name, self._wide.name)

    def narrow(self, operand: Operand) -> Operand:
        """Back to the element type."""
        return self._ctx.arith.cast(operand, self._wide.name, self._type.name)

    def __call__(self, x: Operand, y: Operand) -> Operand:
        """Combine two widened operands."""
        return self._ctx.arith.lower(self._kind.value, self._wide.name, x, y)

    def identity(self) -> Operand:
        """The widened operand that changes nothing: 0, MIN or -inf, MAX or +inf."""
        return self._ctx.arith.constant(self._wide.name, self._kind.of_nothing(self._wide))


def _reduce(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Reduce)
    assert isinstance(op.out.type, ScalarType)
    combine = Combiner(ctx, op.kind, op.out.type)
    ctx.bind(op.out, combine.narrow(warp.reduce(ctx, combine.widen(ctx.operand(op.value)), combine)))


def _scan(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Scan)
    assert isinstance(op.out.type, ScalarType)
    combine = Combiner(ctx, op.kind, op.out.type)
    total = warp.inclusive_scan(ctx, combine.widen(ctx.operand(op.value)), combine)
    if not op.inclusive:
        # It starts with the identity, which wins over NaN.
        total = warp.shift_up(ctx, combine(combine.identity(), total), combine.identity())
    ctx.bind(op.out, combine.narrow(total))


def thread_position(ctx: KernelContext, size: int) -> tuple[Value, Value]:
    """The thread's number in its subgroup or warp of that size, and the number of that."""
    b = ctx.b
    lane = b.trunc(b.and_(ctx.thread, i64(size - 1)), "i32", hint="lane")
    subgroup = b.trunc(b.lshr(ctx.thread, i64(size.bit_length() - 1)), "i32", hint="subgroup")
    if any(isinstance(op, MmaAsync) for op in ctx.kernel.walk()):
        # the same in all lanes, which ptxas sees of nothing else: where groups of warps find their factors then lies in
        # uniform registers, from which their instructions take it
        subgroup = b.intrinsic("llvm.nvvm.shfl.sync.idx.i32", "i32", [i32(-1), subgroup, i32(0), i32(31)], overload=[])
    return lane, subgroup


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        team.GroupId: _group_id,
        team.NumGroups: _num_groups,
        team.Part: _part,
        team.NumParts: _num_parts,
        team.NumSubgroups: _num_subgroups,
        team.SubgroupSize: _subgroup_size,
        team.SubgroupId: _subgroup_id,
        team.SubgroupLinearId: _subgroup_linear_id,
        team.SubgroupLocalId: _subgroup_local_id,
        team.Spmd: _spmd,
        team.Barrier: _barrier,
        team.Broadcast: _broadcast,
        team.Reduce: _reduce,
        team.Scan: _scan,
    }
