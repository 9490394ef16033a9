"""Prints operations on tensors as calls of intrinsics, with a token for each tensor that others take."""

from __future__ import annotations

from tilewright.dialects.tlx.base import TensorOperation, TlxOperation, tensor_of
from tilewright.dialects.tlx.memory import Load, Store, ToVector, TypeInfo
from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.absorbed import is_relaid
from tilewright.frontends.tlx.call_text import Operand, access, numbers, plain_operand, pointer, strides, suffixed
from tilewright.frontends.tlx.declarations import Effect
from tilewright.frontends.tlx.names import LOAD, STORE, TOTENSOR, TYPEINFO
from tilewright.frontends.tlx.printing import Printing
from tilewright.frontends.tlx.spelling import type_text
from tilewright.ir.core import Value


def print_operation(p: Printing, op: TlxOperation) -> None:
    """One operation of the dialect."""
    match op:
        case Load():
            _load(p, op)
        case Store():
            type_ = tensor_of(op.input)
            operands = [pointer(p, op.address, type_.element), _token(p, op.input), strides(p, op.mixed_distances)]
            p.line(access(p, suffixed(STORE, operands), "void", operands, Effect.WRITE))
        case TypeInfo(vector=vector, out=out):
            name = p.names.name(out)
            p.tokens[out] = name
            kind = TOTENSOR if op.resident else TYPEINFO
            p.line(f"{name} = {_typed(p, kind, (type_text(vector.type), p.value(vector)), tensor_of(out))}")
        case ToVector(input=tensor, out=out):
            # results of operations are printed as vectors already
            kind = type_text(out.type)
            p.define(out, p.call(suffixed("llvm.tensor.tovector", [], kind), kind, [_token(p, tensor)]))
        case _:
            _call(p, op)


def _token(p: Printing, tensor: Value) -> Operand:
    return "token", p.tokens[tensor]


def _vectors(type_: TensorType) -> list[Operand]:
    return [numbers(found) for found in (type_.extents, type_.layout, type_.padding)]


def _typed(p: Printing, name: str, vector: Operand, type_: TensorType) -> str:
    operands = [vector, *_vectors(type_)]
    return p.call(suffixed(name, operands), "token", operands)


def _load(p: Printing, op: Load) -> None:
    type_ = tensor_of(op.out)
    operands = [pointer(p, op.address, type_.element), *_vectors(type_), strides(p, op.mixed_distances)]
    p.tokens[op.out] = p.names.name(op.out)
    p.line(f"{p.tokens[op.out]} = {access(p, suffixed(LOAD, operands), 'token', operands, Effect.READ)}")


def _call(p: Printing, op: TlxOperation) -> None:
    out = op.results[0]
    type_ = out.type
    found = (plain_operand(p, op, word.removesuffix("?")) for word in op.spec.assembly)
    operands = [_token(p, operand) if isinstance(operand, Value) else operand for operand in found]
    kind = type_text(type_.flat if isinstance(type_, TensorType) else type_)
    p.define(out, p.call(suffixed(op.spec.intrinsic, operands, kind), kind, operands))
    if isinstance(type_, TensorType) and _needs_token(op, out):
        name = p.names.derived(p.names.name(out), "token")
        p.tokens[out] = name
        p.line(f"{name} = {_typed(p, TYPEINFO, (kind, p.names.name(out)), type_)}")


def _needs_token(op: TlxOperation, out: Value) -> bool:
    """Whether others take the tensor, or only its type says how a result lies."""
    relaid = isinstance(op, TensorOperation) and is_relaid(op)
    return relaid or any(not isinstance(user, ToVector) for user in out.uses)
