"""Checks: a work-group whose check fails leaves a record for the host, and ends.

Work-items of a work-group are lanes of one thread, so that it ends with a jump, wherever it stands. The first check
that fails in a launch leaves a record, the others are only counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.artifacts.report_sites import HEAD_WORDS, RECORD_WORDS
from tilewright.dialects.reports import Check
from tilewright.ir import core
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.spmd.host import ALLOCATE, head_of
from tilewright.targets.llvm.emitter import Builder, Module, Value, i64
from tilewright.targets.llvm.module import Callee

_WORD = 8
_RECORD = "tilewright.failed_check"
_PARAMETERS = [
    ("ptr", "head"),
    ("i64", "site"),
    ("i64", "x"),
    ("i64", "y"),
    ("i64", "z"),
    ("ptr", "values"),
    ("i64", "count"),
]


def _check(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, Check)
    assert ctx.leave is not None, "checks stand outside of what threads share"
    b = ctx.b
    condition = ctx.scalar(op.condition)
    failing = ctx.mask
    if condition.varying and ctx.lanes > 1:
        wrong = b.not_(condition.value)
        failing = wrong if ctx.mask is None else b.and_(ctx.mask, wrong)
        fails = ctx.any_active(failing)
    else:
        fails = b.not_(condition.value)
        if ctx.mask is not None:
            fails = b.and_(fails, ctx.any_active(ctx.mask))
    with b.if_then(fails, likely=False):
        with ctx.masked(failing):
            values = [ctx.uniform_value(ctx.scalar(value)) for value in op.values]
        _report(ctx, ctx.sites[op], [b.resize(v, "i64") for v in values if isinstance(v, Value)])
        b.br(ctx.leave)


def _report(ctx: KernelContext, site: int, values: Sequence[Value]) -> None:
    b = ctx.b
    place = b.alloca("i64", max(len(values), 1), align=_WORD, hint="values")
    for number, value in enumerate(values):
        b.store(value, b.offset(place, _WORD * number), _WORD)
    b.call_void(_recorder(ctx.module), [head_of(ctx), i64(site), *ctx.group_id, place, i64(len(values))])


def _recorder(module: Module) -> Callee:
    """The function that writes a record, if it is the first, and puts it in front of the list."""
    known = module.defined(_RECORD)
    if known is not None:
        return known
    function = module.function(_RECORD, "void", _PARAMETERS, linkage="internal", attributes="noinline cold nounwind")
    head, *fields, values, count = function.arguments
    b = Builder(function)
    earlier = b.atomicrmw("add", b.offset(head, _WORD * HEAD_WORDS), i64(1), "monotonic", _WORD)
    with b.if_then(b.icmp("eq", earlier, i64(0))):
        size = b.mul(b.add(count, i64(RECORD_WORDS)), i64(_WORD))
        record = b.call(module.declare(ALLOCATE, "ptr", ["i64"]), [size], hint="record")
        with b.if_else(b.icmp("ne", b.cast("ptrtoint", record, "i64"), i64(0)), likely=True) as branch:
            with branch.then():
                for number, value in enumerate(fields, 1):
                    b.store(value, b.offset(record, _WORD * number), _WORD)
                with b.loop(i64(0), count) as copying:
                    value = b.load("i64", b.gep("i64", values, copying.index), _WORD)
                    b.store(value, b.gep("i64", record, b.add(copying.index, i64(RECORD_WORDS))), _WORD)
                b.store(b.atomicrmw("xchg", head, b.cast("ptrtoint", record, "i64"), "acq_rel", _WORD), record, _WORD)
            with branch.otherwise():
                b.atomicrmw("add", b.offset(head, _WORD), i64(1), "monotonic", _WORD)
    b.ret()
    return function.callee


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {Check: _check}
