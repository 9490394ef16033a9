"""Memory that one block publishes for another one: a flag that one thread sets, and one thread awaits."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import team
from tilewright.dialects.memref import Scope
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Value, boolean, i32
from tilewright.targets.nvidia.atomics import sync_scope
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.memory import address

_BYTES = 4


def _place(ctx: KernelContext, op: team.Publish | team.AwaitPublished) -> Value:
    return address(ctx, ctx.view(op.flags), [ctx.scalar(op.number)])


def _publish(ctx: KernelContext, op: core.Operation) -> None:
    """What other threads have written is ordered by the barrier before; the release takes it along."""
    assert isinstance(op, team.Publish)
    place = _place(ctx, op)
    ctx.b.atomic_store(i32(1), place, "release", _BYTES, sync_scope(place, Scope.DEVICE))


def _await(ctx: KernelContext, op: core.Operation) -> None:
    """A warp waits as a whole, which it votes on: a loop that lanes leave one by one would take all that is computed
    behind it out of registers that a warp has in common.

    The flag is nobody's any more when it has been seen: the next launch finds it as this one did.
    """
    assert isinstance(op, team.AwaitPublished)
    b, place = ctx.b, _place(ctx, op)
    scope = sync_scope(place, Scope.DEVICE)
    with b.while_loop([]) as loop:
        found = b.atomic_load("i32", place, "acquire", _BYTES, scope)
        is_set = b.icmp("ne", found, i32(0))
        all_see = b.intrinsic("llvm.nvvm.vote.all.sync", "i1", [i32(-1), is_set], overload=[])
        b.leave_unless(loop, b.xor(all_see, boolean(True)))
    b.atomic_store(i32(0), place, "monotonic", _BYTES, scope)


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {team.Publish: _publish, team.AwaitPublished: _await}
