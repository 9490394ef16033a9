"""What lowers each operation of TLX."""

from __future__ import annotations

from tilewright.dialects.tlx import elementwise as tlx_elementwise
from tilewright.dialects.tlx import memory as tlx_memory
from tilewright.dialects.tlx import products as tlx_products
from tilewright.dialects.tlx import reductions as tlx_reductions
from tilewright.dialects.tlx import shapes as tlx_shapes
from tilewright.dialects.tlx import vectors as tlx_vectors
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.ir.core import Value
from tilewright.transforms.lower_tlx import convolutions, elementwise, memory, products, reductions, shapes, vectors
from tilewright.transforms.lower_tlx.context import Lowering, NoLowering


def lowered(low: Lowering, op: TlxOperation) -> Value | None:
    """What the result became, None if there is none. Raises `NoLowering`."""
    match op:
        case tlx_memory.Load():
            return memory.load(low, op)
        case tlx_memory.Store():
            return memory.store(low, op)
        case tlx_memory.TypeInfo():
            return memory.typeinfo(low, op)
        case tlx_memory.ToVector():
            return memory.tovector(low, op)
        case tlx_products.MatMul():
            return products.matmul(low, op)
        case tlx_products.Contract():
            return products.contract(low, op)
        case tlx_products.MultiplyAccumulate():
            return products.multiply_accumulate(low, op)
        case tlx_elementwise.TensorUnary():
            return elementwise.function(low, op)
        case tlx_elementwise.Broadcast():
            return elementwise.broadcast(low, op)
        case tlx_products.Convolution():
            return convolutions.convolution(low, op)
        case tlx_reductions.Reduction():
            return reductions.reduction(low, op)
        case tlx_shapes.ReshapeBlock():
            return shapes.reshape_block(low, op)
        case tlx_shapes.ReshapePermute():
            return shapes.reshape_permute(low, op)
        case tlx_shapes.Pad():
            return shapes.pad(low, op)
        case tlx_shapes.Concat():
            return shapes.concat(low, op)
        case tlx_vectors.ReduceMac() | tlx_vectors.ReduceMacAcc():
            return vectors.neighbours(low, op)
        case tlx_shapes.Transpose():
            return low.values[op.input]
        case _:
            raise NoLowering(op, f"{op.spoken} has no code on any compiled target yet; the interpreter runs it")
