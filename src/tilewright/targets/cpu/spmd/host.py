"""Memory of the program itself, and reports to the host.

A report is a record in memory of its own, put in front of the list that begins at the kernel's exported head. The host
takes the list when the launch is over: {next, site, x, y, z, values of 8 bytes each}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from tilewright.artifacts.report_sites import RECORD_WORDS, head_words
from tilewright.artifacts.symbols import global_symbol, reports_symbol
from tilewright.dialects.reports import Check, Report
from tilewright.dialects.statics import GlobalAddress, Reserve, global_of
from tilewright.ir import core
from tilewright.ir.types import TileType
from tilewright.targets.cpu.context import KernelContext, OpLowering
from tilewright.targets.cpu.lowered import Operand, Scalar
from tilewright.targets.llvm.emitter import Value, i64

StoreTile = Callable[[core.Value, Value], None]
"""Stores a tile at an address, elements one after another, the first dimension fastest."""
_STACK_BYTES = 4096
ALLOCATE = "malloc"


def _global_address(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, GlobalAddress)
    found = global_of(op)
    assert found is not None, "the verifier has looked"
    pointer = ctx.module.global_variable(
        global_symbol(found.sym_name),
        f"[{len(found.data) // 2} x i8]",
        _initializer(bytes.fromhex(found.data)),
        constant=found.constant,
        align=max(found.alignment, 16),
    )
    ctx.bind(op.out, Scalar(ctx.b.cast("ptrtoint", pointer, "i64", hint="global")))


def _initializer(data: bytes) -> str:
    if not any(data):
        return "zeroinitializer"
    return 'c"' + "".join(f"\\{byte:02X}" for byte in data) + '"'


def _reserve(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, Reserve)
    size = max(op.size, 1)
    if size + op.alignment <= _STACK_BYTES:
        pointer = ctx.b.alloca(f"[{size} x i8]", align=op.alignment, hint="reserved")
        ctx.bind(op.out, Scalar(ctx.b.cast("ptrtoint", pointer, "i64")))
        return
    pointer = ctx.b.offset(ctx.workspace, ctx.layout.reserve(size + op.alignment), hint="reserved")
    address = ctx.b.add(ctx.b.cast("ptrtoint", pointer, "i64"), i64(op.alignment - 1))
    ctx.bind(op.out, Scalar(ctx.b.and_(address, i64(-op.alignment))))


def lower_report(ctx: KernelContext, op: Report, store_tile: StoreTile) -> None:
    """Write the record and put it in front of the list; count it as lost if there is no memory for it."""
    b = ctx.b
    operands = [None if isinstance(v.type, TileType) else ctx.uniform_value(ctx.scalar(v)) for v in op.values]
    words = RECORD_WORDS + sum(map(_count, op.values))
    record = b.call(ctx.module.declare(ALLOCATE, "ptr", ["i64"]), [i64(8 * words)], hint="record")
    address = b.cast("ptrtoint", record, "i64")
    head = head_of(ctx)
    with b.if_else(b.icmp("ne", address, i64(0)), likely=True) as branch:
        with branch.then():
            _write(ctx, op, operands, record, store_tile)
            b.store(b.atomicrmw("xchg", head, address, "acq_rel", 8), record, 8)
        with branch.otherwise():
            b.atomicrmw("add", b.offset(head, 8), i64(1), "monotonic", 8)


def head_of(ctx: KernelContext) -> Value:
    """The head of the kernel's list of records, which the object exports."""
    words = head_words(any(isinstance(op, Check) for op in ctx.sites))
    return ctx.module.global_variable(
        reports_symbol(ctx.kernel.sym_name), f"[{words} x i64]", "zeroinitializer", linkage="", align=8
    )


def _write(
    ctx: KernelContext, op: Report, operands: Sequence[Operand | None], record: Value, store_tile: StoreTile
) -> None:
    """Everything of a record but its successor; `operands` are the scalars among the values."""
    b = ctx.b
    for number, value in enumerate([i64(ctx.sites[op]), *ctx.group_id]):
        b.store(value, b.offset(record, 8 * (number + 1)), 8)
    offset = 8 * RECORD_WORDS
    for value, operand in zip(op.values, operands, strict=True):
        place = b.offset(record, offset)
        if isinstance(value.type, TileType):
            store_tile(value, place)
        else:
            assert isinstance(operand, Value)
            b.store(operand, place, 8)
        offset += 8 * _count(value)


def _count(value: core.Value) -> int:
    return prod(value.type.shape) if isinstance(value.type, TileType) else 1


def _report(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, Report)
    lower_report(ctx, op, _no_tile)


def _no_tile(value: core.Value, pointer: Value) -> None:
    raise AssertionError("reports of tiles are lowered with the operations on tiles")


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {GlobalAddress: _global_address, Reserve: _reserve, Report: _report}
