"""Numbers that are computed where a condition holds, and others where it does not."""

from __future__ import annotations

from collections.abc import Callable

from tilewright.targets.llvm.emitter import Value
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.values import Operand, of_parts, parts_of


def guarded(ctx: KernelContext, condition: Value, yes: Callable[[], Operand], no: Callable[[], Operand]) -> Operand:
    """One operand or the other by a branch; no branch for a constant condition."""
    if condition.text in ("true", "false"):
        return yes() if condition.text == "true" else no()
    with ctx.b.if_else(condition) as branch:
        with branch.then():
            branch.yield_(*parts_of(yes()))
        with branch.otherwise():
            branch.yield_(*parts_of(no()))
    return of_parts(branch.results)


def guarded_all(
    ctx: KernelContext, condition: Value, yes: Callable[[], list[Operand]], no: Callable[[], list[Operand]]
) -> list[Operand]:
    """As `guarded`, of many operands; the condition is likely to hold."""
    if condition.text in ("true", "false"):
        return yes() if condition.text == "true" else no()
    count = 0
    with ctx.b.if_else(condition, likely=True) as branch:
        with branch.then():
            given = yes()
            count = len(parts_of(given[0]))
            branch.yield_(*(part for operand in given for part in parts_of(operand)))
        with branch.otherwise():
            branch.yield_(*(part for operand in no() for part in parts_of(operand)))
    parts = list(branch.results)
    return [of_parts(parts[k : k + count]) for k in range(0, len(parts), count)]
