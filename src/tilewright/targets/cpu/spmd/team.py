"""Teams on the CPU: a work-group is one thread, a subgroup a vector; subgroups run one after another.

A value of an SPMD region is a vector only if it differs between the work-items of a subgroup: if an operand does, or if
its operation makes it so (the lane number, a scan, an atomic's old value). A value that only depends on uniform ones is
uniform even under divergent control flow, since inactive lanes do not matter; results of divergent branches and loops
vary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.memref import AtomicKind
from tilewright.ir import core
from tilewright.ir.types import ScalarType, TileType
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.lowered import Linear, Operand, Scalar
from tilewright.targets.cpu.spmd.scalars import dtype_of
from tilewright.targets.llvm.emitter import Complex, Value, i32, i64, vector
from tilewright.targets.llvm.types import ELEMENTS, Kind


def num_subgroups(ctx: KernelContext) -> tuple[int, int]:
    """Subgroups along x and y."""
    m, n = ctx.work_group_size
    return m // ctx.subgroup_size, n


def _spmd(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Spmd)
    across, down = num_subgroups(ctx)
    ctx.lanes = ctx.subgroup_size
    ctx.varying = _varying_values(op) if ctx.lanes > 1 else frozenset()
    if across * down == 1:
        ctx.subgroup = i64(0)
        ctx.lower_block(op.body.entry)
    else:
        with ctx.b.loop(i64(0), i64(across * down), hint="subgroup") as loop:
            ctx.subgroup = loop.index
            ctx.lower_block(op.body.entry)
    ctx.lanes, ctx.varying = 1, frozenset()


def _barrier(ctx: KernelContext, op: core.Operation) -> None:
    """A single thread runs all subgroups of a region in order; barriers between subgroups were split before."""
    across, down = num_subgroups(ctx)
    assert ctx.lanes == 1 or across * down == 1, "split-barriers must run before the CPU lowering"


def _group_id(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.GroupId)
    ctx.bind(op.out, Scalar(ctx.group_id[op.dim]))


def _num_groups(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.NumGroups)
    ctx.bind(op.out, Scalar(ctx.num_groups[op.dim]))


def _num_subgroups(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.NumSubgroups)
    ctx.bind(op.out, Scalar(i32((*num_subgroups(ctx), 1)[op.dim])))


def _subgroup_size(ctx: KernelContext, op: core.Operation) -> None:
    ctx.bind(op.result, Scalar(i32(ctx.subgroup_size)))


def _subgroup_id(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.SubgroupId)
    across, _ = num_subgroups(ctx)
    number = ctx.b.trunc(ctx.subgroup, "i32")
    if op.dim == 0:
        number = ctx.b.urem(number, i32(across)) if across > 1 else i32(0)
    elif op.dim == 1:
        number = ctx.b.udiv(number, i32(across))
    else:
        number = i32(0)
    ctx.bind(op.out, Scalar(number))


def _subgroup_linear_id(ctx: KernelContext, op: core.Operation) -> None:
    ctx.bind(op.result, Scalar(ctx.b.trunc(ctx.subgroup, "i32")))


def _subgroup_local_id(ctx: KernelContext, op: core.Operation) -> None:
    if ctx.lanes == 1:
        ctx.bind(op.result, Scalar(i32(0)))
        return
    ctx.bind(op.result, Scalar(ctx.b.step(vector("i32", ctx.lanes)), True, Linear(i32(0), 1)))


def _broadcast(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Broadcast)
    value = ctx.scalar(op.value)
    if not value.varying:
        ctx.bind(op.out, value)
        return
    lane = ctx.uniform_value(ctx.scalar(op.lane))
    assert isinstance(lane, Value)
    operand = value.operand
    if isinstance(operand, Complex):
        ctx.bind(op.out, Scalar(Complex(ctx.b.extract(operand.re, lane), ctx.b.extract(operand.im, lane))))
    else:
        ctx.bind(op.out, Scalar(ctx.b.extract(operand, lane)))


def identity(dtype: str, kind: AtomicKind) -> float | int:
    """The neutral element: 0; MIN or -inf for max; MAX or +inf for min."""
    element = ELEMENTS[dtype]
    if kind is AtomicKind.ADD:
        return 0
    if element.kind is Kind.FLOAT:
        return float("-inf") if kind is AtomicKind.MAX else float("inf")
    low = -(1 << (element.bits - 1))
    return low if kind is AtomicKind.MAX else -low - 1


def _only_active(ctx: KernelContext, dtype: str, kind: AtomicKind, value: Scalar) -> Operand:
    """The value in active lanes, the identity in the others."""
    operand = ctx.widen(value)
    if ctx.mask is None:
        return operand
    return ctx.arith.select(ctx.mask, operand, ctx.arith.constant(dtype, identity(dtype, kind), ctx.lanes))


def _reduce(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, team.Reduce)
    if ctx.lanes == 1:
        ctx.bind(op.out, ctx.scalar(op.value))
        return
    dtype = dtype_of(op.value)
    operand = _only_active(ctx, dtype, op.kind, ctx.scalar(op.value))
    if isinstance(operand, Complex):
        component = ELEMENTS[dtype].component
        parts = [ctx.arith.reduce_lanes(op.kind.value, component, part) for part in operand]
        ctx.bind(op.out, Scalar(Complex(parts[0], parts[1])))
    else:
        ctx.bind(op.out, Scalar(ctx.arith.reduce_lanes(op.kind.value, dtype, operand)))


def _scan(ctx: KernelContext, op: core.Operation) -> None:
    """Hillis and Steele: lane i adds lane i - d for d = 1, 2, 4, ..

    A lane that has none below it is left alone: of NaN and the identity, the maximum is the identity.
    """
    assert isinstance(op, team.Scan)
    assert isinstance(op.value.type, ScalarType)
    dtype = dtype_of(op.value)
    neutral = ctx.arith.constant(dtype, identity(dtype, op.kind), ctx.lanes)
    if ctx.lanes == 1:
        ctx.bind(op.out, ctx.scalar(op.value) if op.inclusive else Scalar(neutral))
        return
    total = _only_active(ctx, dtype, op.kind, ctx.scalar(op.value))
    if not op.inclusive:
        total = _shifted(ctx, total, neutral, 1)
    distance = 1
    while distance < ctx.lanes:
        below = _shifted(ctx, total, neutral if op.kind is AtomicKind.ADD else total, distance)
        total = ctx.arith.binary(op.kind.value, dtype, below, total)
        distance *= 2
    ctx.bind(op.out, Scalar(total, True))


def _shifted(ctx: KernelContext, operand: Operand, lowest: Operand, distance: int) -> Operand:
    """Lane i gets lane i - distance, and those that have none below get lane i of `lowest`."""
    lanes = [i - distance if i >= distance else ctx.lanes + i for i in range(ctx.lanes)]
    if isinstance(operand, Complex) and isinstance(lowest, Complex):
        return Complex(ctx.b.shuffle(operand.re, lowest.re, lanes), ctx.b.shuffle(operand.im, lowest.im, lanes))
    assert isinstance(operand, Value)
    assert isinstance(lowest, Value)
    return ctx.b.shuffle(operand, lowest, lanes)


# Which values vary

_VARYING_SOURCES = (
    team.SubgroupLocalId,
    team.Scan,
    tile.ShareExtract,
    memref.AtomicRmw,
    memref.AtomicLoad,
)
_UNIFORM = (team.Broadcast, team.Reduce)


def _varying_values(region_op: core.Operation) -> frozenset[core.Value]:
    """Varying values inside the regions of a `team.spmd`; a fixpoint over its loops."""
    analysis = _Uniformity()
    changed = True
    while changed:
        before = len(analysis.varying)
        for op in region_op.walk():
            analysis.visit(op)
        changed = len(analysis.varying) != before
    return frozenset(analysis.varying)


class _Uniformity:
    def __init__(self) -> None:
        self.varying: set[core.Value] = set()

    def visit(self, op: core.Operation) -> None:
        match op:
            case scf.If():
                self._if(op)
            case scf.For():
                self._for(op)
            case tile.Map():
                self.varying.update(op.body.entry.arguments)
            case _ if isinstance(op, _UNIFORM):
                return
            case _ if isinstance(op, _VARYING_SOURCES) or any(o in self.varying for o in op.operands):
                self._mark(op.results)
            case _:
                return

    def _mark(self, values: Iterable[core.Value]) -> None:
        self.varying.update(v for v in values if not isinstance(v.type, TileType))

    def _if(self, op: scf.If) -> None:
        divergent = op.condition in self.varying
        arms = [scf.yielded(r) for r in op.regions]
        for index, result in enumerate(op.results):
            if divergent or any(arm[index] in self.varying for arm in arms):
                self._mark([result])

    def _for(self, op: scf.For) -> None:
        bounds = [op.lower, op.upper, *([op.step] if op.step is not None else [])]
        divergent = any(b in self.varying for b in bounds)
        if divergent:
            self._mark([op.index])
        yields = scf.yielded(op.body)
        for init, argument, value, result in zip(op.inits, op.carried, yields, op.results, strict=True):
            if divergent or any(v in self.varying for v in (init, argument, value)):
                self._mark([argument, result])


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        team.Spmd: _spmd,
        team.Barrier: _barrier,
        team.GroupId: _group_id,
        team.NumGroups: _num_groups,
        team.NumSubgroups: _num_subgroups,
        team.SubgroupSize: _subgroup_size,
        team.SubgroupId: _subgroup_id,
        team.SubgroupLinearId: _subgroup_linear_id,
        team.SubgroupLocalId: _subgroup_local_id,
        team.Broadcast: _broadcast,
        team.Reduce: _reduce,
        team.Scan: _scan,
    }
