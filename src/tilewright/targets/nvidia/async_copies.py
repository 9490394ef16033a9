"""Copies from global to shared memory that go on by themselves: `cp.async`."""

from __future__ import annotations

from typing import Final

from tilewright.targets.llvm.emitter import Value, i32
from tilewright.targets.nvidia.context import KernelContext

_PAST_L1: Final = 16
"""Copies of so many bytes need not go through the first cache."""


def copy_async(
    ctx: KernelContext,
    target: Value,
    source: Value,
    bytes_: int,
    given: Value | None = None,
    *,
    shared: bool = False,
) -> None:
    """Begin a copy of so many bytes to shared memory; zeros behind the first `given` of them.

    What other blocks copy too, `shared`, goes through the first cache.
    """
    past_l1 = bytes_ == _PAST_L1 and not shared
    name = f"llvm.nvvm.cp.async.{'cg' if past_l1 else 'ca'}.shared.global.{bytes_}"
    if given is None:
        ctx.b.intrinsic_void(name, [target, source])
    else:
        ctx.b.intrinsic_void(f"{name}.s", [target, source, given])


def commit(ctx: KernelContext) -> None:
    """What was begun since the last time is a group."""
    ctx.b.intrinsic_void("llvm.nvvm.cp.async.commit.group", [])


def wait(ctx: KernelContext, pending: int) -> None:
    """All groups of this thread but the last `pending` have arrived."""
    ctx.b.intrinsic_void("llvm.nvvm.cp.async.wait.group", [i32(pending)])
