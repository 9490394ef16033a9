"""Operands of intrinsics as texts, and names that follow from their types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.dialects.tlx.base import TlxOperation
from tilewright.frontends.tlx.declarations import Effect
from tilewright.frontends.tlx.printing import Printing
from tilewright.frontends.tlx.spelling import scalar_text, type_text, vector_text
from tilewright.frontends.tlx.strides import BY_DIMENSION
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType

Operand = tuple[str, str]
"""A type and a value as a call has them."""
_WORDS: Final = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}


def numbers(found: Sequence[int], bits: int = 32) -> Operand:
    """A constant vector of integers."""
    kind, _, text = vector_text(found, bits).partition("> ")
    return kind + ">", text


def suffixed(name: str, operands: Sequence[Operand], result: str | None = None) -> str:
    """The name of an intrinsic: one component for its result, if that has one, and for each operand but tokens."""
    kinds = ["ptr" if kind.startswith("ptr") else kind for kind, _ in operands if kind != "token"]
    components = [*([] if result is None else [result]), *kinds]
    return ".".join([name, *map(_component, components)])


def _component(kind: str) -> str:
    """The component of a suffix for a type's text."""
    if kind == "ptr":
        return "p0"
    if kind.startswith("<"):
        count, _, element = kind[1:-1].partition(" x ")
        return f"v{count}{_WORDS.get(element, element)}"
    if kind.startswith("target("):
        name, *rest = kind.removeprefix("target(").removesuffix(")").split(", ")
        return f"t{'_'.join([name.strip(chr(34)), *(_WORDS.get(word, word) for word in rest)])}t"
    return _WORDS.get(kind, kind)


def pointer(p: Printing, address: Value, element: ScalarType) -> Operand:
    """An address of elements."""
    return f"ptr elementtype({scalar_text(element)})", p.pointer(address)


def strides(p: Printing, distances: Sequence[int | Value]) -> Operand:
    """Distances as a vector; what the launch knows is inserted into it."""
    kind, text = numbers([d if isinstance(d, int) else 0 for d in distances], 64)
    for position, distance in enumerate(distances):
        if isinstance(distance, Value):
            producer = distance.defining_op
            assert producer is not None
            source = producer.operands[0]
            name = p.names.fresh("strides")
            p.line(f"{name} = insertelement {kind} {text}, {p.operand(source)}, i64 {position}")
            text = name
    return kind, text


def access(p: Printing, name: str, result: str, operands: Sequence[Operand], effect: Effect) -> str:
    """A call that reads or writes memory."""
    kinds = ["ptr" if kind.startswith("ptr") else kind for kind, _ in operands]
    callee = p.declarations.call(name, result, kinds, effect)
    inner = ", ".join(f"{kind} {value}" for kind, value in operands)
    return f'call {result} {callee}({inner}) {BY_DIMENSION}="dim"'


def plain_operand(p: Printing, op: TlxOperation, word: str) -> Operand | Value:
    """What the declaration of an operation calls by a word, as text; a tensor as it is."""
    if not word.startswith("$"):
        value = op.attributes[word]
        if isinstance(value, int):
            return "i32", str(value)
        assert isinstance(value, tuple)
        return numbers([int(str(n)) for n in value])
    value = getattr(op, word[1:])
    assert isinstance(value, Value)
    return value if p.is_tensor(value) else (type_text(value.type), p.value(value))
