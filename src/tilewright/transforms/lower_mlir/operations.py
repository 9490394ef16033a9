"""Lowers the operations of a block one after the other, each by what its class says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import func
from tilewright.ir.core import Block, Operation, Region
from tilewright.transforms.lower_mlir import (
    affine,
    control,
    copies,
    functions,
    gpu,
    launches,
    linalg,
    memory,
    numbers,
    regroupings,
    tensors,
    vectors,
)
from tilewright.transforms.lower_mlir.context import Handler, Lowering, Unsupported


@cache
def _handlers() -> Mapping[type[Operation], Handler]:
    return {
        **numbers.handlers(),
        **functions.handlers(),
        **memory.handlers(),
        **control.handlers(lower_block),
        **affine.handlers(lower_block),
        **linalg.handlers(lower_block),
        **gpu.handlers(),
        **copies.handlers(),
        **launches.handlers(lower_block),
        **vectors.handlers(),
        **tensors.handlers(),
        **regroupings.handlers(),
        func.Call: _call,
    }


def lower_block(low: Lowering, region: Region) -> Operation:
    """Lower all operations of a region of one block but the last, its terminator, which is returned."""
    if len(region.blocks) != 1:
        op = region.parent
        assert op is not None
        raise Unsupported(op, f"{op.name}: blocks that branch are supported in functions that are launched, not here")
    return lower_operations(low, region.entry)


def lower_operations(low: Lowering, block: Block) -> Operation:
    """Lower all operations of a block but its terminator, which is returned."""
    last = block.last
    assert last is not None, "verified: a block ends in a terminator"
    for op in block:
        if op is last:
            break
        handler = _handlers().get(type(op))
        if handler is None:
            raise Unsupported(op, f"{op.name} is not supported")
        low.b.location = op.location
        handler(low, op)
    low.b.location = last.location
    return last


def _call(low: Lowering, op: Operation) -> None:
    """The body of the function in place of the call."""
    assert isinstance(op, func.Call)
    name = op.callee.root
    callee = low.functions.get(name)
    if callee is None or op.callee.nested:
        raise Unsupported(op, f"func.call: there is no function {op.callee} in the module around")
    if callee.is_declaration:
        raise Unsupported(op, f"func.call: @{name} has no body, and what is outside of the module is not called")
    if name in low.calls:
        raise Unsupported(op, f"func.call: @{name} calls itself; calls are inlined, so recursion is not supported")
    wanted, found = list(callee.function_type.inputs), [v.type for v in op.values]
    if wanted != found or list(callee.function_type.results) != [r.type for r in op.outs]:
        raise Unsupported(op, f"func.call: @{name} is {callee.function_type}, not what is called")
    inner = low.inside(Builder(low.b.block, low.b.before, op.location), certain=True)
    inner.values = dict(low.values)
    inner.calls = (*low.calls, name)
    for argument, value in zip(callee.body.entry.arguments, op.values, strict=True):
        inner.values[argument] = low.value(value)
    end = lower_block(inner, callee.body)
    for result, value in zip(op.outs, end.operands, strict=True):
        found = inner.value(value)
        low.buffers.owned.discard(found)  # it may be that of an argument
        low.bind(result, found)
