"""Reports to the host: records behind each other in memory that the launch gives, and work-groups that end early.

    claimed | first without room | without room | failed checks | site x y z values .. | site x y z values .. | ..

all of 8 bytes. Whoever reports claims its words by an atomic addition; one thread does for a work-group,
so that they stand in the order of its steps. `runtime/nvidia/records.py` reads them when the launch is over.

Where a check fails, the thread leaves a record, if it is the first of the launch, and is at its end. Barriers do not
wait for such threads; behind the next one the others of the work-group follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.artifacts.report_sites import DEVICE_HEAD_WORDS, DEVICE_RECORD_WORDS
from tilewright.dialects.addresses import Reach
from tilewright.dialects.reports import Check, Claim
from tilewright.ir import core
from tilewright.targets.llvm.emitter import Builder, Module, Value, i32, i64
from tilewright.targets.llvm.module import Callee
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.team import in_spmd
from tilewright.targets.nvidia.values import GLOBAL

_WORD: Final = 8
_FLAG_BYTES: Final = 4


def begin(ctx: KernelContext) -> None:
    """Words of shared memory by which threads tell each other what concerns all of them.

    Nothing else ever lies there: of memory that is used again, the next iteration of a loop would have to ask who reads
    it still.
    """
    steps = list(ctx.kernel.walk())
    if any(isinstance(op, Claim) for op in steps):
        ctx.told = ctx.shared_pointer(ctx.arena.reserve(_WORD))
    # where work-items by themselves may end, the others of the work-group have to be told
    if not any(isinstance(op, Check) and in_spmd(op) for op in steps):
        return
    flag = ctx.shared_pointer(ctx.arena.reserve(_FLAG_BYTES))
    with ctx.b.if_then(ctx.is_elected()):
        _set(ctx.b, flag, 0)
    ctx.barrier()
    ctx.ended = flag


def _set(b: Builder, flag: Value, number: int) -> None:
    b.atomic_store(i32(number), flag, "monotonic", _FLAG_BYTES, "block")


def _claim(ctx: KernelContext, op: core.Operation) -> None:
    """One thread claims the words, all get the address."""
    assert isinstance(op, Claim)
    assert ctx.told is not None
    b, records = ctx.b, ctx.records
    with b.if_then(ctx.is_elected()):
        b.store(_claimed(b, records.address, records.words, i64(records.sites[op]), op.words), ctx.told, _WORD)
    ctx.barrier()
    ctx.bind(op.out, b.load("i64", ctx.told, _WORD, hint="report"))
    ctx.barrier()


def _claimed(b: Builder, address: Value, words: Value, site: Value, count: int) -> Value:
    """Claim a record and write its head: the address of so many words for its values, 0 if there is no room."""
    head = b.cast("inttoptr", address, GLOBAL, hint="records")
    size = i64(DEVICE_RECORD_WORDS + count)
    before = b.atomicrmw("add", head, size, "monotonic", _WORD, "device")
    with b.if_else(b.icmp("ule", b.add(before, size), words), likely=True) as branch:
        with branch.then():
            record = b.gep("i64", head, b.add(before, i64(DEVICE_HEAD_WORDS)), hint="record")
            for number, value in enumerate([site, *_work_group(b)]):
                b.store(value, b.offset(record, _WORD * number), _WORD)
            values = b.offset(record, _WORD * DEVICE_RECORD_WORDS)
            branch.yield_(b.cast("ptrtoint", values, "i64"))
        with branch.otherwise():
            b.atomicrmw("umin", b.offset(head, _WORD), before, "monotonic", _WORD, "device")
            b.atomicrmw("add", b.offset(head, 2 * _WORD), i64(1), "monotonic", _WORD, "device")
            branch.yield_(i64(0))
    return branch.results[0]


def _work_group(b: Builder) -> list[Value]:
    names = [f"llvm.nvvm.read.ptx.sreg.ctaid.{axis}" for axis in "xyz"]
    return [b.zext(b.intrinsic(name, "i32", [], overload=()), "i64") for name in names]


def _check(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, Check)
    b, records = ctx.b, ctx.records
    with b.if_then(b.not_(ctx.scalar(op.condition)), likely=False):
        values = [b.resize(ctx.scalar(value), "i64") for value in op.values]
        site = i64(records.sites[op])
        b.call_void(_recorder(ctx.module, len(values)), [records.address, records.words, site, *values])
        if ctx.ended is not None:
            _set(b, ctx.ended, 1)
        ctx.end_thread()


def _recorder(module: Module, count: int) -> Callee:
    """The function that leaves a record of so many values, if it is the first."""
    name = f"tilewright_failed_check_{count}"
    known = module.defined(name)
    if known is not None:
        return known
    parameters = [("i64", name) for name in ("records", "words", "site", *(f"v{k}" for k in range(count)))]
    function = module.function(name, "void", parameters, linkage="internal", attributes="noinline cold nounwind")
    address, words, site, *values = function.arguments
    b = Builder(function)
    head = b.cast("inttoptr", address, GLOBAL)
    earlier = b.atomicrmw("add", b.offset(head, 3 * _WORD), i64(1), "monotonic", _WORD, "device")
    with b.if_then(b.icmp("eq", earlier, i64(0))):
        place = _claimed(b, address, words, site, count)
        with b.if_then(b.icmp("ne", place, i64(0))):
            _store_all(b, values, b.cast("inttoptr", place, GLOBAL))
    b.ret()
    return function.callee


def _store_all(b: Builder, values: Sequence[Value], pointer: Value) -> None:
    for number, value in enumerate(values):
        b.store(value, b.offset(pointer, _WORD * number), _WORD)


def _reach(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, Reach)
    ctx.bind(op.out, ctx.reaches[op.pointer])


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {Claim: _claim, Check: _check, Reach: _reach}
