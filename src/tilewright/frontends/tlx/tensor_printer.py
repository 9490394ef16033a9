"""Prints operations on tensors as calls of intrinsics, with a token for each tensor that others take."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects.tlx.base import TensorOperation, TlxOperation, tensor_of
from tilewright.dialects.tlx.memory import Load, Store, ToVector, TypeInfo
from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.absorbed import is_relaid
from tilewright.frontends.tlx.declarations import Effect
from tilewright.frontends.tlx.names import TOTENSOR, TYPEINFO
from tilewright.frontends.tlx.printing import Printing
from tilewright.frontends.tlx.spelling import component_text, scalar_text, type_text, vector_text
from tilewright.frontends.tlx.strides import BY_DIMENSION
from tilewright.ir.core import Value

Operand = tuple[str, str]
"""A type and a value as a call has them."""


def print_operation(p: Printing, op: TlxOperation) -> None:
    """One operation of the dialect."""
    match op:
        case Load():
            _load(p, op)
        case Store():
            _store(p, op)
        case TypeInfo(vector=vector, out=out):
            name = p.names.name(out)
            p.tokens[out] = name
            kind = TOTENSOR if op.resident else TYPEINFO
            p.line(f"{name} = {_typed(p, kind, (type_text(vector.type), p.value(vector)), tensor_of(out))}")
        case ToVector(input=tensor, out=out):
            _to_vector(p, tensor, out)
        case _:
            _call(p, op)


def _token(p: Printing, tensor: Value) -> Operand:
    return "token", p.tokens[tensor]


def _vectors(type_: TensorType) -> list[Operand]:
    found: list[Operand] = []
    for numbers in (type_.extents, type_.layout, type_.padding):
        kind, _, value = vector_text(numbers).partition("> ")
        found.append((kind + ">", value))
    return found


def _suffixed(name: str, operands: Sequence[Operand], result: str | None = None) -> str:
    parts = [] if result is None else [result]
    for kind, _ in operands:
        if kind.startswith("ptr"):
            parts.append("p0")
        elif kind != "token":
            parts.append(_component(kind))
    return ".".join([name, *parts])


def _component(kind: str) -> str:
    """The component of a suffix for a type's text."""
    words = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
    if kind.startswith("<"):
        count, _, element = kind[1:-1].partition(" x ")
        return f"v{count}{words.get(element, element)}"
    return words.get(kind, kind)


def _typed(p: Printing, name: str, vector: Operand, type_: TensorType) -> str:
    operands = [vector, *_vectors(type_)]
    return p.call(_suffixed(name, operands), "token", operands)


# Memory


def _strides(p: Printing, distances: Sequence[int | Value]) -> Operand:
    """Distances as a vector; what the launch knows is inserted into it."""
    constants = [d if isinstance(d, int) else 0 for d in distances]
    kind, _, text = vector_text(constants, 64).partition("> ")
    kind += ">"
    for position, distance in enumerate(distances):
        if isinstance(distance, Value):
            producer = distance.defining_op
            assert producer is not None
            source = producer.operands[0]
            name = p.names.fresh("strides")
            p.line(f"{name} = insertelement {kind} {text}, {p.operand(source)}, i64 {position}")
            text = name
    return kind, text


def _pointer(p: Printing, address: Value, type_: TensorType) -> Operand:
    return f"ptr elementtype({scalar_text(type_.element)})", p.pointer(address)


def _access(p: Printing, name: str, result: str, operands: Sequence[Operand], effect: Effect) -> str:
    kinds = ["ptr" if kind.startswith("ptr") else kind for kind, _ in operands]
    callee = p.declarations.call(_suffixed(name, operands), result, kinds, effect)
    inner = ", ".join(f"{kind} {value}" for kind, value in operands)
    return f'call {result} {callee}({inner}) {BY_DIMENSION}="dim"'


def _load(p: Printing, op: Load) -> None:
    type_ = tensor_of(op.out)
    operands = [_pointer(p, op.address, type_), *_vectors(type_), _strides(p, op.mixed_distances)]
    p.tokens[op.out] = p.names.name(op.out)
    p.line(f"{p.tokens[op.out]} = {_access(p, 'llvm.tensor.load', 'token', operands, Effect.READ)}")


def _store(p: Printing, op: Store) -> None:
    type_ = tensor_of(op.input)
    operands = [_pointer(p, op.address, type_), _token(p, op.input), _strides(p, op.mixed_distances)]
    p.line(_access(p, "llvm.tensor.store", "void", operands, Effect.WRITE))


# Values


def _to_vector(p: Printing, tensor: Value, out: Value) -> None:
    """What was loaded or typed becomes a vector; results of operations are printed as vectors already."""
    kind = type_text(out.type)
    name = _suffixed("llvm.tensor.tovector", [], component_text(out.type))
    p.define(out, p.call(name, kind, [_token(p, tensor)]))


def _call(p: Printing, op: TlxOperation) -> None:
    out = op.results[0]
    type_ = out.type
    operands = [_operand(p, op, word.removesuffix("?")) for word in op.spec.assembly]
    kind = type_text(type_.flat if isinstance(type_, TensorType) else type_)
    component = component_text(type_.flat if isinstance(type_, TensorType) else type_)
    text = p.call(_suffixed(op.spec.intrinsic, operands, component), kind, operands)
    p.define(out, text)
    if isinstance(type_, TensorType) and _needs_token(op, out):
        name = p.names.derived(p.names.name(out), "token")
        p.tokens[out] = name
        p.line(f"{name} = {_typed(p, TYPEINFO, (kind, p.names.name(out)), type_)}")


def _needs_token(op: TlxOperation, out: Value) -> bool:
    """Whether others take the tensor, or only its type says how a result lies."""
    relaid = isinstance(op, TensorOperation) and is_relaid(op)
    return relaid or any(not isinstance(user, ToVector) for user in out.uses)


def _operand(p: Printing, op: TlxOperation, word: str) -> Operand:
    if not word.startswith("$"):
        value = op.attributes[word]
        if isinstance(value, int):
            return "i32", str(value)
        assert isinstance(value, tuple)
        kind, _, text = vector_text([int(str(n)) for n in value]).partition("> ")
        return kind + ">", text
    value = getattr(op, word[1:])
    assert isinstance(value, Value)
    return _token(p, value) if isinstance(value.type, TensorType) else (type_text(value.type), p.value(value))
