"""lower-tlx: from TLX to tiles, memory and products of matrices.

before:  %v = tlx.matmul %a, %b -> tensor<10x64x64xf32>
after:   scf.for %i .. parallel { tl.gemm .. }, on views of the memory of %a, %b and %v

The first stage of three: batches, axes of contractions, windows and moves of elements become loops over matrices and
views. Large tensors and vectors live in memory, small ones in tiles. Nothing reads padding.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import scf
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.dialects.tlx.memory import ToVector, TypeInfo
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.transforms.lower_tlx.carried import (
    Carrier,
    close_carrier,
    is_long,
    open_carrier,
    release,
    shrink,
)
from tilewright.transforms.lower_tlx.context import Lowering, NoLowering
from tilewright.transforms.lower_tlx.destinations import destination
from tilewright.transforms.lower_tlx.long_vectors import long_vector
from tilewright.transforms.lower_tlx.operations import lowered
from tilewright.transforms.lower_tlx.postconditions import broken_postconditions

__all__ = ["LowerTlx"]


class LowerTlx(Pass, frozen=True):
    """Replaces the operations of TLX in every kernel; values of more elements than `limit` live in memory."""

    limit: int = 4096

    name: ClassVar[str] = "lower-tlx"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            try:
                changed |= _kernel(kernel, self.limit)
            except NoLowering as error:
                context.report.error("TLX401", error.op.location, f"no lowering: {error}")
                return True
        return changed

    def broken(self, module: Module) -> list[str]:
        return [fault.message for fault in broken_postconditions(module, self.limit)]


def _kernel(kernel: Kernel, limit: int) -> bool:
    low, replaced, carriers = Lowering(Builder(kernel.body.entry), limit), list[Operation](), list[Carrier]()
    changed = _same_types(kernel)
    _block(low, kernel.body.entry, replaced, carriers)
    for carrier in carriers:
        release(low, carrier)
    for op in reversed(replaced):
        op.erase()
    for carrier in carriers:
        shrink(low, carrier)
    return changed or bool(replaced)


def _block(low: Lowering, block: Block, replaced: list[Operation], carriers: list[Carrier]) -> None:
    for op in list(block):
        inner = low.inside(Builder.before_op(op))
        if isinstance(op, TlxOperation):
            _bind(inner, op)
            replaced.append(op)
        elif isinstance(op, scf.For | scf.While | scf.If) and any(is_long(low, out) for out in op.outs):
            open_carrier(inner, op)
            carriers.append(op)
        elif isinstance(op, scf.Yield) and any(is_long(low, v) for v in op.values):
            close_carrier(inner, op)
        elif any(is_long(low, v) for v in (*op.operands, *op.results)):
            long_vector(inner, op)
            replaced.append(op)
        for region in op.regions:
            for body in region.blocks:
                _block(low, body, replaced, carriers)


def _bind(low: Lowering, op: TlxOperation) -> None:
    found = _computed(low, op)
    if found is None:
        return
    (out,) = op.results
    if isinstance(out.type, TileType) and isinstance(found.type, TileType):
        out.replace_all_uses_with(found)
    elif out not in low.values:
        low.values[out] = found


def _computed(low: Lowering, op: TlxOperation) -> Value | None:
    """What the result of an operation became, at once where it is stored next if that is possible."""
    chosen = destination(low, op)
    if chosen is not None:
        store, low.destinations[store] = chosen
        low.goal = low.destinations[store].view
    return lowered(low, op)


def _same_types(kernel: Kernel) -> bool:
    """Vectors that are given the type of the tensor that they come from are that tensor."""
    changed = False
    for op in list(kernel.walk()):
        source = op.vector.defining_op if isinstance(op, TypeInfo) else None
        if isinstance(source, ToVector) and source.input.type == op.results[0].type:
            op.results[0].replace_all_uses_with(source.input)
            op.erase()
            changed = True
            if not source.out.uses:
                source.erase()
    return changed
