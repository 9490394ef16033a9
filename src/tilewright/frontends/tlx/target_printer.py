"""Prints operations on tensors as calls of intrinsics whose tensors are values of target types: without tokens."""

from __future__ import annotations

from tilewright.dialects.tlx.base import TlxOperation, tensor_of
from tilewright.dialects.tlx.memory import Load, Store, ToVector, TypeInfo
from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.call_text import Operand, access, plain_operand, pointer, strides, suffixed
from tilewright.frontends.tlx.declarations import Effect
from tilewright.frontends.tlx.names import LOAD, STORE, TOTENSOR, TYPEINFO
from tilewright.frontends.tlx.printing import Printing
from tilewright.frontends.tlx.spelling import type_text
from tilewright.frontends.tlx.target_types import target_text
from tilewright.ir.core import Value
from tilewright.ir.types import Type


def print_operation(p: Printing, op: TlxOperation) -> None:
    """One operation of the dialect."""
    match op:
        case Load(out=out):
            operands = [pointer(p, op.address, tensor_of(out).element), strides(p, op.mixed_distances)]
            kind = _kind(out.type)
            p.define(out, access(p, suffixed(LOAD, operands, kind), kind, operands, Effect.READ))
        case Store(input=tensor):
            element = tensor_of(tensor).element
            operands = [pointer(p, op.address, element), _tensor(p, tensor), strides(p, op.mixed_distances)]
            p.line(access(p, suffixed(STORE, operands), "void", operands, Effect.WRITE))
        case TypeInfo(vector=vector, out=out):
            operand = type_text(vector.type), p.value(vector)
            _define(p, TOTENSOR if op.resident else TYPEINFO, out, [operand])
        case ToVector(input=tensor, out=out):
            _define(p, "llvm.tensor.tovector", out, [_tensor(p, tensor)])
        case _:
            found = (plain_operand(p, op, word.removesuffix("?")) for word in op.spec.assembly)
            operands = [_tensor(p, operand) if isinstance(operand, Value) else operand for operand in found]
            _define(p, op.spec.intrinsic, op.results[0], operands)


def _kind(type_: Type) -> str:
    return target_text(type_) if isinstance(type_, TensorType) else type_text(type_)


def _tensor(p: Printing, tensor: Value) -> Operand:
    return _kind(tensor.type), p.names.name(tensor)


def _define(p: Printing, name: str, out: Value, operands: list[Operand]) -> None:
    kind = _kind(out.type)
    p.define(out, p.call(suffixed(name, operands, kind), kind, operands))
