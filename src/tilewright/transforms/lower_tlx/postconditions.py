"""What holds behind the first stage: the promise that `lower-tlx` is held to where passes are verified."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects import scf, tl
from tilewright.dialects.builtin import Module
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.dialects.tlx.types import Fault, TensorType
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import TileType
from tilewright.transforms import emit


def broken_postconditions(module: Module, limit: int) -> list[Fault]:
    """Why a module is not what the first stage promises, of each kind and place; empty if it is.

    1. no operation of TLX is left, and no tensor; products are of matrices, which may be several modes of a tensor in
       either dimension, with static extents;
    2. its loops have constant bounds, and parallel ones carry nothing;
    3. no value in registers has more than `limit` elements.
    """
    return [fault for kernel in module.kernels for op in kernel.walk() for fault in _faults(op, limit)]


def _faults(op: Operation, limit: int) -> Iterator[Fault]:
    if isinstance(op, TlxOperation) or any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
        yield Fault("1", f"{op.name} is left")
    if isinstance(op, tl.Gemm | tl.Contract):
        for value in (op.a, op.b, op.c):
            if not _is_static(value) or (isinstance(op, tl.Gemm) and emit.memref_type(value).order != 2):
                yield Fault("1", f"{op.name} of {value.type}")
    if isinstance(op, scf.For) and op.parallel:
        bounds = [op.lower, op.upper, *([] if op.step is None else [op.step])]
        if any(emit.integer_of(v) is None for v in bounds) or op.outs:
            yield Fault("2", "a parallel loop of other bounds than constants, or with carried values")
    for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.arguments)):
        if isinstance(value.type, TileType) and value.type.size > limit:
            yield Fault("3", f"{op.name} has a value of {value.type.size:,} elements")


def _is_static(value: Value) -> bool:
    return None not in emit.memref_type(value).shape
