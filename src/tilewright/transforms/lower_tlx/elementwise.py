"""Functions of elements: the operations of `arith` and `math` that they are, on tiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.dialects import arith, arith_floats, math, memref, tl
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.tlx import elementwise as tlx
from tilewright.dialects.tlx import products
from tilewright.dialects.tlx.base import tensor_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import F32, INDEX, ScalarType, TileType
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx.axes import walked_together
from tilewright.transforms.lower_tlx.context import Lowering

_Function = Callable[[Builder, Value], Value]


def _direct(cls: Callable[[Value], Operation]) -> _Function:
    return lambda b, x: b(cls(x)).results[0]


def _relu(b: Builder, x: Value) -> Value:
    zero = b.zero(x.type)
    if emit.scalar_type(x.type).is_float:
        return b(arith_floats.Maximum(x, zero)).out
    return b(arith.Max(x, zero)).out


def _sigmoid(b: Builder, x: Value) -> Value:
    """Of e^-|x|, which is no more than 1: nothing overflows, and small results keep their last bits."""
    one = b.constant(1.0, x.type)
    power = b(math.Exp(b(arith.Neg(b(arith.Abs(x)).out)).out)).out
    above = emit.select(b, b(arith.Cmp(arith.Predicate.LT, x, b.zero(x.type))).out, power, one)
    return b(arith.Div(above, b(arith.Add(one, power)).out)).out


def _wide(function: _Function, wide: ScalarType) -> _Function:
    """Computed in a wider type if there is one, so that what several roundings lose is less than the last bit."""

    def compute(b: Builder, x: Value) -> Value:
        element = emit.scalar_type(x.type)
        if element.bits >= wide.bits:
            return function(b, x)
        return emit.cast(b, function(b, emit.cast(b, x, wide)), element)

    return compute


FUNCTIONS: Final[Mapping[type[tlx.TensorUnary], _Function]] = {
    tlx.Relu: _relu,
    tlx.Tanh: _direct(math.Tanh),
    tlx.Sigmoid: _wide(_sigmoid, F32),
    tlx.Sin: _direct(math.Sin),
    tlx.Cos: _direct(math.Cos),
    tlx.Exp: _direct(math.Exp),
    tlx.Exp2: _direct(math.Exp2),
    tlx.Log: _direct(math.Log),
    tlx.Log2: _direct(math.Log2),
    tlx.Log10: _direct(math.Log10),
    tlx.Sqrt: _direct(math.Sqrt),
    tlx.Fabs: lambda b, x: b(arith.Abs(x)).out,
    tlx.Floor: _direct(math.Floor),
    tlx.Ceil: _direct(math.Ceil),
}


def is_epilogue(low: Lowering, op: Operation) -> bool:
    """Whether an operation only changes what a product of matrices just wrote, which nobody else looks at."""
    if not isinstance(op, tlx.TensorUnary) or not op.input.has_one_use() or op.input.type != op.out.type:
        return False
    source, type_ = op.input.defining_op, tensor_of(op.out)
    if source is None or source.block is not op.block or type_.rank != 2 or not low.is_large(type_):
        return False
    return isinstance(source, products.Product | products.MultiplyAccumulate) or is_epilogue(low, source)


def _epilogue(low: Lowering, op: tlx.TensorUnary) -> Value:
    """In the memory of the product, as loops over its elements, which passes fuse with it."""
    view = low.values[op.input]
    region, block = new_region([INDEX, INDEX])
    inner = Builder.at_end(block, op.location)
    at = list[Value](block.arguments)
    loaded = inner(memref.Load(view, at)).out
    inner(memref.Store(FUNCTIONS[type(op)](inner, loaded), view, at))
    ends = [emit.as_value(low.b, emit.extent(low.b, view, mode)) for mode in range(2)]
    low.b(tl.Foreach([low.b.index(0)] * 2, ends, region))
    return view


def function(low: Lowering, op: tlx.TensorUnary) -> Value:
    """Each element by itself, on the whole tile or chunk by chunk."""
    if is_epilogue(low, op):
        return _epilogue(low, op)
    compute, type_ = FUNCTIONS[type(op)], tensor_of(op.out)
    if not low.is_large(type_):
        return compute(low.b, low.tile(op.input))
    source, target = low.memory(op.input, type_), low.result(type_)
    walked, written = walked_together(low, [source, target])
    low.for_each_chunk(
        written, lambda inner, box: box.store(inner.b, compute(inner.b, box.load(inner.b, walked)), written)
    )
    return target


def broadcast(low: Lowering, op: tlx.Broadcast) -> Value:
    """A tile or memory filled with the number."""
    type_ = tensor_of(op.out)
    if not low.is_large(type_):
        return emit.shaped(low.b, op.value, TileType(type_.shape[::-1], type_.element))
    target = low.result(type_)
    low.fill(op.value, target)
    return target
