"""assign-roles: a producer warp beside the work-group issues the copies of what its loops multiply.

before:  gpu.open_barriers ..  team.barrier
         scf.for .. { gpu.await_phase %full ..  (products)
                      scf.if %first_warp { gpu.await_readers ..  gpu.copy_tensor .. }  gpu.arrive %read .. }
after:   lane.roles {
           lane.meet  scf.for .. { gpu.await_phase %full ..  (products)  gpu.arrive %read .. }
         } {
           gpu.open_barriers ..  lane.meet  scf.for .. { gpu.await_readers ..  gpu.copy_tensor .. }
         }

A warp that multiplies is held up by the copies that it issues, and with it its group: on an H200 some 220 of 2,630
clocks of a step of attention of width 128. What the producer warp does is a slice of the program: requests, the loops
and branches around them, and what their operands are computed of. It needs no order but that of the barriers which
count copies and readers: whoever asks has waited for the readers of what is overwritten, or nobody has read there yet.
It opens these barriers too, if nothing but arithmetic is done before: then its code is all that the first copy needs.

Left alone are kernels in which what a request needs is not arithmetic: the schedule says why.
"""

from __future__ import annotations

from itertools import takewhile
from typing import ClassVar, Final

from msgspec import Struct, field
from msgspec.structs import replace

from tilewright.dialects import gpu_clusters, gpu_tensors, lane, lane_roles, memref, scf, team
from tilewright.dialects.arith import Cast, Cmp
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.reports import Check
from tilewright.ir.core import Block, BlockArgument, Operation, Region, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.schedule.alternate import alternate, alternating, obstacle
from tilewright.transforms.schedule.known import runs_lanes
from tilewright.transforms.schedule.said import schedule_of

_ASKED: Final = (
    gpu_tensors.AwaitReaders,
    gpu_tensors.Expect,
    gpu_tensors.CopyTensor,
    gpu_clusters.MulticastTensor,
)
"""What the warp beside the work-group does."""


class AssignRoles(Pass, frozen=True):
    """Of kernels on the lane level whose schedules have roles."""

    name: ClassVar[str] = "assign-roles"

    def run(self, module: Module, context: PassContext) -> bool:
        kernels = [kernel for kernel in module.kernels if runs_lanes(kernel) and schedule_of(kernel).roles]
        for kernel in kernels:
            found = _split(kernel)
            if isinstance(found, str):
                schedule = schedule_of(kernel)
                reasons = [schedule.reason] * bool(schedule.reason) + [f"no roles: {found}"]
                kernel.schedule = str(replace(schedule, roles=False, reason=", ".join(reasons)))
        return bool(kernels)


class _UnfitError(Exception):
    """What a request needs is not arithmetic."""


def _split(kernel: Kernel) -> str | None:
    """Give a kernel its roles; why it has none otherwise."""
    (spmd,) = (op for op in kernel.body.entry if isinstance(op, team.Spmd))
    operations = list(spmd.walk())
    if any(isinstance(op, gpu_clusters.Release) for op in operations):
        return "a thread of the work-group says for all that blocks of a cluster have read"
    if any(isinstance(op, Check) for op in operations):
        return "work-items that end early let others wait"
    meetings = _meetings(operations)
    if meetings is None:
        return "no barrier tells that those which count copies are there"
    body = spmd.body.entry
    common = _common(body)
    shared = alternating(operations)
    if shared is not None and (reason := obstacle(shared, body)) is not None:
        return reason
    opened = frozenset(op for op in operations if _opens_first(op, body))
    try:
        found = _Slice(body, meetings, common, opened)
        for op in operations:
            if isinstance(op, _ASKED) or op in meetings or op in opened:
                found.need(op)
    except _UnfitError as error:
        return str(error)
    (main, inside), (beside, outside) = new_region(), new_region()
    found.emit(body, Builder.at_end(outside, kernel.location), {})
    for op in opened:
        op.erase()
    for op in [op for op in body if op not in common]:
        op.detach()
        inside.append(op)
    sides = 1 if shared is None else lane_roles.SIDES
    Builder.at_end(body, kernel.location)(lane_roles.Roles(main, beside, sides))
    for op in meetings:
        Builder.before_op(op)(_meeting(op))
        op.erase()
    _leave_out(operations)
    if shared is not None:
        alternate(shared, inside)
    return None


def _common(body: Block) -> frozenset[Operation]:
    """The operations that stand in front of both roles: memory, and what anybody may compute, the same on all sides."""
    found, own = set[Operation](), set[Operation]()
    for op in takewhile(lambda op: isinstance(op, memref.Alloca) or _is_arithmetic(op), body):
        is_own = isinstance(op, lane_roles.Side) or any(value.defining_op in own for value in op.operands)
        (own if is_own else found).add(op)
    return frozenset(found)


def _is_arithmetic(op: Operation) -> bool:
    return not op.regions and op.effects() is not None and not op.effects()


def _meetings(operations: list[Operation]) -> frozenset[Operation] | None:
    """The barriers behind which the words that count copies are barriers for all."""
    found: set[Operation] = set()
    for op in operations:
        if not isinstance(op, gpu_tensors.OpenBarriers):
            continue
        at = op.parent_op if isinstance(op.parent_op, scf.If) else op
        behind = at.next
        while behind is not None and not isinstance(behind, team.Barrier | gpu_clusters.ClusterBarrier):
            behind = behind.next
        if behind is None:
            return None
        found.add(behind)
    return frozenset(found)


def _opens_first(op: Operation, body: Block) -> bool:
    """Whether an operation is a branch in which one thread opens barriers, behind nothing but arithmetic and branches
    like it."""
    if not _only_opens(op):
        return False
    for at in (op, *op.ancestors()):
        before = at.previous
        while before is not None:
            if not (isinstance(before, memref.Alloca) or _is_arithmetic(before) or _only_opens(before)):
                return False
            before = before.previous
        if at.block is body:
            break
        if at is not op and not isinstance(at, scf.If):
            return False
    return True


def _only_opens(op: Operation) -> bool:
    """Whether an operation is a branch in which nothing is done but to open barriers."""
    if not isinstance(op, scf.If) or op.outs or op.orelse is not None:
        return False
    inside = [inner for inner in op.then.entry if not isinstance(inner, scf.Yield)]
    return bool(inside) and all(isinstance(inner, gpu_tensors.OpenBarriers) for inner in inside)


def _meeting(barrier: Operation) -> lane_roles.Meet:
    """Where both roles meet, in place of a barrier of the work-group or of the cluster."""
    return lane_roles.Meet(cluster=isinstance(barrier, gpu_clusters.ClusterBarrier))


def _is_of_warp(condition: Value) -> bool:
    """Whether a condition is that a thread is of a certain warp: in the role beside there is one."""
    op = condition.defining_op
    if not isinstance(op, Cmp):
        return False
    number = op.lhs.defining_op
    if isinstance(number, Cast):
        number = number.value.defining_op
    return isinstance(number, team.SubgroupLinearId)


def _leave_out(operations: list[Operation]) -> None:
    """Take away what the other role does, with the branches around it that nothing is left of."""
    for op in operations:
        if not isinstance(op, _ASKED):
            continue
        around = op.parent_op
        op.erase()
        while isinstance(around, scf.If) and not around.outs and _is_idle(around):
            elected, outer = around.condition.defining_op, around.parent_op
            for inner in reversed(list(around.walk())):
                if inner.block is not None:
                    inner.erase()
            if isinstance(elected, lane.Elect) and not list(elected.out.uses):
                elected.erase()
            around = outer


def _is_idle(branch: scf.If) -> bool:
    """Whether nobody notices what is in a branch."""
    return all(
        _is_arithmetic(op) or isinstance(op, lane.Elect | scf.Yield | scf.If)
        for op in branch.walk()
        if op is not branch
    )


class _Slice(Struct):
    """What of a program the requests in it need: operations, and of loops and branches which of their results.

    `meetings` are barriers of both roles, `common` the operations in front of both, `opened` branches of one thread
    that opens barriers for all.
    """

    body: Block
    meetings: frozenset[Operation]
    common: frozenset[Operation]
    opened: frozenset[Operation]
    needed: set[Operation] = field(default_factory=set[Operation])
    places: dict[Operation, dict[int, None]] = field(default_factory=dict[Operation, dict[int, None]])

    def need(self, op: Operation) -> None:
        """An operation, and what is around it. Raises `_UnfitError`."""
        if op in self.needed:
            return
        self.needed.add(op)
        is_known = isinstance(op, (*_ASKED, lane.Elect, scf.For, scf.If)) or op in self.meetings
        if not is_known and not _is_arithmetic(op):
            raise _UnfitError(f"{op.name} says what is copied")
        around = op.parent_op
        if around is not None and op.block is not self.body:
            if not isinstance(around, scf.For | scf.If):
                raise _UnfitError(f"requests stand in {around.name}")
            self.need(around)
        if isinstance(op, scf.For):
            bounds = [op.lower, op.upper, *([] if op.step is None else [op.step])]
        elif isinstance(op, scf.If):
            bounds = [] if _is_of_warp(op.condition) or op in self.opened else [op.condition]
        else:
            bounds = [] if op in self.meetings else list(op.operands)
        for value in bounds:
            self._value(value)

    def _value(self, value: Value) -> None:
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op
            if isinstance(loop, scf.For):
                self.need(loop)
                if value is not loop.index:
                    self._place(loop, loop.carried.index(value))
            return
        op = value.defining_op
        assert op is not None
        if isinstance(op, scf.For | scf.If):
            self.need(op)
            self._place(op, next(k for k, out in enumerate(op.outs) if out is value))
        elif op not in self.common and (op.block is self.body or any(at.block is self.body for at in op.ancestors())):
            self.need(op)

    def _place(self, op: scf.For | scf.If, number: int) -> None:
        """A result of a loop or branch, and what it is computed of."""
        found = self.places.setdefault(op, {})
        if number in found:
            return
        found[number] = None
        if isinstance(op, scf.For):
            self._value(op.inits[number])
        for region in op.regions:
            self._value(scf.yielded(region)[number])

    def emit(self, block: Block, build: Builder, known: dict[Value, Value]) -> None:
        """Write the slice of a block; `known` says what stands for its values."""
        for op in block:
            if op not in self.needed:
                continue
            build.location = op.location
            if op in self.meetings:
                build(_meeting(op))
            elif op in self.opened:
                self._open(op, build)
            elif isinstance(op, scf.For):
                self._loop(op, build, known)
            elif isinstance(op, scf.If):
                self._branch(op, build, known)
            else:
                build(op.clone(known))

    @staticmethod
    def _open(op: Operation, build: Builder) -> None:
        """One lane does."""
        then, inside = new_region()
        build(scf.If(build(lane.Elect()).out, then))
        at = Builder.at_end(inside, op.location)
        for opens in op.regions[0].entry:
            if isinstance(opens, gpu_tensors.OpenBarriers):
                at(opens.clone({}))

    def _outs(self, op: scf.For | scf.If) -> list[int]:
        return sorted(self.places.get(op, ()))

    def _loop(self, op: scf.For, build: Builder, known: dict[Value, Value]) -> None:
        outs = self._outs(op)
        lower, upper, step = (None if each is None else known.get(each, each) for each in (op.lower, op.upper, op.step))
        assert lower is not None
        assert upper is not None
        inits = [known.get(value, value) for value in (op.inits[k] for k in outs)]
        region, inside = new_region([op.index.type, *(value.type for value in inits)])
        index, *carried = inside.arguments
        known |= {op.index: index, **{op.carried[k]: value for k, value in zip(outs, carried, strict=True)}}
        loop = build(scf.For(lower, upper, region, step, inits, result_types=[value.type for value in inits]))
        loop.unroll = False
        self._fill(op.body, inside, outs, known)
        known |= dict(zip((op.outs[k] for k in outs), loop.outs, strict=True))

    def _branch(self, op: scf.If, build: Builder, known: dict[Value, Value]) -> None:
        outs = self._outs(op)
        if not outs and _is_of_warp(op.condition):
            self.emit(op.then.entry, build, known)
            return
        made: list[Region] = []
        for region in op.regions:
            new, inside = new_region()
            made.append(new)
            self._fill(region, inside, outs, known)
        types = [op.outs[k].type for k in outs]
        branch = build(scf.If(known.get(op.condition, op.condition), *made, result_types=types))
        known |= dict(zip((op.outs[k] for k in outs), branch.outs, strict=True))

    def _fill(self, region: Region, inside: Block, outs: list[int], known: dict[Value, Value]) -> None:
        build = Builder.at_end(inside)
        self.emit(region.entry, build, known)
        if outs:
            values = scf.yielded(region)
            build(scf.Yield([known.get(values[k], values[k]) for k in outs]))
