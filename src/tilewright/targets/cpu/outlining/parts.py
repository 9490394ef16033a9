"""Parts of a long function are outlined: LLVM's time for a function grows faster than its length.

Operations of a kernel that leave no results behind, and stores of tiles, share nothing with what is around them but
values, which are captured. Parts that say the same, from equal instructions, become one (`Module.once`).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from tilewright.dialects import scf, team
from tilewright.ir import core
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.outlining.outline import Outlined, free_values
from tilewright.targets.llvm.emitter import boolean, i64

_LONG_FUNCTION: Final = 8192
"""Instructions from which on a function grows by calls."""
_LARGE_OPERATION: Final = 64
"""Operations inside of one from which on it is not worth a function, but some of those inside are."""


def lower_outlined(ctx: KernelContext, machine: Machine, op: core.Operation) -> bool:
    """Lower an operation as a function and a call of it; False where it belongs into the function that there is."""
    if op.results or not isinstance(op, scf.For | scf.If | scf.While | team.Spmd):
        return False
    if not wants_outlining(ctx, machine) or _is_large(op):
        return False
    with outlined(ctx, machine) as part:
        for value in free_values(op):
            part.inner.bind(value, part.lowered(ctx.values[value]))
        part.inner.lower(op)
    return True


def wants_outlining(ctx: KernelContext, machine: Machine) -> bool:
    """Whether what comes next becomes a function of its own."""
    long = 0 if machine.compact else _LONG_FUNCTION
    return not ctx.in_part and ctx.lanes == 1 and ctx.b.function.length >= long


@contextmanager
def outlined(ctx: KernelContext, machine: Machine) -> Generator[Outlined]:
    """A function of its own, called once it is emitted."""
    part = Outlined(ctx, machine, "part")
    part.inner.in_part = True
    part.inner.team = part.value(ctx.team)
    with ctx.layout.passing():
        yield part
    part.call(i64(1), boolean(False))


def _is_large(op: core.Operation) -> bool:
    return sum(1 for _ in zip(op.walk(), range(_LARGE_OPERATION), strict=False)) == _LARGE_OPERATION
