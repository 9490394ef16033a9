"""Elementwise operations: what they declare to compute, and in checked mode what is wrong with it."""

from __future__ import annotations

from typing import Final

from tilewright.dialects.cuda_tile import OPERATIONS
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.ir.core import Operation
from tilewright.ir.evaluation import evaluated, fault_of

ELEMENTWISE: Final = tuple(kind for kind in OPERATIONS if kind.evaluate is not None)


def _compute(w: TileBlock, op: Operation) -> None:
    operands = [w.tile(value) for value in op.operands]
    fault = fault_of(op, *operands) if w.checked else None
    if fault is not None:
        w.undefined(op.location, fault)
    w.bind(op.results[0], evaluated(op, *operands))


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict(handler(kind, _compute) for kind in ELEMENTWISE)
